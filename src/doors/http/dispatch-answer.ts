/** The answer of a dispatched call (contract §3); a refusal is a problem that still names its invocation. */
import type { FastifyRequest } from 'fastify';
import type { Answer } from '../../app/plans/call.ts';
import { proofMembers, proofTexts } from '../../app/reads/proof.ts';
import type { Service } from '../../app/service.ts';
import { nothingYielded, yieldJson } from '../../domain/yield.ts';
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { jsonSlot, slot, JsonTemplate } from '../../kernel/json-template.ts';
import { untrusted } from '../../model/vocabulary.ts';
import { receiptTemplates } from '../../represent/templates.ts';
import { body, problem, selfOf } from './envelope.ts';
import { countFailedCredential, type Query } from './requests.ts';
import { privateJson, refused } from './replies.ts';
import type { RouteAnswer, RouteServer } from './route-declaration.ts';

/** The HTTP answer of a call, first or repeated. */
export function callAnswer(
  { service, requestLimits }: Pick<RouteServer, 'service' | 'requestLimits'>,
  request: FastifyRequest,
  answer: Answer | Fault,
): RouteAnswer {
  const { base } = service;
  if (isFault(answer)) return countFailedCredential(answer, request, requestLimits);
  if (answer.kind === 'shape') return shapeBody(answer.shape);
  if (answer.refusal === undefined) {
    const text = calledText(service, answer, isShareInUrl(request));
    return privateJson(withinChars(service, request, answer, text), answer.ran ? 200 : 202);
  }
  const refusal = countFailedCredential(answer.refusal, request, requestLimits);
  const more = isShareInUrl(request) ? nextTemplates(service, answer) : {};
  return refused(refusal, base, { ...refusedMembers(service, answer), ...more });
}

/** Characters of the text that an answer without its result still tells. */
const cutTextCharsMax = 4000;

/** An answer longer than the caller takes: without its result, which the receipt has. */
function withinChars(service: Service, request: FastifyRequest, answer: Called, text: string): string {
  const { chars } = request.query as Query;
  if (request.method !== 'POST' || chars === undefined || text.length <= Number(chars)) return text;
  const { result_text: told, ...members } = calledBody(service, answer);
  return JSON.stringify({
    ...members,
    result: null,
    result_text: String(told).slice(0, cutTextCharsMax).toWellFormed(),
    cut: { chars: text.length, read: links.receiptJson(service.base, answer.inv) },
  });
}

/** The same answer as one JSON value, for MCP; `instance` is the path of the endpoint. */
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

/** The body for a call that ran, is running or waits for approval. */
function calledBody(service: Service, answer: Called, more: JsonObject = {}): JsonObject {
  return { ok: true, trust: untrusted, ...membersOf(service, answer), ...more, _self: selfOfCall(answer) };
}

/** Whether the share was in the URL. */
function isShareInUrl(request: FastifyRequest): boolean {
  return request.method === 'GET' && (request.query as Query)['share'] !== undefined;
}

/** Next URLs for such a caller, because links themselves contain no token. Those of a new share come first. */
function nextTemplates({ base, rows }: Service, { inv, key, status, refusal, result }: Called): JsonObject {
  const shown = (result?.reveal?.['templates'] ?? []) as readonly string[];
  const own = receiptTemplates(
    base,
    { id: inv, status, error: refusal?.fault ?? null, details: refusal?.details },
    rows.get(key),
  );
  return { templates: [...shown, ...own] };
}

/** The body as JSON text. Answers of one row differ in a few slots, so the rest is serialized once. */
function calledText(service: Service, answer: Called, shareInUrl: boolean): string {
  const { inv, status, result, resultText, proof, yielded, repeated, durationMs } = answer;
  if (status !== 'success' || repeated || result?.reveal !== undefined || answer.scrubbed.length > 0)
    return JSON.stringify(calledBody(service, answer, shareInUrl ? nextTemplates(service, answer) : {}));
  const { entry, tlogProof } = proofTexts(proof);
  return templateOf(service, answer.key, shareInUrl).render({
    inv,
    result: resultText ?? JSON.stringify(result?.result ?? null),
    result_text: JSON.stringify(result?.text ?? ''),
    duration_ms: String(durationMs),
    entry,
    entry_hash: proof.entry_hash,
    log_index: String(proof.log_index),
    tlog_proof: tlogProof,
    yield: JSON.stringify(yieldJson(yielded)),
  });
}

const slots = [
  'inv',
  'result',
  'result_text',
  'duration_ms',
  'entry',
  'entry_hash',
  'log_index',
  'tlog_proof',
  'yield',
] as const;
type AnswerTemplate = JsonTemplate<(typeof slots)[number]>;

/** Two templates per row; cleared when workspaces have made too many rows. */
const templatesMax = 1024;
const templatesByService = new WeakMap<Service, Map<string, AnswerTemplate>>();

function templateOf(service: Service, key: string, shareInUrl: boolean): AnswerTemplate {
  const name = shareInUrl ? `?${key}` : key;
  let rowTemplates = templatesByService.get(service);
  if (rowTemplates === undefined)
    templatesByService.set(service, (rowTemplates = new Map<string, AnswerTemplate>()));
  let template = rowTemplates.get(name);
  if (template === undefined) {
    if (rowTemplates.size === templatesMax) rowTemplates.clear();
    rowTemplates.set(name, (template = new JsonTemplate(templateBody(service, key, shareInUrl), slots)));
  }
  return template;
}

/** The body of a successful call of the row, with slots for what differs. */
function templateBody(service: Service, key: string, shareInUrl: boolean): JsonObject {
  const inv = slot('inv');
  const proof = proofMembers(service.base, inv, 'success', {
    entry: {},
    hash: slot('entry_hash'),
    index: null,
    tlogProof: jsonSlot('tlog_proof'),
  });
  const called: Called = {
    kind: 'called',
    inv,
    key,
    status: 'success',
    ran: true,
    result: { result: {}, text: jsonSlot('result_text'), material: [] },
    refusal: undefined,
    yielded: nothingYielded,
    charged: false,
    proof,
    repeated: false,
    durationMs: 0,
    scrubbed: [],
  };
  const whole = calledBody(service, called, shareInUrl ? nextTemplates(service, called) : {});
  const invocation = whole['invocation'] as JsonObject;
  return {
    ...whole,
    result: jsonSlot('result'),
    invocation: { ...invocation, duration_ms: jsonSlot('duration_ms') },
    proof: { ...proof, entry: jsonSlot('entry'), log_index: jsonSlot('log_index') },
    yield: jsonSlot('yield'),
  };
}

/** Members of every answer. */
function membersOf(
  { base }: Service,
  { key, inv, status, ran, result, refusal, proof, durationMs, yielded, repeated, scrubbed }: Called,
): JsonObject {
  return {
    ran,
    kind: key,
    // First, so that `reveal` cannot override other members.
    ...result?.reveal,
    result: result === undefined ? null : result.result,
    result_text: result?.text ?? refusal?.message ?? '',
    invocation: { id: inv, key, status, url: links.receipt(base, inv), duration_ms: durationMs },
    receipt: { id: inv, url: proof.receipt, confirm: proof.confirm },
    proof,
    yield: yieldJson(yielded),
    affordances: [proof.receipt, proof.confirm, links.contract(base, key)],
    ...scrubbedMember(scrubbed),
    ...(repeated ? { idempotent_replay: true } : {}),
  };
}

/** Reports which secrets were removed before storing. */
export function scrubbedMember(scrubbed: Called['scrubbed']): JsonObject {
  return scrubbed.length === 0
    ? {}
    : { scrubbed: scrubbed.map(({ path, kind, count }) => ({ path, kind, count })) };
}

/** Members of a refusal or failure beside the problem. */
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
