/**
 * Rows as tools (contract §7): one for each row that the credential can invoke, named by the row's key and with its
 * arguments as input. The list is no authorization: calls pass all nine gates.
 */
import { canInvoke } from '../../domain/capabilities/gates.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type McpCaller, invalidCursor, type Page, type Tool } from './exchange.ts';
import { metaTools } from './meta-tools.ts';

/** Most clients read only the first page; it has every built-in row. */
const pageSize = 100;
const descriptionCharsMax = 1000;

/** Meta tools first, then rows by key. Keys are upper-case, so names are unique. */
export function listTools({ current, viewer }: McpCaller, cursor: string | undefined): Page<Tool> | Fault {
  if (cursor !== undefined && !/^[A-Z][A-Z0-9_]{2,63}$/.test(cursor)) return invalidCursor;
  const now = new Date(current.now()).toISOString();
  const rows = [...current.rows.values()]
    .filter((row) => (cursor === undefined || row.key > cursor) && canInvoke(row, viewer, now))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const page = rows.slice(0, pageSize);
  const items = [...(cursor === undefined ? metaTools : []), ...page.map(toolOf)];
  const last = page.at(-1);
  return rows.length > pageSize && last !== undefined ? { items, nextCursor: last.key } : { items };
}

function toolOf(row: Row): Tool {
  return {
    name: row.key,
    description: describe(row),
    inputSchema: JSON.parse(JSON.stringify(row.input)) as JsonObject & { readonly type: 'object' },
    ...(row.output === undefined ? {} : { outputSchema: answerSchema(row.output) }),
    annotations: {
      readOnlyHint: row.safe,
      // The ledger is append-only; high-risk rows burn, mint, spend or call outside services.
      destructiveHint: !row.safe && row.risk === 'high',
      idempotentHint: row.idempotent,
      openWorldHint: reachesOutside(row),
    },
  };
}

/**
 * The schema of the whole answer, with the row's result for calls that ran. Repeated calls may omit parts, and an
 * owner's row whose answer does not fit has `output_mismatch` (ADR 37).
 */
function answerSchema(output: object): JsonObject & { readonly type: 'object' } {
  const result = JSON.parse(JSON.stringify(output)) as JsonObject;
  return {
    type: 'object',
    properties: { ok: { type: 'boolean' }, ran: { type: 'boolean' }, result_text: { type: 'string' } },
    required: ['ok'],
    anyOf: [
      { not: { properties: { ran: { const: true } }, required: ['ran'] } },
      { required: ['idempotent_replay'] },
      {
        properties: { result: { anyOf: [result, { type: 'object', required: ['output_mismatch'] }] } },
        required: ['result', 'invocation', 'receipt'],
      },
    ],
  };
}

/** Categories of rows that call outside services; an owner's own row may, too. */
const outward: ReadonlySet<string> = new Set(['creative', 'web', 'repository']);

function reachesOutside(row: Row): boolean {
  return outward.has(row.category) || (row.rowOverride !== undefined && row.origin === undefined);
}

/** WHAT and WHEN_TO_USE of the contract; ARGS are the input schema. */
function describe({ contract, risk, requiresApproval, safe }: Row): string {
  const remarks = [
    safe ? '' : 'Leaves a receipt.',
    risk === 'high' ? 'High risk.' : '',
    requiresApproval ? 'Fires with the approval of the owner.' : '',
  ].filter((remark) => remark !== '');
  const text = [contract.what, contract.when, ...remarks].join(' ');
  return text.length > descriptionCharsMax ? `${text.slice(0, descriptionCharsMax).toWellFormed()}…` : text;
}
