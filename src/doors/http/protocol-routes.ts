/**
 * `/api/protocol` (spec §4.4): each write is the dispatch of one row, with the row's arguments by name and a
 * credential in the header or the body's `key`. The answer has the row's result at top level.
 */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../app/plans/call.ts';
import { baseText } from '../../app/reads/articles.ts';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { repairCall } from '../../app/pipeline/repair.ts';
import type { Service } from '../../app/service.ts';
import { yieldJson } from '../../domain/capabilities/yield.ts';
import { links } from '../../domain/links.ts';
import { allWrong } from '../../domain/violations.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { scrubbedMember } from './dispatch-answer.ts';
import { body, privateCache, sendJson, sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import {
  countCredential,
  idempotencyKeyOf,
  presentedBy,
  readObject,
  readQuery,
  stringMember,
} from './requests.ts';
import { bodyText } from './request-bodies.ts';
import { declare, declared, operationId } from './declare.ts';
import { place } from './parameters.ts';
import type { Ceilings } from './unheard.ts';
import { wordDiff } from '../../represent/word-diff.ts';

const writes: Readonly<Record<string, string>> = {
  'voxel-divide': 'VOXEL_DIVIDE',
  'voxel-edit': 'VOXEL_EDIT',
  'voxel-move': 'VOXEL_MOVE',
  'voxel-consolidate': 'VOXEL_CONSOLIDATE',
  'voxel-burn': 'VOXEL_BURN',
  'voxel-batch': 'VOXEL_BATCH',
  claim: 'CLAIM_POST',
  sources: 'SOURCE_POST',
  article: 'ARTICLE_META',
  repair: 'CLAIM_REPAIR',
  retract: 'CLAIM_RETRACT',
  import: 'ARTICLE_IMPORT',
  'voxel-challenge': 'VOXEL_CHALLENGE',
  'voxel-attest': 'VOXEL_ATTEST',
  'voxel-vote': 'VOXEL_VOTE',
  'voxel-ratify': 'VOXEL_RATIFY',
  'thread-update': 'THREAD_UPDATE',
  ask: 'ARTICLE_ASK',
  ingest: 'ARTICLE_INGEST',
};

export function protocolRoutes(
  app: FastifyInstance,
  service: Service,
  intake: Intake,
  { batchBytesMax, importBytesMax }: Ceilings,
): void {
  const large: Readonly<
    Record<string, { readonly bodyLimit: number; readonly config: FastifyContextConfig }>
  > = {
    'voxel-batch': { bodyLimit: batchBytesMax, config: { isBatch: true } },
    import: { bodyLimit: importBytesMax, config: { isImport: true } },
  };
  for (const [path, key] of Object.entries(writes)) {
    const write = declare({
      id: operationId(key),
      summary: service.rows.get(key)?.contract.what ?? key,
      tag: 'protocol',
      row: key,
      // Without authority for the row, what is sent is proposed instead.
      ...(path === 'repair' ? { caller: 'anybody' as const } : {}),
      query: place,
    });
    const { config } = declared(write);
    const options = { ...large[path], config: { ...config, ...large[path]?.config } };
    app.post(`/api/protocol/${path}`, options, async (request, reply) => {
      const object = readObject(request);
      if (isFault(object)) return sendProblem(reply, request, service.base, object);
      const query = readQuery(request, write);
      const token = stringMember(object, 'key');
      if (isFault(query) || isFault(token))
        return sendProblem(reply, request, service.base, allWrong('/', query, token) as Fault);
      const { key: _token, ...given } = object;
      const credential = presentedBy(request, token);
      if (isFault(credential)) return sendProblem(reply, request, service.base, credential);
      const call =
        path === 'repair'
          ? await repairCall(service, given, credential)
          : { key, args: given, presented: credential };
      if (isFault(call)) return sendProblem(reply, request, service.base, call);
      const { args, presented } = call;
      const text = bodyText(service, request, presented, call.key, args);
      const { workspace } = query;
      const answer = await dispatch(service, {
        key: call.key,
        body: text,
        // A repair's arguments are made on the way; every other call's were read from bytes.
        named: path === 'repair' ? undefined : { text, args },
        presented,
        workspace,
        method: 'POST',
        idempotencyKey: idempotencyKeyOf(request),
        channel: 'http',
        client: intake.address(request),
        meter: intake.meter(request),
      });
      return sendProtocolAnswer(reply, request, service, await withBase(service, args, answer), intake);
    });
  }
}

/** A stale edit is easier to merge with the text that the caller had read, and with what changed since. */
async function withBase(service: Service, args: JsonObject, answer: Answer | Fault): Promise<Answer | Fault> {
  const stale = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  if (stale?.fault !== 'hash_stale') return answer;
  const { slug } = args;
  const { div_id: divId, expected_hash: expected, current_text: current } = stale.details ?? {};
  if (
    typeof slug !== 'string' ||
    typeof divId !== 'string' ||
    typeof expected !== 'string' ||
    typeof current !== 'string'
  )
    return answer;
  const text = await baseText(service, slug, divId, expected);
  if (text === undefined) return answer;
  const merged: Fault = {
    ...stale,
    details: { ...stale.details, base_text: text, diff: wordDiff(text, current) },
  };
  return isFault(answer) || answer.kind === 'shape' ? merged : { ...answer, refusal: merged };
}

export function sendProtocolAnswer(
  reply: FastifyReply,
  request: FastifyRequest,
  service: Service,
  answer: Answer | Fault,
  intake: Intake,
): FastifyReply {
  void reply.header('cache-control', privateCache);
  const { base } = service;
  if (isFault(answer)) return sendProblem(reply, request, base, countCredential(answer, request, intake));
  if (answer.kind === 'shape') throw new Error('protocol routes have no dry run');
  const { inv, key, status, proof, result } = answer;
  const receipt = { id: inv, url: proof.receipt, confirm: proof.confirm };
  const invocation = { id: inv, key, status, url: links.receipt(base, inv) };
  const replay = answer.repeated ? { idempotent_replay: true } : {};
  if (answer.refusal !== undefined)
    return sendProblem(reply, request, base, answer.refusal, {
      charged: answer.charged,
      invocation,
      receipt,
      proof,
      ...scrubbedMember(answer.scrubbed),
      ...replay,
    });
  const waits = status === 'proposed' || status === 'running';
  const members = {
    ...result?.result,
    ...result?.reveal,
    receipt,
    invocation,
    yield: yieldJson(answer.yielded),
    proof,
    ...scrubbedMember(answer.scrubbed),
    ...replay,
  };
  return sendJson(
    reply,
    body(
      { kind: 'write', name: key, what: result?.text ?? '', read: proof.receipt, next: [proof.confirm] },
      members,
    ),
    waits ? 202 : 200,
  );
}
