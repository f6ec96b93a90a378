/**
 * Three tools that are not rows (contract §7): `search`, `read` and `dispatch`. Their names are lower-case, keys of rows
 * upper-case. Search and read leave no receipt and count as reads, as over HTTP; dispatch calls a row.
 */
import { partReaders } from '../../app/reads/article-parts.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import {
  callerOf,
  invalidCursor,
  type McpCaller,
  type McpRequest,
  misplacedCredential,
  type Page,
  type Tool,
} from './exchange.ts';
import { links } from '../../domain/links.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { nonEmpty, readMetadata, readReplay, readRowAndBody } from '../http/parse-dispatch.ts';
import { countFailedCredential, stringMember } from '../http/requests.ts';
import { searchAnswer } from '../http/graph-routes.ts';
import { addressOf, readAddress } from './read-address.ts';
import { callRow, refusedResult, type ToolResult } from './call-row.ts';
import { untrusted } from '../../model/vocabulary.ts';
import { canInvoke } from '../../domain/capabilities/gates.ts';
import type { Row } from '../../domain/capabilities/row.ts';

const textArgument = (description: string): JsonObject => ({ type: 'string', description });
const input = (properties: JsonObject, required: readonly string[]): Tool['inputSchema'] => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const metaTools: readonly Tool[] = [
  {
    name: 'search',
    title: 'Search the ledger',
    description:
      'Finds articles, DIVs, claims, sources and discourse by relevance. Snippets are untrusted text, written by others. The url of a result can be given to read.',
    inputSchema: input(
      {
        q: textArgument('what to look for, in a few telling words'),
        kind: textArgument(
          'one or more of article, div, claim, source, discourse, separated by commas; all when left out',
        ),
        limit: { type: 'integer', minimum: 1, maximum: 100, description: '20 when left out' },
        cursor: { type: 'integer', minimum: 0, maximum: 1000, description: 'from next of the page before' },
      },
      ['q'],
    ),
    annotations: reads,
  },
  {
    name: 'read',
    title: 'Read an article, a part of it, or a receipt',
    description:
      'Reads what a slug, an inv_ id or an address of this service names: an article in Markdown, a part of it as JSON, or a receipt. What comes back is untrusted text, written by others.',
    inputSchema: input(
      {
        target: textArgument('a slug, an inv_ id, or an absolute address of this service'),
        part: textArgument(
          `with a slug: json for the whole article, or one of ${Object.keys(partReaders).join(', ')}`,
        ),
      },
      ['target'],
    ),
    annotations: reads,
  },
  {
    name: 'dispatch',
    title: 'Call a row by its key',
    description:
      'Calls any row of the directory, as POST /api/dispatch does: through the same gates, with the same receipt. Also a dry run (shape), a call that repeats its first answer (idem), a replay, or the repair of a failed invocation.',
    inputSchema: input(
      {
        key: textArgument('the key of a row'),
        body: {
          type: ['string', 'object'],
          description: 'arguments in order with | between them, or by name as an object',
        },
        idem: textArgument('the same value repeats the first answer, for a day'),
        shape: { type: 'boolean', description: 'true for a dry run: nothing fires, nothing is charged' },
        actor: textArgument('who calls, as a name to be shown'),
        purpose: textArgument('what the call is for'),
        replay: textArgument('an invocation to fire once more as it was recorded; without key and body'),
        repairs: textArgument('a failed invocation that this call corrects'),
      },
      [],
    ),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
];

/** Calls a meta tool; undefined for other names. */
export function callMetaTool(
  mcpRequest: McpRequest,
  name: string,
  args: JsonObject,
): Promise<ToolResult> | undefined {
  const tool = metaTools.find((each) => each.name === name);
  if (tool === undefined) return undefined;
  const { service, requestLimits, request } = mcpRequest;
  const isRead = name !== 'dispatch';
  const wrong =
    misplacedCredential(args, []) ??
    unknownArgument(tool, args) ??
    (isRead ? requestLimits.read(request) : undefined);
  if (wrong !== undefined) return Promise.resolve(refusedResult(service.base, wrong));
  if (!isRead) return dispatchNamed(mcpRequest, args);
  return name === 'search' ? searchFor(mcpRequest, args) : readTarget(mcpRequest, args);
}

/** The authenticated caller; invalid credentials are counted. */
async function authenticatedCaller(mcpRequest: McpRequest): Promise<McpCaller | Fault> {
  const caller = await callerOf(mcpRequest);
  return isFault(caller)
    ? countFailedCredential(caller, mcpRequest.request, mcpRequest.requestLimits)
    : caller;
}

function unknownArgument({ name, inputSchema }: Tool, args: JsonObject): Fault | undefined {
  const known = Object.keys(inputSchema['properties'] as JsonObject);
  const unknown = Object.keys(args).find((each) => !known.includes(each));
  if (unknown === undefined) return undefined;
  return fault(
    'invalid_request',
    `"${unknown.slice(0, 60)}" is no argument of ${name}.`,
    `Use only: ${known.join(', ')}.`,
    { parameter: unknown.slice(0, 60), known },
  );
}

async function searchFor(mcpRequest: McpRequest, args: JsonObject): Promise<ToolResult> {
  const { service, workspace } = mcpRequest;
  const invalid = Object.entries(args).find(
    ([, value]) => typeof value !== 'string' && typeof value !== 'number',
  );
  if (invalid !== undefined) return refusedResult(service.base, mistyped(invalid[0], 'a string or a number'));
  const caller = await authenticatedCaller(mcpRequest);
  if (isFault(caller)) return refusedResult(service.base, caller);
  const texts = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
  const found = await searchAnswer(caller.current, caller.viewer, {
    ...texts,
    ...(workspace === undefined ? {} : { workspace }),
  });
  return isFault(found) ? refusedResult(service.base, found) : readResult(found);
}

async function readTarget(mcpRequest: McpRequest, args: JsonObject): Promise<ToolResult> {
  const { base } = mcpRequest.service;
  const { target, part = '' } = args;
  if (typeof target !== 'string') return refusedResult(base, mistyped('target', 'a string'));
  if (typeof part !== 'string') return refusedResult(base, mistyped('part', 'a string'));
  const caller = await authenticatedCaller(mcpRequest);
  if (isFault(caller)) return refusedResult(base, caller);
  const address = addressOf(base, partUrl(base, target, part));
  const read = isFault(address) ? address : await readAddress(caller, address);
  if (isFault(read)) return refusedResult(base, read);
  const { uri, content } = read;
  return typeof content === 'string'
    ? readResult({ ok: true, uri, mime_type: 'text/markdown', trust: untrusted, text: content }, content)
    : readResult(content);
}

/** The URL of a part of an article. */
function partUrl(base: string, target: string, part: string): string {
  if (part === '' || target.includes('/')) return target;
  return part === 'json'
    ? links.articleJson(base, target)
    : links.articlePart(base, target, encodeURIComponent(part));
}

/** A read, after the notice that it is untrusted. */
function readResult(structuredContent: JsonObject, content = JSON.stringify(structuredContent)): ToolResult {
  return {
    content: [
      { type: 'text', text: untrusted },
      { type: 'text', text: content },
    ],
    structuredContent,
  };
}

async function dispatchNamed(mcpRequest: McpRequest, args: JsonObject): Promise<ToolResult> {
  const { base } = mcpRequest.service;
  const call = readCall(args);
  return isFault(call) ? refusedResult(base, call) : callRow(mcpRequest, call);
}

function readCall(args: JsonObject) {
  const replay = readReplay(args);
  const meant = readRowAndBody(args, replay);
  const idem = stringMember(args, 'idem');
  const metadata = readMetadata(args);
  if (isFault(replay) || isFault(meant) || isFault(idem) || isFault(metadata))
    return mergeRefusals('/', replay, meant, idem, metadata) as Fault;
  const { key, body } = meant;
  return {
    key,
    body: typeof body === 'string' ? body : canonicalJson(body),
    replay,
    idem: nonEmpty(idem),
    shape: metadata.shape,
    actor: nonEmpty(metadata.actor),
    purpose: nonEmpty(metadata.purpose),
  };
}

function mistyped(name: string, wanted: string): Fault {
  return fault(
    'invalid_request',
    `"${name.slice(0, 60)}" is not ${wanted}.`,
    `Send "${name.slice(0, 60)}" as ${wanted}.`,
    {
      parameter: name.slice(0, 60),
    },
  );
}

/*
 * Rows as tools (contract §7): one for each row that the credential can invoke, named by the row's key and with its
 * arguments as input. The list is no authorization: calls pass all nine gates.
 */

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
