/**
 * Reads the integrated log from its rows (contract §6, C2SP tlog-tiles). Full tiles are stored when they fill; a
 * partial tile is assembled from the entries, or from the roots of the tiles below. A tile of a given width never
 * changes, so recent ones are cached.
 */
import { LRUCache } from 'lru-cache';
import { inclusionProof, tilesForInclusion } from '../../ledger/log.ts';
import { linesOf } from '../../ledger/proof.ts';
import { Subtree, subtreesMax } from '../../ledger/subtree.ts';
import { tileWidth, widthAt } from '../../ledger/tiles.ts';
import type { SignedCheckpoint } from '../../engine/act.ts';
import type { LogEntry, LogText } from '../../engine/store.ts';
import { Unreachable } from './connection.ts';
import type { RowSource } from './read-pool.ts';
import { leavesOfRange } from './restore-log.ts';
import { evidence, type EvidenceRow, type RollbackGuard } from './rollback-guard.ts';
import { eventValues } from './sql.ts';
import { eventFrom, type EventValues } from './state-loader.ts';

interface HeadRow {
  readonly size: number;
  readonly root: Buffer | null;
  readonly note: string | null;
  readonly evidence: EvidenceRow;
}

export class LogReader {
  readonly #pool: RowSource;
  readonly #guard: RollbackGuard;
  /** What a tile holds at a given width never changes, so that none of them goes out of date. */
  readonly #subtrees = new LRUCache<string, Subtree>({ max: subtreesMax });

  constructor(pool: RowSource, guard: RollbackGuard) {
    this.#pool = pool;
    this.#guard = guard;
  }

  /** Forgets the tiles of a log that may be another now. */
  forget(): void {
    this.#subtrees.clear();
  }

  /** Entries in the log. */
  async size(): Promise<number> {
    return (await this.#head()).size;
  }

  async checkpoint(): Promise<SignedCheckpoint | null> {
    const { size, root, note } = await this.#head();
    return root === null || note === null ? null : { size, root, note };
  }

  async indexOf(seq: number): Promise<number | null> {
    const [row] = await this.#pool.rows<{ idx: number }>({
      name: 'index_of',
      text: 'SELECT idx FROM log WHERE seq = $1',
      values: [seq],
    });
    return row?.idx ?? null;
  }

  async entries(from: number, limit: number): Promise<LogEntry[]> {
    const text = `SELECT l.idx, e.act, json_build_array(${eventValues}) AS event FROM log l JOIN entry e ON e.seq = l.seq
      WHERE l.idx >= $1 ORDER BY l.idx LIMIT $2`;
    const rows = await this.#pool.rows<{ idx: number; act: number; event: EventValues }>({
      name: 'entries',
      text,
      values: [from, limit],
    });
    return rows.map(({ idx, act, event }) => ({ ...eventFrom(event), index: idx, act }));
  }

  /** The entries of the log, then those that await their place in it. */
  async committed(from: number, limit: number): Promise<LogEntry[]> {
    const logged = await this.entries(from, limit);
    if (logged.length === limit) return logged;
    return [...logged, ...(await this.pending(from + logged.length, limit - logged.length))];
  }

  /** Entries that await their place in the log, by the place that they will get; `from` is behind the log's last. */
  async pending(from: number, limit: number): Promise<LogEntry[]> {
    const rows = await this.#pool.rows<{ act: number; event: EventValues }>({
      name: 'pending',
      text: `SELECT e.act, json_build_array(${eventValues}) AS event FROM pending p
        JOIN entry e ON e.seq >= p.first AND e.seq < p.first + p.count ORDER BY e.seq
        OFFSET greatest($1 - (SELECT size FROM log_head), 0) LIMIT $2`,
      values: [from, limit],
    });
    return rows.map(({ act, event }, i) => ({ ...eventFrom(event), index: from + i, act }));
  }

  async texts(from: number, limit: number): Promise<LogText[]> {
    return this.#pool.rows<{ index: number; text: string }>({
      name: 'texts',
      text: 'SELECT l.idx AS index, e.text FROM log l JOIN entry e ON e.seq = l.seq WHERE l.idx >= $1 ORDER BY l.idx LIMIT $2',
      values: [from, limit],
    });
  }

  async tile(level: number, n: number, width: number): Promise<Uint8Array | undefined> {
    const { size } = await this.#head();
    return this.#tile(level, n, width, size);
  }

  async inclusion(index: number, size: number): Promise<readonly Uint8Array[]> {
    const head = await this.#head();
    if (size > head.size) throw new RangeError(`the log has ${head.size} leaves, not ${size}`);
    const subtrees = new Map<string, Subtree>();
    await Promise.all(
      tilesForInclusion(index, size).map(async ({ level, n, width }) => {
        subtrees.set(`${level}/${n}`, await this.#subtree(level, n, width, head.size));
      }),
    );
    return inclusionProof(index, size, (level, n) => subtrees.get(`${level}/${n}`) as Subtree);
  }

  async inclusionLines(index: number, size: number): Promise<string> {
    return linesOf(await this.inclusion(index, size));
  }

  /** The head of the log, if it continues what this node has seen: no other head is ever served. */
  async #head(): Promise<HeadRow> {
    this.#guard.check();
    const { known } = this.#guard;
    const [row] = await this.#pool.rows<HeadRow>({
      name: 'head',
      text: `SELECT size, root, note, ${evidence('$1', '$2')} AS evidence FROM log_head`,
      values: [known.head.size, known.own.seq],
    });
    const { kind, reason } = this.#guard.judge(known, row?.evidence);
    if (row === undefined || kind === 'contradicts')
      throw new Unreachable(reason ?? 'the database has lost the head of its log');
    return row;
  }

  async #tile(level: number, n: number, width: number, size: number): Promise<Uint8Array | undefined> {
    const there = widthAt(level, n, size);
    if (width < 1 || width > there) return undefined;
    const bytes = await this.#bytes(level, n, width, there === tileWidth);
    if (bytes?.length !== width * 32) throw new Error(`the log has lost tile ${level}/${n}`);
    return bytes;
  }

  async #bytes(
    level: number,
    n: number,
    width: number,
    full: boolean,
  ): Promise<Uint8Array | null | undefined> {
    const from = n * tileWidth;
    const query = full
      ? {
          name: 'tile',
          text: 'SELECT substring(bytes FROM 1 FOR $3::int) AS bytes FROM tile WHERE level = $1 AND n = $2',
          values: [level, n, width * 32],
        }
      : level === 0
        ? { name: 'leaves', text: leavesOfRange, values: [from, from + width] }
        : {
            name: 'roots',
            text: "SELECT string_agg(root, ''::bytea ORDER BY n) AS bytes FROM tile WHERE level = $1 AND n >= $2 AND n < $3",
            values: [level - 1, from, from + width],
          };
    const [row] = await this.#pool.rows<{ bytes: Buffer | null }>(query);
    return row?.bytes;
  }

  async #subtree(level: number, n: number, width: number, size: number): Promise<Subtree> {
    const name = `${level}/${n}/${width}`;
    const cached = this.#subtrees.get(name);
    if (cached !== undefined) return cached;
    const bytes = await this.#tile(level, n, width, size);
    if (bytes === undefined) throw new Error(`the log has no tile ${name}`);
    const subtree = Subtree.of(bytes);
    this.#subtrees.set(name, subtree);
    return subtree;
  }
}
