/**
 * The simulated PostgreSQL: one primary with its write-ahead log, a synchronous standby that follows it, sessions with
 * their transactions, advisory locks and time limits. A commit is in the log at once; others see it, and its client hears
 * of it, when the standby has it. The server can crash, fail over to the standby, and be set back.
 */
import pg from 'pg';
import type { Schema } from '../../../src/engine/act.ts';
import { newActor, type Actor, type Scheduler, type Timer } from '../scheduler.ts';
import type { SimulatedClient } from './client.ts';
import { Locks } from './locks.ts';
import { execute } from './statements.ts';
import { rowsOf, Tables, unitsAhead, type Change } from './tables.ts';

export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** How long the client waits for the answer. */
  readonly query_timeout?: number;
}

export interface Result {
  readonly command: string;
  readonly rows: readonly object[];
  readonly rowCount: number;
}

/** What one commit put into the write-ahead log. */
type Commit = readonly Change[];

interface Unconfirmed {
  /** The length of the log with it. */
  readonly upTo: number;
  readonly commit: Commit;
  confirmed(): void;
}

export interface DatabaseEvents {
  /** A commit can be seen from now on. */
  visible(changes: Commit): void;
  /** Another state took the place of the one before. */
  replaced(): void;
}

/** An error as the server words it. */
export function serverError(code: string, message: string, severity = 'ERROR'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, 0, 'error'), { code, severity });
}

export class Database {
  readonly scheduler: Scheduler;
  readonly schema: Schema;
  locks = new Locks();
  readonly sessions = new Set<Session>();
  tables: Tables;
  /** Of the process that serves; a restart makes another. */
  actor: Actor;
  /** Until when no connection is accepted, and whether it is refused or not answered. */
  isUp = true;
  isSilent = false;
  /** Until when any session that asks for a lock it may not wait for is told that it has it. */
  electsAnyUntilMs = 0;
  /** A broken build: the log takes what a sequencer gives it, whatever its head. */
  isUnfenced = false;
  /** A broken build: a commit does not wait for the standby. */
  confirmsAtOnce = false;
  /** Until when the standby receives nothing. */
  standbyStopsUntilMs = 0;
  timeline = 1;
  started = 0;
  #events: DatabaseEvents;
  #wal: Commit[] = [];
  #standbyHas = 0;
  #unconfirmed: Unconfirmed[] = [];
  #pids = 100;
  #starts = 0;
  /** Up to which number the sequence is in the log. */
  #logged = 1;

  constructor(scheduler: Scheduler, schema: Schema, events: DatabaseEvents) {
    this.scheduler = scheduler;
    this.schema = schema;
    this.#events = events;
    this.tables = new Tables(schema);
    this.actor = newActor('database');
  }

  /** Which database it is, as `evidence` tells it. */
  get identity(): string {
    return `5 16400 ${String(this.timeline).padStart(8, '0')}`;
  }

  get walLength(): number {
    return this.#wal.length;
  }

  connect(client: SimulatedClient, applicationName: string): Session {
    if (!this.isUp) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const session = new Session(this, client, applicationName, ++this.#pids);
    this.sessions.add(session);
    return session;
  }

  /** Draws numbers; what was drawn is not undone, and a crash may skip some. */
  nextUnit(): number {
    const { tables } = this;
    tables.units++;
    if (tables.units > this.#logged) this.#append([{ kind: 'units', logged: tables.units + unitsAhead }]);
    return tables.units;
  }

  /** Commits: in the log at once; resolves when the standby has it. */
  commit(changes: Commit): Promise<void> {
    return new Promise((confirmed) => {
      const upTo = this.#append(changes);
      this.#unconfirmed.push({ upTo, commit: changes, confirmed });
      if (this.confirmsAtOnce) this.#confirm();
    });
  }

  /** Waits for commits under way that hold a row of these changes, as a row lock does. */
  async othersEnded(changes: Commit): Promise<void> {
    const rows = new Set(changes.flatMap(rowsOf));
    while (this.#unconfirmed.some(({ commit }) => commit.flatMap(rowsOf).some((row) => rows.has(row))))
      await this.scheduler.sleep(0.5, this.actor, 'row lock');
  }

  #append(changes: Commit): number {
    for (const change of changes) if (change.kind === 'units') this.#logged = change.logged;
    const upTo = this.#wal.push(changes);
    this.#replicate(upTo, this.actor);
    return upTo;
  }

  #replicate(upTo: number, actor: Actor): void {
    const { scheduler } = this;
    const delay = Math.max(0, this.standbyStopsUntilMs - scheduler.nowMs) + scheduler.between(0.2, 2);
    scheduler.after(delay, actor, 'standby', () => {
      if (this.standbyStopsUntilMs > scheduler.nowMs) return this.#replicate(upTo, actor);
      this.#standbyHas = Math.max(this.#standbyHas, upTo);
      scheduler.after(scheduler.between(0.1, 1), actor, 'confirm', () => this.#confirm());
    });
  }

  #confirm(): void {
    while (this.#unconfirmed.length > 0) {
      const [next] = this.#unconfirmed as [Unconfirmed];
      if (next.upTo > this.#standbyHas && !this.confirmsAtOnce) return;
      this.#unconfirmed.shift();
      for (const change of next.commit) this.tables.apply(change);
      next.confirmed();
      this.#events.visible(next.commit);
    }
  }

  // Failures

  /** The standby receives nothing for a while. */
  stopStandby(ms: number): void {
    this.scheduler.fault('standby stops', 'database', `${ms.toFixed(0)} ms`);
    this.standbyStopsUntilMs = this.scheduler.nowMs + ms;
  }

  /** Everything of this server ends. Clients hear of it, or hear nothing more. */
  #stop(isSilent: boolean): void {
    this.isUp = false;
    this.isSilent = isSilent;
    this.actor.alive = false;
    this.#unconfirmed = [];
    this.locks = new Locks();
    for (const session of this.sessions) session.vanish(isSilent);
    this.sessions.clear();
  }

  #start(wal: Commit[], timeline: number): void {
    this.actor = newActor(`database-${++this.#starts}`);
    this.timeline = timeline;
    this.started = Math.floor(this.scheduler.nowMs);
    this.#wal = wal;
    this.#standbyHas = wal.length;
    this.standbyStopsUntilMs = 0;
    this.tables = new Tables(this.schema);
    for (const commit of wal) for (const change of commit) this.tables.apply(change);
    this.#logged = this.tables.units;
    this.isUp = true;
    this.isSilent = false;
    this.#events.replaced();
  }

  /** The standby takes over with what it has received. */
  failOver(operator: Actor, downMs: number, isSilent: boolean): void {
    this.#stop(isSilent);
    this.scheduler.after(downMs, operator, 'promote standby', () =>
      this.#start(this.#wal.slice(0, this.#standbyHas), this.timeline + 1),
    );
  }

  /** The same server comes back. Its standby has caught up before it accepts connections. */
  restart(operator: Actor, downMs: number): void {
    this.#stop(false);
    this.scheduler.after(downMs, operator, 'restart database', () =>
      this.#start([...this.#wal], this.timeline),
    );
  }

  /** A backup of an earlier moment takes the database's place; answers with what brings the newer one back. */
  setBack(operator: Actor, upTo: number, downMs: number): () => void {
    const newer = [...this.#wal];
    const { timeline } = this;
    this.#stop(false);
    this.scheduler.after(downMs, operator, 'restore backup', () =>
      this.#start(newer.slice(0, upTo), timeline + 1),
    );
    return () => {
      this.#stop(false);
      this.#start(newer, timeline);
    };
  }
}

const noResult = (command: string): Result => ({ command, rows: [], rowCount: 0 });

/** One connection's session on the server. */
export class Session {
  readonly database: Database;
  readonly applicationName: string;
  readonly pid: number;
  readonly began: string;
  readonly #client: SimulatedClient;
  /** Changes of the open transaction; undefined where none is open. */
  changes: Change[] | undefined;
  awaitsStandby = false;
  channel: string | undefined;
  isEnded = false;
  lockTimeoutMs = 0;
  idleInTransactionMs = 0;
  idleMs = 0;
  localLockTimeoutMs: number | undefined;
  localIdleInTransactionMs: number | undefined;
  #isAborted = false;
  #queue: Query[] = [];
  #isBusy = false;
  #idleTimer: Timer | undefined;

  constructor(database: Database, client: SimulatedClient, applicationName: string, pid: number) {
    this.database = database;
    this.#client = client;
    this.applicationName = applicationName;
    this.pid = pid;
    this.began = database.scheduler.nowMs.toFixed(3);
  }

  receive(query: Query): void {
    this.#queue.push(query);
    this.#idleTimer?.cancel();
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let query = this.#queue.shift(); query !== undefined; query = this.#queue.shift()) {
      const answer = await this.#answer(query);
      if (this.isEnded) return;
      this.#client.deliver(answer);
    }
    this.#isBusy = false;
    this.#watchIdle();
  }

  async #answer(query: Query): Promise<Result | Error> {
    try {
      return await this.#execute(query);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError))
        this.database.scheduler.note('database', `cannot run ${query.text}`);
      if (this.changes !== undefined) this.#isAborted = true;
      return error as Error;
    }
  }

  async #execute(query: Query): Promise<Result> {
    const command = query.text.trim().split(/[\s;(]/, 1)[0] as string;
    if (command === 'BEGIN') {
      this.changes ??= [];
      return noResult(command);
    }
    if (command === 'ROLLBACK') return this.#end(command);
    if (command === 'COMMIT') {
      if (this.#isAborted || this.changes === undefined) return this.#end('ROLLBACK');
      return this.#commit(this.changes);
    }
    if (this.#isAborted) throw serverError('25P02', 'current transaction is aborted');
    const result = await execute(this, query);
    // A statement outside of a transaction is one.
    return { rowCount: result.rows.length, command, ...result };
  }

  /** Rolls back. */
  #end(command: string): Result {
    this.changes = undefined;
    this.#isAborted = false;
    this.localLockTimeoutMs = undefined;
    this.localIdleInTransactionMs = undefined;
    this.database.locks.releaseAll(this, 'transaction');
    return noResult(command);
  }

  async #commit(changes: readonly Change[]): Promise<Result> {
    if (changes.length > 0) await this.write(changes);
    return this.#end('COMMIT');
  }

  /** Makes changes durable; resolves when the standby has them. */
  async write(changes: readonly Change[]): Promise<void> {
    const { database } = this;
    await database.othersEnded(changes);
    for (const change of changes) {
      if (database.isUnfenced && change.kind === 'integrate') continue;
      const conflict = database.tables.conflict(change);
      if (conflict !== undefined) throw serverError('23505', `duplicate key violates ${conflict}`);
    }
    this.awaitsStandby = true;
    await database.commit(changes);
    this.awaitsStandby = false;
    // The client is gone, and its transaction has ended all the same.
    if (this.isEnded) database.locks.releaseAll(this);
  }

  /** Waits for a lock, no longer than the session does. */
  async lock(id: string, scope: 'session' | 'transaction', isShared = false): Promise<void> {
    const { locks, scheduler, actor } = this.database;
    const limit = this.localLockTimeoutMs ?? this.lockTimeoutMs;
    await new Promise<void>((resolve, reject) => {
      let timer: Timer | undefined;
      const giveUp = locks.take(id, this, scope, isShared, () => {
        timer?.cancel();
        resolve();
      });
      if (limit === 0) return;
      timer = scheduler.after(limit, actor, 'lock timeout', () => {
        giveUp();
        reject(serverError('55P03', 'canceling statement due to lock timeout'));
      });
      if (locks.holds(id, this)) timer.cancel();
    });
  }

  /** Ends sessions that say nothing for too long. */
  #watchIdle(): void {
    const { scheduler, actor } = this.database;
    const inTransaction = this.changes !== undefined;
    const limit = inTransaction ? (this.localIdleInTransactionMs ?? this.idleInTransactionMs) : this.idleMs;
    if (limit === 0) return;
    this.#idleTimer = scheduler.after(limit, actor, 'idle timeout', () =>
      this.terminate(inTransaction ? '25P03' : '57P05'),
    );
  }

  notify(payload: string): void {
    this.#client.notify(payload);
  }

  /** The server ends the session, and says so. */
  terminate(code = '57P01'): void {
    if (this.isEnded) return;
    this.close();
    this.#client.deliverEnd(serverError(code, 'terminating connection', 'FATAL'));
  }

  /** The server is gone. */
  vanish(isSilent: boolean): void {
    this.isEnded = true;
    this.#idleTimer?.cancel();
    if (!isSilent) this.#client.deliverEnd(new Error('Connection terminated unexpectedly'));
  }

  /** The client is gone. A commit under way goes on, and keeps its locks until it has ended. */
  close(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#idleTimer?.cancel();
    this.#queue = [];
    this.database.sessions.delete(this);
    if (!this.awaitsStandby) this.database.locks.releaseAll(this);
  }
}
