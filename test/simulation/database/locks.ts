/** Advisory locks of the simulated database: shared or exclusive, of a session or a transaction, first come first served. */
export type Scope = 'session' | 'transaction';

interface Held {
  readonly owner: object;
  readonly isShared: boolean;
  readonly scope: Scope;
}

interface Waiting extends Held {
  grant(): void;
}

export class Locks {
  readonly #held = new Map<string, Held[]>();
  readonly #waiting = new Map<string, Waiting[]>();

  /** Takes the lock if nobody else has it. */
  tryTake(id: string, owner: object, scope: Scope, isShared = false): boolean {
    const held = this.#held.get(id) ?? [];
    const inTheWay = held.some((each) => each.owner !== owner && !(isShared && each.isShared));
    if (inTheWay) return false;
    this.#held.set(id, [...held, { owner, isShared, scope }]);
    return true;
  }

  /** Calls `granted` when the lock is the owner's; answers with what gives up waiting. */
  take(id: string, owner: object, scope: Scope, isShared: boolean, granted: () => void): () => void {
    const queue = this.#waiting.get(id) ?? [];
    const holds = this.#held.get(id)?.some((each) => each.owner === owner) === true;
    if ((queue.length === 0 || holds) && this.tryTake(id, owner, scope, isShared)) {
      granted();
      return () => undefined;
    }
    const waiting = { owner, isShared, scope, grant: granted };
    this.#waiting.set(id, [...queue, waiting]);
    return () => this.#remove(id, (each) => each === waiting);
  }

  holds(id: string, owner: object): boolean {
    return this.#held.get(id)?.some((each) => each.owner === owner) === true;
  }

  /** Lets go of one lock, once. */
  release(id: string, owner: object): void {
    const held = this.#held.get(id) ?? [];
    const at = held.findIndex((each) => each.owner === owner && each.scope === 'session');
    if (at >= 0) this.#held.set(id, held.toSpliced(at, 1));
    this.#grant(id);
  }

  /** Lets go of everything of a transaction, or of a session that ends. */
  releaseAll(owner: object, scope?: Scope): void {
    for (const [id, held] of this.#held) {
      const rest = held.filter(
        (each) => each.owner !== owner || (scope !== undefined && each.scope !== scope),
      );
      if (rest.length === held.length) continue;
      if (rest.length === 0) this.#held.delete(id);
      else this.#held.set(id, rest);
    }
    for (const id of Array.from(this.#waiting.keys())) {
      if (scope === undefined) this.#remove(id, (each) => each.owner === owner);
      this.#grant(id);
    }
  }

  #remove(id: string, isOut: (waiting: Waiting) => boolean): void {
    const rest = (this.#waiting.get(id) ?? []).filter((each) => !isOut(each));
    if (rest.length === 0) this.#waiting.delete(id);
    else this.#waiting.set(id, rest);
    this.#grant(id);
  }

  #grant(id: string): void {
    for (;;) {
      const [next, ...rest] = this.#waiting.get(id) ?? [];
      if (next === undefined || !this.tryTake(id, next.owner, next.scope, next.isShared)) return;
      if (rest.length === 0) this.#waiting.delete(id);
      else this.#waiting.set(id, rest);
      next.grant();
    }
  }
}
