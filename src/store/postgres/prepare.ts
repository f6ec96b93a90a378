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
import { lockId } from './connection.ts';
import { SqlKeyring } from '../sql.ts';
import { migrate } from './migrations.ts';
import { refuseUnlike } from './probe.ts';
import { rowsFrom } from './read-pool.ts';
import { renewProjections } from './replace-projections.ts';
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

/**
 * Answers with the name that this deployment's locks begin with: several may share a database, in a schema each. The
 * lock is held until `client` ends, so that the next node starts once this one can be seen.
 */
export async function prepareDatabase(
  client: pg.Client,
  second: pg.Client,
  { schema, upgrades, admit, onReplay }: Preparation,
): Promise<string> {
  const namespace = await checkServer(client);
  await refusePooler(client, second);
  await refuseUnlike(client, second);
  await waitForLock(client, lockId(`${namespace}\0migrate`), () => onReplay(undefined));
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
  await prepareProjections(client, namespace, schema, isNew, onReplay);
  return namespace;
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

async function prepareProjections(
  client: pg.Client,
  namespace: string,
  schema: Schema,
  isNew: boolean,
  onReplay: (done: number) => void,
): Promise<void> {
  const { version } = await storedLedger(client);
  const stamp = projectionStamp(schema);
  if (isNew) for (const table of schema.tables) await client.query(createTable(table, schema));
  else if (version?.projections !== stamp) {
    if (!(await isAlone(client, namespace)))
      throw new LedgerInUse(
        'The projections of the database are of another version, and nodes of that version use it: stop them, then start this one, which makes the projections again.',
      );
    await renewProjections(client, schema, onReplay);
  }
  const next = writtenByThisBuild(version, stamp);
  if (version === undefined || JSON.stringify(next) !== JSON.stringify(version))
    await storeVersion(client, next);
}
