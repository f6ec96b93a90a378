/**
 * Batches on their way to the disk. While one is written, the next is decided over what that one will have
 * committed, and takes in whatever arrives until its turn, so that neither the writer nor the main thread waits for
 * the other. Nothing is answered, and no reader sees anything, before its commit. Where a write fails, what was
 * decided upon it is thrown away and decided again.
 */
import type { Act, Key, SignedCheckpoint } from '../../engine/act.ts';
import type { BatchResult } from '../../engine/batch-io.ts';
import { isChain } from '../../engine/named-keys.ts';
import { settle, type Arrivals, type Pending } from '../../engine/queue.ts';
import { stateName, type Loaded, type Working } from '../../engine/state.ts';
import { Deciding, type Decided, type DecidingPort } from './deciding.ts';
import type { Writer } from './writer.ts';

/** What the store gives, and what it is told. */
export interface CommitPort extends DecidingPort {
  readonly writer: Writer;
  /** A state that a batch has changed, under a new stamp. */
  promoted(working: Working): Loaded;
  /** The batch is on disk; from now on readers see it. */
  committed(batch: Landed): void;
}

export interface Landed {
  readonly result: BatchResult;
  /** Those of its states that the batch after it has looked at. */
  readonly looked: ReadonlyMap<string, Loaded>;
  /** The log's size with this batch, and its signed head. */
  readonly size: number;
  readonly checkpoint: SignedCheckpoint | null;
}

/** A batch that is being written. */
interface Flight {
  readonly result: BatchResult;
  readonly looked: Map<string, Loaded>;
  /** Its write failed: its acts are tried one by one, and nothing that was decided upon it counts. */
  fallen: boolean;
  /** Hands the next batch over, before this one is answered: the writer is not to wait for that. */
  handOverNext: () => void;
  /** Wakes the next batch, which waits for arrivals or for the landing. */
  wake: () => void;
  landed: Promise<void>;
}

const manyActs = 16;

export class Commits {
  readonly #port: CommitPort;
  #flight: Flight | undefined;

  constructor(port: CommitPort) {
    this.#port = port;
  }

  /**
   * With how many of the acts that wait a batch begins. Where nothing is being written, with half of many: callers
   * who wait for their answers would otherwise all come together again and again, and while that one batch is
   * written nobody has anything to do.
   */
  firstOf(waiting: number): number {
    return this.#flight === undefined && waiting >= manyActs ? Math.ceil(waiting / 2) : waiting;
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    while (this.#flight !== undefined) await this.#flight.landed;
  }

  /** Resolves when the next batch may be decided: this one is committed, or it is being written. */
  async run(first: readonly Pending[], arrivals: Arrivals): Promise<void> {
    const batch = [...first];
    for (;;) {
      const before = this.#flight;
      if (before === undefined) {
        try {
          this.#handOver(batch, new Deciding(actsOf(batch), this.#port));
        } catch (error) {
          await this.#oneByOne(batch, error);
        }
        return;
      }
      if (await this.#decideBeside(before, batch, arrivals)) return;
    }
  }

  /** Decides a batch while the one before it is written. Answers false where that fell, and this must begin anew. */
  async #decideBeside(before: Flight, batch: Pending[], arrivals: Arrivals): Promise<boolean> {
    let failed: { readonly error: unknown } | undefined;
    const attempt = (step: () => void): void => {
      if (failed !== undefined || before.fallen) return;
      try {
        step();
      } catch (error) {
        failed = { error };
      }
    };
    const deciding = new Deciding(actsOf(batch), this.#port, {
      load: (key) => this.#load(before, key),
      isWritten: () => this.#flight !== before,
    });
    attempt(() => deciding.advance());
    before.handOverNext = () => attempt(() => this.#handOver(batch, deciding, true));
    while (this.#flight === before && !before.fallen) {
      await stirred(before, arrivals);
      if (this.#flight !== before || !deciding.canJoin) continue;
      attempt(() => {
        const joining = arrivals.take(batch.length, namesNoChain);
        batch.push(...joining);
        if (joining.length > 0) deciding.join(actsOf(joining));
      });
    }
    if (before.fallen) {
      await before.landed;
      return false;
    }
    if (failed !== undefined) {
      await this.settled();
      await this.#oneByOne(batch, failed.error);
    }
    return true;
  }

  /** As committed, or as the batch that is being written will have left it. */
  #load(before: Flight, key: Key): Loaded {
    if (this.#flight !== before) return this.#port.load(key);
    const name = stateName(key.aggregate, key.id);
    const working = before.result.promoted.get(name);
    if (working === undefined) return this.#port.load(key);
    let state = before.looked.get(name);
    if (state === undefined) before.looked.set(name, (state = this.#port.promoted(working)));
    return state;
  }

  /** Throws, with nothing written and the log as it was, what the batch is not to be tried again for as a whole. */
  #handOver(batch: readonly Pending[], deciding: Deciding, isBusy = false): void {
    const decided = deciding.end();
    const writing = this.#write(decided, batch.length, isBusy);
    if (writing === undefined) {
      this.#land(batch, decided, new Map());
      return;
    }
    const flight: Flight = {
      result: decided.result,
      looked: new Map(),
      fallen: false,
      handOverNext: () => undefined,
      wake: () => undefined,
      landed: Promise.resolve(),
    };
    this.#flight = flight;
    flight.landed = this.#landing(flight, writing, batch, decided);
  }

  async #landing(
    flight: Flight,
    writing: Promise<void>,
    batch: readonly Pending[],
    decided: Decided,
  ): Promise<void> {
    try {
      await writing;
    } catch (error) {
      flight.fallen = true;
      flight.wake();
      await this.#oneByOne(batch, error);
      this.#flight = undefined;
      return;
    }
    this.#flight = undefined;
    this.#land(batch, decided, flight.looked, flight.handOverNext);
    flight.wake();
  }

  /** Returns, or resolves, after the commit. Where it throws or rejects, nothing was written, and the log is as before. */
  #write({ job, result, mark }: Decided, acts: number, isBusy = false): void | Promise<void> {
    if (job === undefined) return undefined;
    const fail = (error: unknown): never => {
      this.#port.log.reset(mark);
      throw error;
    };
    try {
      return this.#port.writer.write(job, { acts, entries: result.entries, isBusy })?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }

  #land(
    batch: readonly Pending[],
    { result, checkpoint, size }: Decided,
    looked: ReadonlyMap<string, Loaded>,
    first?: () => void,
  ): void {
    if (result.entries > 0) this.#port.committed({ result, looked, size, checkpoint });
    first?.();
    settle(batch, result.settled, ({ seq }) => ({ logIndex: seq, checkpoint }));
  }

  /** A failed transaction takes its whole batch with it; alone, each act fails or lands by itself. */
  async #oneByOne(batch: readonly Pending[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]?.reject(error);
      return;
    }
    for (const pending of batch) {
      try {
        const decided = new Deciding([pending.act], this.#port).end();
        await this.#write(decided, 1);
        this.#land([pending], decided, new Map());
      } catch (own) {
        pending.reject(own);
      }
    }
  }
}

function actsOf(batch: readonly Pending[]): Act<unknown>[] {
  return batch.map(({ act }) => act);
}

/** A chain is read from the disk, where the batch that is being written is not yet. */
function namesNoChain({ keys }: Act<unknown>): boolean {
  return !keys.some(isChain);
}

/** The flight has landed or fallen, or something has arrived. */
function stirred(flight: Flight, arrivals: Arrivals): Promise<void> {
  return new Promise((wake) => {
    flight.wake = wake;
    arrivals.next(wake);
  });
}
