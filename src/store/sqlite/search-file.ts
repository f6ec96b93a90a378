/**
 * The search index of the embedded store: a file beside the ledger with an inverted index of SQLite (FTS5) over
 * precomputed terms (ADR 13). It can be recreated from the log. The caller computes scores from counts that depend
 * only on the documents.
 */
import { DatabaseSync } from 'node:sqlite';
import { chmodSync, rmSync } from 'node:fs';
import {
  candidatesMax,
  termsBeginningMax,
  type Candidate,
  type Candidates,
  type IndexCursor,
  type SearchQuery,
  type TermsQuery,
} from '../../engine/search-index.ts';
import { choose, Found, placed, termRange, termsVersion, unplaced, type Choice } from '../search-choice.ts';
import { StatementCache } from './statement-cache.ts';

export const searchFileName = 'search.db';

/** A document on its way into the file: its terms in one text, a space between two. */
export interface FiledDocument {
  readonly at: number;
  readonly key: string;
  readonly tenant: string;
  readonly kind: string;
  readonly length: number;
  readonly terms: string;
}

const ddl = `
CREATE TABLE IF NOT EXISTS doc (
  at INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, kind TEXT NOT NULL, length INTEGER NOT NULL, terms TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS held USING fts5 (terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS frequency USING fts5vocab (held, row);
CREATE TABLE IF NOT EXISTS state (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1), version INTEGER NOT NULL, size INTEGER NOT NULL, head TEXT NOT NULL, honoured INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS workspace (
  n INTEGER PRIMARY KEY, tenant TEXT NOT NULL UNIQUE, documents INTEGER NOT NULL, length INTEGER NOT NULL
) STRICT;
INSERT OR IGNORE INTO state VALUES (1, ${termsVersion}, 0, '', 0);
`;

/** SQLITE_BUSY: another process uses the file, which is no reason to recreate it. */
const busy = 5;

/** Opens the index at `path`; recreates one that is damaged or has another version. */
export function openSearchFile(path: string): SearchFile {
  try {
    return new SearchFile(path);
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === busy) throw error;
    removeSearchFile(path);
    return new SearchFile(path);
  }
}

/** The next start recreates the index. */
export function removeSearchFile(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
}

/** How far the index at `path` has followed the log; undefined where there is none that can be used as it is. */
export function readCursor(path: string): IndexCursor | undefined {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const sql = 'SELECT size, head, honoured AS scrubsApplied FROM state WHERE version = ?';
      return db.prepare(sql).get(termsVersion) as IndexCursor | undefined;
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}

/** The index at `path` as of this moment, to be asked and not written; undefined where there is none of use. */
export function openSearchReader(path: string): Pick<SearchFile, 'cursor' | 'find' | 'close'> | undefined {
  return readCursor(path) === undefined ? undefined : new SearchFile(path, true);
}

export class SearchFile {
  readonly #db: DatabaseSync;
  readonly #statements: StatementCache;

  constructor(path: string, readOnly = false) {
    this.#db = new DatabaseSync(path, { readOnly });
    this.#statements = new StatementCache(this.#db);
    try {
      if (readOnly) {
        this.#db.exec('BEGIN');
        this.#state();
        return;
      }
      // It holds words of drafts and of closed workspaces; what SQLite lays beside it has the same rights.
      chmodSync(path, 0o600);
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

  cursor(): IndexCursor {
    const { size, head, scrubsApplied } = this.#state();
    return { size, head, scrubsApplied };
  }

  write(documents: readonly FiledDocument[], cursor: IndexCursor): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const { key } of documents) this.#remove(key);
      for (const document of documents) if (document.length > 0) this.#add(document);
      this.#statements
        .prepare('UPDATE state SET size = ?, head = ?, honoured = ?')
        .run(cursor.size, cursor.head, cursor.scrubsApplied);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Forgets everything, and leaves nothing of it in the file. */
  clear(scrubsApplied: number): void {
    this.#db.exec(
      `BEGIN IMMEDIATE; DELETE FROM doc; DELETE FROM workspace; INSERT INTO held (held) VALUES ('delete-all');
       UPDATE state SET size = 0, head = '', honoured = ${Math.trunc(scrubsApplied)}; COMMIT;
       VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`,
    );
  }

  find({ tenant, kinds, terms }: SearchQuery): Candidates {
    const { n, documents, length } = this.#workspace(tenant) ?? unknownWorkspace;
    const frequencies = terms.map((term) => this.#frequency(placed(n, term)));
    const found = new Found();
    for (const choice of choose(terms, frequencies, documents)) {
      if (found.isFull) break;
      for (const row of this.#rows(choice, n, kinds)) found.add(counted(row, terms));
    }
    return { documents, length, frequencies, found: found.list };
  }

  termsBeginning({ tenant, beginning }: TermsQuery): readonly string[] {
    const { n } = this.#workspace(tenant) ?? unknownWorkspace;
    return this.#statements
      .prepare(`SELECT term FROM frequency WHERE term >= ? AND term < ? LIMIT ${termsBeginningMax}`)
      .all(...termRange(n, beginning))
      .map(({ term }) => unplaced(String(term)));
  }

  close(): void {
    this.#db.close();
  }

  /** The newest first, one at a time: all texts together could be large. */
  #rows({ match, terms }: Choice, workspace: number, kinds: readonly string[] | undefined): Iterable<DocRow> {
    const ofKinds = kinds === undefined ? '' : ` AND d.kind IN (${kinds.map(() => '?').join(', ')})`;
    const select = this.#statements.prepare(
      `SELECT d.key, d.length, d.terms FROM held JOIN doc d ON d.at = held.rowid
       WHERE held MATCH ?${ofKinds} ORDER BY held.rowid DESC LIMIT ${candidatesMax}`,
    );
    const expression = terms
      .map((term) => `"${placed(workspace, term)}"`)
      .join(match === 'any' ? ' OR ' : ' AND ');
    return select.iterate(expression, ...(kinds ?? [])) as Iterable<DocRow>;
  }

  #add({ at, key, tenant, kind, length, terms }: FiledDocument): void {
    this.#statements
      .prepare('INSERT INTO doc (at, key, tenant, kind, length, terms) VALUES (?, ?, ?, ?, ?, ?)')
      .run(at, key, tenant, kind, length, terms);
    const { n } = this.#statements
      .prepare(
        `INSERT INTO workspace (tenant, documents, length) VALUES (?, 1, ?)
         ON CONFLICT (tenant) DO UPDATE SET documents = documents + 1, length = length + excluded.length RETURNING n`,
      )
      .get(tenant, length) as unknown as Workspace;
    this.#statements.prepare('INSERT INTO held (rowid, terms) VALUES (?, ?)').run(at, placedText(n, terms));
  }

  #remove(key: string): void {
    const row = this.#statements
      .prepare('SELECT at, tenant, length, terms FROM doc WHERE key = ?')
      .get(key) as Pick<FiledDocument, 'at' | 'tenant' | 'length' | 'terms'> | undefined;
    if (row === undefined) return;
    const { n } = this.#statements
      .prepare(
        'UPDATE workspace SET documents = documents - 1, length = length - ? WHERE tenant = ? RETURNING n',
      )
      .get(row.length, row.tenant) as unknown as Workspace;
    // A contentless index needs the terms to delete.
    this.#statements
      .prepare("INSERT INTO held (held, rowid, terms) VALUES ('delete', ?, ?)")
      .run(row.at, placedText(n, row.terms));
    this.#statements.prepare('DELETE FROM doc WHERE at = ?').run(row.at);
  }

  /** FTS5 walks the documents of a term to count them: 15 ms for a million. */
  #frequency(term: string): number {
    const row = this.#statements.prepare('SELECT doc FROM frequency WHERE term = ?').get(term);
    return Number(row?.['doc'] ?? 0);
  }

  #workspace(tenant: string): Workspace | undefined {
    return this.#statements
      .prepare('SELECT n, documents, length FROM workspace WHERE tenant = ?')
      .get(tenant) as Workspace | undefined;
  }

  #state() {
    return this.#statements
      .prepare('SELECT version, size, head, honoured AS scrubsApplied FROM state')
      .get() as unknown as IndexCursor & { readonly version: number };
  }
}

/** What is known of a workspace's documents together, and the number that its terms bear. */
interface Workspace {
  readonly n: number;
  readonly documents: number;
  readonly length: number;
}

const unknownWorkspace: Workspace = { n: 0, documents: 0, length: 0 };

/** The terms of a document as the inverted index has them. */
function placedText(workspace: number, terms: string): string {
  return terms
    .split(' ')
    .map((term) => placed(workspace, term))
    .join(' ');
}

interface DocRow {
  readonly key: string;
  readonly length: number;
  readonly terms: string;
}

/** Looking for each term is several times faster than taking the text apart. */
function counted({ key, terms: text, length }: DocRow, terms: readonly string[]): Candidate {
  const padded = ` ${text} `;
  const counts = terms.map((term) => {
    const wanted = ` ${term} `;
    let count = 0;
    for (let at = padded.indexOf(wanted); at >= 0; at = padded.indexOf(wanted, at + wanted.length - 1))
      count++;
    return count;
  });
  return { key, length, counts };
}
