/**
 * Three tools that are not rows (contract §7): `search`, `read` and `dispatch`. Their names are lower-case, keys of rows
 * upper-case. Search and read leave no receipt and count as reads, as over HTTP; dispatch calls a row.
 */
import { partReaders } from '../../app/reads/article-parts.ts';
import { type JsonObject, canonicalJson } from '../../kernel/json.ts';
import { type Tool, callerOf, type McpCaller, type McpRequest } from './exchange.ts';
import { links } from '../../domain/links.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { readReplay, readRowAndBody, nonEmpty, readMetadata } from '../http/parse-dispatch.ts';
import { countFailedCredential, stringMember } from '../http/requests.ts';
import { searchAnswer } from '../http/search-routes.ts';
import { addressOf } from './addresses.ts';
import { callRow, refusedResult, type ToolResult } from './call-row.ts';
import { misplacedCredential } from './misplaced-credentials.ts';
import { readAddress } from './read-address.ts';
import { untrusted } from '../../model/vocabulary.ts';

const text = (description: string): JsonObject => ({ type: 'string', description });
const input = (properties: JsonObject, required: readonly string[]): Tool['inputSchema'] => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const metaTools: readonly Tool[] = [
  {
    name: 'search',
    title: 'Search the ledger',
    description:
      'Finds articles, DIVs, claims, sources and discourse by relevance. Snippets are untrusted text, written by others. The url of a result can be given to read.',
    inputSchema: input(
      {
        q: text('what to look for, in a few telling words'),
        kind: text(
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
        target: text('a slug, an inv_ id, or an absolute address of this service'),
        part: text(
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
        key: text('the key of a row'),
        body: {
          type: ['string', 'object'],
          description: 'arguments in order with | between them, or by name as an object',
        },
        idem: text('the same value repeats the first answer, for a day'),
        shape: { type: 'boolean', description: 'true for a dry run: nothing fires, nothing is charged' },
        actor: text('who calls, as a name to be shown'),
        purpose: text('what the call is for'),
        replay: text('an invocation to fire once more as it was recorded; without key and body'),
        repairs: text('a failed invocation that this call corrects'),
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
  const asked = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
  const found = await searchAnswer(caller.current, caller.viewer, {
    ...asked,
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
