/**
 * What the monitor keeps of one log, in an SQLite file of its own: an update is one transaction, so that a kill leaves the
 * old or the new state. It takes 50 to 100 bytes for each entry: its hash, and the head of its chain.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { KeptHead, KeptLog } from '../../../../verify/monitor-kept.ts';
import type { EntryNews } from '../../../../verify/monitor-watch.ts';
import { OperatorError } from '../../../engine/store.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tile (place INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS head (chain TEXT PRIMARY KEY, n INTEGER NOT NULL, place INTEGER NOT NULL, ts TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS problem (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS unfollowed (note TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS news (id INTEGER PRIMARY KEY, entry TEXT NOT NULL);
`;
/** Tiles of a level stand behind those of the level below. */
const tilesOfLevel = 2 ** 48;
const busy = 5;

export class SqliteKeptLog implements KeptLog {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#path = path;
    try {
      this.#db = new DatabaseSync(path);
      this.#db.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -16384; ${schema}`);
    } catch (error) {
      throw this.#trouble(error);
    }
  }

  note(): string | undefined {
    return this.#sql('SELECT value FROM kept WHERE name = ?').get('note')?.['value'] as string | undefined;
  }

  putNote(note: string): void {
    this.#sql('INSERT OR REPLACE INTO kept VALUES (?, ?)').run('note', note);
  }

  tile(level: number, n: number): Uint8Array | undefined {
    const found = this.#sql('SELECT hashes FROM tile WHERE place = ?').get(level * tilesOfLevel + n);
    return found?.['hashes'] as Uint8Array | undefined;
  }

  putTile(level: number, n: number, hashes: Uint8Array): void {
    this.#sql('INSERT OR REPLACE INTO tile VALUES (?, ?)').run(level * tilesOfLevel + n, hashes);
  }

  head(chain: string): KeptHead | undefined {
    const found = this.#sql('SELECT n, place, ts FROM head WHERE chain = ?').get(chain);
    return found && { n: Number(found['n']), index: Number(found['place']), ts: String(found['ts']) };
  }

  putHead(chain: string, { n, index, ts }: KeptHead): void {
    this.#sql('INSERT OR REPLACE INTO head VALUES (?, ?, ?, ?)').run(chain, n, index, ts);
  }

  problems(): readonly string[] {
    return this.#sql('SELECT text FROM problem ORDER BY id')
      .all()
      .map((row) => String(row['text']));
  }

  putProblem(text: string): void {
    this.#sql('INSERT INTO problem (text) VALUES (?)').run(text);
  }

  unfollowed(): readonly string[] {
    return this.#sql('SELECT note FROM unfollowed ORDER BY note')
      .all()
      .map((row) => String(row['note']));
  }

  putUnfollowed(note: string): void {
    this.#sql('INSERT OR IGNORE INTO unfollowed VALUES (?)').run(note);
  }

  removeUnfollowed(note: string): void {
    this.#sql('DELETE FROM unfollowed WHERE note = ?').run(note);
  }

  putNews(news: EntryNews): void {
    this.#sql('INSERT INTO news (entry) VALUES (?)').run(JSON.stringify(news));
  }

  /** Tells the news that were not told yet, `max` at most, and forgets them; answers with how many were not told. */
  tellNews(max: number, tell: (news: EntryNews) => void): number {
    const rows = this.#sql('SELECT entry FROM news ORDER BY id LIMIT ?').all(max);
    for (const row of rows) tell(JSON.parse(String(row['entry'])) as EntryNews);
    const { count } = this.#sql('SELECT count(*) AS count FROM news').get() as { readonly count: number };
    if (count > 0) this.#sql('DELETE FROM news').run();
    return count - rows.length;
  }

  async update<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.#db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      throw this.#trouble(error);
    }
    try {
      const result = await work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has rolled back by itself where the disk is full.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw (error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR' ? this.#trouble(error) : error;
    }
  }

  close(): void {
    this.#db.close();
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text) ?? this.#db.prepare(text);
    this.#statements.set(text, known);
    return known;
  }

  #trouble(error: unknown): OperatorError {
    const { message, errcode } = error as Error & { readonly errcode?: number };
    return new OperatorError(
      errcode === busy
        ? `another monitor is using ${this.#path}. Give this one another folder with --state.`
        : `the monitor's state ${this.#path} cannot be used: ${message}. If the file is damaged, move it away to follow the log anew.`,
    );
  }
}
