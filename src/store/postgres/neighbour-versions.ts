/**
 * What a node does while nodes of another version run (contract §6, ADR 49): it projects their batches as soon as it
 * hears of them, answers its own writes when the others have projected them, so that a reader finds them on any node,
 * and removes the other set when its last node is gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import { projectionStamp } from '../../engine/ledger-version.ts';
import { LedgerInUse } from '../../engine/store.ts';
import { drop, sqlState } from './connection.ts';
import { isUnused, projectionSets, removeUnusedSets, tryLock } from './projection-sets.ts';

/** How often a node looks whether the other version is gone; missed notifications are made up for then, too. */
const lookMs = 1000;
/** Looks in turn that find no session: those of a database that failed over come back by then. */
const unusedLooks = 3;
/** Looks left out after a removal that met a reader of the tables. */
const looksAfterRefusal = 10;
/** A write is answered after this time whether or not a node that stalls has projected it. */
const answerAfterMs = 2000;
const askMs = 5;

/** Tables that a dump holds, or a node that starts: to be tried again later. */
const lockNotAvailable = '55P03';

export interface NeighbourOptions {
  readonly namespace: string;
  readonly schema: Schema;
  rows<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<R[]>;
  /** A connection that uses no set. */
  reach(): Promise<pg.Client>;
  /** Whether another version was there when this node last wrote. */
  isBeside(): boolean;
  follow(): Promise<void>;
  onTrouble(error: unknown): void;
}

export class NeighbourVersions {
  readonly #options: NeighbourOptions;
  readonly #closing = new AbortController();
  readonly #awaited = new Set<Promise<void>>();
  readonly #looking: Promise<void>;
  #isFollowing = false;
  #again = false;
  #unused = 0;
  #skipped = 0;

  constructor(options: NeighbourOptions) {
    this.#options = options;
    this.#looking = this.#look();
  }

  /** Another version committed something. What is said meanwhile is followed by one more batch. */
  wake(): void {
    this.#again = true;
    if (!this.#isFollowing) void this.#follow();
  }

  async #follow(): Promise<void> {
    this.#isFollowing = true;
    try {
      while (this.#again && !this.#closing.signal.aborted) {
        this.#again = false;
        await this.#options.follow();
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#options.onTrouble(error);
    } finally {
      this.#isFollowing = false;
    }
  }

  /** Calls `resolve` once every other version has projected the batch that begins with this entry. */
  whenProjected(first: number, resolve: () => void): void {
    const waiting = this.#projected(first).then(resolve);
    this.#awaited.add(waiting);
    void waiting.finally(() => this.#awaited.delete(waiting));
  }

  async #projected(first: number): Promise<void> {
    const until = performance.now() + answerAfterMs;
    try {
      while (performance.now() < until) {
        const due = await this.#options.rows<{ stamp: string }>({ text: dueOf, values: [first] });
        const used = due.map(({ stamp }) => this.#isUsed(stamp));
        if (!(await Promise.all(used)).includes(true)) return;
        await sleep(askMs);
      }
    } catch {
      // The write is durable; what the others have projected cannot be read.
    }
  }

  async #isUsed(stamp: string): Promise<boolean> {
    const { namespace, rows } = this.#options;
    const [found] = await rows<{ free: boolean }>(tryLock(namespace, stamp));
    return found?.free === false;
  }

  async #look(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await sleep(lookMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      if (this.#closing.signal.aborted || !this.#options.isBeside()) continue;
      this.wake();
      if (this.#skipped-- > 0) continue;
      await this.#removeUnused().catch((error: unknown) => {
        this.#skipped = looksAfterRefusal;
        if (error instanceof LedgerInUse || sqlState(error) === lockNotAvailable) return;
        if (!this.#closing.signal.aborted) this.#options.onTrouble(error);
      });
    }
  }

  async #removeUnused(): Promise<void> {
    const { namespace, schema, reach } = this.#options;
    const client = await reach();
    try {
      const own = projectionStamp(schema);
      const others = (await projectionSets(client)).filter(({ stamp }) => stamp !== own);
      const unused = await Promise.all(others.map(({ stamp }) => isUnused(client, namespace, stamp)));
      this.#unused = unused.includes(true) ? this.#unused + 1 : 0;
      if (this.#unused < unusedLooks) return;
      this.#unused = 0;
      await removeUnusedSets(client, namespace, schema);
      // The next batch finds out whether it has the database with its like.
      this.wake();
    } finally {
      drop(client);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looking;
    await Promise.all(this.#awaited);
  }
}

const dueOf =
  'SELECT d.stamp FROM projection_due d JOIN projection_set s ON s.stamp = d.stamp AND s.ready WHERE d.first = $1';
