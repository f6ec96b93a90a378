/** A call in the pipeline of contract §3: as a door passes it on, prepared, performed, answered. */
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import { bodyOfTexts } from '../../domain/capabilities/arguments.ts';
import type { Plan } from '../../domain/capabilities/plan.ts';
import type { BodyRule } from '../../domain/capabilities/positional.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import type { CapabilityRecord } from '../../domain/capabilities/tables.ts';
import type { Usage, Yielded } from '../../domain/yield.ts';
import type { Context, Result } from '../../domain/context.ts';
import type { AssignmentRecord } from '../../domain/landscape/tables.ts';
import type { Appended } from '../../engine/act.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { opaqueId, randomBytes } from '../../kernel/ids.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import type { Presented } from '../credentials/authenticate.ts';
import type { CallMeter } from '../credentials/rate-limits.ts';
import type { Proof } from '../../model/invocation.ts';
import type { Service } from '../service.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

/** The call that a door passes to `dispatch`. */
export interface Call {
  readonly key: string;
  /** The body as sent; arguments by name are its JSON text. */
  readonly body: string;
  /** The arguments as texts by name, in place of a body: parsed once the row is known (`withBody`). */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** The rule of a replayed body; the current one if undefined. */
  readonly bodyRule?: BodyRule | undefined;
  /** Arguments that the door has parsed strictly, with their canonical text, so that they are not parsed again. */
  readonly named?: { readonly text: string; readonly args: JsonObject } | undefined;
  readonly presented: Presented;
  /** The named workspace. A credential has its own workspace; an addressed slug names one too. */
  readonly workspace?: string | undefined;
  /** The resolved workspace; a nested call has its parent's. */
  readonly tenant?: string | undefined;
  /** Unsafe GET calls fire once; without a credential they never fire. */
  readonly method: 'GET' | 'POST';
  /** The `n` of a GET invoke: each `n` is another call. */
  readonly n?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** An idempotency key names one call for ever: repetitions get its first result, whatever else they send. */
  readonly firstForEver?: boolean | undefined;
  /** Dry run: nothing is run, charged or recorded. */
  readonly shape?: boolean | undefined;
  readonly actorName?: string | undefined;
  readonly purpose?: string | undefined;
  readonly channel: string;
  /** The invocation that made this call, if one did. */
  readonly root?: string | undefined;
  readonly replayOf?: string | undefined;
  readonly repairs?: string | undefined;
  /** Fingerprints of tokens that the door removed from the body. */
  readonly leakedTokens?: readonly string[] | undefined;
  /** The client address: scopes anonymous idempotency keys and limits open leases. */
  readonly client: string;
  /** Charges open calls of the client; undefined if nothing is limited. */
  readonly meter: CallMeter | undefined;
}

/** A call whose workspace is known. */
export type PlacedCall = Call & { readonly tenant: string };

/** The call with its named texts as the JSON object of its arguments. */
export function withBody<C extends Call>(row: Row | undefined, call: C): C {
  const { texts } = call;
  if (texts === undefined) return call;
  return {
    ...call,
    body: row === undefined ? canonicalJson(texts) : bodyOfTexts(row, texts),
    texts: undefined,
  };
}

/** A call with all parsed and loaded inputs of its act, which may be decided more than once. */
export interface PreparedCall {
  readonly row: Row;
  readonly body: string;
  readonly bodyRule: BodyRule;
  /** The body as recorded: tokens as fingerprints, secrets redacted. */
  readonly recorded: string;
  readonly finds: readonly PlacedFind[];
  /** Fingerprints of tokens that the body contained; what is written with it is public. */
  readonly leakedTokens?: readonly string[] | undefined;
  /** Records of leaked tokens that are not on the ledger yet. */
  readonly leakedUnused?: readonly CapabilityRecord[] | undefined;
  readonly args: JsonObject | Fault;
  readonly plan: Plan | Fault;
  /** The inputs that the plan kind loaded (`loadInputs`). A fault is the outcome of the call. */
  readonly inputs?: unknown;
  readonly credential: Credential;
  readonly tenant: string;
  /** The name of the workspace, the prefix of its slugs. */
  readonly workspace: string;
  readonly inv: string;
  readonly root: string | undefined;
  readonly replayOf?: string | undefined;
  readonly repairs?: string | undefined;
  /** The owner approved it. */
  readonly approved?: boolean | undefined;
  readonly nowMs: number;
  readonly now: string;
  readonly startedMs: number;
  readonly actorName: string | null;
  readonly modelName: string | null;
  readonly purpose: string | null;
  readonly channel: string;
  readonly client: string;
  readonly bodyBytesMax: number;
  readonly idempotency:
    { readonly scope: string; readonly request: string; readonly lifeMs: number } | undefined;
  /** The request may be repeated and gets the same answer text. */
  readonly repeatable: boolean;
  /** The assignment that the call works on, as leased. */
  readonly assignment?: AssignmentRecord | undefined;
  readonly meter: CallMeter | undefined;
  readonly entropy: Entropy;
}

/** The result of a call inside its act. */
export interface ActOutcome {
  readonly inv: string | undefined;
  readonly status: InvocationStatus;
  readonly judgement: Judgement | undefined;
  readonly result: Result | undefined;
  readonly refusal: Fault | undefined;
  /** Usage reported by a provider. */
  readonly usage?: Usage;
  /** Secrets that were removed from an effect's outcome. */
  readonly scrubbed?: readonly PlacedFind[];
  readonly charged: boolean;
  /** The invocation's own entry; absent if nothing was recorded. */
  readonly entry: Appended | undefined;
  /** A capability whose further refusals are only counted. */
  readonly uncounted?: string;
  /** The earlier invocation that answered this request. */
  readonly repeats?: string | undefined;
}

/** The outcome of a call whose own entry was appended; a refusal or a result is among `more`. */
export function recordedOutcome(
  { inv }: PreparedCall,
  status: InvocationStatus,
  judgement: Judgement,
  entry: Appended,
  more: Partial<ActOutcome> = {},
): ActOutcome {
  return { inv, status, judgement, result: undefined, refusal: undefined, charged: false, entry, ...more };
}

/** A refusal without a receipt. */
export function unrecordedRefusal(refusal: Fault | undefined): ActOutcome {
  const none = { inv: undefined, judgement: undefined, result: undefined, entry: undefined };
  return { ...none, status: 'denied', refusal, charged: false };
}

/** The answer of a dispatched call: result, receipt and an offline-verifiable proof. */
export type Answer =
  | { readonly kind: 'shape'; readonly shape: JsonObject }
  | {
      readonly kind: 'called';
      readonly inv: string;
      readonly key: string;
      readonly status: InvocationStatus;
      readonly ran: boolean;
      readonly result: Result | undefined;
      /** JSON of the result's members, if its entry commits to exactly them. */
      readonly resultText?: string | undefined;
      /** Set if the row failed or the call was refused; determines the status of the answer. */
      readonly refusal: Fault | undefined;
      readonly yielded: Yielded;
      readonly charged: boolean;
      readonly proof: Proof;
      readonly repeated: boolean;
      readonly durationMs: number;
      /** Secrets that were removed from request and outcome: place, kind and count. */
      readonly scrubbed: readonly PlacedFind[];
    };

/** The actor's name among the arguments; null if there is none. */
export function nameIn(args: JsonObject | Fault, member: 'actor' | 'model'): string | null {
  const name = isFault(args) ? undefined : args[member];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** The context of a decision, beside its arguments. */
export function contextOf(service: Service, call: PreparedCall, credential: Credential): Context {
  return {
    now: call.now,
    actor: actorOf(credential),
    actorName: call.actorName,
    model: call.modelName,
    channel: call.channel,
    base: service.base,
    tenant: call.tenant,
    workspace: call.workspace,
    inv: call.inv,
    limits: service.limits,
    id: (prefix) => call.entropy.id(prefix, call.nowMs),
  };
}

/** Entropy of one act, read once, so that a restarted decision makes the same ids. */
export interface Entropy {
  restart(): void;
  bytes(length: number): Uint8Array;
  /** An opaque id that begins with the time. */
  id(prefix: string, nowMs: number): string;
}

const bytesMax = 32;

export function newEntropy(): Entropy {
  const drawn: Uint8Array[] = [];
  let next = 0;
  const bytes = (length: number): Uint8Array => {
    if (length > bytesMax) throw new RangeError(`at most ${bytesMax} bytes at a time`);
    const known = (drawn[next] ??= randomBytes(bytesMax));
    next++;
    return known.subarray(0, length);
  };
  return {
    restart() {
      next = 0;
    },
    bytes,
    id: (prefix, nowMs) => opaqueId(prefix, timed(nowMs, bytes(10))),
  };
}

/** An invocation id; every invocation is a chain. */
export function invocationId(nowMs: number, random: Uint8Array = randomBytes(10)): string {
  return opaqueId('inv_', timed(nowMs, random));
}

/**
 * Ten bytes of an id: time in tenths of a second (35 bits) and 45 random bits. Ids with a time prefix keep new rows and
 * chains on the same index pages (ADR 44 says why that is safe).
 */
function timed(nowMs: number, random: Uint8Array): Uint8Array {
  const tenths = Math.floor(nowMs / 100);
  const upper = Math.floor(tenths / 8);
  const bytes = random.slice();
  for (let i = 0; i < 4; i++) bytes[i] = upper >>> (24 - 8 * i);
  bytes[4] = ((tenths % 8) << 5) | ((bytes[4] as number) & 31);
  return bytes;
}
