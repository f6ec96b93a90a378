/**
 * Four tools that are not rows (contract §7): `search`, `read`, `describe` and `dispatch`. Their names are lower-case,
 * keys of rows upper-case. The first three leave no receipt and count as reads, as over HTTP; dispatch calls a row.
 */
import { partReaders } from '../../app/reads/article-parts.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { callerOf, type McpCaller, type McpRequest, misplacedCredential, type Tool } from './exchange.ts';
import { askRows } from '../../domain/capabilities/ask-rows.ts';
import { contractOf } from '../http/directory-routes.ts';
import { links } from '../../domain/links.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, type Fault, isFault } from '../../kernel/fault.ts';
import { nonEmpty, readMetadata, readReplay, readRowAndBody } from '../http/parse-dispatch.ts';
import { countFailedCredential, stringMember } from '../http/requests.ts';
import { searchAnswer } from '../http/graph-routes.ts';
import { addressOf, readAddress } from './read-address.ts';
import { callRow, refusedResult, type ToolResult } from './call-row.ts';
import { untrusted } from '../../model/vocabulary.ts';
import { leadOn } from '../../app/refusals/lead-on.ts';
import { canInvoke } from '../../domain/capabilities/gates.ts';

const textArgument = (description: string): JsonObject => ({ type: 'string', description });
const input = (properties: JsonObject, required: readonly string[]): Tool['inputSchema'] => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const reads = { readOnlyHint: true, openWorldHint: false };

/** The kind of result that is no part of the ledger's text: rows of the directory. */
const toolKind = 'tool';

export const metaTools: readonly Tool[] = [
  {
    name: 'search',
    title: 'Search the ledger and the tools',
    description:
      'Finds articles, DIVs (text blocks), claims, sources and discourse by words: give the url of a result to read. tools[] names the rows that fit a wish, also those not listed here; call one by its tool or with dispatch. Start here when no slug or tool is known.',
    inputSchema: input(
      {
        q: textArgument('a few telling words, or a wish such as "dispute a claim"'),
        kind: textArgument(
          'one or more of article, div, claim, source, discourse, tool, separated by commas; all when left out',
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
      'Reads without leaving a receipt. A slug gives the article in Markdown with its claims and what is open on each; slug/c2, slug/d3 or a permalink one claim or block; inv_ a receipt; cap_ what a share may do; /workspace/<name> a workspace; /api/waiting what waits for a decision, /api/recent what changed, /api/tags, /api/series, /api/v1/query?from=*&kind=question what was asked.',
    inputSchema: input(
      {
        target: textArgument('a slug, slug/c2, an inv_ or cap_ id, a path or an address of this service'),
        slug: textArgument('the article of a bare id in target, such as c2, claim:c2 or d3'),
        part: textArgument(
          `with a slug as target: json for the whole article, or one of ${Object.keys(partReaders).join(', ')}`,
        ),
      },
      ['target'],
    ),
    annotations: reads,
  },
  {
    name: 'describe',
    title: 'Describe one row',
    description:
      'Returns the whole contract of one row: every argument with its bounds, an example, the schema of its answer and who may call it. The list of tools shows a shorter form.',
    inputSchema: input({ key: textArgument('the key of a row, such as MIRROR_APPEND') }, ['key']),
    annotations: reads,
  },
  {
    name: 'dispatch',
    title: 'Call a row by its key',
    description:
      'Calls a row that is not listed as a tool; or any row as a dry run (shape), once only (idem), again (replay), or corrected after a failure (repairs). In all other cases use the tool of the row.',
    inputSchema: input(
      {
        key: textArgument('the key of a row'),
        body: {
          type: ['string', 'object'],
          description: 'arguments by name as an object, or in order with | between them',
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
    annotations: { destructiveHint: true, openWorldHint: true },
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
  if (name === 'search') return searchFor(mcpRequest, args);
  return name === 'describe' ? describeRow(mcpRequest, args) : readTarget(mcpRequest, args);
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
  const kinds = texts['kind']?.split(',').map((kind) => kind.trim());
  const q = texts['q'] ?? '';
  const tools = kinds?.includes(toolKind) === false || q === '' ? undefined : fittingTools(caller, q);
  const others = kinds?.filter((kind) => kind !== toolKind);
  if (others?.length === 0 && tools !== undefined)
    return readResult({ ok: true, count: 0, results: [], tools });
  const found = await searchAnswer(caller.current, caller.viewer, {
    ...texts,
    ...(others === undefined ? {} : { kind: others.join(',') }),
    ...(workspace === undefined ? {} : { workspace }),
  });
  if (isFault(found)) return refusedResult(service.base, found);
  return readResult(tools === undefined ? found : { ...found, tools });
}

/** A refusal of a read, with what leads on from it for this caller. */
async function refusedWithLeads(
  { service, presented, workspace }: McpRequest,
  refusal: Fault,
): Promise<ToolResult> {
  return refusedResult(service.base, await leadOn(service, { presented, workspace }, refusal));
}

const toolsMax = 5;

/** Rows that fit a wish, best first; `callable` says whether the credential covers the row. */
function fittingTools({ current, viewer }: McpCaller, wish: string): JsonObject[] {
  const now = new Date(current.now()).toISOString();
  const rows = [...current.rows.values()].map((row) => ({ kind: 'row', row }) as const);
  return askRows(wish, rows, (row) => canInvoke(row, viewer, now))
    .matches.flatMap(({ found }) => (found.kind === 'row' ? [found.row] : []))
    .slice(0, toolsMax)
    .map((row) => ({
      key: row.key,
      what: row.contract.what,
      when: row.contract.when,
      auth: row.auth,
      callable: canInvoke(row, viewer, now),
    }));
}

async function describeRow(mcpRequest: McpRequest, { key }: JsonObject): Promise<ToolResult> {
  const { base } = mcpRequest.service;
  if (typeof key !== 'string') return refusedResult(base, mistyped('key', 'a string'));
  const caller = await authenticatedCaller(mcpRequest);
  if (isFault(caller)) return refusedResult(base, caller);
  const contract = await contractOf(caller.current, caller.tenant, key, undefined);
  if (isFault(contract)) return refusedWithLeads(mcpRequest, contract);
  // Without a format, the contract is JSON.
  return readResult(contract as JsonObject);
}

async function readTarget(mcpRequest: McpRequest, args: JsonObject): Promise<ToolResult> {
  const { base } = mcpRequest.service;
  const { target, part = '', slug = '' } = args;
  if (typeof target !== 'string') return refusedResult(base, mistyped('target', 'a string'));
  if (typeof part !== 'string') return refusedResult(base, mistyped('part', 'a string'));
  if (typeof slug !== 'string') return refusedResult(base, mistyped('slug', 'a string'));
  const caller = await authenticatedCaller(mcpRequest);
  if (isFault(caller)) return refusedResult(base, caller);
  const address = addressOf(base, partUrl(base, target, part), slug);
  const read = isFault(address) ? address : await readAddress(caller, address);
  if (isFault(read)) return refusedWithLeads(mcpRequest, read);
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
