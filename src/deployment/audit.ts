/**
 * `colophon verify` and `rebuild --check` on a deployment (contract §6): the ledger's bytes are recomputed, the root is
 * compared with the signed checkpoints (the stored one and those kept apart), projections with their replay, and the
 * search index with the projections. Reads one moment of the ledger and changes nothing.
 */
import { cosignedRecords, storedNote } from '../app/background/cosigning-records.ts';
import type { Config } from '../config.ts';
import type { AuditReport, AuditRequest } from '../doors/cli/command.ts';
import type { ReplayReport, RowDifference } from '../engine/check-projections.ts';
import type { Schema } from '../engine/act.ts';
import {
  NotUpgraded,
  projectionStamp,
  UnsupportedLedger,
  type FoundVersion,
} from '../engine/ledger-version.ts';
import type { LedgerAudit, LedgerSnapshot, StoreKind } from '../engine/store-kind.ts';
import { lostCheckpoint, UnreplayableEntry } from '../engine/store.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import type { VerifierKey } from '../ledger/note.ts';
import { judgeNote, parsePolicy, trustsLog } from '../ledger/policy.ts';
import { isRefusal } from '../ledger/refusal.ts';
import {
  copiesOfThisLog,
  readCheckpointCopies,
  claimedSize,
  type CheckpointCopy,
} from './checkpoint-file.ts';
import { verifierKeyOf } from './start-keys.ts';

/** Loaded where rows are compared: an audit of the ledger alone does without what projects it. */
const projecting = async () => ({
  ...(await import('../domain/schema.ts')),
  ...(await import('../engine/check-projections.ts')),
});

export async function auditDeployment(
  config: Config,
  kind: StoreKind,
  options: AuditRequest,
): Promise<AuditReport> {
  // Read before the ledger: beside a running server the ledger may be longer than these, never shorter.
  const apart = readCheckpointCopies(config);
  return kind.withSnapshot(async (ledger) => {
    const { previous, policy } = options;
    const kept = [...apart, ...(await cosignedIn(config, ledger))];
    const before = previous === undefined ? [] : [previous];
    const sizes = new Set([...kept.map(({ note }) => note), ...before].map(claimedSize));
    const audit = await ledger.audit({ ...options, sizes });
    const { entries, pending, contents, scrubbed } = audit;
    const common = { entries, pending, contents, scrubbed, root: Buffer.from(audit.root).toString('base64') };
    const problems = [...audit.problems];
    try {
      problems.push(...(await checkpointProblems(config, ledger, audit, kept)));
      const key = await verifierKeyOf(config, (name) => ledger.keyring(name));
      for (const note of before)
        problems.push(...(await compareCheckpoint('given', note, audit, key, false)));
      if (policy !== undefined) problems.push(...quorumProblems(policy, audit, kept, key));
      // One that cannot be read is among the problems.
      const version = await ledger.version().catch(() => undefined);
      if (version === 'unversioned')
        return { ...common, rows: null, problems, note: notCompared(new NotUpgraded().message) };
      if (options.ledgerOnly || problems.length > 0) return { ...common, rows: null, problems };
      const { schema, checkProjections } = await projecting();
      const reason = whyIncomparable(version, schema);
      if (reason !== undefined) return { ...common, rows: null, problems, note: notCompared(reason) };
      const replay = await kind.openReplay(schema);
      const { rows, differences } = await checkProjections(ledger, schema, replay, () => undefined);
      return { ...common, rows, problems: differences.map(describeDifference) };
    } catch (error) {
      if (!(error instanceof UnreplayableEntry)) throw error;
      problems.push(`the ledger cannot be read to its end: ${error.message}`);
      return { ...common, rows: null, problems };
    }
  });
}

/** Compares every projection with its replay, and asks the search index. */
export async function checkDeployment(
  kind: StoreKind,
  progress: (done: number) => void,
): Promise<ReplayReport> {
  const { schema, checkProjections } = await projecting();
  return kind.withSnapshot(async (ledger) => {
    const reason = whyIncomparable(await ledger.version(), schema);
    if (reason !== undefined) throw new UnsupportedLedger(reason);
    const search = await ledger.openSearch();
    const report = await checkProjections(ledger, schema, await kind.openReplay(schema), progress);
    if (search === undefined) return report;
    // The index is compared by its answers: it is no table that a replay gives.
    const { checkSearch } = await import('../app/background/check-search.ts');
    const wrong = await checkSearch(ledger, search, report.entries);
    const differences = wrong.map(({ key, wanted, answered }) => ({
      table: 'search index',
      key,
      replayed: { ...wanted },
      live: answered === null ? null : { ...answered },
    }));
    return { ...report, differences: [...report.differences, ...differences] };
  });
}

/** The newest cosigned checkpoint that is stored with the ledger; what keeps it from being read is found by the audit. */
async function cosignedIn(config: Config, ledger: LedgerSnapshot): Promise<readonly CheckpointCopy[]> {
  try {
    const { name } = await verifierKeyOf(config, (of) => ledger.keyring(of));
    const note = storedNote(await ledger.keyring(cosignedRecords + name));
    return note === undefined ? [] : [{ path: 'the keyring', note }];
  } catch {
    return [];
  }
}

async function checkpointProblems(
  config: Config,
  ledger: LedgerSnapshot,
  audit: LedgerAudit,
  kept: readonly CheckpointCopy[],
): Promise<string[]> {
  const key = await verifierKeyOf(config, (name) => ledger.keyring(name));
  const problems: string[] = [];
  const [reason = ''] = ((await ledger.keyring(lostCheckpoint)) ?? '').split('\n');
  if (reason !== '') problems.push(`a running node found that the database was set back: ${reason}`);
  if (audit.checkpoint !== null || audit.entries > 0)
    problems.push(
      ...(await compareCheckpoint('stored in the ledger', audit.checkpoint ?? '', audit, key, true)),
    );
  for (const { note } of await copiesOfThisLog(kept, ledger))
    problems.push(...(await compareCheckpoint('kept apart', note, audit, key, false)));
  return problems;
}

/** One checkpoint with a quorum is enough; those that disagree with the ledger were named before. */
function quorumProblems(
  file: Uint8Array,
  { checkpoint }: LedgerAudit,
  kept: readonly CheckpointCopy[],
  key: VerifierKey,
): string[] {
  const policy = parsePolicy(file);
  if (isRefusal(policy)) return [policy.refused];
  if (!trustsLog(policy, key)) return [`the policy does not trust the key of ${key.name}`];
  const notes = [...(checkpoint === null ? [] : [checkpoint]), ...kept.map(({ note }) => note)];
  const judged = notes.map((note) => judgeNote(note, policy, [key]));
  if (judged.some((each) => !isRefusal(each) && each.hasQuorum)) return [];
  const [first] = judged;
  if (first === undefined)
    return [`no checkpoint is stored that the quorum ${policy.quorum} could have cosigned`];
  return [`the newest checkpoint is ${isRefusal(first) ? `refused: ${first.refused}` : first.summary}`];
}

async function compareCheckpoint(
  which: string,
  note: string,
  audit: LedgerAudit,
  key: VerifierKey,
  mustCoverAll: boolean,
): Promise<string[]> {
  const { entries } = audit;
  const checkpoint = openCheckpoint(note, [key]);
  if (isRefusal(checkpoint)) return [`the checkpoint ${which} does not verify: ${checkpoint.refused}`];
  const covers = `the checkpoint ${which} covers ${checkpoint.size} entries; the ledger has ${entries}`;
  if (checkpoint.size > entries) return [`${covers}: entries are missing at its end`];
  if (mustCoverAll && checkpoint.size < entries)
    return [`${covers}: entries were added that no checkpoint covers`];
  if (!Buffer.from(await audit.rootAt(checkpoint.size)).equals(checkpoint.root))
    return [`the checkpoint ${which} signs another root over the first ${checkpoint.size} entries`];
  return [];
}

function notCompared(reason: string): string {
  return `The projections were not compared. ${reason}`;
}

/** Why the projections say nothing about the ledger: the next start makes them again. Undefined where they do. */
function whyIncomparable(version: FoundVersion | undefined, schema: Schema): string | undefined {
  if (version === 'unversioned') return new NotUpgraded().message;
  if (version === undefined || version === 'empty' || version.projections === projectionStamp(schema))
    return undefined;
  return `The projections were made by the projectors of another version (the last was ${version.build}); the next start of colophon serve makes them again, as does colophon rebuild.`;
}

function describeDifference({ table, key, replayed, live }: RowDifference): string {
  if (replayed === null && live === null) return `projection ${table}: ${key}`;
  return `projection ${table}, row ${key}: ${live === null ? 'missing' : replayed === null ? 'not in the ledger' : 'differs from what the ledger gives'}`;
}
