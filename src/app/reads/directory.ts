/** The directory as data (spec §2.6, §4.1): rows, their schemas, the registry, and the invocations of a row. */
import { callParameters } from '../../domain/capabilities/call-template.ts';
import { exampleView } from '../../domain/capabilities/example.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { objectOf } from '../../domain/capabilities/invocation.ts';
import { contractText, type Row } from '../../domain/capabilities/row.ts';
import { invocationTable } from '../../domain/capabilities/tables.ts';
import { links } from '../../domain/links.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import type { RowOf } from '../../engine/tables.ts';
import { invalidParameter } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { yieldJson } from '../../domain/yield.ts';
import { alteredCalls } from './conformance.ts';
import { unknownRow } from './unknown-row.ts';
import { readInvocation, visibleValue } from './invocation.ts';
import { mayReadReceipt } from './receipts.ts';
import type { DirectoryContext, Viewed } from '../read-context.ts';
import { CallList, CallView } from '../../model/invocation.ts';
import { Registry, RowSchemas, RowView, type WholeRow } from '../../model/directory.ts';
import { exactAnswer, exactly, type Answer } from '../../model/exact.ts';
import { plainSchema } from '../../model/parts.ts';
import { invocationStatuses } from '../../model/vocabulary.ts';
import { defineRead } from './define-read.ts';

export function describeRow(context: DirectoryContext, row: Row): RowView {
  const { base } = context;
  const dispatch = links.dispatch(base);
  const { rowOverride } = row;
  const type = rowOverride?.type ?? 'fn';
  return exactly(RowView, {
    id: row.key,
    key: row.key,
    object_type: 'tool',
    type,
    runner: type,
    directory_type: type,
    method: rowOverride?.method ?? null,
    category: row.category,
    target: row.target,
    description: row.contract.what,
    contract: contractText(row),
    contract_hash: row.contractHash,
    version: rowOverride?.version ?? 1,
    read: links.row(base, row.key),
    write: dispatch,
    invoke: dispatch,
    invoke_body: { key: row.key, body: row.contract.example },
    router_tag: `[${row.key}]${row.contract.example}[/${row.key}]`,
    input_schema: plainSchema(row.input),
    examples: [exampleView(row.contract.example)],
    auth: row.auth,
    authority_required: rowOverride?.authorityRequired ?? row.auth !== 'none',
    risk: row.risk,
    requires_approval: row.requiresApproval,
    status: rowOverride?.enabled === false ? 'disabled' : 'active',
    enabled: rowOverride?.enabled ?? true,
    ledger_enabled: rowOverride?.ledgerEnabled ?? true,
    in_act: row.inAct,
    operation_semantics: {
      operation_type: 'invokeaction',
      safe: row.safe,
      idempotent: row.idempotent,
      preconditions: [
        'The credential passes scope, ancestor, tenant, risk, owner-gate, fixed-body, use-budget and payload-ceiling enforcement.',
        'The body conforms to input_schema.',
      ],
      effects: [row.safe ? 'None: a read.' : row.contract.what],
      postconditions: ['A receipt records execution status, observed output, lineage and evidence links.'],
    },
    representations: {
      article: links.rowPage(base, row.key),
      json: links.row(base, row.key),
      skill: `${links.row(base, row.key)}?format=skill`,
      oip_contract: links.contract(base, row.key),
    },
    schema: schemaOf(context, row),
    templates: templatesOf(context, row).slice(0, 1),
  });
}

/** A row with its output schema; lists link to the schema instead. */
export function wholeRow(context: DirectoryContext, row: Row): Answer<typeof WholeRow> {
  return {
    ...describeRow(context, row),
    templates: templatesOf(context, row),
    output_schema: outputOf(row),
  };
}

/** `?schema=<KEY>`: JSON Schemas (2020-12) of a row's arguments and `result`. */
export function rowSchemas(context: DirectoryContext, row: Row): Answer<typeof RowSchemas> {
  const output = outputOf(row);
  return exactAnswer(RowSchemas, {
    input_schema: plainSchema(row.input),
    schema:
      output === null
        ? null
        : {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            $id: schemaOf(context, row),
            title: `result of ${row.key}`,
            ...output,
          },
    contract_hash: row.contractHash,
  });
}

function schemaOf({ base }: DirectoryContext, row: Row): string {
  return `${links.dispatch(base)}?schema=${row.key}`;
}

function outputOf({ output }: Row): JsonObject | null {
  return output === undefined ? null : plainSchema(output);
}

/** The members of a row's result in words, with `or` between alternatives. */
function membersOf(row: Row): string {
  const output = outputOf(row) as { anyOf?: JsonObject[]; properties?: JsonObject } | null;
  const forms = output?.anyOf ?? (output === null ? [] : [output]);
  return forms
    .map((form) => Object.keys((form as { properties?: JsonObject }).properties ?? {}))
    .map((names) => names.map((name) => `\`${name}\``).join(', '))
    .filter((names, i, all) => names !== '' && all.indexOf(names) === i)
    .join('; or ');
}

/** Addresses that call the row: with its required arguments, and with all where it has optional ones. */
export function addressesOf(
  { base }: Pick<DirectoryContext, 'base'>,
  row: Row,
): readonly [string, ...string[]] {
  // Open reads need no share.
  const share = row.auth === 'none' && row.safe ? '' : '&share={token}';
  const call = (all: boolean): string => `${links.dispatch(base)}?${callParameters(row, {}, all)}${share}`;
  const [first, whole] = [call(false), call(true)];
  return first === whole ? [first] : [first, whole];
}

/** Those of them with something to fill in. */
export function templatesOf(context: Pick<DirectoryContext, 'base'>, row: Row): string[] {
  return addressesOf(context, row).filter((address) => address.includes('{'));
}

export function rowMarkdown(context: DirectoryContext, row: Row, format: 'markdown' | 'skill'): string {
  const front =
    format === 'skill'
      ? `---\nname: ${row.key.toLowerCase().replaceAll('_', '-')}\ndescription: ${JSON.stringify(row.contract.what)}\n---\n\n`
      : '';
  return `${front}# ${row.key}\n\n${contractText(row)
    .split('\n')
    // Indents further lines, so that they are no headings, rules or front matter.
    .map((line) =>
      line.replace(/^(WHAT|WHEN_TO_USE|ARGS|EX) |^/, (_, name?: string) =>
        name === undefined ? '  ' : `- **${name}** `,
      ),
    )
    .join(
      '\n',
    )}\n\nAuth: ${row.auth}. Risk: ${row.risk}. ${row.safe ? 'A read.' : 'Writes; each call leaves a receipt.'}${resultLine(context, row)}${callLine(context, row)}\n\nContract hash: \`${row.contractHash}\`\n`;
}

/** The calls of a row as addresses; without arguments there is one, and nothing to fill in. */
function callLine(context: DirectoryContext, row: Row): string {
  const [first, all] = addressesOf(context, row);
  return `\n\nTemplate: \`${first}\`${all === undefined ? '' : `\n\nWith every argument: \`${all}\``}`;
}

/** The Markdown of a row's result. */
function resultLine(context: DirectoryContext, row: Row): string {
  const members = membersOf(row);
  return members === '' ? '' : `\n\nResult: ${members}. Schema: ${schemaOf(context, row)}`;
}

export interface RegistryPage {
  readonly limit: number;
  /** Last key of the previous page. */
  readonly cursor: string | undefined;
  readonly workspace: string | undefined;
}

/** All rows by key, paged. */
export function registry(
  context: DirectoryContext,
  { limit, cursor, workspace }: RegistryPage,
): Answer<typeof Registry> {
  const keys = [...context.rows.keys()].filter((key) => cursor === undefined || key > cursor).sort();
  const rows = keys.slice(0, limit).map((key) => describeRow(context, context.rows.get(key) as Row));
  const place = workspace === undefined ? '' : `&workspace=${encodeURIComponent(workspace)}`;
  const next = `${links.dispatch(context.base)}?registry=1${place}&limit=${limit}&cursor=${keys[limit - 1] ?? ''}`;
  return exactAnswer(Registry, {
    count: rows.length,
    total: context.rows.size,
    rows,
    next: keys.length > limit ? next : null,
  });
}

export interface InvocationFilter {
  /** Filters are repeated in the URL of the next page. */
  readonly workspace?: string | undefined;
  readonly key: string | undefined;
  readonly status: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

type InvocationRow = RowOf<typeof invocationTable>;

/** All faults of the query. */
export function invocationFaults({ status, cursor }: Pick<InvocationFilter, 'status' | 'cursor'>) {
  const isStatus = wantedStatuses(status)?.every((each) =>
    (invocationStatuses as readonly string[]).includes(each),
  );
  return [
    isStatus === false
      ? invalidParameter(
          'status',
          `"${status?.slice(0, 40)}" is no status.`,
          'Use success, failure, or one status of a receipt.',
        )
      : undefined,
    cursor === undefined || /^\d{1,15}$/.test(cursor)
      ? undefined
      : invalidParameter('cursor', 'The cursor is not one of ours.', 'Follow next as it was given.'),
  ];
}

function wantedStatuses(status: string | undefined): readonly string[] | undefined {
  return status === undefined ? undefined : status === 'failure' ? ['failed', 'denied'] : [status];
}

/** Newest first. Bodies are included only for callers that may read the receipts. */
export const listInvocations = defineRead(
  CallList,
  async (context: DirectoryContext & Viewed, filter: InvocationFilter) => {
    const { key, status, limit } = filter;
    if (key === undefined || !context.rows.has(key)) {
      return key === undefined
        ? invalidParameter(
            'object_id',
            'object_id is missing.',
            'Name the row, such as object_id=MIRROR_FEED.',
          )
        : unknownRow(context, key);
    }
    const wrong = mergeRefusals('?', ...invocationFaults(filter));
    if (wrong !== undefined) return wrong;
    const wanted = wantedStatuses(status);
    const object = objectOf(context.tenant, key);
    const found: InvocationRow[] = [];
    let before = filter.cursor === undefined ? undefined : Number(filter.cursor);
    let last: number | undefined;
    for (;;) {
      const rows = await context.read.list(invocationTable, object, {
        limit: limit + 1,
        reverse: true,
        ...(before === undefined ? {} : { before }),
      });
      for (const row of rows) {
        before = row.seq;
        if (wanted !== undefined && !wanted.includes(row.status)) continue;
        if (found.length === limit) {
          last = found.at(-1)?.seq;
          break;
        }
        found.push(row);
      }
      if (last !== undefined || rows.length <= limit) break;
    }
    const invocations = await Promise.all(found.map((row) => callView(context, context.viewer, row)));
    return {
      object_id: key,
      count: invocations.length,
      invocations,
      ...(await alteredCalls(context.read, invocationTable, found)),
      next:
        last === undefined
          ? null
          : `${context.base}/api/invocations?object_id=${key}${status === undefined ? '' : `&status=${status}`}${filter.workspace === undefined ? '' : `&workspace=${filter.workspace}`}&limit=${limit}&cursor=${last}`,
    };
  },
);

async function callView(
  context: DirectoryContext,
  credential: Credential,
  { inv, status, actor, ts }: InvocationRow,
): Promise<CallView> {
  const { base } = context;
  const shown = {
    id: inv,
    status,
    actor,
    ts,
    confirm: links.confirm(base, inv),
    url: links.receipt(base, inv),
  };
  const invocation = credential.kind === 'anonymous' ? undefined : await readInvocation(context, inv);
  if (invocation === undefined || !mayReadReceipt(credential, invocation)) return shown;
  return exactly(CallView, {
    ...shown,
    request: { body: visibleValue(invocation.request) },
    response: { result: visibleValue(invocation.response) },
    yield: yieldJson(invocation.yielded),
  });
}
