/**
 * Prepares a call for judgement and recording (contract §3): secrets are removed from the body, arguments are parsed
 * and validated, the row makes its plan, and the request gets its idempotency scope. Invalid arguments and missing
 * configuration become refusals in place of the plan; the act answers them only after the gates, and a refused call
 * costs nothing.
 */
import { createHash } from 'node:crypto';
import {
  argumentsOf,
  checkArguments,
  withDeploymentViolations,
  mismatch,
} from '../../domain/capabilities/arguments.ts';
import { assignedBody } from '../../domain/capabilities/assigned-arguments.ts';
import { currentBodyRule, type BodyRule } from '../../domain/capabilities/positional.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { redactionMarker, scrubText, type PlacedFind } from '../../guard/secrets.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { textProblem, canonicalJson, parseJson, type JsonObject } from '../../kernel/json.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { judgeCall } from '../credentials/authority.ts';
import { invocationId, nameIn, newEntropy, type PlacedCall, type PreparedCall } from '../plans/call.ts';
import { kindOf } from '../plans/registry.ts';
import type { Service } from '../service.ts';
import { scanSecrets } from '../outside/secret-scan.ts';
import { leakedMax } from './token-leaks.ts';

/** A GET fires once; an idempotency key is kept for a day. */
const getLifeMs = Number.POSITIVE_INFINITY;
const idempotencyLifeMs = 24 * 3600 * 1000;

/** Maximum body size of a row's calls, in bytes; some rows take whole texts. */
export function bodyBytesMaxOf(key: string, limits: SizeLimits): number {
  if (key === 'ARTICLE_IMPORT') return limits.importBytesMax;
  return ['VOXEL_BATCH', 'ARTICLE_REWRITE', 'IMAGE_STORE'].includes(key)
    ? limits.batchBytesMax
    : limits.dispatchBytesMax;
}

/** The call with its arguments and plan, or with the refusal that its act will record. */
export async function validate(
  service: Service,
  row: Row,
  call: PlacedCall,
  credential: Credential,
  workspace: string,
): Promise<PreparedCall> {
  const prepared = await prepare(service, row, call, credential, workspace);
  const { plan } = prepared;
  const kind = isFault(plan) ? undefined : kindOf(plan);
  // Making a plan may be expensive, such as hashing a module: only for callers whom the gates let through now.
  if (isFault(plan) || kind?.check === undefined || judgeCall(prepared).refused !== undefined)
    return prepared;
  const refusal = await kind.check({ service, call: prepared, plan });
  return refusal === undefined ? prepared : { ...prepared, plan: refusal };
}

async function prepare(
  service: Service,
  row: Row,
  call: PlacedCall,
  credential: Credential,
  workspace: string,
): Promise<PreparedCall> {
  const nowMs = service.now();
  const { bodyRule = currentBodyRule } = call;
  const body = assignedBody(row.key, call.body, credential);
  const completed = body === call.body ? call : { ...call, body, named: undefined };
  const { recorded, finds, leakedTokens, ...read } =
    row.confidential === undefined
      ? await scrubAroundBytes(row, completed, bodyRule, service.limits)
      : scrubConfidential(row, call.body, row.confidential, bodyRule, service.limits);
  const args = isFault(read.args) ? withDeploymentViolations(row, read.args, service.outside) : read.args;
  const plan = isFault(args) ? args : row.plan(args);
  const idempotency = idempotencyOf(service, row, call, credential);
  return {
    row,
    body: call.body,
    bodyRule,
    recorded,
    finds,
    leakedTokens: isPublished(row) ? [...(leakedTokens ?? []), ...(call.leakedTokens ?? [])] : undefined,
    args,
    plan,
    credential,
    tenant: call.tenant,
    workspace,
    inv: invocationId(nowMs),
    root: call.root,
    replayOf: call.replayOf,
    repairs: call.repairs,
    nowMs,
    now: new Date(nowMs).toISOString(),
    startedMs: nowMs,
    actorName: scrubbedName(call.actorName) ?? nameIn(args, 'actor'),
    modelName: nameIn(args, 'model'),
    purpose: scrubbedName(call.purpose) ?? null,
    channel: call.channel,
    client: call.client,
    bodyBytesMax: bodyBytesMaxOf(row.key, service.limits),
    idempotency,
    repeatable: idempotency !== undefined,
    meter: call.meter,
    entropy: newEntropy(),
  };
}

/** Metadata that the caller sends beside the body is recorded, so it is scrubbed too. */
function scrubbedName(words: string | undefined): string | undefined {
  return words === undefined ? undefined : scrubText(words, fingerprintOf).value;
}

interface ScrubbedBody {
  readonly args: JsonObject | Fault;
  readonly recorded: string;
  readonly finds: readonly PlacedFind[];
  readonly leakedTokens?: readonly string[];
}

/** Tokens in calls that are not about tokens were leaked into text. */
function isPublished(row: Row): boolean {
  return !row.safe && row.category !== 'capability';
}

/**
 * Confidential arguments are used as sent and recorded as a marker; a body that does not fit is recorded as a marker
 * whole.
 */
function scrubConfidential(
  row: Row,
  body: string,
  names: readonly string[],
  rule: BodyRule,
  limits: SizeLimits,
): ScrubbedBody {
  const args = isBrokenJson(body)
    ? mismatch(row, [
        'it opens like a JSON object and is none; a text that begins so is sent as a JSON string',
      ])
    : argumentsOf(row, body, limits, rule);
  if (isFault(args))
    return { args: mismatch(row, problemsWithoutNames(row, args)), recorded: redactionMarker, finds: [] };
  return { args, recorded: canonicalJson(withoutConfidential(args, names)), finds: [] };
}

function isBrokenJson(body: string): boolean {
  return body.trimStart().startsWith('{') && isFault(parseJson(body));
}

/** Problems of a body whose every part may be secret, member names included. */
function problemsWithoutNames(row: Row, { details }: Fault): readonly string[] {
  const problems = (details?.['problems'] ?? []) as readonly string[];
  const anonymous = problems.map((problem) =>
    problem.startsWith('unknown: ') ? `it has members other than ${row.argNames.join(' and ')}` : problem,
  );
  return [...anonymous, 'nothing of it was recorded, and nothing of it is repeated here'];
}

export function withoutConfidential(args: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, names.includes(name) ? redactionMarker : value]),
  );
}

/** Large bytes are used as sent, recorded by their hash, and neither searched for secrets nor parsed twice. */
async function scrubAroundBytes(
  row: Row,
  call: PlacedCall,
  rule: BodyRule,
  limits: SizeLimits,
): Promise<ScrubbedBody> {
  const names = row.recordedByHash ?? [];
  const given =
    names.length === 0 ? undefined : (call.named?.args ?? givenArguments(row, call.body, limits, rule));
  if (given === undefined) return scrubBody(row, call, rule, limits);
  const bytes = Object.entries(given).filter(
    ([name, value]) => names.includes(name) && typeof value === 'string',
  ) as [string, string][];
  const hashes = bytes.map(([name, value]) => [name, `sha256:${sha256Hex(value)}`]);
  const args = { ...given, ...Object.fromEntries(hashes) } as JsonObject;
  const text = canonicalJson(args);
  const read = await scrubBody(row, { ...call, body: text, named: { text, args } }, rule, limits);
  return isFault(read.args) ? read : { ...read, args: { ...read.args, ...Object.fromEntries(bytes) } };
}

/** The arguments of a body, also where they do not fit the row. */
function givenArguments(row: Row, body: string, limits: SizeLimits, rule: BodyRule): JsonObject | undefined {
  const named = body.trimStart().startsWith('{') ? parseJson(body) : undefined;
  if (named !== undefined && !isFault(named)) return named.value as JsonObject;
  const args = argumentsOf(row, body, limits, rule);
  return isFault(args) ? undefined : args;
}

/** Secrets leave before anything is decided or stored; what escapes hide in a JSON body is found after parsing. */
async function scrubBody(
  row: Row,
  { body, named }: PlacedCall,
  rule: BodyRule,
  limits: SizeLimits,
): Promise<ScrubbedBody> {
  const { scrubbed: found, tokens } = await scanSecrets(body);
  const text = { value: found.value as string, finds: found.finds };
  const args =
    named?.text === text.value
      ? checkArguments(row, named.args, limits, rule)
      : argumentsOf(row, text.value, limits, rule);
  if (isFault(args)) return scrubbedMisfit(row, args, text);
  const { scrubbed: deep, tokens: more } = await scanSecrets(args);
  const leakedTokens = [...new Set([...tokens, ...more])];
  if (leakedTokens.length > leakedMax)
    return {
      args: mismatch(row, [
        `it holds ${leakedTokens.length} tokens in the form of this service's, and at most ${leakedMax} are looked up`,
      ]),
      recorded: canonicalJson(deep.value),
      finds: [...text.finds, ...deep.finds],
    };
  const finds = [...(await findsByArgument(row, body, text.finds, rule, limits)), ...deep.finds];
  if (deep.finds.length === 0) return { args, recorded: text.value, finds, leakedTokens };
  return { leakedTokens, args: deep.value as JsonObject, recorded: canonicalJson(deep.value), finds };
}

/** The finds of a whole body by the arguments that they stand in, as far as those account for them. */
async function findsByArgument(
  row: Row,
  body: string,
  found: readonly PlacedFind[],
  rule: BodyRule,
  limits: SizeLimits,
): Promise<readonly PlacedFind[]> {
  const args = found.length === 0 ? undefined : argumentsOf(row, body, limits, rule);
  if (args === undefined || isFault(args)) return found;
  const placed = (await scanSecrets(args)).scrubbed.finds;
  const rest = found.flatMap(({ path, kind, count }) => {
    const left = placed.reduce((sum, find) => (find.kind === kind ? sum - find.count : sum), count);
    return left > 0 ? [{ path, kind, count: left }] : [];
  });
  return [...placed, ...rest];
}

/** A body that does not fit is recorded as it came; where its escapes hide a secret, as they read. */
async function scrubbedMisfit(
  row: Row,
  misfit: Fault,
  text: { readonly value: string; readonly finds: readonly PlacedFind[] },
): Promise<ScrubbedBody> {
  const { scrubbed: plain } = await scanSecrets(unescaped(text.value));
  if (plain.finds.length === 0) return { args: misfit, recorded: text.value, finds: text.finds };
  // What was wrong with it may quote what was just taken out.
  return {
    args: mismatch(row, ['it has other arguments, and it holds a secret']),
    recorded: plain.value as string,
    finds: [...text.finds, ...plain.finds],
  };
}

/** JSON's escapes of single characters, wherever they stand. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const opened = text.replace(
    /\\(?:u([0-9a-fA-F]{4})|([/"\\]))/g,
    (_all, hex: string | undefined, plain: string | undefined) =>
      hex === undefined ? (plain as string) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return textProblem(opened) === undefined ? opened : opened.replaceAll('\0', '').toWellFormed();
}

function idempotencyOf(
  service: Service,
  row: Row,
  call: PlacedCall,
  credential: Credential,
): PreparedCall['idempotency'] {
  // A read that is made from a receipt leaves lineage, so that its address fires once like that of a write.
  const origins = originOf(call);
  const repeatable =
    call.method === 'GET' ? !row.safe || origins.length > 0 : call.idempotencyKey !== undefined;
  if (!repeatable) return undefined;
  const who =
    credential.kind === 'share'
      ? credential.fingerprint
      : credential.kind === 'owner'
        ? 'owner'
        : service.secrets.clientScope(call.client);
  const plain = digest(call.key, call.body);
  // The digest is in a public entry: over confidential arguments it is keyed, so that they cannot be guessed from it.
  const request = row.confidential === undefined ? plain : service.secrets.clientScope(plain);
  if (call.method === 'GET')
    return {
      scope: digest('get', call.tenant, who, call.key, call.body, call.n ?? '', ...origins),
      request,
      lifeMs: getLifeMs,
    };
  return {
    scope: digest('post', call.tenant, who, call.idempotencyKey ?? ''),
    request: call.firstForEver === true ? digest('first') : request,
    lifeMs: call.firstForEver === true ? getLifeMs : idempotencyLifeMs,
  };
}

/** The receipt that a call is made from, as part of what makes it another call. */
function originOf({ replayOf, repairs }: PlacedCall): readonly string[] {
  if (replayOf !== undefined) return ['replay', replayOf];
  return repairs === undefined ? [] : ['repairs', repairs];
}

function digest(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}
