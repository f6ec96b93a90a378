/**
 * The version that a ledger bears (contract §6): its schema, the oldest schemas whose builds may read and write it, the
 * build that last wrote, and what its projections were made with. Both stores keep it as one row of their keyring and
 * judge it here before they touch anything else.
 */
import { buildVersion } from '../kernel/build.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { canonicalJson } from '../kernel/json.ts';
import type { Schema } from './act.ts';
import { OperatorError } from './store.ts';
import { columnOf } from './tables.ts';

export interface LedgerVersion {
  /** Counts the changes of what is stored, projections aside. */
  readonly schema: number;
  /** A build that knows an older schema than this must not read, or not write. */
  readonly readableFrom: number;
  readonly writableFrom: number;
  /** The build that last opened the ledger to write. */
  readonly build: string;
  /** `projectionStamp` of the build that made the projections; null until they are made. */
  readonly projections: string | null;
}

/**
 * What this build reads and writes. A change that builds of the schema before can live with raises `schema` alone; the
 * release after it may raise `readableFrom` and `writableFrom`, and remove what only older builds needed.
 */
export const ownVersion = { schema: 1, readableFrom: 1, writableFrom: 1, build: buildVersion } as const;

/** The name of its row in the keyring. */
export const versionName = 'ledger_version';

/** `unversioned`: written before ledgers had a version; `empty`: nothing was ever stored. */
export type FoundVersion = LedgerVersion | 'unversioned' | 'empty';

/** The start or the verb stops: this build may not touch the ledger, or not yet. The message is the one line to print. */
export class UnsupportedLedger extends OperatorError {}

/** A ledger without a version was written by 0.1.0 or by a build before it. */
export const unversionedLedger =
  'The ledger was written by Colophon 0.1.0 or older and has no schema version yet';

/** Nothing but `colophon serve` upgrades such a ledger. */
export class NotUpgraded extends UnsupportedLedger {
  constructor() {
    super(`${unversionedLedger}; make a backup, then run colophon serve, which upgrades it.`);
  }
}

/** What opening to read or to write needs: throws `UnsupportedLedger` where a newer build has ruled it out. */
export function checkReadable(found: LedgerVersion): void {
  if (found.readableFrom > ownVersion.schema) throw tooNew(found, 'read', found.readableFrom);
}

export function checkWritable(found: LedgerVersion): void {
  checkReadable(found);
  if (found.writableFrom > ownVersion.schema) throw tooNew(found, 'write', found.writableFrom);
}

function tooNew(found: LedgerVersion, verb: string, from: number): UnsupportedLedger {
  return new UnsupportedLedger(
    `The ledger has schema ${found.schema}; to ${verb} it takes a build of schema ${from} or newer, and this is ${buildVersion} of schema ${ownVersion.schema}. Start Colophon ${found.build}, which last wrote to it, or a newer version.`,
  );
}

/** What the ledger bears once this build writes to it; the marks of a newer build that lets it write stay. */
export function writtenByThisBuild(
  found: LedgerVersion | undefined,
  projections: string | null,
): LedgerVersion {
  return {
    schema: Math.max(found?.schema ?? 0, ownVersion.schema),
    readableFrom: Math.max(found?.readableFrom ?? 0, ownVersion.readableFrom),
    writableFrom: Math.max(found?.writableFrom ?? 0, ownVersion.writableFrom),
    build: buildVersion,
    projections,
  };
}

/** Changes with the version number of the projectors, every table's description and the members filled in. */
export function projectionStamp({ version, tables, laterMembers }: Schema): string {
  const described = tables.map((table) => ({
    name: table.name,
    key: table.keyNames,
    columns: table.names.map((name) => {
      const { type, nullable } = columnOf(table, name);
      return [name, type, nullable];
    }),
    aggregate: table.aggregate ?? null,
    compact: table.compact,
    indexes: table.indexes,
  }));
  return `${version}-${sha256Hex(canonicalJson({ described, laterMembers })).slice(0, 16)}`;
}

export function versionText(version: LedgerVersion): string {
  return canonicalJson({ ...version });
}

/** Members that a newer build added are passed over. */
export function readVersion(text: string): LedgerVersion {
  let found: Partial<LedgerVersion> | null;
  try {
    found = JSON.parse(text) as Partial<LedgerVersion> | null;
  } catch {
    found = null;
  }
  const { schema, readableFrom, writableFrom, build, projections } = found ?? {};
  const counts = [schema, readableFrom, writableFrom];
  if (
    !counts.every((count) => Number.isSafeInteger(count) && (count as number) > 0) ||
    typeof build !== 'string' ||
    (typeof projections !== 'string' && projections !== null)
  )
    throw new UnsupportedLedger(
      'The schema version of the ledger cannot be read: its row was altered. Restore a backup.',
    );
  return { schema, readableFrom, writableFrom, build, projections } as LedgerVersion;
}
