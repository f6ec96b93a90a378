/**
 * Which part of the write-ahead log is on disk (law 4: acknowledged means durable). A batch is committed without
 * waiting for the disk (`synchronous = NORMAL`); then a thread of the runtime's pool calls `fdatasync`. The batch is
 * answered and visible to readers only after that call returned, so the guarantee equals `synchronous = FULL` while
 * the main thread keeps working. One call covers every batch committed before it began.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';

/** Calls back when a file's bytes are on disk: `fdatasync`, or its substitute in a test. */
export type SyncFile = (descriptor: number, done: (error: Error | null) => void) => void;

interface Waiting {
  readonly ticket: number;
  done(): void;
  failed(error: unknown): void;
}

export class Disk {
  /** The log is one file for as long as a connection to the database is open. */
  readonly #path: string;
  readonly #idle: () => void;
  readonly #syncFile: SyncFile;
  #descriptor: number | undefined;
  #committed = 0;
  #durable = 0;
  #syncing = false;
  #lost: Error | undefined;
  readonly #waiting: Waiting[] = [];

  /** `idle` is called whenever a call has returned. */
  constructor(databasePath: string, idle: () => void, syncFile: SyncFile = fdatasync) {
    this.#path = `${databasePath}-wal`;
    this.#idle = idle;
    this.#syncFile = syncFile;
  }

  /** Whether something is committed that the disk may not have yet; no longer once it is known to be lost. */
  get isBehind(): boolean {
    return this.#durable < this.#committed && this.#lost === undefined;
  }

  /**
   * Set once the disk has failed to keep what was committed, which cannot be undone: nothing may build on that,
   * and a new start reads what there is.
   */
  get lost(): Error | undefined {
    return this.#lost;
  }

  /** To be called after each commit; answers with its number, to wait for. */
  committed(): number {
    return ++this.#committed;
  }

  /** Resolves when a commit is on disk; rejects where it cannot be known to be. */
  durable(ticket: number): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (ticket <= this.#durable) return Promise.resolve();
    return new Promise((done, failed) => {
      this.#waiting.push({ ticket, done, failed });
      this.#sync();
    });
  }

  /** Resolves when everything that is committed by now is on disk; rejects where it cannot be known to be. */
  caughtUp(): Promise<void> {
    return this.durable(this.#committed);
  }

  async close(): Promise<void> {
    await this.caughtUp().catch(() => undefined);
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #sync(): void {
    if (this.#syncing || this.#waiting.length === 0) return;
    this.#syncing = true;
    const covered = this.#committed;
    try {
      this.#descriptor ??= openSync(this.#path, 'r+');
    } catch (error) {
      // Waiting acts are notified in a separate turn, as if the call had failed.
      setImmediate(() => this.#synced(covered, error as Error));
      return;
    }
    this.#syncFile(this.#descriptor, (error) => this.#synced(covered, error));
  }

  #synced(covered: number, error: Error | null): void {
    this.#syncing = false;
    if (error === null) this.#durable = covered;
    else this.#lost = new Error(`the disk did not keep a batch: ${error.message}`, { cause: error });
    for (const each of this.#waiting.splice(0)) {
      if (this.#lost !== undefined) each.failed(this.#lost);
      else if (each.ticket <= covered) each.done();
      else this.#waiting.push(each);
    }
    this.#sync();
    this.#idle();
  }
}
