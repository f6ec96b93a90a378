/** The answer of a dispatched call as HTTP (contract §3): a refusal is a problem that still names its invocation. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../app/calls/answer.ts';
import { proofJson } from '../../app/reads/proof.ts';
import type { Service } from '../../app/service.ts';
import { yieldJson } from '../../domain/capabilities/yield.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { body, privateCache, selfOf, sendJson, sendJsonText, sendProblem } from './envelope.ts';
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
  if (answer.kind === 'shape') {
    return sendJson(
      reply,
      body(
        {
          kind: 'shape',
          name: String(answer.shape['key']),
          what: 'A dry run: nothing fired, nothing charged.',
        },
        answer.shape,
      ),
    );
  }
  const { key, inv, status, ran, result, proof, charged } = answer;
  const before: JsonObject = {
    ran,
    kind: key,
    result: result === undefined ? null : result.result,
    result_text: result?.text ?? answer.refusal?.message ?? '',
    ...result?.reveal,
    invocation: { id: inv, key, status, url: links.receipt(base, inv), duration_ms: answer.durationMs },
    receipt: { id: inv, url: proof.receipt, confirm: proof.confirm },
  };
  const after: JsonObject = {
    yield: yieldJson(answer.yielded),
    affordances: [proof.receipt, proof.confirm, links.contract(base, key)],
    ...(answer.repeated ? { idempotent_replay: true } : {}),
  };
  if (answer.refusal !== undefined) {
    const members = { ...before, proof, ...after, charged, repair: links.contract(base, 'OIP_REPAIR') };
    return sendProblem(reply, request, base, countCredential(answer.refusal, request, intake), members);
  }
  const self = {
    kind: 'invocation',
    name: inv,
    what: `${key} is on the ledger as ${status}.`,
    read: proof.receipt,
    next: [proof.confirm],
  };
  const head = JSON.stringify({ ok: true, ...before });
  const tail = JSON.stringify({ ...after, _self: selfOf(self) });
  return sendJsonText(
    reply,
    `${head.slice(0, -1)},"proof":${proofJson(proof)},${tail.slice(1)}`,
    ran ? 200 : 202,
  );
}
