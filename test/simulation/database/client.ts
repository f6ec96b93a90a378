/**
 * The client of the simulated PostgreSQL, in the place of `pg.Client`. What it sends and receives takes time and keeps its
 * order, as TCP does. A line can break, which both ends hear of sooner or later, and it can go silent for a while.
 */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { ClientClass } from '../../../src/store/postgres/connection.ts';
import { Scheduler, type Actor, type Timer } from '../scheduler.ts';
import type { Database, Query, Result, Session } from './server.ts';

/** The network between one node and the database. */
export interface Line {
  readonly node: Actor;
  readonly database: Database;
  /** Nothing passes before. */
  silentUntilMs: number;
  readonly clients: Set<SimulatedClient>;
  /** What is done to a message: `before` it reaches the server, or `after` the server has acted on it. */
  disturb(query: Query): 'pass' | 'break before' | 'break after';
}

interface Pending {
  resolve(result: Result): void;
  reject(error: Error): void;
}

interface Config {
  readonly application_name?: string;
  readonly connectionTimeoutMillis?: number;
  readonly query_timeout?: number;
  readonly stream?: () => Socket;
}

/** How long a server keeps a session whose client does not acknowledge anything (`tcp_user_timeout`). */
const unheardMs = 2000;

/** The class whose instances connect over a line. */
export function clientOf(line: Line): ClientClass {
  return class extends SimulatedClient {
    constructor(config?: object) {
      super(line, config ?? {});
    }
  } as unknown as ClientClass;
}

export class SimulatedClient extends EventEmitter {
  readonly connection: { readonly stream: { destroy(): void } };
  readonly #line: Line;
  readonly #config: Config;
  readonly #pending: Pending[] = [];
  #session: Session | undefined;
  #sendFromMs = 0;
  #receiveFromMs = 0;
  #isOver = false;

  constructor(line: Line, config: Config) {
    super();
    // The pool of `pg` reads both.
    Object.assign(this, { _queryable: true, _ending: false });
    this.#line = line;
    this.#config = config;
    // The socket never connects; that it is destroyed is how a store cuts its lines.
    const socket = config.stream?.();
    const cut = (): void => this.#break(new Error('Connection terminated'), true);
    socket?.once('close', cut);
    this.connection = { stream: { destroy: () => (socket === undefined ? cut() : socket.destroy()) } };
  }

  setTypeParser(): void {
    // Whole numbers arrive as numbers.
  }

  get #scheduler(): Scheduler {
    return this.#line.database.scheduler;
  }

  connect(): Promise<this>;
  connect(done: (error?: Error) => void): void;
  connect(done?: (error?: Error) => void): Promise<this> | void {
    const connected = this.#connect();
    if (done === undefined) return connected;
    void settle(connected, done);
  }

  #connect(): Promise<this> {
    const { database, node, clients } = this.#line;
    const scheduler = this.#scheduler;
    return new Promise((resolve, reject) => {
      const { connectionTimeoutMillis: limit = 0 } = this.#config;
      let timer: Timer | undefined;
      const fail = (error: Error): void => {
        timer?.cancel();
        this.#isOver = true;
        reject(error);
      };
      if (limit > 0)
        timer = scheduler.after(limit, node, 'connect timeout', () => fail(new Error('timeout expired')));
      this.once('cut', () => fail(new Error('Connection terminated')));
      const attempt = (): void => {
        if (this.#isOver) return;
        if (database.isSilent && !database.isUp) return;
        try {
          this.#session = database.connect(this, this.#config.application_name ?? '');
        } catch (error) {
          const sooner = scheduler.between(0.1, 1);
          scheduler.after(sooner, node, 'refused', () => fail(error as Error));
          return;
        }
        clients.add(this);
        this.#inbound('connected', () => {
          timer?.cancel();
          resolve(this);
        });
      };
      scheduler.after(this.#timeOfPassage() - scheduler.nowMs, node, 'connect', attempt);
    });
  }

  query(query: string | Query, values?: unknown, done?: unknown): Promise<Result> | void {
    const callback = (typeof values === 'function' ? values : done) as
      ((error: Error | undefined, result?: Result) => void) | undefined;
    const given: Query =
      typeof query === 'string' ? { text: query, ...(Array.isArray(values) ? { values } : {}) } : query;
    const answered = this.#send(given);
    if (callback === undefined) return answered;
    void settle(answered, callback);
  }

  #send(query: Query): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isOver || this.#session === undefined) {
        reject(new Error('Client has encountered a connection error and is not queryable'));
        return;
      }
      const limit = query.query_timeout ?? this.#config.query_timeout ?? 0;
      const timer =
        limit === 0
          ? undefined
          : this.#scheduler.after(limit, this.#line.node, 'query timeout', () =>
              reject(new Error('Query read timeout')),
            );
      this.#pending.push({
        resolve(result) {
          timer?.cancel();
          resolve(result);
        },
        reject(error) {
          timer?.cancel();
          reject(error);
        },
      });
      const fate = this.#line.disturb(query);
      if (fate === 'break before') return this.breakLine();
      const session = this.#session;
      this.#outbound(label(query), () => {
        if (!session.isEnded) session.receive(query);
        if (fate === 'break after') this.breakLine();
      });
    });
  }

  end(done?: () => void): Promise<void> | void {
    Object.assign(this, { _ending: true });
    const session = this.#session;
    if (session !== undefined && !this.#isOver) this.#outbound('goodbye', () => session.close());
    this.#break(new Error('Connection terminated'), false);
    if (done === undefined) return Promise.resolve();
    this.#scheduler.after(0, this.#line.node, 'ended', done);
  }

  // Called by the server's side

  deliver(answer: Result | Error): void {
    this.#inbound('answer', () => {
      const pending = this.#pending.shift();
      if (answer instanceof Error) pending?.reject(answer);
      else pending?.resolve(answer);
    });
  }

  deliverEnd(error: Error): void {
    this.#inbound('end', () => this.#break(error, true));
  }

  notify(payload: string): void {
    this.#inbound('notification', () => this.emit('notification', { payload }));
  }

  // The line

  /** Breaks at once for this end; the server's end hears of it sooner or later. */
  breakLine(): void {
    const session = this.#session;
    const scheduler = this.#scheduler;
    if (session !== undefined) {
      const heard = scheduler.chance(0.5) ? scheduler.between(0.1, 2) : unheardMs;
      scheduler.after(heard, this.#line.database.actor, 'line lost', () => session.close());
    }
    scheduler.after(scheduler.between(0, 1), this.#line.node, 'line lost', () =>
      this.#break(new Error('Connection terminated unexpectedly'), true),
    );
  }

  /** The process of this client is gone. */
  abandon(afterMs: number): void {
    const session = this.#session;
    this.#isOver = true;
    this.#line.clients.delete(this);
    if (session !== undefined)
      this.#scheduler.after(afterMs, this.#line.database.actor, 'client gone', () => session.close());
  }

  #break(error: Error, isSudden: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    Object.assign(this, { _queryable: false });
    this.#line.clients.delete(this);
    if (isSudden && this.#session !== undefined) {
      const session = this.#session;
      this.#scheduler.after(1, this.#line.database.actor, 'client gone', () => session.close());
    }
    for (const { reject } of this.#pending.splice(0)) reject(error);
    this.emit('cut');
    if (isSudden && this.listenerCount('error') > 0) this.emit('error', error);
    this.emit('end');
  }

  #outbound(what: string, arrive: () => void): void {
    const scheduler = this.#scheduler;
    const { database } = this.#line;
    this.#sendFromMs = Math.max(this.#sendFromMs, this.#timeOfPassage());
    scheduler.after(
      this.#sendFromMs - scheduler.nowMs,
      database.actor,
      `${this.#line.node.name}: ${what}`,
      arrive,
    );
  }

  #inbound(what: string, arrive: () => void): void {
    const scheduler = this.#scheduler;
    this.#receiveFromMs = Math.max(this.#receiveFromMs, this.#timeOfPassage());
    const session = this.#session;
    scheduler.after(this.#receiveFromMs - scheduler.nowMs, this.#line.node, what, () => {
      if (!this.#isOver) arrive();
    });
    // What is not acknowledged in time ends the session.
    if (session !== undefined && this.#line.silentUntilMs > scheduler.nowMs + unheardMs)
      scheduler.after(unheardMs, this.#line.database.actor, 'unacknowledged', () => session.close());
  }

  #timeOfPassage(): number {
    const scheduler = this.#scheduler;
    return Math.max(scheduler.nowMs, this.#line.silentUntilMs) + scheduler.between(0.1, 0.8);
  }
}

/** For the pool, which waits for callbacks. */
async function settle<T>(
  promised: Promise<T>,
  callback: (error: Error | undefined, result?: T) => void,
): Promise<void> {
  const [error, result] = await promised.then(
    (value) => [undefined, value] as const,
    (reason: Error) => [reason, undefined] as const,
  );
  callback(error, result);
}

/** What the trace says of a query. */
function label({ name, text }: Query): string {
  return name === undefined ? text.trim().slice(0, 40).replaceAll(/\s+/g, ' ') : name.replaceAll(/ .*/g, '');
}
