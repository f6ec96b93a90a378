/**
 * The newest log entries, cached for all event streams (contract §7): one follower of the store feeds them all; older
 * entries are read in pages. Nothing is buffered per client.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import type { LogText, Store } from '../../engine/store.ts';
import type { ReadContext } from '../read-context.ts';
import { SubjectResolver, type Subject } from './log-subject.ts';

/** Entries per page. */
const pageEntries = 128;
const cachedEntriesMax = 1024;
const cachedCharsMax = 2 * 1024 * 1024;

/** A log entry with its subject and hash, computed on first use. */
export class LoggedEntry {
  readonly index: number;
  readonly text: string;
  /** Undefined if the altered text is not an entry; such entries are skipped. */
  readonly entry: Entry | undefined;
  readonly #subjects: SubjectResolver;
  #hash: string | undefined;
  #subject: Promise<Subject | undefined> | undefined;

  constructor({ index, text }: LogText, subjects: SubjectResolver) {
    this.index = index;
    this.text = text;
    this.entry = entryOf(text);
    this.#subjects = subjects;
  }

  get hash(): string {
    return (this.#hash ??= Buffer.from(leafHash(this.text)).toString('hex'));
  }

  async subject(): Promise<Subject | undefined> {
    if (this.entry === undefined) return undefined;
    const subject = await (this.#subject ??= this.#subjects.of(this.entry));
    // Drafts and unknown workspaces may change and are not cached.
    if (subject === undefined || subject.article?.isDraft === true) this.#subject = undefined;
    return subject;
  }
}

function entryOf(text: string): Entry | undefined {
  try {
    const entry = JSON.parse(text) as Partial<Entry> | null;
    return typeof entry?.chain === 'string' ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}

export class LiveLog {
  readonly #context: ReadContext;
  readonly #store: Pick<Store, 'follow'>;
  readonly #subjects: SubjectResolver;
  readonly #waiting = new Set<() => void>();
  #cached: LoggedEntry[] = [];
  #cachedChars = 0;
  /** Log size that the follower has reached. */
  #size = 0;
  #readers = 0;
  #following: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(context: ReadContext, store: Pick<Store, 'follow'>) {
    this.#context = context;
    this.#store = store;
    this.#subjects = new SubjectResolver(context);
  }

  /** Registers a reader; the result unregisters it. Without readers nothing is followed. */
  enter(): () => void {
    this.#readers++;
    return () => {
      if (--this.#readers === 0) this.#following?.stop.abort();
    };
  }

  /** Entries from `index` on, at most a page; empty at the end of the log. */
  async page(index: number): Promise<readonly LoggedEntry[]> {
    const first = this.#cached[0]?.index;
    return first !== undefined && index >= first
      ? this.#cached.slice(index - first, index - first + pageEntries)
      : this.#inTurn(() => this.#read(index));
  }

  /** Resolves once the log has an entry `index`, when `signal` aborts, or when the log cannot be followed. */
  async reaches(index: number, signal: AbortSignal): Promise<void> {
    await this.#follow();
    if (this.#size > index || signal.aborted || this.#following === undefined) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        if (this.#size <= index && !signal.aborted && this.#following !== undefined) return;
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  async #read(index: number): Promise<readonly LoggedEntry[]> {
    const texts = await this.#context.read.texts(index, pageEntries);
    return texts.map((text) => new LoggedEntry(text, this.#subjects));
  }

  /** History is read for one reader at a time, with equal pauses, so that writes and other reads come first. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const started = this.#turn.then(() => performance.now());
    const done = started.then(work);
    this.#turn = done
      .catch(() => undefined)
      .then(async () => sleep(Math.min(50, performance.now() - (await started))));
    return done;
  }

  /** Starts following at the end of the log, unless already following. */
  async #follow(): Promise<void> {
    if (this.#following?.stop.signal.aborted === true) await this.#following.ended;
    if (this.#following !== undefined) return;
    const size = (await this.#context.read.checkpoint())?.size ?? 0;
    // Another reader may have started it, or the last one left.
    if (this.#following !== undefined || this.#readers === 0) return;
    const stop = new AbortController();
    this.#size = size;
    this.#following = { stop, ended: this.#run(size, stop.signal) };
  }

  async #run(from: number, signal: AbortSignal): Promise<void> {
    try {
      for await (const text of this.#store.follow(from, signal)) this.#cacheEntry(text);
    } catch {
      // Readers get the store's error with the next page.
    } finally {
      this.#following = undefined;
      this.#cached = [];
      this.#cachedChars = 0;
      this.#wake();
    }
  }

  #cacheEntry(text: LogText): void {
    this.#cached.push(new LoggedEntry(text, this.#subjects));
    this.#cachedChars += text.text.length;
    let gone = 0;
    while (this.#cached.length - gone > cachedEntriesMax || this.#cachedChars > cachedCharsMax)
      this.#cachedChars -= (this.#cached[gone++] as LoggedEntry).text.length;
    if (gone > 0) this.#cached.splice(0, gone);
    this.#size = text.index + 1;
    this.#wake();
  }

  #wake(): void {
    for (const wake of Array.from(this.#waiting)) wake();
  }
}
