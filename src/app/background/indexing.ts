/**
 * Keeps the search index abreast of the log (ADR 13). An entry says which documents it may have changed; they
 * are indexed as they stand by then, so that an entry read twice, late or after its successor does no harm.
 * Writes never wait for it: whoever searches lets it catch up first, for a moment at most, and in between it
 * follows at its ease, so that a burst of writes is not slowed by being made searchable.
 */
import { termList } from '../../domain/retrieval/terms.ts';
import type { Candidates, Followed, SearchIndex, Wanted } from '../../engine/search-index.ts';
import type { Reader } from '../../engine/store.ts';
import { leafHash } from '../../ledger/entry.ts';
import { documentAt, documentKey, touchedBy, wordsOf, type DocumentName } from './search-documents.ts';

/** Entries taken in at a time: a few milliseconds' work. */
const sliceEntries = 128;
const everyMs = 1000;
/** More new entries than this since the last look are a burst: then one slice a look, else up to half the time. */
const burstEntries = 500;
const quietWorkMs = 500;

/** What a question needs of the index. */
export interface Searcher {
  /** Lets the index catch up for so long; answers with how many entries of the log it has not seen. */
  catchUp(budgetMs: number): Promise<number>;
  find(wanted: Wanted): Promise<Candidates>;
}

export class Indexer implements Searcher {
  readonly #read: Reader;
  readonly #index: SearchIndex;
  readonly #onTrouble: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  #checked = false;
  #stopped = false;
  #running: Promise<number> = Promise.resolve(0);

  constructor(read: Reader, index: SearchIndex, onTrouble: (error: unknown) => void) {
    this.#read = read;
    this.#index = index;
    this.#onTrouble = onTrouble;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), everyMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running.catch(() => undefined);
    this.#index.close();
  }

  find(wanted: Wanted): Promise<Candidates> {
    return this.#index.find(wanted);
  }

  /** One at a time: the next begins where the one before has come to. */
  catchUp(budgetMs: number): Promise<number> {
    const next = this.#running.catch(() => 0).then(() => this.#follow(budgetMs));
    this.#running = next;
    return next;
  }

  async #look(): Promise<void> {
    try {
      const size = (await this.#read.checkpoint())?.size ?? 0;
      const grown = size - this.#size;
      this.#size = size;
      await this.catchUp(grown > burstEntries ? 0 : quietWorkMs);
    } catch (error) {
      // The next look tries again.
      if (!this.#stopped) this.#onTrouble(error);
    }
  }

  async #follow(budgetMs: number): Promise<number> {
    const until = performance.now() + budgetMs;
    let followed = await this.#followed();
    for (;;) {
      if (this.#stopped) return 0;
      const size = (await this.#read.checkpoint())?.size ?? 0;
      if (size <= followed.size) return 0;
      followed = await this.#slice(followed);
      if (performance.now() >= until) return Math.max(0, size - followed.size);
      // Requests come first.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** How far the index has come on this very log: on another, or an older state of it, it begins anew. */
  async #followed(): Promise<Followed> {
    const followed = await this.#index.followed();
    if (this.#checked || followed.size === 0) return followed;
    const [last] = await this.#read.entries(followed.size - 1, 1);
    this.#checked = true;
    if (last !== undefined && hashOf(last.text) === followed.head) return followed;
    return this.#anew(0);
  }

  async #anew(honoured: number): Promise<Followed> {
    await this.#index.clear(honoured);
    return { size: 0, head: '', honoured };
  }

  async #slice(from: Followed): Promise<Followed> {
    const entries = await this.#read.entries(from.size, sliceEntries);
    const last = entries[entries.length - 1];
    if (last === undefined) return from;
    // What was scrubbed is in no projection any more: whoever indexed it before begins anew, once for all scrubs so far.
    const scrubbed = entries.findLast(({ text }) => text.includes('"chain":"scrub_'));
    if (scrubbed !== undefined && scrubbed.index >= from.honoured)
      return this.#anew((await this.#read.checkpoint())?.size ?? scrubbed.index + 1);
    const touched = new Map<string, DocumentName>();
    for (const entry of entries) for (const name of touchedBy(entry)) touched.set(documentKey(name), name);
    const documents = await Promise.all(
      [...touched].map(async ([key, name]) => {
        const document = await documentAt(this.#read, name);
        return {
          key,
          kind: name.kind,
          tenant: document?.article.tenant ?? '',
          terms: document === undefined ? [] : termList(wordsOf(document)),
        };
      }),
    );
    const followed = { size: from.size + entries.length, head: hashOf(last.text), honoured: from.honoured };
    await this.#index.write(documents, followed);
    return followed;
  }
}

function hashOf(text: string): string {
  return Buffer.from(leafHash(text)).toString('hex');
}
