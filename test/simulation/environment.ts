/**
 * Puts real code into virtual time. While a simulation runs, timers, `performance.now()`, `Math.random()` and the bytes of
 * `kernel/ids.ts` come from its scheduler for code that runs as part of an event; all other code of the process, such as the
 * test runner's, keeps the real ones. ES modules see a replaced member of a built-in module through `syncBuiltinESMExports`.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { randomBytes } from '../../src/kernel/ids.ts';
import { Scheduler, type Timer } from './scheduler.ts';

/** The database of the embedded store, which is in memory: its write-ahead log is opened, and never read or written. */
export const simulatedFile = 'simulated';

interface SleepOptions {
  readonly signal?: AbortSignal;
}

/** A timer as Node's functions return it. */
class VirtualTimeout {
  readonly timer: Timer;
  constructor(timer: Timer) {
    this.timer = timer;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

type Callback = (...args: unknown[]) => void;

/** Runs `work` with the scheduler's time and randomness in place of the process's. One at a time. */
export async function inVirtualTime<T>(scheduler: Scheduler, work: () => Promise<T>): Promise<T> {
  const restore = replace(scheduler);
  try {
    return await work();
  } finally {
    restore();
  }
}

function replace(scheduler: Scheduler): () => void {
  const real = {
    sleep: timersPromises.setTimeout,
    fill: crypto.randomFillSync,
    open: fs.openSync,
    now: performance.now,
    random: Math.random,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setImmediate: globalThis.setImmediate,
  };
  const sleep = (ms = 1, value?: unknown, options: SleepOptions = {}): Promise<unknown> => {
    const { signal } = options;
    const { actor } = Scheduler;
    if (actor === undefined) return real.sleep(ms, value, options);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        timer.cancel();
        reject(new DOMException('The operation was aborted', 'AbortError'));
      };
      const timer = scheduler.after(ms, actor, 'timer', () => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      });
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  };
  const later = (run: Callback, ms: number, args: unknown[], label: string): unknown => {
    const { actor } = Scheduler;
    return actor === undefined
      ? undefined
      : new VirtualTimeout(scheduler.after(ms, actor, label, () => run(...args)));
  };
  const fill = (buffer: Uint8Array): Uint8Array => {
    for (let i = 0; i < buffer.length; i++) buffer[i] = scheduler.random() * 256;
    return buffer;
  };
  Object.assign(timersPromises, { setTimeout: sleep });
  Object.assign(crypto, { randomFillSync: fill });
  Object.assign(fs, {
    openSync: (...opened: Parameters<typeof real.open>) =>
      opened[0] === `${simulatedFile}-wal` ? 0 : real.open(...opened),
  });
  syncBuiltinESMExports();
  emptyPool();
  performance.now = () => (Scheduler.actor === undefined ? real.now.call(performance) : scheduler.nowMs);
  Math.random = () => (Scheduler.actor === undefined ? real.random() : scheduler.random());
  Object.assign(globalThis, {
    setTimeout: (run: Callback, ms = 1, ...args: unknown[]) =>
      later(run, ms, args, 'timer') ?? real.setTimeout(run, ms, ...args),
    clearTimeout: (timer: VirtualTimeout | Parameters<typeof clearTimeout>[0]) => {
      if (timer instanceof VirtualTimeout) timer.timer.cancel();
      else real.clearTimeout(timer);
    },
    setImmediate: (run: Callback, ...args: unknown[]) =>
      later(run, 0, args, 'turn') ?? real.setImmediate(run, ...args),
  });
  return () => {
    Object.assign(timersPromises, { setTimeout: real.sleep });
    Object.assign(crypto, { randomFillSync: real.fill });
    Object.assign(fs, { openSync: real.open });
    syncBuiltinESMExports();
    emptyPool();
    performance.now = real.now;
    Math.random = real.random;
    const { setTimeout, clearTimeout, setImmediate } = real;
    Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate });
  };
}

/**
 * `kernel/ids.ts` draws bytes ahead: those of the process must not be used in the simulation, nor the other way round. It
 * fills its pool again when more is asked for than is left of it.
 */
const poolBytes = 16_384;

function emptyPool(): void {
  randomBytes(poolBytes);
}
