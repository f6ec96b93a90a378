/**
 * Keeps the search index abreast of the log (ADR 13). An entry says which documents it may have changed; they
 * are indexed as they stand by then, so that an entry read twice, late or after its successor does no harm.
 * Writes never wait for it: whoever searches lets it catch up first, for a moment at most, and in between it
 * follows at its ease, so that a burst of writes is not slowed by being made searchable. An entry that somebody
 * altered so that it cannot be read is named once and passed over: what lies behind it is found all the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredContent } from '../../engine/act.ts';
import { indexedTerms } from '../../domain/retrieval/terms.ts';
import type {
  Candidates,
  IndexCursor,
  SearchIndex,
  IndexStep,
  SearchQuery,
} from '../../engine/search-index.ts';
import { readableEntries, type ReadableEntry } from '../../engine/readable-entries.ts';
import type { Reader } from '../../engine/store.ts';
import type { Searcher } from '../read-context.ts';
import { leafHash } from '../../ledger/entry.ts';
import { documentAt, documentKey, touchedBy, wordsOf, type DocumentName } from '../reads/search-documents.ts';

/** Entries taken in at a time: a few milliseconds' work. */
const sliceEntries = 128;
const everyMs = 1000;
/** More new entries than this since the last look are a burst: then one slice a look, else up to half the time. */
const burstEntries = 500;
const quietWorkMs = 500;
/** How soon to look again while another node that shares the index takes a step. */
const elsewhereMs = 10;
/** Documents that one entry touches have places of their own behind the entry's. */
const placesOfEntry = 2 ** 20;
/** Altered entries that are told one by one, and counted; a ledger that was replaced has no end of them. */
const passedOverMax = 1000;

export interface IndexerOptions {
  /** Told of what the next look tries again. */
  readonly onTrouble: (error: unknown) => void;
  /** Told of each entry that was passed over, once. */
  readonly onAltered: (finding: string) => void;
}

export class Indexer implements Searcher {
  readonly #read: Reader;
  readonly #index: SearchIndex;
  readonly #options: IndexerOptions;
  readonly #passedOver = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  #checked = false;
  #stopped = false;
  #running: Promise<number> = Promise.resolve(0);

  constructor(read: Reader, index: SearchIndex, options: IndexerOptions) {
    this.#read = read;
    this.#index = index;
    this.#options = options;
  }

  get passedOver(): number {
    return this.#passedOver.size;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), everyMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running.catch(() => undefined);
    await this.#index.close();
  }

  find(wanted: SearchQuery): Promise<Candidates> {
    return this.#index.find(wanted);
  }

  /** One at a time: the next begins where the one before has come to, and what it waited is of its budget. */
  catchUp(budgetMs: number): Promise<number> {
    const until = performance.now() + budgetMs;
    const next = this.#running.catch(() => 0).then(() => this.#follow(until));
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
      if (!this.#stopped) this.#options.onTrouble(error);
    }
  }

  async #follow(until: number): Promise<number> {
    for (;;) {
      if (this.#stopped) return 0;
      const size = (await this.#read.checkpoint())?.size ?? 0;
      let followed = await this.#index.cursor();
      if (this.#checked && followed.size >= size) return 0;
      const came = await this.#index.follow((from) => this.#step(from));
      followed = came ?? followed;
      if (this.#checked && followed.size >= size) return 0;
      if (performance.now() >= until) return Math.max(0, size - followed.size);
      // Requests come first.
      await (came === undefined ? sleep(elsewhereMs) : new Promise((resolve) => setImmediate(resolve)));
    }
  }

  /** What the next entries change; nothing at the end of the log. */
  async #step(from: IndexCursor): Promise<IndexStep | undefined> {
    if (!(await this.#isOfThisLog(from))) return { reset: true, scrubsApplied: 0 };
    const entries = await readableEntries(this.#read, from.size, sliceEntries);
    const last = entries[entries.length - 1];
    if (last === undefined) return undefined;
    // What was scrubbed is in no projection any more: whoever indexed it before begins anew, once for all scrubs so far.
    const scrubbed = entries.findLast(({ text }) => text.includes('"chain":"scrub_'));
    if (scrubbed !== undefined && scrubbed.index >= from.scrubsApplied)
      return { reset: true, scrubsApplied: (await this.#read.checkpoint())?.size ?? scrubbed.index + 1 };
    const touched = new Map<string, { readonly name: DocumentName; readonly at: number }>();
    for (const entry of entries)
      for (const [i, name] of this.#namesOf(entry).entries())
        touched.set(documentKey(name), { name, at: entry.index * placesOfEntry + i });
    const documents = await Promise.all(
      [...touched].map(async ([key, { name, at }]) => {
        const document = await documentAt(this.#read, name);
        return {
          key,
          at,
          kind: name.kind,
          tenant: document?.article.tenant ?? '',
          terms: document === undefined ? [] : indexedTerms(wordsOf(document)),
        };
      }),
    );
    const cursor = {
      size: from.size + entries.length,
      head: hashOf(last.text),
      scrubsApplied: from.scrubsApplied,
    };
    return { documents, cursor };
  }

  /** The documents that an entry may have changed; of an altered one those that it still names. */
  #namesOf({ index, text, contents }: ReadableEntry): readonly DocumentName[] {
    const names = namesIn(text, contents ?? []);
    if (names === undefined || contents === undefined) this.#passOver(index);
    return names ?? [];
  }

  #passOver(index: number): void {
    if (this.#passedOver.has(index) || this.#passedOver.size >= passedOverMax) return;
    this.#passedOver.add(index);
    this.#options.onAltered(`entry ${index}: the search index passed over it, since it cannot be read`);
  }

  /** Of another log, or a later state of this one, than the one that is there, nothing in the index counts. */
  async #isOfThisLog({ size, head }: IndexCursor): Promise<boolean> {
    if (this.#checked || size === 0) return (this.#checked = true);
    const [last] = await this.#read.texts(size - 1, 1);
    this.#checked = true;
    return last !== undefined && hashOf(last.text) === head;
  }
}

/** Undefined where the entry says what none of ours does: somebody who altered it may have made it say anything. */
function namesIn(text: string, contents: readonly StoredContent[]): readonly DocumentName[] | undefined {
  try {
    return touchedBy({ text, contents });
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return Buffer.from(leafHash(text)).toString('hex');
}
