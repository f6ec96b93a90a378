/** Settings that no rebuild recreates (docs/ARCHITECTURE.md "What is stored where"), each with its checksum. */
import type { DatabaseSync } from 'node:sqlite';
import type { Keyring } from '../../engine/store.ts';
import { keyringSum, keyringTable } from './ddl.ts';

export class SqliteKeyring implements Keyring {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async get(name: string): Promise<string | undefined> {
    return this.#db.prepare(`SELECT value FROM ${keyringTable} WHERE name = ?`).get(name)?.['value'] as
      string | undefined;
  }

  async under(prefix: string): Promise<readonly { readonly name: string; readonly value: string }[]> {
    return this.#db
      .prepare(
        `SELECT name, value FROM ${keyringTable} WHERE name >= ? AND substr(name, 1, ?) = ? ORDER BY name`,
      )
      .all(prefix, prefix.length, prefix) as { name: string; value: string }[];
  }

  async claim(name: string, value: string): Promise<string> {
    this.#db
      .prepare(
        `INSERT INTO ${keyringTable} (name, value, sum) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING`,
      )
      .run(name, value, keyringSum(name, value));
    return (await this.get(name)) ?? value;
  }

  async set(name: string, value: string): Promise<void> {
    this.#db
      .prepare(
        `INSERT INTO ${keyringTable} (name, value, sum) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value, sum = excluded.sum`,
      )
      .run(name, value, keyringSum(name, value));
  }
}
