/** The keyring (docs/ARCHITECTURE.md "What is stored where"): names and values that all nodes share. */
import type { Keyring } from '../../engine/store.ts';
import type { RowSource } from './read-pool.ts';

export class PostgresKeyring implements Keyring {
  readonly #pool: RowSource;

  constructor(pool: RowSource) {
    this.#pool = pool;
  }

  async get(name: string): Promise<string | undefined> {
    const [row] = await this.#pool.rows<{ value: string }>({
      text: 'SELECT value FROM keyring WHERE name = $1',
      values: [name],
    });
    return row?.value;
  }

  async under(prefix: string): Promise<readonly { readonly name: string; readonly value: string }[]> {
    return this.#pool.rows<{ name: string; value: string }>({
      text: 'SELECT name, value FROM keyring WHERE starts_with(name, $1) ORDER BY name',
      values: [prefix],
    });
  }

  async claim(name: string, value: string): Promise<string> {
    await this.#pool.rows({
      text: 'INSERT INTO keyring (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      values: [name, value],
    });
    return (await this.get(name)) ?? value;
  }

  async set(name: string, value: string): Promise<void> {
    const text =
      'INSERT INTO keyring (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
    await this.#pool.rows({ text, values: [name, value] });
  }
}
