/**
 * Cache of article replays, validated by the article's stamp: a client that reads one part of a historical article reads
 * others. History changes by scrubs only, but any write moves the stamp, which is safe. Replays are made one at a time
 * and in slices, so that long histories do not block other requests.
 */
import { LRUCache } from 'lru-cache';
import type { Reader } from '../../engine/store.ts';
import type { Replay } from './historical-reader.ts';

/** Characters of entries and contents; the rows made of them take about as much again. */
const cachedCharsMax = 16 * 1024 * 1024;
/** What a replay takes beside its entries, so that replays of moments before the first entry count too. */
const charsPerReplay = 4096;

interface CachedReplay {
  readonly stamp: string;
  readonly replay: Promise<Replay>;
}

class ReplayCache {
  readonly #cache = new LRUCache<string, CachedReplay>({ maxSize: cachedCharsMax });
  #turn: Promise<unknown> = Promise.resolve();

  /** The replay of that name, made of the state that has that stamp. */
  get(name: string, stamp: string, make: () => Promise<Replay>): Promise<Replay> {
    const known = this.#cache.get(name);
    if (known?.stamp === stamp) return known.replay;
    const replay = this.#turn.then(make);
    const made = { stamp, replay };
    this.#cache.set(name, made, { size: charsPerReplay });
    this.#turn = this.#measure(name, made);
    return replay;
  }

  /** Sets the size of a replay, which is known only when it is made. */
  async #measure(name: string, made: CachedReplay): Promise<void> {
    let size: number | undefined;
    try {
      size = sizeOf(await made.replay);
    } catch {
      // The caller gets the error.
    }
    if (this.#cache.peek(name) !== made) return;
    if (size === undefined) this.#cache.delete(name);
    // A copy, since `set` ignores the size of an unchanged value.
    else this.#cache.set(name, { ...made }, { size });
  }
}

function sizeOf({ events }: Replay): number {
  let chars = charsPerReplay;
  for (const { text, contents } of events) {
    chars += text.length;
    for (const { body, replacement } of contents) chars += (body?.length ?? 0) + (replacement?.length ?? 0);
  }
  return chars;
}

const caches = new WeakMap<Reader, ReplayCache>();

export function replayCacheOf(read: Reader): ReplayCache {
  let cache = caches.get(read);
  if (cache === undefined) caches.set(read, (cache = new ReplayCache()));
  return cache;
}
