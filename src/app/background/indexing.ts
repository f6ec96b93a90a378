/**
 * Keeps the search index up to date with the log (ADR 13). An entry names the documents that it may have changed;
 * they are indexed in their current state, so duplicate or late entries do no harm. Writes never wait: a search lets
 * the index catch up within its budget, and in between the index follows at low priority. Unreadable altered entries
 * are reported once and skipped.
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
  TermsQuery,
} from '../../engine/search-index.ts';
import { readableEntries, type ReadableEntry } from '../../engine/readable-entries.ts';
import type { Reader } from '../../engine/store.ts';
import type { Searcher } from '../read-context.ts';
import { leafHash } from '../../ledger/entry.ts';
import { documentAt, documentKey, type DocumentName, touchedBy, wordsOf } from '../reads/search-documents.ts';

/** Entries per step: a few milliseconds of work. */
const sliceEntries = 128;
const everyMs = 1000;
/** More new entries than this are a burst: then one step per interval, else up to half of the time. */
const burstEntries = 500;
const quietWorkMs = 500;
/** Delay while another node that shares the index takes a step. */
const elsewhereMs = 10;
/** Position numbers reserved for the documents of an entry. */
const placesOfEntry = 2 ** 20;
/** Maximum number of altered entries reported one by one; a replaced ledger has no end of them. */
const passedOverMax = 1000;

export interface IndexerOptions {
  /** Reports errors that the next step retries. */
  readonly onTrouble: (error: unknown) => void;
  /** Reports each skipped entry, once. */
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

  cut(forGood: boolean): void {
    this.#index.cut?.(forGood);
  }

  find(wanted: SearchQuery): Promise<Candidates> {
    return this.#index.find(wanted);
  }

  termsBeginning(wanted: TermsQuery): Promise<readonly string[]> {
    return this.#index.termsBeginning(wanted);
  }

  /** Serializes steps; waiting counts against the budget. */
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
      // The next step retries.
      if (!this.#stopped) this.#options.onTrouble(error);
    }
  }

  async #follow(until: number): Promise<number> {
    for (;;) {
      if (this.#stopped) return 0;
      const size = (await this.#read.checkpoint())?.size ?? 0;
      let cursor = await this.#index.cursor();
      if (this.#checked && cursor.size >= size) return 0;
      const advanced = await this.#index.follow((from) => this.#step(from));
      cursor = advanced ?? cursor;
      if (this.#checked && cursor.size >= size) return 0;
      if (performance.now() >= until) return Math.max(0, size - cursor.size);
      // Yields to requests.
      await (advanced === undefined ? sleep(elsewhereMs) : new Promise((resolve) => setImmediate(resolve)));
    }
  }

  /** Changes by the next entries; undefined at the end of the log. */
  async #step(from: IndexCursor): Promise<IndexStep | undefined> {
    if (!(await this.#isOfThisLog(from))) return { reset: true, scrubsApplied: 0 };
    const entries = await readableEntries(this.#read, from.size, sliceEntries);
    const last = entries[entries.length - 1];
    if (last === undefined) return undefined;
    // After a scrub the index is rebuilt, once for all scrubs so far.
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

  /** Documents that an entry may have changed; of an altered entry, those that it still names. */
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

  /** Whether the index belongs to another log or to a later state of this one; then it is rebuilt. */
  async #isOfThisLog({ size, head }: IndexCursor): Promise<boolean> {
    if (this.#checked || size === 0) return (this.#checked = true);
    const [last] = await this.#read.texts(size - 1, 1);
    this.#checked = true;
    return last !== undefined && hashOf(last.text) === head;
  }
}

/** Undefined for invalid content of an altered entry. */
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
