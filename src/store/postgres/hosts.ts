/**
 * DATABASE_URL with several hosts (contract §0), as libpq has it and `pg` does not:
 * `postgres://user@one:5432,two:5433/name?target_session_attrs=read-write`. A connection goes to the host that was
 * last found to be the primary; if it cannot be reached or has become a standby, the next connection tries the next.
 */
import pg from 'pg';
import { OperatorError, StoreUnreachable } from '../../engine/store.ts';

const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(\/[^?]*)?(?:\?(.*))?$/;
/** A host that swallows connections holds up the search for the primary no longer than this. */
const reachMs = 2000;

/** The hosts of one DATABASE_URL, and which of them connections go to. */
export class Hosts {
  /** One URL for each host, in the given order. */
  readonly urls: readonly string[];
  #current = 0;

  /** Throws `OperatorError` for a URL that names hosts which this service cannot use. */
  constructor(url: string) {
    this.urls = urlsOf(url);
  }

  get current(): string {
    return this.urls[this.#current] as string;
  }

  get several(): boolean {
    return this.urls.length > 1;
  }

  /** Later connections try the next host, unless another connection has found a better one meanwhile. */
  leave(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.urls.length;
  }
}

function urlsOf(url: string): readonly string[] {
  const [, head = '', authority = '', path = '', query = ''] = shape.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('target_session_attrs');
  if (wanted !== null && !['any', 'read-write', 'primary'].includes(wanted))
    throw new OperatorError(
      `DATABASE_URL asks for target_session_attrs=${wanted}; it accepts read-write, primary and any: a node finds the primary by itself.`,
    );
  const hosts = authority.split(',');
  if (hosts.length === 1 && wanted === null) return [url];
  if (hosts.length > 1 && hosts.some((host) => !/^(?:\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::\d{1,5})?$/.test(host)))
    throw new OperatorError(
      'DATABASE_URL has a host that cannot be read; it accepts host, host:port or [address]:port, separated by commas.',
    );
  parameters.delete('target_session_attrs');
  const rest = parameters.size === 0 ? path : `${path}?${parameters}`;
  return hosts.map((host) => `${head}${host}${rest}`);
}

/** Hosts and database, without user, password and parameters: for messages. */
export function placeOf(url: string): string {
  const [, , authority = '', path = ''] = shape.exec(url) ?? [];
  const place = authority + path;
  // A password may hold an @ or a slash that should have been encoded.
  return `postgres://${place.slice(place.lastIndexOf('@') + 1)}`;
}

/** What connections have learnt of the hosts, for each DATABASE_URL of this process. */
const known = new Map<string, Hosts>();

export function hostsOf(url: string): Hosts {
  let hosts = known.get(url);
  if (hosts === undefined) known.set(url, (hosts = new Hosts(url)));
  return hosts;
}

export interface HostClientConfig extends pg.ClientConfig {
  /** Also to a standby: for reading what is there. */
  readonly standbyToo?: boolean;
}

/** A connection to whichever host is the primary. It takes no other `connectionString` than DATABASE_URL. */
export class HostClient extends pg.Client {
  readonly #hosts: Hosts;
  readonly #url: string;
  readonly #standbyToo: boolean;

  constructor({ standbyToo = false, ...config }: HostClientConfig = {}) {
    const hosts = hostsOf(config.connectionString as string);
    const url = hosts.current;
    const patienceMs = hosts.several ? reachMs : config.connectionTimeoutMillis;
    super({
      ...config,
      connectionString: url,
      ...(patienceMs === undefined ? {} : { connectionTimeoutMillis: patienceMs }),
    });
    this.#hosts = hosts;
    this.#url = url;
    this.#standbyToo = standbyToo;
  }

  override connect(): Promise<pg.Client>;
  override connect(done: (error: Error) => void): void;
  override connect(done?: (error: Error) => void): Promise<pg.Client> | void {
    const reached = this.#reach();
    if (done === undefined) return reached;
    void callBack(reached, done as (error?: Error) => void);
  }

  async #reach(): Promise<pg.Client> {
    try {
      await super.connect();
      if (this.#hosts.several && !this.#standbyToo) await this.#refuseStandby();
      return this;
    } catch (error) {
      this.#hosts.leave(this.#url);
      throw error;
    }
  }

  async #refuseStandby(): Promise<void> {
    const { rows } = await this.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    if (rows[0]?.standby !== true) return;
    this.end().catch(() => undefined);
    throw new Error('PostgreSQL is a standby, which takes no writes');
  }
}

/**
 * For commands, which do not wait for a failover: each host gets one attempt, which connects. Throws what PostgreSQL
 * refuses, and `StoreUnreachable` with what each host said where none was reached.
 */
export async function firstReached<T>(url: string, attempt: () => Promise<T>): Promise<T> {
  const hosts = hostsOf(url);
  const said: string[] = [];
  for (;;) {
    const tried = hosts.current;
    try {
      return await attempt();
    } catch (error) {
      hosts.leave(tried);
      const { message, severity } = error as Error & { readonly severity?: string };
      said.push(hosts.several ? `${new URL(tried).host}: ${message}` : message);
      if (said.length < hosts.urls.length) continue;
      if (severity !== undefined || error instanceof OperatorError) throw error;
      throw new StoreUnreachable(said.join('; '), {
        cause: error,
        fix: 'Check DATABASE_URL, the server, and who may connect.',
      });
    }
  }
}

/** A connection to the primary, for a command that has one; `connectionString` is DATABASE_URL. */
export function connectForCommand(config: HostClientConfig): Promise<pg.Client> {
  return firstReached(config.connectionString as string, () => new HostClient(config).connect());
}

/** For the pool, which waits for a callback. */
async function callBack(reached: Promise<unknown>, done: (error?: Error) => void): Promise<void> {
  const failure = await reached.then(
    () => undefined,
    (error: Error) => error,
  );
  done(failure);
}
