/** One call of a row, on its way through the pipeline of contract §3. */
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { CapabilityRecord } from '../../domain/capabilities/tables.ts';
import type { Judgement } from '../../domain/capabilities/gates.ts';
import type { InvocationStatus } from '../../domain/capabilities/invocation.ts';
import type { RouterTag } from '../../domain/capabilities/router-tags.ts';
import type { BatchOperation, Plan, Row } from '../../domain/capabilities/row.ts';
import type { Usage } from '../../domain/capabilities/yield.ts';
import type { Result } from '../../domain/context.ts';
import type { Appended } from '../../engine/act.ts';
import type { ContributionRow } from '../../domain/mirror/tables.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import type { Presented } from '../credentials/authenticate.ts';
import type { ClientLeases, CohortsBefore, DividedDocument, GrowthBefore } from './before.ts';
import type { AssignmentRecord } from '../../domain/landscape/tables.ts';

/** Counts the calls of one client. A fault means that a limit is spent and that nothing was counted. */
export interface CallMeter {
  /** Whether the client may make another call, without counting one. */
  spent(tenant: string): Fault | undefined;
  /** A call that may write: charged to the client within the workspace, and to the article with this slug. */
  write(tenant: string, article: string | undefined): Fault | undefined;
  read(): Fault | undefined;
}

/** A router tag or an operation: the place in its parent's plan that a nested call comes from. */
export type NestedSource = RouterTag | BatchOperation;

/** What came of charging nested calls before the act that runs them. */
export type NestedCharges = ReadonlyMap<NestedSource, Fault | 'charged'>;

/** What a door hands in. */
export interface Call {
  readonly key: string;
  /** The body as it came; arguments by name are its JSON text. */
  readonly body: string;
  /** Arguments that the door has parsed strictly, with the canonical text that says the same: it is not parsed again. */
  readonly named?: { readonly text: string; readonly args: JsonObject } | undefined;
  readonly presented: Presented;
  /** Where, by name; a credential is in its own workspace, and the slug that is addressed says it as well. */
  readonly workspace?: string | undefined;
  /** Where, when that is settled: a further call happens where the first one did. */
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
  /** The invocation that made this call, where one did. */
  readonly root?: string | undefined;
  readonly replayOf?: string | undefined;
  readonly repairs?: string | undefined;
  /** Fingerprints of tokens that were taken out of the body before it came here. */
  readonly leaked?: readonly string[] | undefined;
  /** The client's address, for idempotency without a credential. */
  readonly client: string;
  /** Counts open calls of the client; undefined where nothing is limited. */
  readonly meter: CallMeter | undefined;
}

/** A call of which it is known which workspace it is in. */
export type PlacedCall = Call & { readonly tenant: string };

/** A call with everything drawn and parsed that its act needs; the act may decide it more than once. */
export interface PreparedCall {
  readonly row: Row;
  readonly body: string;
  /** What is recorded of the body: our tokens as fingerprints, secrets redacted. */
  readonly recorded: string;
  readonly finds: readonly PlacedFind[];
  /** Fingerprints of tokens of ours that stood in the body: what is written with it is public, and so were they. */
  readonly leaked?: readonly string[] | undefined;
  /** The records of those that the ledger has none of yet. */
  readonly leakedUnused?: readonly CapabilityRecord[] | undefined;
  readonly args: JsonObject | Fault;
  readonly plan: Plan | Fault;
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
  /** The proposal that this call decides, ready to fire. */
  readonly proposal?: PreparedCall | undefined;
  readonly nowMs: number;
  readonly now: string;
  readonly startedMs: number;
  readonly actorName: string | null;
  readonly modelName: string | null;
  readonly purpose: string | null;
  readonly channel: string;
  readonly bodyBytesMax: number;
  readonly idempotency:
    { readonly scope: string; readonly request: string; readonly lifeMs: number } | undefined;
  /** The same request may come again, and finds the same words. */
  readonly repeatable: boolean;
  /** The document of a document-mode batch, divided once. */
  readonly document: DividedDocument | undefined;
  /** The contribution that is to be decided: found by its id before the act, and never changed. */
  readonly contribution?: ContributionRow | undefined;
  /** The answer of a read or an effect, made before the act that records it. */
  readonly answered: Result | Fault | undefined;
  /** The assignment that the call is the work on, as it was given out. */
  readonly assignment?: AssignmentRecord | undefined;
  /** Where a lease may come from, looked up before the act. */
  readonly cohorts?: CohortsBefore | undefined;
  /** What the address holds already that a free lease is asked from. */
  readonly clientLeases?: ClientLeases | undefined;
  /** What the paper grows by, counted before the act. */
  readonly growth?: GrowthBefore | undefined;
  readonly meter: CallMeter | undefined;
  /** What came of charging the calls inside this one. */
  readonly charges?: NestedCharges | undefined;
  /** The same for the reads that a thread update's tags ask. */
  readonly asked?: ReadonlyMap<RouterTag, Result | Fault> | undefined;
  /** The act's own randomness; starts over when the act is decided again. */
  readonly draw: Draw;
}

export interface Draw {
  restart(): void;
  bytes(length: number): Uint8Array;
  id(prefix: string): string;
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

/** A name that a caller gives itself among the arguments; null where it gives none. */
export function nameIn(args: JsonObject | Fault, member: 'actor' | 'model'): string | null {
  const name = isFault(args) ? undefined : args[member];
  return typeof name === 'string' && name !== '' ? name : null;
}
