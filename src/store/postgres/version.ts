/** The version of a ledger in a database (contract §6): a row of its keyring, written in the transaction of each step. */
import type pg from 'pg';
import {
  checkReadable,
  NotUpgraded,
  readVersion,
  versionName,
  versionText,
  type LedgerVersion,
} from '../../engine/ledger-version.ts';
import { checkTransferMarks } from '../../engine/transfer.ts';

export interface FoundLedger {
  /** Steps of `migrations.ts` that were applied; 0 in a database that was never used. */
  readonly steps: number;
  /** Undefined where there is nothing yet, or what a build of before ledgers had a version has left. */
  readonly version: LedgerVersion | undefined;
}

export async function storedLedger(client: pg.ClientBase): Promise<FoundLedger> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    "SELECT to_regclass('migration') IS NOT NULL AND to_regclass('keyring') IS NOT NULL AS there",
  );
  if (tables[0]?.there !== true) return { steps: 0, version: undefined };
  const { rows } = await client.query<{ steps: number; version: string | null }>(
    'SELECT (SELECT coalesce(max(n), 0) FROM migration) AS steps, (SELECT value FROM keyring WHERE name = $1) AS version',
    [versionName],
  );
  const { steps, version } = rows[0] as { steps: number; version: string | null };
  return { steps, version: version === null ? undefined : readVersion(version) };
}

/** For readers: throws `UnsupportedLedger` if this build may not read the ledger, or if it was not upgraded yet. */
export async function checkReadableDatabase(client: pg.ClientBase): Promise<void> {
  const { steps, version } = await storedLedger(client);
  if (version !== undefined) checkReadable(version);
  else if (steps > 0) throw new NotUpgraded();
}

/** Throws where the ledger was transferred, or is not whole yet. */
export async function checkTransfer(client: pg.ClientBase): Promise<void> {
  const marks = await keyringOf(client);
  checkTransferMarks((name) => marks.get(name));
}

export async function keyringOf(client: pg.ClientBase): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>('SELECT name, value FROM keyring');
  return new Map(rows.map(({ name, value }) => [name, value]));
}

export async function storeVersion(client: pg.ClientBase, version: LedgerVersion): Promise<void> {
  await client.query(
    'INSERT INTO keyring (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [versionName, versionText(version)],
  );
}
