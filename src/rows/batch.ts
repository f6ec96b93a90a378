/**
 * VOXEL_BATCH (spec §4.4, contract §5): document mode makes or extends an article from Markdown; operations
 * mode runs up to 300 writes in one act, each through the gates of its own row and with a receipt of its own.
 */
import Type, { type Static } from 'typebox';
import type { BatchOperation, Plan } from '../domain/capabilities/plan.ts';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { documentRules, titleCharsMax } from '../domain/articles/write-document.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../domain/violations.ts';
import { isFault, type Fault } from '../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { SizeLimits } from '../kernel/size-limits.ts';
import { collectViolations } from '../domain/capabilities/arguments.ts';
import { optionalActor, optionalModel, optionalOneOf, optionalWords, slug } from '../model/arguments.ts';
import { articleStatuses } from '../model/vocabulary.ts';
import { BatchRun } from '../model/article-writes.ts';

export const operationsMax = 300;

/** A refused batch lists at most the first hundred faults of its operations. */
const toldMax = 100;

const rowOfOp: Readonly<Record<string, string>> = {
  edit: 'VOXEL_EDIT',
  move: 'VOXEL_MOVE',
  consolidate: 'VOXEL_CONSOLIDATE',
  claim: 'CLAIM_POST',
  source: 'SOURCE_POST',
  challenge: 'VOXEL_CHALLENGE',
  support: 'VOXEL_CHALLENGE',
  attest: 'VOXEL_ATTEST',
  vote: 'VOXEL_VOTE',
};

const input = Type.Object(
  {
    document: Type.Optional(
      Type.Object(
        {
          slug: Type.Optional(slug),
          title: optionalWords(titleCharsMax, 'the first heading when left out'),
          markdown: Type.String({ description: 'the text' }),
          status: optionalOneOf(articleStatuses, 'published when left out, or draft'),
          tags: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 50 })),
          category: optionalWords(100, 'one category'),
          extra: Type.Optional(
            Type.Unsafe<JsonObject>(
              Type.Object({}, { description: 'members of your own, as ARTICLE_META has them' }),
            ),
          ),
          model: optionalModel,
          expected_version: Type.Optional(
            Type.Integer({
              minimum: 0,
              description: '0 where the slug must be free, else the version that is appended to',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    slug: Type.Optional(slug),
    operations: Type.Optional(Type.Array(Type.Object({ op: Type.String({ maxLength: 40 }) }))),
    atomic: Type.Optional(Type.Boolean({ description: 'all or nothing' })),
    assignment_id: Type.Optional(
      Type.String({ pattern: '^norm_[a-z2-7]{16}$', description: 'the assignment that this is the work on' }),
    ),
    actor: optionalActor,
    model: optionalModel,
  },
  { additionalProperties: false },
);

export function batchRow(others: readonly Row[]): Row {
  const rows = new Map(others.map((row) => [row.key, row]));
  return defineRow({
    key: 'VOXEL_BATCH',
    category: 'voxel',
    target: 'article',
    wishes: [
      'write a new article',
      'create an article',
      'create an article if its slug is free',
      'import a Markdown text as an article',
      'land many changes in one call',
    ],
    contract: {
      what: 'Document mode turns Markdown into an article, or appends it to one that stands, which takes a voxel scope. Operations mode runs up to 300 writes, each gated and receipted by itself.',
      when: 'To make an article from a text, or to land many changes in one call. A single change has its own row.',
      example:
        '{"document":{"slug":"field-notes","title":"Field notes","markdown":"# Field notes\\n\\nFirst entry.\\n"}}',
    },
    input,
    output: BatchRun,
    auth: 'share',
    risk: 'low',
    safe: false,
    inAct: true,
    rules: (given, _article, limits) => [...batchRules(given), ...operationRules(given, rows, limits)],
    plan(args): Plan | Fault {
      const bad = refusalOf(batchRules(args));
      if (bad !== undefined) return bad;
      const assignment = args.assignment_id;
      if (args.document !== undefined) return { do: 'write-document', input: args.document, assignment };
      const operations = args.operations as readonly JsonObject[];
      const defaults = defaultsOf(args);
      return {
        do: 'batch',
        operations: operations.map((operation) => operationCall(operation, defaults, rows)),
        names: operations.map((operation) => String(operation['op'])),
        atomic: args.atomic === true,
        assignment,
      };
    },
  });
}

/** What is asked of the batch itself; each operation is judged by its own row. */
function batchRules({ document, operations }: PartialInput<Static<typeof input>>): Violation[] {
  const count = operations?.length ?? 1;
  return [
    ...((document === undefined) === (operations === undefined)
      ? [
          violation(
            'one_of_two',
            document === undefined ? '/document' : '/operations',
            'A batch has either a document or operations.',
            'Send one of the two.',
          ),
        ]
      : []),
    ...(count === 0
      ? [violation('missing', '/operations', 'The batch has no operations.', 'Send at least one.')]
      : []),
    ...(count > operationsMax
      ? [
          violation(
            'batch_limit',
            '/operations',
            `The batch has ${count} operations; at most ${operationsMax} run in one call.`,
            'Split it over several calls.',
          ),
        ]
      : []),
    ...(document == null ? [] : documentRules(document, '/document')),
  ];
}

/** What every operation has that does not say otherwise. */
function defaultsOf({ slug: at, actor, model }: PartialInput<Static<typeof input>>): JsonObject {
  return {
    ...(typeof at === 'string' ? { slug: at } : {}),
    ...(typeof actor === 'string' ? { actor } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  };
}

/** Operations of a batch that is refused as a whole are not called; their violations are listed with its own. */
function operationRules(
  given: PartialInput<Static<typeof input>>,
  rows: ReadonlyMap<string, Row>,
  limits: SizeLimits,
): Violation[] {
  const defaults = defaultsOf(given);
  // An unreadable default is reported once, and not as missing in each operation.
  const unread = new Set(
    ['slug', 'actor', 'model'].filter((name) => given[name as 'slug' | 'actor' | 'model'] === null),
  );
  const found = (given.operations ?? []).slice(0, operationsMax).flatMap((operation, i) => {
    if (operation === null || typeof operation.op !== 'string') return [];
    const call = operationCall(operation, defaults, rows);
    const faults = isFault(call)
      ? ((call.details?.['violations'] ?? []) as readonly Violation[])
      : collectViolations(rows.get(call.key) as Row, call.args, limits);
    return faults
      .filter(({ code, at }) => code !== 'missing' || !unread.has(at.slice(1)))
      .map((each) => ({ ...each, at: `/operations/${i}${each.at}` }));
  });
  return found.slice(0, toldMax);
}

/** An upgrade asks for an answer as a challenge does, and has no operation of its own. */
function fits(op: string, stance: JsonValue): boolean {
  return stance === op || (op === 'challenge' && stance === 'upgrade');
}

function operationCall(
  operation: JsonObject,
  defaults: JsonObject,
  rows: ReadonlyMap<string, Row>,
): BatchOperation | Fault {
  const { op, ...given } = operation;
  const name = String(op);
  const key = Object.hasOwn(rowOfOp, name) ? rowOfOp[name] : undefined;
  if (key === undefined)
    return refusalOf([
      violation(
        'not_one_of',
        '/op',
        `"${name}" is no operation.`,
        `Use one of ${Object.keys(rowOfOp).join(', ')}.`,
      ),
    ]) as Fault;
  const row = rows.get(key);
  if (row === undefined) throw new Error(`the operation ${name} has no row ${key}`);
  const own = Object.fromEntries(
    Object.entries(defaults).filter(([argument]) => argument in row.input.properties),
  );
  const stance = key === 'VOXEL_CHALLENGE' ? { stance: name } : {};
  if (key === 'VOXEL_CHALLENGE' && given['stance'] !== undefined && !fits(name, given['stance']))
    return refusalOf([
      violation(
        'not_carried',
        '/stance',
        `The operation ${name} has another stance than "${String(given['stance']).slice(0, 40)}".`,
        'Leave the stance out, or use the operation of that name.',
      ),
    ]) as Fault;
  // Its arguments are judged where it is called: one that does not fit its row leaves its receipt, too.
  return { key, args: { ...own, ...stance, ...given } };
}
