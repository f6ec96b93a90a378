/**
 * Whether the clock can be right. Times in the ledger stay for ever, and an entry is never dated before the one that
 * it follows: a clock that is years ahead would date whole chains in the future. So a start with a clock that cannot
 * be right is refused, a smaller gap is said, and a clock that jumps while the server runs is said and counted.
 */
import { OperatorError, type Reader } from '../../engine/store.ts';
import { releasedAt } from '../../kernel/build.ts';

/** The clock cannot be right: nothing was written. */
export class WrongClock extends OperatorError {}

const secondMs = 1000;
const behindMaxMs = 5 * 60 * secondMs;
const dayMs = 24 * 3600 * secondMs;
const quietMaxMs = 31 * dayMs;
/** So many entries are looked at for the newest that was dated by a clock alone. */
const newestLook = 64;

export interface ClockVerdict {
  /** Why nothing may be written. */
  readonly wrong?: string;
  /** What an operator should look at. */
  readonly odd?: string;
}

/** `newest` is the time of the newest entry, or null in an empty ledger. */
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
 * The time of the newest entry that begins a chain: one that follows another may bear that one's time in place of the
 * clock's. Null in an empty ledger.
 */
export async function newestTime(read: Pick<Reader, 'checkpoint' | 'texts'>): Promise<string | null> {
  const size = (await read.checkpoint())?.size ?? 0;
  const texts = await read.texts(Math.max(0, size - newestLook), newestLook);
  const entries = texts.map(({ text }) => JSON.parse(text) as { readonly n: number; readonly ts: string });
  const newest = entries.findLast(({ n }) => n === 0) ?? entries.at(-1);
  return newest?.ts ?? null;
}

/** Throws `WrongClock`, or says through `onTrouble` what is odd; with `accept` everything is only said. */
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
  const said = wrong ?? odd;
  if (said !== undefined) onTrouble(new Error(`look at the clock of this machine: ${said}`));
}

const watchEveryMs = 1000;
/** Clocks are slewed by less; what is more was set. */
const jumpMinMs = 2000;

/** Compares the clock with the time that has passed, which no setting of it changes. */
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

  /** How often it was found to have jumped. */
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
