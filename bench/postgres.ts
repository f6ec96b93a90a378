/**
 * Writes on PostgreSQL: acts a second through the store with 64 callers, against a bare `pg` loop that inserts
 * the same rows, a transaction an act, with 64 callers and a connection each (reach: at least half). The peer
 * sends each transaction as one prepared statement, the fastest form it has, and knows neither locks nor chains
 * nor a log. Four nodes are held to one, on the same machine. All run on one server with `fsync` on, in turns.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { writes, type Act, type Schema } from '../src/engine/act.ts';
import type { Store } from '../src/engine/store.ts';
import { integer, json, table, text } from '../src/engine/tables.ts';
import { isFault } from '../src/kernel/fault.ts';
import { opaqueId } from '../src/kernel/ids.ts';
import { signCheckpoint } from '../src/ledger/checkpoint.ts';
import type { Head } from '../src/ledger/entry.ts';
import { signerFromSeed } from '../src/ledger/note.ts';
import { openPostgres } from '../src/store/postgres/store.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../test/support/postgres.ts';
import { median, skipped, versus, type Row, type Settings } from './row.ts';

const callers = 64;
const title = `PostgreSQL acts, ${callers} callers`;

/** What a contribution writes: an entry on its article's thread, one on a chain of its own, and four rows. */
const threadTable = table('thread', {
  key: { id: text() },
  columns: { count: integer(), head: json<Head>() },
  aggregate: 'thread',
});
const itemTable = table('item', {
  key: { id: text(), n: integer() },
  columns: { body: json<object>(), seq: integer() },
});
const onceTable = table('once', { key: { digest: text() }, columns: { inv: text() }, aggregate: 'once' });
const callTable = table('call', {
  key: { object: text(), seq: integer() },
  columns: { inv: text(), status: text() },
});

const schema: Schema = {
  version: 1,
  tables: [threadTable, itemTable, onceTable, callTable],
  project(event, to) {
    const { chain, n, ts } = event.sealed.entry;
    const body = event.contents['content_sha'] as object;
    if (chain.startsWith('thread')) {
      to.put(threadTable, { id: chain, count: n + 1, head: { n, hash: event.sealed.hash, ts } });
      to.put(itemTable, { id: chain, n, body, seq: event.seq });
    } else {
      to.put(onceTable, { digest: chain, inv: chain });
      to.put(callTable, { object: 'main/APPEND', seq: event.seq, inv: chain, status: 'success' });
    }
  },
};

const body = { kind: 'question', actor: 'ada', body: 'Which entries does the checkpoint cover? '.repeat(5) };
const ts = '2026-03-01T12:00:00.000Z';

function contribution(thread: string): Act<number> {
  const inv = opaqueId('inv_');
  return {
    name: 'append',
    keys: [writes('thread', thread), writes('once', inv)],
    decide(tx) {
      const head = tx.row(threadTable, thread)?.head ?? null;
      tx.append({
        draft: { chain: thread, ts, actor: 'anonymous', action: 'append', inv },
        head,
        contents: [{ field: 'content_sha', value: body }],
      });
      const contents = [
        { field: 'content_sha', value: body },
        { field: 'response_sha', value: { slug: 'ledger-basics', contribution: body } },
      ];
      return tx.append({
        draft: { chain: inv, ts, actor: 'anonymous', action: 'success', key: 'APPEND', tenant: 'main' },
        head: null,
        contents,
      }).seq;
    },
  };
}

export async function run(settings: Settings): Promise<Row[]> {
  if (!hasPostgres) return [skipped(title, 'no PostgreSQL for this platform')];
  const server = await startPostgres({
    fsync: 'on',
    max_connections: '200',
    shared_buffers: '128MB',
    max_wal_size: '4GB',
  });
  try {
    return await compare(server, settings);
  } finally {
    await server.stop();
  }
}

/** The store against the bare loop, and four nodes against one; all take their turns. */
async function compare(server: TestPostgres, settings: Settings): Promise<Row[]> {
  const signer = signerFromSeed('bench', new Uint8Array(32).fill(1));
  const sign = (size: number, root: Uint8Array): string => signCheckpoint(signer, size, root);
  const urls = [await server.database(), await server.database(), await server.database()] as const;
  const open = (url: string): Promise<Store> => openPostgres({ url, schema, sign });
  const one = await open(urls[0]);
  const four = await Promise.all([1, 2, 3, 4].map(() => open(urls[1])));
  const pool = new pg.Pool({ connectionString: urls[2], max: callers });
  pool.on('error', () => undefined);
  try {
    await pool.query(peerTables);
    const works = {
      one: (caller: number) => act(one, caller),
      four: (caller: number) => act(four[caller % 4] as Store, caller),
      bare: () => bare(pool),
    };
    const measured: Record<keyof typeof works, Measured[]> = { one: [], four: [], bare: [] };
    // The first round warms all up.
    for (let n = settings.quick ? 1 : 5; n >= 0; n--) {
      for (const [name, work] of Object.entries(works) as [
        keyof typeof works,
        (caller: number) => Promise<void>,
      ][]) {
        measured[name].push(await measure(server, settings.quick ? 500 : 2000, work));
      }
      const said = Object.entries(measured).map(
        ([name, list]) => `${name} ${Math.round(list.at(-1)?.rate ?? 0)}/s`,
      );
      settings.say(`PostgreSQL: ${said.join(', ')}`);
    }
    const middle = (name: keyof typeof works, what: keyof Measured): number =>
      median(measured[name].slice(1).map((each) => each[what]));
    const cpu = (own: keyof typeof works, peer: keyof typeof works): { cpu?: number } => {
      const ratio = middle(peer, 'cpuMicros') / middle(own, 'cpuMicros');
      return Number.isNaN(ratio) ? {} : { cpu: ratio };
    };
    const rate = { one: middle('one', 'rate'), four: middle('four', 'rate'), bare: middle('bare', 'rate') };
    return [
      versus(title, rate.one, 'acts/s', 'bare pg loop, same rows', rate.bare, '>= 0.5', cpu('one', 'bare')),
      versus('PostgreSQL acts, 4 nodes', rate.four, 'acts/s', '1 node', rate.one, '>= 1', cpu('four', 'one')),
    ];
  } finally {
    await Promise.all([one, ...four].map((store) => store.close()));
    await pool.end();
  }
}

interface Measured {
  /** Completed calls a second. */
  readonly rate: number;
  /** CPU time a call, of this process and the server's together. */
  readonly cpuMicros: number;
}

async function measure(
  server: TestPostgres,
  roundMs: number,
  call: (caller: number) => Promise<void>,
): Promise<Measured> {
  const pids = (await server.query<{ pid: number }>('SELECT pid FROM pg_stat_activity')).map(
    ({ pid }) => pid,
  );
  const before = cpuOf(pids);
  const start = performance.now();
  let done = 0;
  const caller = async (_: unknown, i: number): Promise<void> => {
    for (; performance.now() < start + roundMs; done++) await call(i);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { rate: (done * 1000) / (performance.now() - start), cpuMicros: (cpuOf(pids) - before) / done };
}

/** Microseconds of CPU time so far; not a number where the system does not tell. */
function cpuOf(pids: readonly number[]): number {
  const { user, system } = process.cpuUsage();
  return pids.reduce((sum, pid) => sum + processMicros(pid), user + system);
}

function processMicros(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // User and system time in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch (error) {
    // A session that ended since takes its time with it; without /proc there is none to be had.
    return (error as NodeJS.ErrnoException).code === 'ESRCH' || process.platform === 'linux' ? 0 : Number.NaN;
  }
}

async function act(store: Store, caller: number): Promise<void> {
  const committed = await store.run(contribution(`thread-${caller}`));
  if (isFault(committed)) throw new Error(committed.message);
}

// The peer

const peerTables = `
CREATE TABLE entry (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, chain text COLLATE "C" NOT NULL, n integer NOT NULL, text text NOT NULL, UNIQUE (chain, n));
CREATE TABLE content (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, field text NOT NULL, salt bytea, body text);
CREATE TABLE item (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL, body json NOT NULL);
CREATE TABLE once (digest text PRIMARY KEY, inv text NOT NULL);
CREATE TABLE call (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, object text NOT NULL, inv text NOT NULL, status text NOT NULL);`;

const peerInsert = `WITH
  e AS (INSERT INTO entry (chain, n, text) VALUES ($1, 0, $3), ($2, 0, $4)),
  c AS (INSERT INTO content (field, salt, body) VALUES ('content_sha', $5, $8), ('content_sha', $6, $8), ('response_sha', $7, $8)),
  i AS (INSERT INTO item (id, body) VALUES ('thread-1', $8::json)),
  o AS (INSERT INTO once (digest, inv) VALUES ($2, $2))
  INSERT INTO call (object, inv, status) VALUES ('main/APPEND', $2, 'success')`;

async function bare(pool: pg.Pool): Promise<void> {
  const inv = opaqueId('inv_');
  const thread = opaqueId('thread_');
  const hash = randomBytes(32).toString('hex');
  const first = JSON.stringify({
    action: 'append',
    actor: 'anonymous',
    chain: thread,
    content_sha: hash,
    inv,
    n: 0,
    prev: hash,
    ts,
  });
  const second = JSON.stringify({
    action: 'success',
    actor: 'anonymous',
    chain: inv,
    content_sha: hash,
    key: 'APPEND',
    n: 0,
    prev: 'genesis',
    response_sha: hash,
    tenant: 'main',
    ts,
  });
  const values = [
    thread,
    inv,
    first,
    second,
    randomBytes(32),
    randomBytes(32),
    randomBytes(32),
    JSON.stringify(body),
  ];
  await pool.query({ name: 'insert', text: peerInsert, values });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.table(
    await run({ quick: false, full: false, say: (progress) => process.stderr.write(`${progress}\n`) }),
  );
}
