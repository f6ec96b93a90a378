/**
 * The search index as a file of its own beside the ledger, on either store: an inverted index of SQLite (FTS5)
 * over terms that were made elsewhere. Losing the file loses nothing; it is made again from the log. Scores are
 * not made here but by whoever asks, from counts that depend on nothing but the documents.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { rmSync } from 'node:fs';
import type { Candidates, Followed, IndexedDocument, SearchIndex, Wanted } from '../engine/search-index.ts';

export const searchIndexName = 'search.db';

/** Raise it when terms are made in another way: what was indexed before is then indexed anew. */
const termsVersion = 2;
/** Documents that one question looks at. A word that more of them hold finds the newest that many. */
const candidatesMax = 2000;

const ddl = `
CREATE TABLE IF NOT EXISTS doc (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, kind TEXT NOT NULL, terms TEXT NOT NULL, length INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS held USING fts5 (terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS frequency USING fts5vocab (held, row);
CREATE TABLE IF NOT EXISTS state (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1), version INTEGER NOT NULL, size INTEGER NOT NULL, head TEXT NOT NULL,
  documents INTEGER NOT NULL, length INTEGER NOT NULL, honoured INTEGER NOT NULL
) STRICT;
INSERT OR IGNORE INTO state VALUES (1, ${termsVersion}, 0, '', 0, 0, 0);
`;

/** SQLITE_BUSY: another process is at it, which is no reason to make it anew. */
const busy = 5;

/** Opens the index at `path`; one that is damaged, or made in another way, begins anew. */
export function openSearchIndex(path: string): SearchIndex {
  try {
    return new SqliteSearchIndex(path);
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === busy) throw error;
    removeSearchIndex(path);
    return new SqliteSearchIndex(path);
  }
}

/** The next start makes the index anew. */
export function removeSearchIndex(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
}

interface DocRow {
  readonly id: number;
  readonly key: string;
  readonly kind: string;
  readonly terms: string;
  readonly length: number;
}

class SqliteSearchIndex implements SearchIndex {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    try {
      this.#db.exec(
        'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA secure_delete = ON;',
      );
      this.#db.exec(ddl);
      if (this.#state().version !== termsVersion) throw new Error('the terms are made in another way now');
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  async followed(): Promise<Followed> {
    const { size, head, honoured } = this.#state();
    return { size, head, honoured };
  }

  async write(documents: readonly IndexedDocument[], followed: Followed): Promise<void> {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      let { documents: count, length } = this.#state();
      for (const document of documents) {
        const before = this.#remove(document.key);
        if (before !== undefined) {
          count--;
          length -= before.length;
        }
        if (document.terms.length === 0) continue;
        this.#add(document, before?.id);
        count++;
        length += document.terms.length;
      }
      this.#prepare('UPDATE state SET size = ?, head = ?, honoured = ?, documents = ?, length = ?').run(
        followed.size,
        followed.head,
        followed.honoured,
        count,
        length,
      );
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  async clear(honoured: number): Promise<void> {
    this.#db.exec(
      `BEGIN IMMEDIATE; DELETE FROM doc; INSERT INTO held (held) VALUES ('delete-all');
       UPDATE state SET size = 0, head = '', documents = 0, length = 0, honoured = ${Math.trunc(honoured)}; COMMIT;
       VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`,
    );
  }

  async find({ tenant, kinds, terms }: Wanted): Promise<Candidates> {
    const { documents, length } = this.#state();
    const frequency = this.#prepare('SELECT doc FROM frequency WHERE term = ?');
    const frequencies = terms.map((term) => Number(frequency.get(term)?.['doc'] ?? 0));
    const rows = this.#rows(this.#choose(terms, frequencies), tenant, kinds);
    return { documents, length, frequencies, found: rows.map((row) => counted(row, terms)) };
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Expressions to look for, in turn: the rarest terms as long as not too many documents hold them; where even
   * the rarest is held by too many, documents that hold all terms come before the others.
   */
  #choose(terms: readonly string[], frequencies: readonly number[]): readonly string[] {
    const known = terms
      .map((term, i) => ({ term, frequency: frequencies[i] as number }))
      .filter(({ frequency }) => frequency > 0)
      .sort((a, b) => a.frequency - b.frequency);
    const [rarest] = known;
    if (rarest === undefined) return [];
    let sum = 0;
    const telling = known.filter(({ frequency }) => (sum += frequency) <= candidatesMax);
    if (telling.length > 0) return [telling.map(({ term }) => `"${term}"`).join(' OR ')];
    const all = known.map(({ term }) => `"${term}"`).join(' AND ');
    return known.length === 1 ? [all] : [all, `"${rarest.term}"`];
  }

  #rows(expressions: readonly string[], tenant: string, kinds: readonly string[] | undefined): DocRow[] {
    const ofKinds = kinds === undefined ? '' : ` AND d.kind IN (${kinds.map(() => '?').join(', ')})`;
    const select = this.#prepare(
      `SELECT d.id, d.key, d.kind, d.terms, d.length FROM held JOIN doc d ON d.id = held.rowid
       WHERE held MATCH ? AND d.tenant = ?${ofKinds} ORDER BY held.rowid DESC LIMIT ?`,
    );
    const rows = new Map<number, DocRow>();
    for (const expression of expressions) {
      const left = candidatesMax - rows.size;
      if (left <= 0) break;
      for (const row of select.all(expression, tenant, ...(kinds ?? []), left) as unknown as DocRow[])
        rows.set(row.id, row);
    }
    return [...rows.values()];
  }

  #add({ key, tenant, kind, terms }: IndexedDocument, id: number | undefined): void {
    const text = terms.join(' ');
    const { lastInsertRowid } = this.#prepare(
      'INSERT INTO doc (id, key, tenant, kind, terms, length) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(id ?? null, key, tenant, kind, text, terms.length);
    this.#prepare('INSERT INTO held (rowid, terms) VALUES (?, ?)').run(lastInsertRowid, text);
  }

  #remove(key: string): { readonly id: number; readonly length: number } | undefined {
    const row = this.#prepare('SELECT id, key, kind, terms, length FROM doc WHERE key = ?').get(key) as
      DocRow | undefined;
    if (row === undefined) return undefined;
    // An index without contents is told what to forget.
    this.#prepare("INSERT INTO held (held, rowid, terms) VALUES ('delete', ?, ?)").run(row.id, row.terms);
    this.#prepare('DELETE FROM doc WHERE id = ?').run(row.id);
    return row;
  }

  #state() {
    return this.#prepare(
      'SELECT version, size, head, documents, length, honoured FROM state',
    ).get() as unknown as {
      readonly version: number;
      readonly size: number;
      readonly head: string;
      readonly documents: number;
      readonly length: number;
      readonly honoured: number;
    };
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

/** Looking for each term is several times faster than taking the text apart. */
function counted(
  { key, kind, terms: text, length }: DocRow,
  terms: readonly string[],
): Candidates['found'][number] {
  const padded = ` ${text} `;
  const counts = terms.map((term) => {
    const wanted = ` ${term} `;
    let count = 0;
    for (let at = padded.indexOf(wanted); at >= 0; at = padded.indexOf(wanted, at + wanted.length - 1))
      count++;
    return count;
  });
  return { key, kind, length, counts };
}

/** How many entries of the log an index at `path` has followed; undefined where there is none that can be read. */
export function followedBy(path: string): number | undefined {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return db.prepare('SELECT size FROM state').get()?.['size'] as number | undefined;
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}
