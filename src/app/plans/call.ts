/** One call of a row on its way through the pipeline of contract §3: as a door hands it in, prepared, performed, answered. */
import { actorOf, type Credential } from '../../domain/capabilities/credential.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import type { Plan } from '../../domain/capabilities/plan.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import type { CapabilityRecord } from '../../domain/capabilities/tables.ts';
import type { Usage, Yielded } from '../../domain/yield.ts';
import type { Context, Result } from '../../domain/context.ts';
import type { AssignmentRecord } from '../../domain/landscape/tables.ts';
import type { Appended } from '../../engine/act.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { opaqueId, randomBytes } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Presented } from '../credentials/authenticate.ts';
import type { CallMeter } from '../credentials/rate-limits.ts';
import type { Proof } from '../reads/proof.ts';
import type { Service } from '../service.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

/** What a door hands in. */
export interface Call {
  readonly key: string;
  /** The body as it came; arguments by name are its JSON text. */
  readonly body: string;
  /** Arguments that the door has parsed strictly, with the canonical text that says the same: it is not parsed again. */
  readonly named?: { readonly text: string; readonly args: JsonObject } | undefined;
  readonly presented: Presented;
  /** The workspace by name. A credential has a workspace of its own, and the addressed slug names one as well. */
  readonly workspace?: string | undefined;
  /** The workspace, once it is resolved: a nested call happens where its parent does. */
  readonly tenant?: string | undefined;
  /** GET calls of rows that are not safe fire once; without a credential they do not fire at all. */
  readonly method: 'GET' | 'POST';
  /** The `n` of a GET invoke: another n is another call. */
  readonly n?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The key names one call for ever, whatever else is sent with it: its first result is the answer. */
  readonly firstForEver?: boolean | undefined;
  /** Dry run: nothing fires, nothing is charged or recorded. */
  readonly shape?: boolean | undefined;
  readonly actorName?: string | undefined;
  readonly purpose?: string | undefined;
  readonly channel: string;
  /** The invocation that made this call, if one did. */
  readonly root?: string | undefined;
  readonly replayOf?: string | undefined;
  readonly repairs?: string | undefined;
  /** Fingerprints of tokens that were taken out of the body before it came here. */
  readonly leaked?: readonly string[] | undefined;
  /** The client's address: for idempotency without a credential, and for leases of free credentials. */
  readonly client: string;
  /** Counts open calls of the client; undefined where nothing is limited. */
  readonly meter: CallMeter | undefined;
}

/** A call whose workspace is known. */
export type PlacedCall = Call & { readonly tenant: string };

/** A call with everything parsed and loaded that its act needs; the act may decide it more than once. */
export interface PreparedCall {
  readonly row: Row;
  readonly body: string;
  /** What is recorded of the body: our tokens as fingerprints, secrets redacted. */
  readonly recorded: string;
  readonly finds: readonly PlacedFind[];
  /** Fingerprints of tokens of ours that stood in the body: what is written with it is public, and so were they. */
  readonly leaked?: readonly string[] | undefined;
  /** Records of leaked tokens that the ledger has none of yet. */
  readonly leakedUnused?: readonly CapabilityRecord[] | undefined;
  readonly args: JsonObject | Fault;
  readonly plan: Plan | Fault;
  /** What the plan's kind loaded before the act (`loadInputs`). A fault is the outcome of the call. */
  readonly inputs?: unknown;
  readonly credential: Credential;
  readonly tenant: string;
  /** The name of the workspace, which slugs begin with. */
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
  /** The same request may come again, and finds the same words. */
  readonly repeatable: boolean;
  /** The assignment that the call is the work on, as it was given out. */
  readonly assignment?: AssignmentRecord | undefined;
  readonly meter: CallMeter | undefined;
  readonly entropy: Entropy;
}

/** How a call ended inside its act. */
export interface Performed {
  readonly inv: string | undefined;
  readonly status: InvocationStatus;
  readonly judgement: Judgement | undefined;
  readonly result: Result | undefined;
  readonly refusal: Fault | undefined;
  /** What a provider counted. */
  readonly usage?: Usage;
  /** Secrets that were taken out of what an effect brought. */
  readonly scrubbed?: readonly PlacedFind[];
  readonly charged: boolean;
  /** The invocation's own entry; absent where nothing was recorded. */
  readonly entry: Appended | undefined;
  /** A capability whose refusals are summarised from now on. */
  readonly uncounted?: string;
  /** The invocation that answered this very request before. */
  readonly repeats?: string | undefined;
}

/** A call that leaves no receipt, with its refusal. */
export function unrecordedRefusal(refusal: Fault | undefined): Performed {
  return {
    inv: undefined,
    status: 'denied',
    judgement: undefined,
    result: undefined,
    refusal,
    charged: false,
    entry: undefined,
  };
}

/** What a dispatched call answers with: result, receipt, and a proof that stands by itself. */
export type Answer =
  | { readonly kind: 'shape'; readonly shape: JsonObject }
  | {
      readonly kind: 'called';
      readonly inv: string;
      readonly key: string;
      readonly status: string;
      readonly ran: boolean;
      readonly result: Result | undefined;
      /** JSON of the result's own members, where its entry committed to just them. */
      readonly resultText?: string | undefined;
      /** Set where the row failed or the call was refused: its status is the answer's. */
      readonly refusal: Fault | undefined;
      readonly yielded: Yielded;
      readonly charged: boolean;
      readonly proof: Proof;
      readonly repeated: boolean;
      readonly durationMs: number;
      /** Secrets that were taken out of the request and of the outcome, by place, kind and count. */
      readonly scrubbed: readonly PlacedFind[];
    };

/** A name that a caller gives itself among the arguments; null where it gives none. */
export function nameIn(args: JsonObject | Fault, member: 'actor' | 'model'): string | null {
  const name = isFault(args) ? undefined : args[member];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** What a decision is given beside its arguments. */
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
    id: (prefix) => call.entropy.id(prefix),
  };
}

/** The randomness of one act: drawn from the operating system once, so that an act decided twice draws the same ids. */
export interface Entropy {
  restart(): void;
  bytes(length: number): Uint8Array;
  id(prefix: string): string;
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
    id: (prefix) => opaqueId(prefix, bytes(10)),
  };
}

/**
 * An invocation's id, 16 base32 characters: its time in tenths of a second (35 bits), then 45 random bits. Every
 * invocation is a chain, and ids that are made together lie together in the index over chains: entries that
 * would each write a page of their own, at a random place, share one (ADR 44 says why that is safe).
 */
export function invocationId(nowMs: number, random: Uint8Array = randomBytes(10)): string {
  const tenths = Math.floor(nowMs / 100);
  const upper = Math.floor(tenths / 8);
  const bytes = random.slice();
  for (let i = 0; i < 4; i++) bytes[i] = upper >>> (24 - 8 * i);
  bytes[4] = ((tenths % 8) << 5) | ((bytes[4] as number) & 31);
  return opaqueId('inv_', bytes);
}
