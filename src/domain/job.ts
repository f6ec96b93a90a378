/** An effect's way back to the ledger while it runs (contract §3 "Intent before effect"). */
import type { JsonObject } from '../kernel/json.ts';
import type { Usage } from './yield.ts';

/** The invocation that an effect works for. */
export interface Job {
  readonly inv: string;
  /** The door that the call came through. */
  readonly channel: string;
  /** The invocation that this one replays or repairs. */
  readonly parent: string | null;
  /** Records what a provider calls the work it took on, so that it is found again and never sent twice. */
  submitted(reference: JsonObject): Promise<void>;
  /** Says what a provider counted; it is recorded with the outcome, whatever that is. */
  spent(usage: Usage): void;
}
