/**
 * Integrates committed entries into the log. One node at a time does it, elected by an advisory lock of its session,
 * which another node gets when the session ends. It takes all pending entries in order of their numbers and writes log
 * rows, full tiles, signed head and notification in one statement. The statement first moves the head from the size
 * that this sequencer knows, so a sequencer that was stalled and replaced changes nothing. (Remembering the last
 * number instead of reading pending entries would lose entries: a lower number may be committed later.)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SignCheckpoint } from '../../engine/store.ts';
import type { MerkleLog } from '../../ledger/log.ts';
import { Subtree } from '../../ledger/subtree.ts';
import { tileHeight } from '../../ledger/tiles.ts';
import {
  clientConfig,
  connect,
  drop,
  goodbye,
  lockId,
  sequencerLock,
  sessionSettings,
  type ConnectionOptions,
} from './connection.ts';
import { examine } from './rollback-evidence.ts';
import { restoreLog } from './restore-log.ts';
import type { RollbackGuard } from './rollback-guard.ts';
import { leaves } from './sql.ts';

export interface SequencerTimes {
  /** How long the leader sleeps when nothing wakes it: entries of other nodes wait no longer than this. */
  readonly pollMs: number;
  /** How often the others try to become leader. */
  readonly electMs: number;
  /** The least time from one integration to the next: under load, what gathers shares one signature. */
  readonly paceMs: number;
  /** A session that says nothing for so long is over, and with it the leadership of a node that stalled. */
  readonly leaseMs: number;
  /**
   * How long nothing is signed in a database that was restored or promoted: by then every node that can reach it has
   * compared it with what it saw, and one that saw more has stopped them all.
   */
  readonly settleMs: number;
}

export const defaultSequencerTimes: SequencerTimes = {
  pollMs: 50,
  electMs: 200,
  paceMs: 15,
  leaseMs: 2000,
  settleMs: 2000,
};

/** Batches integrated at a time. */
const takeMax = 512;
const hashBytes = 32;
const moved = 'another sequencer has moved the head of the log';

interface PendingRow {
  readonly first: number;
  readonly count: number;
  readonly leaves: Buffer | null;
}

const takePending = `SELECT p.first, p.count, (
    SELECT ${leaves('e.seq')} FROM entry e WHERE e.seq >= p.first AND e.seq < p.first + p.count) AS leaves
  FROM pending p ORDER BY p.first LIMIT ${takeMax}`;

// $1 old size, $2 new size, $3 root, $4 note, $5 [{at, first, count}], $6 tiles, $7 channel, $8 old root, $9 database
const integrate = `WITH
  head AS (UPDATE log_head SET size = $2, root = $3, note = $4, database = $9
    WHERE size = $1 AND (size = 0 OR root = $8) RETURNING size),
  taken AS (SELECT x.* FROM head, json_to_recordset($5) AS x(at bigint, first bigint, count integer)),
  logged AS (INSERT INTO log (idx, seq, root) SELECT at + i, first + i, CASE WHEN at + i = $2 - 1 THEN $3::bytea END
    FROM taken, generate_series(0, count - 1) AS i),
  cleared AS (DELETE FROM pending p USING taken WHERE p.first = taken.first),
  tiles AS (INSERT INTO tile (level, n, bytes, root) SELECT level, n, decode(bytes, 'hex'), decode(root, 'hex')
    FROM head, json_to_recordset($6) AS x(level integer, n bigint, bytes text, root text))
  SELECT pg_notify($7, size::text) FROM head`;

/** Where nodes hear of the log, and, with `dueNotice`, of batches that nodes of another version project. */
export function channelOf(namespace: string): string {
  return `colophon_${lockId(`${namespace}\0log`).replace('-', 'm')}`;
}

export const dueNotice = 'due';

export interface SequencerOptions {
  readonly connection: ConnectionOptions;
  /** What the deployment's locks begin with. */
  readonly namespace: string;
  readonly sign: SignCheckpoint;
  readonly times: SequencerTimes;
  readonly guard: RollbackGuard;
  /** Settles whether evidence of a rollback is one, and has the guard refuse where it is. */
  confirm(): Promise<void>;
  /** Called when the log has grown, on whichever node, or may have. */
  onLog(): void;
  /** Called when a node of another version committed something, or begins to. */
  onDue(): void;
  onTrouble(error: unknown): void;
}

export class Sequencer {
  readonly #options: SequencerOptions;
  readonly #lock: string;
  readonly #channel: string;
  readonly #closing = new AbortController();
  readonly #stopped: Promise<void>;
  /** Resolves when its session is there, or could not be made at the first try. */
  readonly tried: Promise<void>;
  #haveTried: () => void = () => undefined;
  #wake: AbortController | undefined;
  #woken = false;
  #client: pg.Client | undefined;
  #log: MerkleLog | undefined;
  /** Since when this session waits to sign in a database that no head was signed in before. */
  #unsettledSince: number | undefined;

  constructor(options: SequencerOptions) {
    this.#options = options;
    this.#lock = sequencerLock(options.namespace);
    this.#channel = channelOf(options.namespace);
    this.tried = new Promise((resolve) => (this.#haveTried = resolve));
    this.#stopped = this.#live();
  }

  /** Whether this node integrates at the moment. */
  get leads(): boolean {
    return this.#log !== undefined;
  }

  /** Something of this node was committed. */
  wake(): void {
    this.#woken = true;
    if (this.leads) this.#wake?.abort();
  }

  /** Integrates what is there, if it is this node's to do, and lets another node lead. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake?.abort();
    await goodbye(this.#stopped);
    if (this.#client !== undefined) drop(this.#client);
  }

  async #live(): Promise<void> {
    while (!this.#closing.signal.aborted && this.#options.guard.rollback === undefined) {
      try {
        const settings = `${sessionSettings}; SET idle_session_timeout = ${this.#options.times.leaseMs}; LISTEN ${this.#channel}`;
        const { connection } = this.#options;
        const client = await connect(clientConfig(connection, 'log'), async (fresh) => {
          await fresh.query(settings);
          await connection.join?.(fresh);
        });
        this.#client = client;
        this.#haveTried();
        client.on('notification', ({ payload }) => {
          if (payload === dueNotice) this.#options.onDue();
          else this.#options.onLog();
        });
        // Notifications may have been missed while there was no connection.
        this.#options.onLog();
        await this.#serve(client);
      } catch (error) {
        this.#haveTried();
        // Whatever it was, the session's end hands leadership on; this node stands for election again.
        if (!this.#closing.signal.aborted) this.#options.onTrouble(error);
        await sleep(this.#options.times.electMs, undefined, { signal: this.#closing.signal }).catch(
          () => undefined,
        );
      }
      this.#log = undefined;
      this.#unsettledSince = undefined;
      if (this.#client !== undefined) drop(this.#client);
      this.#client = undefined;
    }
  }

  async #serve(client: pg.Client): Promise<void> {
    for (;;) {
      const last = this.#closing.signal.aborted;
      await this.#examine(client);
      if (this.#log === undefined && (await this.#elected(client)))
        this.#log = await restoreLog(client, this.#options.guard.known.head.size);
      this.#woken = false;
      const integrated =
        this.#log !== undefined && this.#mayIntegrate() && (await this.#integrate(client, this.#log));
      if (last) return;
      if (integrated) await sleep(this.#options.times.paceMs);
      else if (!this.#woken)
        await this.#pause(this.leads ? this.#options.times.pollMs : this.#options.times.electMs);
    }
  }

  /** Whether or not there is anything to integrate, each node compares this often. Throws where it must not go on. */
  async #examine(client: pg.Client): Promise<void> {
    const { guard, confirm } = this.#options;
    const { kind, reason } = await examine(client, guard);
    if (kind === 'sound') return;
    if (kind === 'contradicts') await confirm();
    guard.check();
    throw new Error(reason ?? 'the connection leads to a standby');
  }

  #mayIntegrate(): boolean {
    const { guard, times } = this.#options;
    if (guard.isSettled) return true;
    this.#unsettledSince ??= performance.now();
    return performance.now() - this.#unsettledSince >= times.settleMs;
  }

  async #pause(ms: number): Promise<void> {
    this.#wake = new AbortController();
    await sleep(ms, undefined, { signal: this.#wake.signal }).catch(() => undefined);
    this.#wake = undefined;
  }

  async #elected(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ elected: boolean }>('SELECT pg_try_advisory_lock($1) AS elected', [
      this.#lock,
    ]);
    return rows[0]?.elected === true;
  }

  /** One integration; answers whether there was anything to do. Throws when another sequencer has moved the head. */
  async #integrate(client: pg.Client, log: MerkleLog): Promise<boolean> {
    const { rows } = await client.query<PendingRow>({ name: 'take', text: takePending, values: [] });
    if (rows.length === 0) return false;
    const size = log.size;
    const { guard } = this.#options;
    const before = Buffer.from(log.root());
    const { head } = guard.known;
    if (head.size !== size) throw new Error(moved);
    // Another root is never signed over entries that were signed for once.
    if (size > 0 && head.root !== before.toString('hex'))
      throw new Error(`the ${size} entries of the log do not have the root that was signed for them`);
    const taken: { at: number; first: number; count: number }[] = [];
    for (const { first, count, leaves: bytes } of rows) {
      if (bytes?.length !== count * hashBytes) throw new Error(`entries of batch ${first} are missing`);
      taken.push({ at: log.size, first, count });
      for (let at = 0; at < bytes.length; at += hashBytes) log.append(bytes.subarray(at, at + hashBytes));
    }
    const root = log.root();
    const tiles = log.takeCompleted().map(({ level, n, bytes }) => ({
      level,
      n,
      bytes: Buffer.from(bytes).toString('hex'),
      root: Buffer.from(Subtree.of(bytes).node(tileHeight, 0)).toString('hex'),
    }));
    const note = this.#options.sign(log.size, root);
    const values = [
      size,
      log.size,
      root,
      note,
      JSON.stringify(taken),
      JSON.stringify(tiles),
      this.#channel,
      before,
      guard.database,
    ];
    const { rowCount } = await client.query({ name: 'integrate', text: integrate, values });
    if (rowCount !== 1) throw new Error(moved);
    guard.sawHead({ size: log.size, root: Buffer.from(root).toString('hex'), note });
    return true;
  }
}
