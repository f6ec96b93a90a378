/** How the calls of this process ended, counted for whoever watches it (contract §7); nothing decides by it. */
import { isFault, type Fault } from '../../kernel/fault.ts';

/** As much of an answer as says how the call ended. */
type Ended = { readonly kind: 'shape' } | { readonly kind: 'called'; readonly status: string };

export class CallTally {
  readonly #ended = new Map<string, number>();

  /** By the status of the receipt; `dry_run` and `unrecorded` leave none. */
  count(answer: Ended | Fault): void {
    const how = isFault(answer) ? 'unrecorded' : answer.kind === 'shape' ? 'dry_run' : answer.status;
    this.#ended.set(how, (this.#ended.get(how) ?? 0) + 1);
  }

  ended(): ReadonlyMap<string, number> {
    return this.#ended;
  }
}
