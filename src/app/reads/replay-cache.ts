/**
 * Replays of articles as they once stood, kept by what they were made from: whoever reads one part of a past
 * reads others. A past changes by a scrub alone, but any write moves the stamp, which is the safe side. They
 * are made one at a time and in slices, so that long histories never keep other requests waiting.
 */
import type { Reader } from '../../engine/store.ts';
import type { Replay } from './historical-reader.ts';

/** Characters of entries and contents that are kept for one store; rows made of them take about as much again. */
const keptCharsMax = 16 * 1024 * 1024;
/** What a replay takes beside its entries: one of a moment before the first of them is kept, too, and lets go like others. */
const ownChars = 4096;

interface Kept {
  readonly stamp: string;
  readonly replay: Promise<Replay>;
  /** Known when it is made. */
  chars: number;
}

class ReplayCache {
  readonly #kept = new Map<string, Kept>();
  #chars = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** The replay of that name, made of what has that stamp. */
  get(name: string, stamp: string, make: () => Promise<Replay>): Promise<Replay> {
    const known = this.#kept.get(name);
    this.#forget(name);
    if (known?.stamp === stamp) return this.#keep(name, known);
    const replay = this.#turn.then(make);
    const kept: Kept = { stamp, replay, chars: 0 };
    this.#turn = replay.then(
      (made) => this.#weigh(name, kept, made),
      () => this.#kept.get(name) === kept && this.#forget(name),
    );
    return this.#keep(name, kept);
  }

  #keep(name: string, kept: Kept): Promise<Replay> {
    this.#kept.set(name, kept);
    this.#chars += kept.chars;
    return kept.replay;
  }

  #forget(name: string): void {
    this.#chars -= this.#kept.get(name)?.chars ?? 0;
    this.#kept.delete(name);
  }

  #weigh(name: string, kept: Kept, { events }: Replay): void {
    if (this.#kept.get(name) !== kept) return;
    kept.chars = ownChars;
    for (const { text, contents } of events) {
      kept.chars += text.length;
      for (const { body, replacement } of contents)
        kept.chars += (body?.length ?? 0) + (replacement?.length ?? 0);
    }
    this.#chars += kept.chars;
    for (const oldest of this.#kept.keys()) {
      if (this.#chars <= keptCharsMax) break;
      this.#forget(oldest);
    }
  }
}

const ofStore = new WeakMap<Reader, ReplayCache>();

export function replayCacheOf(read: Reader): ReplayCache {
  let kept = ofStore.get(read);
  if (kept === undefined) ofStore.set(read, (kept = new ReplayCache()));
  return kept;
}
