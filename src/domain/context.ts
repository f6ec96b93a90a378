/** What a decision is given besides state: everything that would otherwise be a clock, a dice or a request. */
import type { Appended, EventDraft } from '../engine/act.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { SizeLimits } from '../kernel/size-limits.ts';

export interface Context {
  /** ISO 8601, UTC, milliseconds. */
  readonly now: string;
  /** `owner`, `anonymous`, `system` or a credential's fingerprint. */
  readonly actor: string;
  /** A self-typed name: display metadata, never identity. */
  readonly actorName: string | null;
  /** The model that a caller says it is: display metadata, never identity. */
  readonly model: string | null;
  /** The door the call came through: http, cli, mcp, page. */
  readonly channel: string;
  /** Base address of this deployment, without a final slash. */
  readonly base: string;
  readonly tenant: string;
  /** The name of the workspace, which slugs begin with. */
  readonly workspace: string;
  /** The invocation that this decision belongs to. */
  readonly inv: string;
  /** How large this deployment lets texts be. */
  readonly limits: SizeLimits;
  /** Fresh opaque ids, from the act's own random bytes. */
  id(prefix: string): string;
}

/** Something a call made or touched: what `yield.material` lists. */
export interface Material extends JsonObject {
  readonly kind: string;
  readonly id: string;
  readonly url: string;
}

export interface Result<R extends JsonObject = JsonObject> {
  readonly result: R;
  /** What a plain reader wants to read. */
  readonly text: string;
  readonly material: readonly Material[];
  /** Members shown to the caller once and never recorded, such as a new token. */
  readonly reveal?: JsonObject;
  /** Whether what a provider wrote for it was thrown away. */
  readonly wasted?: boolean;
}

/** A decision that was accepted: entries to append, and what to answer once they are sealed. */
export interface Outcome<S, R extends JsonObject = JsonObject> {
  readonly events: readonly EventDraft[];
  /** What is doubtful and yet no reason to refuse it; a dry run says so before anything is written. */
  readonly warnings?: readonly JsonObject[];
  conclude(appended: readonly Appended[], after: S): Result<R>;
}
