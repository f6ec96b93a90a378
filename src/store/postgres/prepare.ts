/**
 * The start of a node on a database, in order (contract §0, §6): checks of server and connection, of the right to
 * write and of the deployment's keys, then the upgrade, then the rebuild of projections that other projectors made. An
 * advisory lock admits one node at a time; nothing but the probe's scratch table is written before all checks pass.
 */
import type pg from 'pg';
import type { Schema } from '../../engine/act.ts';
import {
  checkWritable,
  NotUpgraded,
  projectionStamp,
  unversionedLedger,
  writtenByThisBuild,
} from '../../engine/ledger-version.ts';
import { OperatorError, LedgerInUse, type Admit } from '../../engine/store.ts';
import { SqlKeyring } from '../sql.ts';
import { migrate } from './migrations.ts';
import { refuseUnlike } from './probe.ts';
import { rowsFrom } from './read-pool.ts';
import { isUnused, migrationLock, projectionSets, removeUnusedSets, setOnly } from './projection-sets.ts';
import { buildBeside, renewProjections } from './replace-projections.ts';
import { isAlone, refusePooler, waitForLock } from './sessions.ts';
import { createTable } from './sql.ts';
import { checkTransfer, storedLedger, storeVersion } from './version.ts';

export interface Preparation {
  readonly schema: Schema;
  /** Whether a database of a build before ledgers had a version is upgraded; otherwise it is refused. */
  readonly upgrades: boolean;
  readonly admit: Admit;
  /** Told of entries replayed where the projections have to be made again; undefined while another node does that. */
  readonly onReplay: (done: number | undefined) => void;
}

export interface Prepared {
  /** What this deployment's locks begin with: several may share a database, in a schema each. */
  readonly namespace: string;
  /** Whether there are projections of another version, too. */
  readonly isBeside: boolean;
}

/** The lock is held until `client` ends, so that the next node starts once this one can be seen. */
export async function prepareDatabase(
  client: pg.Client,
  second: pg.Client,
  preparation: Preparation,
): Promise<Prepared> {
  const { upgrades, admit, onReplay } = preparation;
  const namespace = await checkServer(client);
  await refusePooler(client, second);
  await refuseUnlike(client, second);
  await waitForLock(client, migrationLock(namespace), () => onReplay(undefined));
  const found = await storedLedger(client);
  const isNew = found.steps === 0;
  if (found.version !== undefined) {
    checkWritable(found.version);
    await checkTransfer(client);
  } else if (!isNew) await checkUpgrade(client, namespace, upgrades);
  if (isNew) await migrate(client, found);
  await admit({
    keyring: new SqlKeyring(rowsFrom(client)),
    checkpoint: await checkpointOf(client),
    isAlone: () => isAlone(client, namespace),
  });
  if (!isNew) await migrate(client, found);
  const isBeside = await prepareProjections(client, namespace, preparation, isNew);
  return { namespace, isBeside };
}

/** Answers with the name of the deployment's locks. */
export async function checkServer(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: number; encoding: string; schema: string | null }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding, current_schema() AS schema",
  );
  const { version, encoding, schema } = rows[0] as (typeof rows)[number];
  if (version < 140_000)
    throw new OperatorError(
      `DATABASE_URL leads to PostgreSQL ${Math.floor(version / 10_000)}; it accepts PostgreSQL 14 or newer.`,
    );
  if (encoding !== 'UTF8')
    throw new OperatorError(
      `DATABASE_URL leads to a database that is encoded in ${encoding}; the database must be encoded in UTF8.`,
    );
  if (schema === null)
    throw new OperatorError(
      'DATABASE_URL leads to a database whose search_path names no schema that exists; it accepts one with such a schema.',
    );
  return `colophon\0${schema}`;
}

/** A build that checks no version would go on writing what it knows. */
async function checkUpgrade(client: pg.Client, namespace: string, upgrades: boolean): Promise<void> {
  if (!upgrades) throw new NotUpgraded();
  if (!(await isAlone(client, namespace)))
    throw new LedgerInUse(
      `${unversionedLedger}, and nodes of that version use the database: stop them, then start this one, which upgrades it.`,
    );
}

async function checkpointOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ note: string | null }>('SELECT note FROM log_head');
  return rows[0]?.note ?? null;
}

/** Answers with whether another set of projections is in use. */
async function prepareProjections(
  client: pg.Client,
  namespace: string,
  { schema, upgrades, onReplay }: Preparation,
  isNew: boolean,
): Promise<boolean> {
  const { version } = await storedLedger(client);
  const stamp = projectionStamp(schema);
  if (isNew) for (const table of schema.tables) await client.query(createTable(table, schema));
  const isHome = isNew || version?.projections === stamp;
  if (isHome && (await projectionSets(client)).length === 0) await setOnly(client, schema);
  const own = (await projectionSets(client)).find((set) => set.stamp === stamp);
  const isMade = own?.ready === true && (own.place !== '' || isHome);
  let others = await usedOthers(client, namespace, stamp);
  if (!isMade && others === 0) {
    if (!(await isAlone(client, namespace))) throw new LedgerInUse(besideUnknown);
    await renewProjections(client, schema, onReplay);
  } else if (!isMade) {
    if (!upgrades) throw new LedgerInUse(besideOther);
    if (others > 1) throw new LedgerInUse(besideTwo);
    await removeUnusedSets(client, namespace, schema);
    await buildBeside(client, namespace, schema, onReplay);
  } else if (others === 0 && (await projectionSets(client)).length > 1)
    await removeUnusedSets(client, namespace, schema);
  const sets = await projectionSets(client);
  others = sets.length - 1;
  const { version: before } = await storedLedger(client);
  const home = sets.some((set) => set.stamp === stamp && set.place === '') ? stamp : before?.projections;
  const next = writtenByThisBuild(before, home ?? null);
  if (before === undefined || JSON.stringify(next) !== JSON.stringify(before))
    await storeVersion(client, next);
  return others > 0;
}

const besideUnknown =
  'The projections of the database are of another version, and nodes of that version use it: stop them, then start this one, which makes the projections again.';
const besideOther =
  'The projections of the database are of another version, and nodes of that version use it: run the command of that version, or start a node of this one first.';
const besideTwo =
  'Nodes of two other versions use the database: stop those of one of them, then start this one.';

async function usedOthers(client: pg.Client, namespace: string, stamp: string): Promise<number> {
  let used = 0;
  for (const set of await projectionSets(client))
    if (set.stamp !== stamp && !(await isUnused(client, namespace, set.stamp))) used++;
  return used;
}
