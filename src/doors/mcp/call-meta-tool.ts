/**
 * Calling a tool that is no row (contract §7). Search and reading leave no receipt and are counted as reads, as over
 * HTTP; what is dispatched is a call like any other.
 */
import { links } from '../../domain/links.ts';
import { allWrong } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { readReplay, readRowAndBody, nonEmpty, readMetadata } from '../http/parse-dispatch.ts';
import { countCredential, stringMember } from '../http/requests.ts';
import { searchAnswer } from '../http/search-routes.ts';
import { addressOf } from './addresses.ts';
import { callRow, refused, type ToolResult } from './calls.ts';
import { misplacedCredential } from './credentials.ts';
import { askerOf, type Asker, type Exchange } from './exchange.ts';
import { metaTools } from './meta-tools.ts';
import { readAddress } from './read.ts';
import type { Tool } from './tool.ts';
import { untrusted } from '../../model/protocol.ts';

/** Calls one of them; nothing for a name that is none. */
export function callMetaTool(
  exchange: Exchange,
  name: string,
  args: JsonObject,
): Promise<ToolResult> | undefined {
  const tool = metaTools.find((each) => each.name === name);
  if (tool === undefined) return undefined;
  const { service, intake, request } = exchange;
  const isRead = name !== 'dispatch';
  const wrong =
    misplacedCredential(args, []) ?? unknownIn(tool, args) ?? (isRead ? intake.read(request) : undefined);
  if (wrong !== undefined) return Promise.resolve(refused(service.base, wrong));
  if (!isRead) return dispatchNamed(exchange, args);
  return name === 'search' ? searchFor(exchange, args) : readTarget(exchange, args);
}

/** A credential that is none is counted against where it came from. */
async function knownAsker(exchange: Exchange): Promise<Asker | Fault> {
  const asker = await askerOf(exchange);
  return isFault(asker) ? countCredential(asker, exchange.request, exchange.intake) : asker;
}

function unknownIn({ name, inputSchema }: Tool, args: JsonObject): Fault | undefined {
  const known = Object.keys(inputSchema['properties'] as JsonObject);
  const stranger = Object.keys(args).find((each) => !known.includes(each));
  if (stranger === undefined) return undefined;
  return fault(
    'invalid_request',
    `"${stranger.slice(0, 60)}" is no argument of ${name}.`,
    `Use only: ${known.join(', ')}.`,
    { parameter: stranger.slice(0, 60), known },
  );
}

async function searchFor(exchange: Exchange, args: JsonObject): Promise<ToolResult> {
  const { service, workspace } = exchange;
  const odd = Object.entries(args).find(
    ([, value]) => typeof value !== 'string' && typeof value !== 'number',
  );
  if (odd !== undefined) return refused(service.base, mistyped(odd[0], 'a string or a number'));
  const asker = await knownAsker(exchange);
  if (isFault(asker)) return refused(service.base, asker);
  const asked = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
  const found = await searchAnswer(asker.current, asker.viewer, {
    ...asked,
    ...(workspace === undefined ? {} : { workspace }),
  });
  return isFault(found) ? refused(service.base, found) : told(found);
}

async function readTarget(exchange: Exchange, args: JsonObject): Promise<ToolResult> {
  const { base } = exchange.service;
  const { target, part = '' } = args;
  if (typeof target !== 'string') return refused(base, mistyped('target', 'a string'));
  if (typeof part !== 'string') return refused(base, mistyped('part', 'a string'));
  const asker = await knownAsker(exchange);
  if (isFault(asker)) return refused(base, asker);
  const address = addressOf(base, placed(base, target, part));
  const read = isFault(address) ? address : await readAddress(asker, address);
  if (isFault(read)) return refused(base, read);
  const { uri, said } = read;
  return typeof said === 'string'
    ? told({ ok: true, uri, mime_type: 'text/markdown', trust: untrusted, text: said }, said)
    : told(said);
}

/** A part of a slug as the address that it has. */
function placed(base: string, target: string, part: string): string {
  if (part === '' || target.includes('/')) return target;
  return part === 'json'
    ? links.articleJson(base, target)
    : links.articlePart(base, target, encodeURIComponent(part));
}

/** A read, behind the word that it is untrusted. */
function told(structuredContent: JsonObject, said = JSON.stringify(structuredContent)): ToolResult {
  return {
    content: [
      { type: 'text', text: untrusted },
      { type: 'text', text: said },
    ],
    structuredContent,
  };
}

async function dispatchNamed(exchange: Exchange, args: JsonObject): Promise<ToolResult> {
  const { base } = exchange.service;
  const call = readCall(args);
  return isFault(call) ? refused(base, call) : callRow(exchange, call);
}

function readCall(args: JsonObject) {
  const again = readReplay(args);
  const meant = readRowAndBody(args, again);
  const idem = stringMember(args, 'idem');
  const said = readMetadata(args);
  if (isFault(again) || isFault(meant) || isFault(idem) || isFault(said))
    return allWrong('/', again, meant, idem, said) as Fault;
  const { key, body } = meant;
  return {
    key,
    body: typeof body === 'string' ? body : canonicalJson(body),
    again,
    idem: nonEmpty(idem),
    shape: said.shape,
    actor: nonEmpty(said.actor),
    purpose: nonEmpty(said.purpose),
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
