/**
 * Virtual time and the one source of randomness of a simulation. Everything that happens is an event of an actor (a node,
 * a server, a witness, a client): events run one at a time, in the order of their times, and each ends when all its
 * promises have settled as far as they can. So the seed decides everything, and the hash over all events shows it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { seededRandom } from '../fault/random.ts';

/** A process or a machine. A dead one runs no event any more; a paused one runs its events late. */
export interface Actor {
  readonly name: string;
  alive: boolean;
  pausedUntilMs: number;
  /** By how much its clock differs from true time. */
  clockOffsetMs: number;
}

export function newActor(name: string): Actor {
  return { name, alive: true, pausedUntilMs: 0, clockOffsetMs: 0 };
}

export interface Timer {
  cancel(): void;
}

interface Event extends Timer {
  timeMs: number;
  readonly id: number;
  readonly actor: Actor;
  readonly label: string;
  isCancelled: boolean;
  run(): void;
}

/** The moment at which every simulation begins: 2026-03-01T00:00:00Z. */
const beginsAt = Date.UTC(2026, 2, 1);
const recentMax = 40;

const currentActor = new AsyncLocalStorage<Actor>();
const turnEnds = setImmediate;

export class Scheduler {
  readonly random: () => number;
  /** Events that ran. */
  steps = 0;
  /** How often each class of fault was injected. */
  readonly faults = new Map<string, number>();
  /** The last events, oldest first. */
  readonly recent: string[] = [];
  readonly #trace = createHash('sha256');
  readonly #queue = new EventQueue();
  #nowMs = 0;
  #ids = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** Milliseconds since the simulation began, the true time that no actor knows. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Milliseconds since 1970 by the clock of an actor. */
  clock(actor: Actor): number {
    return Math.floor(beginsAt + this.#nowMs + actor.clockOffsetMs);
  }

  /** The actor of the event that runs; undefined outside of events. */
  static get actor(): Actor | undefined {
    return currentActor.getStore();
  }

  after(ms: number, actor: Actor, label: string, run: () => void): Timer {
    const timeMs = Math.round((this.#nowMs + Math.max(0, ms)) * 1000) / 1000;
    const event: Event = {
      timeMs,
      id: this.#ids++,
      actor,
      label,
      isCancelled: false,
      run,
      cancel() {
        event.isCancelled = true;
      },
    };
    this.#queue.push(event);
    return event;
  }

  sleep(ms: number, actor: Actor, label: string): Promise<void> {
    return new Promise((resolve) => this.after(ms, actor, label, resolve));
  }

  /** Runs events until `untilMs`, or until `isDone` says so; `afterEach` checks after each of them. */
  async run(untilMs: number, afterEach: () => void, isDone: () => boolean = () => false): Promise<void> {
    for (;;) {
      const event = this.#queue.peek();
      if (event === undefined || event.timeMs > untilMs || isDone()) break;
      this.#queue.pop();
      if (event.isCancelled || !event.actor.alive) continue;
      if (event.actor.pausedUntilMs > event.timeMs) {
        event.timeMs = event.actor.pausedUntilMs;
        this.#queue.push(event);
        continue;
      }
      this.#nowMs = event.timeMs;
      this.steps++;
      this.note(event.actor.name, event.label);
      currentActor.run(event.actor, event.run);
      await new Promise<void>((done) => turnEnds(done));
      afterEach();
    }
    this.#nowMs = Math.max(this.#nowMs, Math.min(untilMs, this.#queue.peek()?.timeMs ?? untilMs));
  }

  /** Puts a line into the trace. */
  note(who: string, what: string): void {
    const line = `${this.#nowMs.toFixed(3)} ${who} ${what}`;
    this.#trace.update(`${line}\n`);
    this.recent.push(line);
    if (this.recent.length > recentMax) this.recent.shift();
  }

  fault(name: string, who: string, detail = ''): void {
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
    this.note(who, `FAULT ${name} ${detail}`);
  }

  /** Hash over all lines so far: equal for equal seeds. */
  traceHash(): string {
    return this.#trace.copy().digest('hex').slice(0, 16);
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  between(from: number, to: number): number {
    return from + this.random() * (to - from);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** A binary heap by time, then by the order in which events were made. */
class EventQueue {
  readonly #events: Event[] = [];

  peek(): Event | undefined {
    return this.#events[0];
  }

  push(event: Event): void {
    const events = this.#events;
    let at = events.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isBefore(events[above] as Event, event)) break;
      events[at] = events[above] as Event;
      at = above;
    }
    events[at] = event;
  }

  pop(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= events.length) break;
      if (below + 1 < events.length && isBefore(events[below + 1] as Event, events[below] as Event)) below++;
      if (isBefore(last, events[below] as Event)) break;
      events[at] = events[below] as Event;
      at = below;
    }
    events[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.id < b.id);
}
