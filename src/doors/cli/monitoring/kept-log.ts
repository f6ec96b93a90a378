/**
 * What the monitor keeps of one log, in an SQLite file of its own: an update is one transaction, so that a kill leaves the
 * old or the new state. It takes 50 to 100 bytes for each entry: its hash, and the head of its chain.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
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
const placeOfNews = "json_extract(entry, '$.index')";
/** Tiles of a level stand behind those of the level below. */
const tilesOfLevel = 2 ** 48;
/** SQLITE_BUSY, the low byte of extended codes. */
const busy = 5;
/** For how long a lock of another process is waited for; this process stands still meanwhile. */
const lockWaitMs = 1000;

/** Another process has locked what is kept of a log. */
export class KeptLogLocked extends OperatorError {}

/** Watched entries whose places in the log are beyond `after`, up to `upTo`. */
export interface TakenNews {
  readonly news: readonly EntryNews[];
  /** How many more there are. */
  readonly unlisted: number;
  readonly after: number;
  readonly upTo: number;
}

type Row = Record<string, SQLOutputValue>;

export class SqliteKeptLog implements KeptLog {
  readonly #db: DatabaseSync;
  readonly #path: string;
  /** Place in the log of the newest watched entry that was taken. */
  #taken = -1;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#path = path;
    try {
      this.#db = new DatabaseSync(path, { timeout: lockWaitMs });
    } catch (error) {
      throw this.#trouble(error);
    }
    try {
      this.#db.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -16384; ${schema}`);
    } catch (error) {
      this.#db.close();
      throw this.#trouble(error);
    }
  }

  note(): string | undefined {
    const [found] = this.#rows('SELECT value FROM kept WHERE name = ?', 'note');
    return found?.['value'] as string | undefined;
  }

  putNote(note: string): void {
    this.#rows('INSERT OR REPLACE INTO kept VALUES (?, ?)', 'note', note);
  }

  tile(level: number, n: number): Uint8Array | undefined {
    const [found] = this.#rows('SELECT hashes FROM tile WHERE place = ?', level * tilesOfLevel + n);
    return found?.['hashes'] as Uint8Array | undefined;
  }

  putTile(level: number, n: number, hashes: Uint8Array): void {
    this.#rows('INSERT OR REPLACE INTO tile VALUES (?, ?)', level * tilesOfLevel + n, hashes);
  }

  head(chain: string): KeptHead | undefined {
    const [found] = this.#rows('SELECT n, place, ts FROM head WHERE chain = ?', chain);
    return found && { n: Number(found['n']), index: Number(found['place']), ts: String(found['ts']) };
  }

  putHead(chain: string, { n, index, ts }: KeptHead): void {
    this.#rows('INSERT OR REPLACE INTO head VALUES (?, ?, ?, ?)', chain, n, index, ts);
  }

  problems(): readonly string[] {
    return this.#rows('SELECT text FROM problem ORDER BY id').map((row) => String(row['text']));
  }

  putProblem(text: string): void {
    this.#rows('INSERT INTO problem (text) VALUES (?)', text);
  }

  unfollowed(): readonly string[] {
    return this.#rows('SELECT note FROM unfollowed ORDER BY note').map((row) => String(row['note']));
  }

  putUnfollowed(note: string): void {
    this.#rows('INSERT OR IGNORE INTO unfollowed VALUES (?)', note);
  }

  removeUnfollowed(note: string): void {
    this.#rows('DELETE FROM unfollowed WHERE note = ?', note);
  }

  putNews(news: EntryNews): void {
    this.#rows('INSERT INTO news (entry) VALUES (?)', JSON.stringify(news));
  }

  /**
   * Watched entries to print, `max` at most, that this process has not taken before. They stay until they are deleted, so
   * that they are printed after a new start where this process ends before.
   */
  takeNews(max: number): TakenNews {
    const after = this.#taken;
    const rows = this.#rows(
      `SELECT entry FROM news WHERE ${placeOfNews} > ? ORDER BY id LIMIT ?`,
      after,
      max,
    );
    const [all] = this.#rows(
      `SELECT count(*) AS count, max(${placeOfNews}) AS last FROM news WHERE ${placeOfNews} > ?`,
      after,
    );
    const upTo = Number(all?.['last'] ?? after);
    this.#taken = upTo;
    const news = rows.map((row) => JSON.parse(String(row['entry'])) as EntryNews);
    return { news, unlisted: Number(all?.['count']) - news.length, after, upTo };
  }

  /** Deletes news once they are printed. */
  deleteNews({ after, upTo }: TakenNews): void {
    if (upTo === after) return;
    this.#rows(`DELETE FROM news WHERE ${placeOfNews} > ? AND ${placeOfNews} <= ?`, after, upTo);
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
      throw this.#trouble(error);
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Runs a statement. A lock may be met at each: an update of another process locks readers out once it is large. */
  #rows(text: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    try {
      const statement = this.#statements.get(text) ?? this.#db.prepare(text);
      this.#statements.set(text, statement);
      return statement.all(...values);
    } catch (error) {
      throw this.#trouble(error);
    }
  }

  /** An error of SQLite in words for the operator; any other error is as it was. */
  #trouble(error: unknown): unknown {
    const { code, message, errcode } = error as NodeJS.ErrnoException & { readonly errcode?: number };
    if (code !== 'ERR_SQLITE_ERROR') return error;
    if (errcode !== undefined && (errcode & 0xff) === busy)
      return new KeptLogLocked(
        `another monitor is using ${this.#path}; give this one another folder with --state`,
      );
    return new OperatorError(
      `the monitor's state ${this.#path} cannot be used: ${message}. If the file is damaged, move it away to follow the log anew.`,
    );
  }
}
