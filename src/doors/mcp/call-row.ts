/**
 * Calls a row from MCP (contract §7) through the same dispatch as HTTP. The answer is the structured content;
 * refusals and failures have their code, fix and next.
 */
import { dispatch, dispatchReplay } from '../../app/pipeline/dispatch.ts';
import type { ReplayOf } from '../../app/plans/replay.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { answerBody } from '../http/dispatch-answer.ts';
import { problem } from '../http/envelope.ts';
import { countFailedCredential, idempotencyKeyOf } from '../http/requests.ts';
import { mcpPath, type McpRequest } from './exchange.ts';
import { untrusted } from '../../model/vocabulary.ts';

/** A call without its credential, which is in the request. */
export interface RowCall {
  readonly key: string;
  readonly body: string;
  readonly idem?: string | undefined;
  readonly shape?: boolean | undefined;
  readonly actor?: string | undefined;
  readonly purpose?: string | undefined;
  readonly replay?: ReplayOf | undefined;
}

/** A type rather than an interface, to be assignable to the protocol's result type. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent: JsonObject;
  isError?: true;
};

export async function callRow(mcpRequest: McpRequest, rowCall: RowCall): Promise<ToolResult> {
  const { service, requestLimits, request, presented, workspace } = mcpRequest;
  const { key, body, replay } = rowCall;
  const call = {
    key,
    body,
    presented,
    workspace,
    method: 'POST',
    idempotencyKey: rowCall.idem ?? idempotencyKeyOf(request),
    shape: rowCall.shape,
    actorName: rowCall.actor,
    purpose: rowCall.purpose,
    channel: 'mcp',
    client: requestLimits.address(request),
    meter: requestLimits.meter(request),
  } as const;
  const answer = await (replay === undefined
    ? dispatch(service, call)
    : dispatchReplay(service, call, replay));
  const refusal = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  // Invalid credentials are counted; too many turn into `rate_limited`.
  const counted = refusal === undefined ? undefined : countFailedCredential(refusal, request, requestLimits);
  if (counted !== undefined && counted !== refusal) return refusedResult(service.base, counted);
  // Over MCP, shares are accepted in headers only.
  const answered =
    isFault(answer) && answer.fault === 'credential_required' ? { ...answer, fix: inHeaders } : answer;
  return toolResult(answerBody(service, answered, mcpPath));
}

const inHeaders =
  'Connect with the header Authorization: Bearer <TOKEN>; without a token, ask the owner for a share.';

/** Arguments by name as a body; empty without arguments, as over HTTP. */
export function bodyOf(args: JsonObject): string {
  return Object.keys(args).length === 0 ? '' : canonicalJson(args);
}

export function refusedResult(base: string, refusal: Fault): ToolResult {
  return toolResult(problem(refusal, base, mcpPath));
}

/** Members that are omitted for clients without structured content. */
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

/** The answer of a tool: the text, the other members as JSON, and the structured content. */
export function toolResult(answer: JsonObject): ToolResult {
  const isError = answer['ok'] !== true;
  const plainText = isError
    ? `${String(answer['error'])}: ${String(answer['detail'])} ${String(answer['fix'])}`
    : String(answer['result_text'] ?? '');
  const data = Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => !programMembers.has(name) && value !== null),
  );
  // Texts of refusals are ours, and quote at most the request.
  const labelledText = isError || plainText === '' ? plainText : `${untrusted}\n\n${plainText}`;
  const texts = [labelledText, Object.keys(data).length === 0 ? '' : JSON.stringify(data)];
  return {
    content: texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
    structuredContent: answer,
    ...(isError ? { isError } : {}),
  };
}
