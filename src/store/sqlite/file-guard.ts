/**
 * Checks in each writing transaction that the database is still the file this process opened and that nothing else
 * wrote to it. A file that was replaced, cut or written by another process holds another history than this process's
 * memory: no write is acknowledged and no checkpoint is published (contract §6).
 */
import { statSync, type Stats } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreUnreachable } from '../../engine/store.ts';

const fix =
  'Stop every process that uses the data folder, put the newest ledger back, run colophon verify, then start one server.';

export class FileGuard {
  readonly #paths: readonly string[];
  readonly #dataVersion: StatementSync;
  #version: number;
  /** By path. The write-ahead log is there for as long as the database is open. */
  readonly #stats = new Map<string, Stats>();
  #lost: StoreUnreachable | undefined;

  constructor(path: string, db: DatabaseSync) {
    this.#paths = [path, `${path}-wal`];
    this.#dataVersion = db.prepare('PRAGMA data_version');
    this.#version = this.#readVersion();
    for (const each of this.#paths) this.#remember(each, statSync(each, { throwIfNoEntry: false }));
  }

  /** Set once something was found: this process does not know any more what the file holds. */
  get lost(): StoreUnreachable | undefined {
    return this.#lost;
  }

  /** To be called within a transaction, which others cannot write beside. Throws what it finds, from then on always. */
  check(): void {
    const found = this.#lost === undefined ? this.#find() : undefined;
    if (found !== undefined) this.#lost = new StoreUnreachable(`${found} behind this server`, { fix });
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** After this process itself had the file rewritten, through another connection. */
  renew(): void {
    this.#version = this.#readVersion();
    this.#stats.clear();
  }

  #find(): string | undefined {
    for (const path of this.#paths) {
      const now = statSync(path, { throwIfNoEntry: false });
      const before = this.#stats.get(path);
      if (now === undefined) return `${path} was deleted`;
      if (before !== undefined && (before.ino !== now.ino || before.dev !== now.dev))
        return `${path} was replaced`;
      if (before !== undefined && path === this.#paths[0] && now.size < before.size)
        return `${path} was cut short`;
      this.#remember(path, now);
    }
    return this.#readVersion() === this.#version ? undefined : 'another process wrote to the ledger';
  }

  #remember(path: string, stats: Stats | undefined): void {
    if (stats !== undefined) this.#stats.set(path, stats);
  }

  #readVersion(): number {
    return this.#dataVersion.get()?.['data_version'] as number;
  }
}
