/**
 * Checks the system clock. Times in the ledger are permanent and monotonic within a chain, so a clock that is years
 * ahead would date whole chains in the future. Start is refused with an impossible clock, smaller deviations are
 * reported, and jumps at runtime are reported and counted.
 */
import { OperatorError, type Reader } from '../../engine/store.ts';
import { releasedAt } from '../../kernel/build.ts';

/** Start is refused; nothing was written. */
export class WrongClock extends OperatorError {}

const secondMs = 1000;
const behindMaxMs = 5 * 60 * secondMs;
const dayMs = 24 * 3600 * secondMs;
const quietMaxMs = 31 * dayMs;
/** Entries to search for the newest time that came from a clock. */
const newestLook = 64;

export interface ClockVerdict {
  /** Why the start is refused. */
  readonly wrong?: string;
  /** What the operator should check. */
  readonly odd?: string;
}

/** `newest`: time of the newest entry; null in an empty ledger. */
export function judgeClock(nowMs: number, newest: string | null): ClockVerdict {
  const now = new Date(nowMs).toISOString();
  const latest = new Date(releasedAt);
  latest.setUTCFullYear(latest.getUTCFullYear() + 10);
  if (nowMs > latest.getTime())
    return { wrong: `it says ${now}, which is more than ten years after this version was released` };
  const aheadMs = newest === null ? 0 : nowMs - Date.parse(newest);
  if (aheadMs < -behindMaxMs)
    return { wrong: `it says ${now}, and the newest entry is of ${newest}, more than five minutes later` };
  if (aheadMs < 0) return { odd: `it says ${now}, and the newest entry is of ${newest}` };
  if (nowMs < Date.parse(releasedAt))
    return { odd: `it says ${now}, and this version was released on ${releasedAt.slice(0, 10)}` };
  if (aheadMs > quietMaxMs)
    return { odd: `it says ${now}, ${Math.floor(aheadMs / dayMs)} days after the newest entry` };
  return {};
}

/**
 * Time of the newest entry that begins a chain, since others may have their predecessor's time. Null in an empty
 * ledger.
 */
export async function newestTime(read: Pick<Reader, 'checkpoint' | 'texts'>): Promise<string | null> {
  const size = (await read.checkpoint())?.size ?? 0;
  const texts = await read.texts(Math.max(0, size - newestLook), newestLook);
  const entries = texts.map(({ text }) => JSON.parse(text) as { readonly n: number; readonly ts: string });
  const newest = entries.findLast(({ n }) => n === 0) ?? entries.at(-1);
  return newest?.ts ?? null;
}

/** Throws `WrongClock`, or reports a deviation through `onTrouble`; with `accept` everything is only reported. */
export async function checkClock(
  read: Pick<Reader, 'checkpoint' | 'texts'>,
  nowMs: number,
  accept: boolean,
  onTrouble: (error: unknown) => void,
): Promise<void> {
  const { wrong, odd } = judgeClock(nowMs, await newestTime(read));
  if (wrong !== undefined && !accept)
    throw new WrongClock(
      `the clock of this machine cannot be right: ${wrong}. Set the clock, or start with colophon serve --accept-clock to write with it.`,
    );
  const problem = wrong ?? odd;
  if (problem !== undefined) onTrouble(new Error(`look at the clock of this machine: ${problem}`));
}

const watchEveryMs = 1000;
/** Smaller changes are slewing; larger ones are a set clock. */
const jumpMinMs = 2000;

/** Compares the clock with the monotonic timer. */
export class ClockWatch {
  #jumps = 0;
  #offset: number | undefined;
  readonly #now: () => number;
  readonly #passed: () => number;
  readonly #onTrouble: (error: unknown) => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(now: () => number, onTrouble: (error: unknown) => void, passed = () => performance.now()) {
    this.#now = now;
    this.#onTrouble = onTrouble;
    this.#passed = passed;
  }

  /** Number of jumps found. */
  get jumps(): number {
    return this.#jumps;
  }

  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), watchEveryMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const now = this.#now();
    const offset = now - this.#passed();
    const byMs = offset - (this.#offset ?? offset);
    this.#offset = offset;
    if (Math.abs(byMs) < jumpMinMs) return;
    this.#jumps++;
    const { wrong } = judgeClock(now, null);
    const way = byMs < 0 ? 'back' : 'ahead';
    this.#onTrouble(
      new Error(
        `the clock of this machine jumped ${way} by ${Math.round(Math.abs(byMs) / secondMs)} seconds, to ${new Date(now).toISOString()}${wrong === undefined ? '' : ': no start would accept it'}. Entries bear its time; set it right and restart.`,
      ),
    );
  }
}
