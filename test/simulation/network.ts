/** The simulated network between clients, nodes and witnesses: it loses, delays, doubles and reorders what is sent. */
import type { Actor, Scheduler } from './scheduler.ts';

export interface NetworkFaults {
  readonly lost: number;
  readonly late: number;
  readonly doubled: number;
  readonly reordered: number;
  /** Answers of witnesses whose bytes are changed on the way. */
  readonly altered: number;
}

export const noNetworkFaults: NetworkFaults = { lost: 0, late: 0, doubled: 0, reordered: 0, altered: 0 };

export class Network {
  faults: NetworkFaults = noNetworkFaults;
  readonly #scheduler: Scheduler;
  /** Until when nothing passes between two names. */
  readonly #partitions = new Map<string, number>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** `arrive` runs at `to`, never, late or twice; a note never twice, since its client would have sent it twice. */
  send(from: Actor, to: Actor, kind: 'request' | 'note' | 'answer', what: string, arrive: () => void): void {
    const scheduler = this.#scheduler;
    const { lost, late, doubled, reordered } = this.faults;
    if ((this.#partitions.get(between(from, to)) ?? 0) > scheduler.nowMs) {
      scheduler.fault('partition', from.name, what);
      return;
    }
    if (scheduler.chance(lost)) {
      scheduler.fault(`lost ${kind}`, from.name, what);
      return;
    }
    let ms = scheduler.between(0.5, 5);
    if (scheduler.chance(late)) {
      ms += scheduler.between(1000, 8000);
      scheduler.fault(`late ${kind}`, from.name, what);
    } else if (scheduler.chance(reordered)) {
      ms += scheduler.between(20, 400);
      scheduler.fault(`reordered ${kind}`, from.name, what);
    }
    scheduler.after(ms, to, what, arrive);
    if (kind === 'note' || !scheduler.chance(doubled)) return;
    scheduler.fault(`doubled ${kind}`, from.name, what);
    scheduler.after(ms + scheduler.between(0, 300), to, `${what} again`, arrive);
  }

  /** Whether the bytes of an answer of this machine change on the way. */
  alters({ name }: Actor): boolean {
    if (!this.#scheduler.chance(this.faults.altered)) return false;
    this.#scheduler.fault('altered answer', name);
    return true;
  }

  partition(a: Actor, b: Actor, ms: number): void {
    this.#partitions.set(between(a, b), this.#scheduler.nowMs + ms);
  }

  heal(): void {
    this.#partitions.clear();
    this.faults = noNetworkFaults;
  }
}

/** Processes of one machine share its name. */
function between(a: Actor, b: Actor): string {
  return [a.name, b.name].sort().join(' ');
}
