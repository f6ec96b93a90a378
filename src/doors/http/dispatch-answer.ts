/** The answer of a dispatched call as HTTP (contract §3): a refusal is a problem that still names its invocation. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../app/calls/answer.ts';
import { proofJson } from '../../app/reads/proof.ts';
import type { Service } from '../../app/service.ts';
import { yieldJson } from '../../domain/capabilities/yield.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { spell } from '../../kernel/spell.ts';
import { body, privateCache, problem, selfOf, sendJson, sendJsonText, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { countCredential } from './requests.ts';

/** The answer of contract §3, whether it came about now or before. */
export function sendAnswer(
  reply: FastifyReply,
  request: FastifyRequest,
  service: Service,
  answer: Answer | Fault,
  intake: Intake,
): FastifyReply {
  void reply.header('cache-control', privateCache);
  const { base } = service;
  if (isFault(answer)) return sendProblem(reply, request, base, countCredential(answer, request, intake));
  if (answer.kind === 'shape') return sendJson(reply, shapeBody(answer.shape));
  if (answer.refusal !== undefined) {
    const refusal = countCredential(answer.refusal, request, intake);
    return sendProblem(reply, request, base, refusal, refusedMembers(service, answer));
  }
  const text = spell(calledBody(service, answer), {
    result: answer.resultText,
    proof: proofJson(answer.proof),
  });
  return sendJsonText(reply, text, answer.ran ? 200 : 202);
}

/** The same answer as one value, for a door that has no statuses; `instance` is the address of that door. */
export function answerBody(service: Service, answer: Answer | Fault, instance: string): JsonObject {
  const { base } = service;
  if (isFault(answer)) return problem(answer, base, instance);
  if (answer.kind === 'shape') return shapeBody(answer.shape);
  if (answer.refusal !== undefined)
    return problem(answer.refusal, base, instance, refusedMembers(service, answer));
  return calledBody(service, answer);
}

type Called = Extract<Answer, { kind: 'called' }>;

function shapeBody(shape: JsonObject): JsonObject {
  const what = 'A dry run: nothing fired, nothing charged.';
  return body({ kind: 'shape', name: String(shape['key']), what }, shape);
}

/** What the answer of a call that ran, runs or waits holds. */
function calledBody(service: Service, answer: Called): JsonObject {
  return { ok: true, ...membersOf(service, answer), _self: selfOfCall(answer) };
}

/** What every answer tells of its call. */
function membersOf(
  { base }: Service,
  { key, inv, status, ran, result, refusal, proof, durationMs, yielded, repeated }: Called,
): JsonObject {
  return {
    ran,
    kind: key,
    // First, so that nothing shown once takes the place of what is told always.
    ...result?.reveal,
    result: result === undefined ? null : result.result,
    result_text: result?.text ?? refusal?.message ?? '',
    invocation: { id: inv, key, status, url: links.receipt(base, inv), duration_ms: durationMs },
    receipt: { id: inv, url: proof.receipt, confirm: proof.confirm },
    proof,
    yield: yieldJson(yielded),
    affordances: [proof.receipt, proof.confirm, links.contract(base, key)],
    ...(repeated ? { idempotent_replay: true } : {}),
  };
}

/** What a refused or failed call tells beside the problem. */
function refusedMembers(service: Service, answer: Called): JsonObject {
  const repair = links.contract(service.base, 'OIP_REPAIR');
  return { ...membersOf(service, answer), charged: answer.charged, repair };
}

function selfOfCall({ key, inv, status, proof }: Called): JsonObject {
  return selfOf({
    kind: 'invocation',
    name: inv,
    what: `${key} is on the ledger as ${status}.`,
    read: proof.receipt,
    next: [proof.confirm],
  });
}
