/** What an upgrade of a ledger by this build will do (contract §6), for `colophon doctor` to tell before anything is changed. */
import { ownVersion, type LedgerVersion } from '../engine/ledger-version.ts';
import { ok, warn, type Diagnosis } from '../engine/store-kind.ts';

/** Seconds for a million entries, of a machine with two busy cores (docs/sizing.md). */
const replaySeconds = 240;

export interface UpgradeOf {
  readonly found: LedgerVersion;
  readonly entries: number;
  /** Whether there is a search index of this build's making. */
  readonly hasSearch: boolean;
  /** The `projectionStamp` of this build. */
  readonly stamp: string;
  readonly isShared: boolean;
}

export function upgradePlan({ found, entries, hasSearch, stamp, isShared }: UpgradeOf): Diagnosis {
  const rises = ownVersion.schema > found.schema;
  const projects = found.projections !== stamp;
  if (!rises && !projects && hasSearch) return ok('upgrade', 'this build needs none');
  const parts = [
    rises ? `schema ${found.schema} becomes ${ownVersion.schema}` : `schema ${found.schema} stays`,
    projects
      ? `the projections are made again from ${entries} entries, which takes about ${durationOf(entries)}`
      : 'the projections stay',
    ...(hasSearch ? [] : ['the search index is made again beside the service']),
    isShared ? 'nodes can be replaced one by one' : 'the server is stopped for it',
    ownVersion.writableFrom > found.schema
      ? 'going back takes the backup'
      : `builds of schema ${found.schema} can take it back`,
  ];
  return warn(
    'upgrade',
    parts.join('; '),
    'Make a backup, read Upgrading in CHANGELOG.md, then run colophon serve.',
  );
}

/** Of a ledger of 0.1.0 or older. */
export const firstUpgrade = warn(
  'upgrade',
  `the ledger gets schema ${ownVersion.schema}; the projections and the search index are made again, about ${durationOf(1_000_000)} for a million entries; every server or node of 0.1.0 has to be stopped first; going back takes the backup`,
  'Follow docs/upgrading.md.',
);

function durationOf(entries: number): string {
  const seconds = (entries / 1_000_000) * replaySeconds;
  return seconds < 60 ? 'a minute' : `${Math.ceil(seconds / 60)} minutes`;
}
