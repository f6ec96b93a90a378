/** The declarations of `/api/dispatch` (spec §4.1, contract §3): members of a call, and parameters of a GET. */
import Type, { type TSchema } from 'typebox';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { actions } from './dispatch-reads.ts';
import { namedTexts, queryMembers, readMetadata, readReplay, readRowAndBody } from './parse-dispatch.ts';
import { declaredName, unknownNamesFault } from './validate-query.ts';
import {
  actor,
  formatOf,
  nonce,
  paging,
  purpose,
  share,
  shareOnly,
  flag,
  stringParam,
  wholeNumberUpTo,
  workspace,
} from './parameters.ts';

export const dispatchPost = {
  id: 'dispatch',
  summary: 'Invokes one row of the directory; each call leaves a receipt.',
  tag: 'capabilities',
  caller: 'optional',
  query: {
    ...shareOnly,
    chars: wholeNumberUpTo(1_000_000_000, 'a longer answer comes without its result, which the receipt has'),
  },
  body: {
    key: stringParam('the key of a row'),
    body: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
      description: 'its arguments: by name, or in order with | between them',
    }),
    share,
    idem: stringParam('the same value repeats the first answer, for a day'),
    shape: Type.Boolean({ description: 'a dry run: nothing fires' }),
    replay: stringParam('an invocation to fire once more; stands alone'),
    repairs: stringParam('a failed invocation that this call corrects'),
    actor,
    purpose,
    workspace,
  },
  answers: ['Called', 'DryRun'],
} as const;

/** What each action does; the first one present counts. */
const actionParameters: Readonly<Record<(typeof actions)[number], TSchema>> = {
  invoke: stringParam('the key of a row to invoke'),
  replay: stringParam('an invocation to fire once more; its key and body are the recorded ones'),
  repairs: stringParam('a failed invocation; with invoke and body, what is corrected of it'),
  key: stringParam('a row whose contract is wanted'),
  confirm: stringParam('an invocation id: public proof that it happened'),
  receipt: stringParam('an invocation id: what was asked and answered, for who may see it'),
  explain: stringParam('1: what the share may do'),
  self_scope: flag('cuts a share for open rows; with narrow=1, from the share that is sent'),
  map: stringParam('1, or the name of a system'),
  registry: stringParam('1: every row, page by page'),
  ask: stringParam('a question in plain words: which rows fit'),
  schema: stringParam(
    'invocation, for the schema of a receipt; or the key of a row, for what it takes and answers',
  ),
  build: stringParam('1: the whole build as one map, for the owner'),
};

/** Each member is a parameter of its own: `arg.slug=…&arg.objection=…`. */
const namedArguments = Type.Record(Type.String({ pattern: '^arg\\..' }), Type.String(), {
  description:
    'arg.<name>=<text>, in place of body: the arguments of the row by name, each as it is; lists separated by commas or as JSON, objects as JSON',
});

export const dispatchGet = {
  id: 'look',
  summary:
    'Reads contracts, receipts, confirmations and maps; invoke= calls a row, self_scope= cuts a share.',
  tag: 'capabilities',
  caller: 'optional',
  query: {
    ...actionParameters,
    body: stringParam('the arguments of the row in order, or one JSON object, with invoke'),
    arg: namedArguments,
    share,
    n: nonce,
    format: formatOf('json', 'markdown', 'skill'),
    keys: stringParam('keys of rows, separated by commas, with self_scope'),
    purpose,
    actor,
    narrow: stringParam('1, with self_scope'),
    ...paging,
    shape: stringParam('1, with invoke: a dry run'),
    workspace,
  },
  rules: actionFaults,
  answers: [
    'Called',
    'DryRun',
    'Row',
    'Confirmation',
    'Receipt',
    'Explained',
    'SelfCut',
    'ProtocolMap',
    'System',
    'Registry',
    'Ask',
    'RowSchemas',
    'ReceiptSchema',
    'BuildMap',
    'Manifest',
  ],
  types: ['text/markdown'],
  fresh: true,
} as const;

/** The action decides which parameters have a meaning; the others are refused rather than ignored. */
function actionFaults(query: Readonly<Record<string, string>>): readonly unknown[] {
  const action = actions.find((each) => query[each] !== undefined);
  if (action === undefined) return [];
  const faults: unknown[] = [unusedParameters(action, query)];
  if (callingActions.has(action)) {
    if (query['body'] !== undefined && namedTexts(query) !== undefined) faults.push(bodyAndTexts);
    const members = queryMembers(query);
    const replay = readReplay(members);
    faults.push(replay, isFault(replay) ? undefined : readRowAndBody(members, replay));
  }
  if (callingActions.has(action) || action === 'self_scope') faults.push(readMetadata(query, '?'));
  if (action === 'ask' && query['ask']?.trim() === '') faults.push(emptyQuestion);
  return faults;
}

const callingActions: ReadonlySet<string> = new Set<(typeof actions)[number]>([
  'invoke',
  'replay',
  'repairs',
]);

/** Parameters of each action, in addition to the common ones. */
const parametersByAction: Readonly<Record<(typeof actions)[number], readonly string[]>> = {
  invoke: ['body', 'arg', 'repairs', 'shape', 'purpose', 'actor'],
  // A replay refuses these itself, with a better message.
  replay: ['invoke', 'body', 'arg', 'repairs', 'shape', 'purpose', 'actor'],
  repairs: ['body', 'arg', 'shape', 'purpose', 'actor'],
  key: ['format'],
  confirm: [],
  receipt: [],
  explain: [],
  self_scope: ['keys', 'narrow', 'purpose', 'actor'],
  map: ['format'],
  registry: ['limit', 'cursor'],
  ask: [],
  schema: [],
  build: [],
};
/** `n` is allowed on reads, too, to bypass caches. */
const commonParameters = ['share', 'workspace', 'n', 'soft', 'self'];

function unusedParameters(
  action: (typeof actions)[number],
  query: Readonly<Record<string, string>>,
): Fault | undefined {
  const known = [action, ...parametersByAction[action], ...commonParameters];
  const others = Object.keys(query).filter(
    (name) =>
      !known.includes(declaredName(name)) &&
      declaredName(name) in dispatchGet.query &&
      !(name === 'format' && query[name] === 'json'),
  );
  const what = [`means nothing beside ${action}`, `mean nothing beside ${action}`] as const;
  return others.length === 0 ? undefined : unknownNamesFault('?', others, what, known, { known });
}

const bodyAndTexts = invalidParameter(
  'body',
  'body and arg. are two forms of the same arguments.',
  'Send either body, or arg.<name> for each argument.',
);

const emptyQuestion = invalidParameter('ask', 'The question is empty.', 'Ask in plain words.');
