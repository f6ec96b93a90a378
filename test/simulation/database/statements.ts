/**
 * What the product's statements do on the simulated database. Each is recognised by its name or by its words; one that is
 * not known fails the run. Conditions that guard something (the fence of the head, the comparison of a keyring row) hold
 * only where the statement's own text has them, so that a build without them behaves as it would on PostgreSQL.
 */
import { createHash } from 'node:crypto';
import { chainAggregate } from '../../../src/engine/act.ts';
import { projectionStamp } from '../../../src/engine/ledger-version.ts';
import { lostCheckpoint } from '../../../src/engine/store.ts';
import { leafHash } from '../../../src/ledger/entry.ts';
import { evidenceAt } from '../../../src/store/postgres/sql.ts';
import type { EvidenceRow } from '../../../src/store/postgres/rollback-guard.ts';
import type { Query, Result, Session } from './server.ts';
import type { Change, ContentRow, EntryRow, JsonRow, Taken, TileRow } from './tables.ts';

export type Rows = Pick<Result, 'rows'> & { readonly rowCount?: number; readonly command?: string };

type Handler = (session: Session, query: Required<Pick<Query, 'text' | 'values'>>) => Rows | Promise<Rows>;

const none: Rows = { rows: [] };
const one = (row: object): Rows => ({ rows: [row] });

export async function execute(session: Session, { name, text, values = [] }: Query): Promise<Rows> {
  const handler =
    (name === undefined ? undefined : handlerOf(name)) ?? words.find(([is]) => is.test(text))?.[1];
  if (handler === undefined)
    throw new Error(`The simulated database does not know the statement ${name ?? text}`);
  return handler(session, { text, values });
}

function handlerOf(name: string): Handler | undefined {
  if (name.startsWith('write_')) return write;
  if (name.startsWith('load_numbered')) return (session, query) => load(session, query.values, true);
  if (name === 'load' || name.startsWith('load '))
    return (session, query) => load(session, query.values, false);
  return named[name];
}

const named: Readonly<Record<string, Handler>> = {
  async lock(session, { values }) {
    const from = session.database.scheduler.nowMs;
    for (const id of (values[0] as string).slice(1, -1).split(',')) await session.lock(id, 'transaction');
    return one({ count: 1, ms: session.database.scheduler.nowMs - from });
  },
  async turn(session, { values }) {
    const from = session.database.scheduler.nowMs;
    await session.lock(values[0] as string, 'session');
    return one({ ms: session.database.scheduler.nowMs - from });
  },
  turn_end(session, { values }) {
    session.database.locks.release(values[0] as string, session);
    return none;
  },
  async share(session, { values }) {
    await session.lock(values[0] as string, 'transaction', true);
    return none;
  },
  sets: ({ database }) => one({ stamp: projectionStamp(database.schema), ready: true }),
  evidence: (session, { values }) => one({ evidence: evidence(session, values[0], values[1]) }),
  take,
  integrate,
  head(session, { values }) {
    const { size, root, note } = session.database.tables.head;
    return one({ size, root, note, evidence: evidence(session, values[0], values[1]) });
  },
  index_of({ database }, { values }) {
    const idx = database.tables.places.get(values[0] as number);
    return idx === undefined ? none : one({ idx });
  },
  tile({ database }, { values }) {
    const [level, n, bytes] = values as [number, number, number];
    const tile = database.tables.tiles.get(`${level}/${n}`);
    return tile === undefined ? none : one({ bytes: Buffer.from(tile.bytes, 'hex').subarray(0, bytes) });
  },
  leaves: leavesOfRange,
  roots({ database }, { values }) {
    const [level, from, to] = values as [number, number, number];
    const roots: Buffer[] = [];
    for (let n = from; n < to; n++)
      roots.push(Buffer.from(database.tables.tiles.get(`${level}/${n}`)?.root ?? '', 'hex'));
    return one({ bytes: Buffer.concat(roots) });
  },
  texts({ database }, { values }) {
    const [from, limit] = values as [number, number];
    const { log, entries } = database.tables;
    return {
      rows: log
        .slice(from, from + limit)
        .map(({ seq }, i) => ({ index: from + i, text: entries.get(seq)?.text })),
    };
  },
};

const words: readonly (readonly [RegExp, Handler])[] = [
  [/^SET LOCAL/, setLocal],
  [/^\s*SET /, set],
  [/^SELECT 1$/, () => one({})],
  [/pg_is_in_recovery\(\) AS standby, own/, ({ pid, began }) => one({ standby: false, pid, began })],
  [
    /pg_terminate_backend/,
    (session, { values }) => {
      for (const other of Array.from(session.database.sessions))
        if (other !== session && other.applicationName === values[0] && !other.awaitsStandby)
          other.terminate();
      return none;
    },
  ],
  [
    /SELECT wait_event FROM pg_stat_activity/,
    ({ database }, { values }) => {
      const found = [...database.sessions].find(({ pid, began }) => pid === values[0] && began === values[1]);
      return found === undefined ? none : one({ wait_event: found.awaitsStandby ? 'SyncRep' : null });
    },
  ],
  [
    /pg_try_advisory_lock\(\$1\)/,
    (session, { values }) => {
      const { database } = session;
      const elected = database.locks.tryTake(values[0] as string, session, 'session');
      return one({ elected: elected || database.electsAnyUntilMs > database.scheduler.nowMs });
    },
  ],
  [
    /pg_advisory_xact_lock\(\$1\)/,
    async (session, { values }) => {
      await session.lock(values[0] as string, 'transaction');
      return none;
    },
  ],
  [/nextval\('entry_unit'\)/, (session, { values }) => one(draw(session, values[0] as number))],
  [
    /SELECT text FROM entry WHERE seq = \$1/,
    ({ database }, { values }) => {
      const entry = database.tables.entries.get(values[0] as number);
      return entry === undefined ? none : one({ text: entry.text });
    },
  ],
  [
    /pg_logical_emit_message/,
    async (session) => {
      await change(session, { kind: 'message' });
      return none;
    },
  ],
  [/FROM tile t JOIN json_to_recordset/, tilesOf],
  [/FROM log l JOIN entry e .* WHERE l.idx >= \$1 AND l.idx < \$2/, leavesOfRange],
  [/^SELECT value FROM keyring WHERE name = \$1/, keyringGet],
  [/^INSERT INTO keyring/, keyringInsert],
  [/^UPDATE keyring/, keyringUpdate],
];

/** A change of the open transaction, or, outside of one, a transaction of its own. */
async function change(session: Session, made: Change): Promise<void> {
  if (session.changes === undefined) await session.write([made]);
  else session.changes.push(made);
}

// Settings

function set(session: Session, { text }: { readonly text: string }): Rows {
  const ms = (name: string): number | undefined => {
    const [, value, unit] = new RegExp(`SET ${name} = '?(\\d+)(s|ms)?'?`).exec(text) ?? [];
    return value === undefined ? undefined : Number(value) * (unit === 's' ? 1000 : 1);
  };
  session.lockTimeoutMs = ms('lock_timeout') ?? session.lockTimeoutMs;
  session.idleInTransactionMs = ms('idle_in_transaction_session_timeout') ?? session.idleInTransactionMs;
  session.idleMs = ms('idle_session_timeout') ?? session.idleMs;
  session.channel = /LISTEN (\w+)/.exec(text)?.[1] ?? session.channel;
  return none;
}

function setLocal(session: Session, { text }: { readonly text: string }): Rows {
  if (text.includes('lock_timeout')) session.localLockTimeoutMs = 100;
  else session.localIdleInTransactionMs = 5000;
  return none;
}

// Batches

function draw(session: Session, units: number): { readonly first: number; readonly last: number } {
  const drawn = Array.from({ length: units }, () => session.database.nextUnit());
  return { first: drawn[0] as number, last: drawn.at(-1) as number };
}

interface Asked {
  readonly i: number;
  readonly aggregate: string;
  readonly id: string;
  readonly known: number | null;
}

function load(session: Session, values: readonly unknown[], isNumbered: boolean): Rows {
  const { tables } = session.database;
  const [asked, units, ...rest] = values as [string, number, ...unknown[]];
  const [size, own] = isNumbered ? rest : [units, ...rest];
  // The snapshot is older than the numbers.
  const rows = [
    { i: evidenceAt, state: evidence(session, size, own) },
    ...(JSON.parse(asked) as Asked[]).map(({ i, aggregate, id, known }) => ({
      i,
      state:
        aggregate === chainAggregate
          ? [0, (tables.chains.get(id) ?? []).map((entry) => tables.event(entry))]
          : tables.state(aggregate, id, known),
    })),
  ];
  if (isNumbered) Object.assign(rows[0] as object, draw(session, units));
  return { rows };
}

async function write(
  session: Session,
  { text, values }: Required<Pick<Query, 'text' | 'values'>>,
): Promise<Rows> {
  const [first, count, entries, contents, stamped, ...rest] = values as [number, number, ...string[]];
  const steps = [...text.matchAll(/(put|remove)\d+ AS \((?:INSERT INTO|DELETE FROM) "([^"]+)"/g)];
  const changed = steps.map(([, kind, table], i) => ({
    kind,
    table: table as string,
    rows: JSON.parse(rest[i] as string) as JsonRow[],
  }));
  if (rest.length > changed.length) throw new Error('The simulated database scrubs nothing');
  await change(session, {
    kind: 'batch',
    first,
    count,
    entries: JSON.parse(entries as string) as EntryRow[],
    contents: JSON.parse(contents as string) as ContentRow[],
    stamped: JSON.parse(stamped as string) as { aggregate: string; id: string }[],
    puts: changed.filter(({ kind }) => kind === 'put'),
    removes: changed.filter(({ kind }) => kind === 'remove'),
  });
  return none;
}

// The log

/** One row of `evidence` (rollback-guard.ts). */
function evidence({ database }: Session, known: unknown, ownSeq: unknown): EvidenceRow {
  const { head, log, entries, keyring, units } = database.tables;
  const size = known as number;
  const own = entries.get(ownSeq as number);
  const lost = keyring.get(lostCheckpoint) ?? '';
  return [
    database.identity,
    String(database.started),
    false,
    units,
    head.size,
    head.root?.toString('hex') ?? null,
    head.size > size ? head.note : null,
    log[size - 1]?.root?.toString('hex') ?? null,
    own === undefined ? null : `${own.chain}#${own.n} ${createHash('sha256').update(own.text).digest('hex')}`,
    lost === '' ? null : lost,
    head.database,
  ];
}

function leafBytes(session: Session, seqs: readonly number[]): Buffer | null {
  const { entries } = session.database.tables;
  const found = seqs.flatMap((seq) => entries.get(seq) ?? []);
  return found.length === 0 ? null : Buffer.concat(found.map(({ text }) => leafHash(text)));
}

function leavesOfRange(session: Session, { values }: { readonly values: readonly unknown[] }): Rows {
  const [from, to] = values as [number, number];
  const seqs = session.database.tables.log.slice(from, to).map(({ seq }) => seq);
  return one({ bytes: leafBytes(session, seqs) });
}

function tilesOf({ database }: Session, { values }: { readonly values: readonly unknown[] }): Rows {
  const asked = JSON.parse(values[0] as string) as { readonly level: number; readonly n: number }[];
  const rows = asked.flatMap(({ level, n }) => {
    const tile = database.tables.tiles.get(`${level}/${n}`);
    return tile === undefined ? [] : [{ level, n, bytes: Buffer.from(tile.bytes, 'hex') }];
  });
  return { rows };
}

function take(session: Session, { text }: { readonly text: string }): Rows {
  const limit = Number(/LIMIT (\d+)/.exec(text)?.[1]);
  const pending = [...session.database.tables.pending].sort(([a], [b]) => a - b).slice(0, limit);
  const rows = pending.map(([first, count]) => ({
    first,
    count,
    leaves: leafBytes(
      session,
      Array.from({ length: count }, (_, i) => first + i),
    ),
  }));
  return { rows };
}

async function integrate(
  session: Session,
  { text, values }: Required<Pick<Query, 'text' | 'values'>>,
): Promise<Rows> {
  const { database } = session;
  const [before, size, root, note, takenJson, tilesJson, channel, oldRoot, identity] = values as [
    number,
    number,
    Buffer,
    string,
    string,
    string,
    string,
    Buffer,
    string,
  ];
  const made: Change = {
    kind: 'integrate',
    size,
    root: Buffer.from(root),
    note,
    database: identity,
    taken: JSON.parse(takenJson) as Taken[],
    tiles: JSON.parse(tilesJson) as TileRow[],
  };
  await database.othersEnded([made]);
  const { head } = database.tables;
  const isFenced = text.includes('WHERE size = $1') && !database.isUnfenced;
  const comparesRoot = text.includes('AND (size = 0 OR root = $8)') && !database.isUnfenced;
  if (isFenced && head.size !== before) return { rows: [], rowCount: 0 };
  if (comparesRoot && head.size > 0 && head.root?.equals(oldRoot) !== true) return { rows: [], rowCount: 0 };
  await change(session, made);
  for (const other of database.sessions) if (other.channel === channel) other.notify(String(size));
  return { rows: [{}], rowCount: 1 };
}

// The keyring

function keyringGet({ database }: Session, { values }: { readonly values: readonly unknown[] }): Rows {
  const value = database.tables.keyring.get(values[0] as string);
  return value === undefined ? none : one({ value });
}

async function keyringInsert(
  session: Session,
  { text, values }: Required<Pick<Query, 'text' | 'values'>>,
): Promise<Rows> {
  const isLost = text.includes(`VALUES ('${lostCheckpoint}', $1)`);
  const [name, value] = (isLost ? [lostCheckpoint, values[0]] : values) as [string, string];
  await session.database.othersEnded([{ kind: 'keyring', name, value }]);
  const known = session.database.tables.keyring.get(name);
  const replaces = text.includes('DO UPDATE') && !(text.includes("keyring.value = ''") && known !== '');
  if (known !== undefined && !replaces) return none;
  await change(session, { kind: 'keyring', name, value });
  return one({ name });
}

async function keyringUpdate(
  session: Session,
  { text, values }: Required<Pick<Query, 'text' | 'values'>>,
): Promise<Rows> {
  const [name, expected, value] = values as [string, string, string];
  await session.database.othersEnded([{ kind: 'keyring', name, value }]);
  const known = session.database.tables.keyring.get(name);
  if (known === undefined || (text.includes('AND value = $2') && known !== expected)) return none;
  await change(session, { kind: 'keyring', name, value });
  return one({ name });
}
