/**
 * Calling a row from MCP (contract §7): counted, judged, recorded and answered as over HTTP, because it is the same
 * dispatch. The answer is the structured content; a refusal or a failure says so and has its code, fix and next.
 */
import { dispatch, dispatchReplay } from '../../app/pipeline/dispatch.ts';
import type { ReplayOf } from '../../app/plans/replay.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { answerBody } from '../http/dispatch-answer.ts';
import { problem } from '../http/envelope.ts';
import { countCredential, idempotencyKeyOf } from '../http/requests.ts';
import { mcpPath, type Exchange } from './exchange.ts';
import { untrusted } from '../../model/protocol.ts';

/** What a call says beside its credential, which the exchange has. */
export interface Said {
  readonly key: string;
  readonly body: string;
  readonly idem?: string | undefined;
  readonly shape?: boolean | undefined;
  readonly actor?: string | undefined;
  readonly purpose?: string | undefined;
  readonly again?: ReplayOf | undefined;
}

/** A type and not an interface, so that it counts as a result of the protocol. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent: JsonObject;
  isError?: true;
};

export async function callRow(exchange: Exchange, said: Said): Promise<ToolResult> {
  const { service, intake, request, presented, workspace } = exchange;
  const { key, body, again } = said;
  const call = {
    key,
    body,
    presented,
    workspace,
    method: 'POST',
    idempotencyKey: said.idem ?? idempotencyKeyOf(request),
    shape: said.shape,
    actorName: said.actor,
    purpose: said.purpose,
    channel: 'mcp',
    client: intake.address(request),
    meter: intake.meter(request),
  } as const;
  const answer = await (again === undefined ? dispatch(service, call) : dispatchReplay(service, call, again));
  const refusal = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  // A credential that is none is counted, and too many of them are told so instead.
  const counted = refusal === undefined ? undefined : countCredential(refusal, request, intake);
  if (counted !== undefined && counted !== refusal) return refused(service.base, counted);
  // Over HTTP a share may also stand in the address; here it may not.
  const told =
    isFault(answer) && answer.fault === 'credential_required' ? { ...answer, fix: inHeaders } : answer;
  return toolResult(answerBody(service, told, mcpPath));
}

const inHeaders =
  'Connect with the header Authorization: Bearer <TOKEN>; without a token, ask the owner for a share.';

/** Arguments by name, as a body: none is no body at all, as over HTTP. */
export function bodyOf(args: JsonObject): string {
  return Object.keys(args).length === 0 ? '' : canonicalJson(args);
}

export function refused(base: string, refusal: Fault): ToolResult {
  return toolResult(problem(refusal, base, mcpPath));
}

/** What a client without structured content can do without: the words say it, or only a program wants it. */
const programMembers: ReadonlySet<string> = new Set([
  '_self',
  'proof',
  'affordances',
  'yield',
  'result_text',
  'ok',
  'type',
  'title',
  'status',
  'instance',
  'detail',
]);

/** An answer as MCP gives it: the plain words first, then what else it tells as JSON, then all of it. */
export function toolResult(answer: JsonObject): ToolResult {
  const isError = answer['ok'] !== true;
  const words = isError
    ? `${String(answer['error'])}: ${String(answer['detail'])} ${String(answer['fix'])}`
    : String(answer['result_text'] ?? '');
  const matter = Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => !programMembers.has(name) && value !== null),
  );
  // A refusal is told in our words, and quotes at most what its caller sent.
  const spoken = isError || words === '' ? words : `${untrusted}\n\n${words}`;
  const texts = [spoken, Object.keys(matter).length === 0 ? '' : JSON.stringify(matter)];
  return {
    content: texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
    structuredContent: answer,
    ...(isError ? { isError } : {}),
  };
}
