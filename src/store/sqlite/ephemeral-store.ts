/** Operational records until they expire, beside the ledger (docs/ARCHITECTURE.md "What is stored where"). */
import type { DatabaseSync } from 'node:sqlite';
import type { EphemeralStore } from '../../engine/store.ts';

export class SqliteEphemeralStore implements EphemeralStore {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async put(name: string, value: string, expiresMs: number): Promise<void> {
    this.#db
      .prepare(
        'INSERT INTO held (name, value, expires) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires = excluded.expires',
      )
      .run(name, value, expiresMs);
  }

  async get(name: string, nowMs: number): Promise<string | undefined> {
    return this.#db.prepare('SELECT value FROM held WHERE name = ? AND expires > ?').get(name, nowMs)?.[
      'value'
    ] as string | undefined;
  }

  async sweep(nowMs: number): Promise<void> {
    this.#db.prepare('DELETE FROM held WHERE expires <= ?').run(nowMs);
  }

  async all(): Promise<readonly { readonly name: string; readonly value: string }[]> {
    return this.#db.prepare('SELECT name, value FROM held').all() as unknown as {
      readonly name: string;
      readonly value: string;
    }[];
  }

  async remove(name: string): Promise<void> {
    this.#db.prepare('DELETE FROM held WHERE name = ?').run(name);
  }
}
