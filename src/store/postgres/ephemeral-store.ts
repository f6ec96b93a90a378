/** Operational records that all nodes share until they expire (docs/ARCHITECTURE.md "What is stored where"). */
import type { EphemeralStore } from '../../engine/store.ts';
import type { ReadPool } from './read-pool.ts';

export class PostgresEphemeralStore implements EphemeralStore {
  readonly #pool: ReadPool;

  constructor(pool: ReadPool) {
    this.#pool = pool;
  }

  async put(name: string, value: string, expiresMs: number): Promise<void> {
    const text =
      'INSERT INTO held (name, value, expires) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires = excluded.expires';
    await this.#pool.rows({ text, values: [name, value, expiresMs] });
  }

  async get(name: string, nowMs: number): Promise<string | undefined> {
    const text = 'SELECT value FROM held WHERE name = $1 AND expires > $2';
    const [row] = await this.#pool.rows<{ value: string }>({ text, values: [name, nowMs] });
    return row?.value;
  }

  async sweep(nowMs: number): Promise<void> {
    await this.#pool.rows({ text: 'DELETE FROM held WHERE expires <= $1', values: [nowMs] });
  }

  async all(): Promise<readonly { readonly name: string; readonly value: string }[]> {
    return this.#pool.rows<{ name: string; value: string }>({ text: 'SELECT name, value FROM held' });
  }

  async remove(name: string): Promise<void> {
    await this.#pool.rows({ text: 'DELETE FROM held WHERE name = $1', values: [name] });
  }
}
