/**
 * `colophon doctor` (contract §0): what is around a deployment, its keys, its ledger and its checkpoints. Changes
 * nothing and takes no long time: `colophon verify` is what recomputes every byte.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { hashTerminalKey, secretCheck } from '../app/credentials/secrets.ts';
import { cosignedRecords, storedNote } from '../app/background/cosigning-records.ts';
import { evidenceRecords, logName, readFork } from '../app/log-alarms.ts';
import type { Config } from '../config.ts';
import {
  type Diagnosis,
  type LedgerSnapshot,
  NoLedger,
  type StoreKind,
  fail,
  ok,
  warn,
} from '../engine/store-kind.ts';
import {
  type FoundVersion,
  NotUpgraded,
  UnsupportedLedger,
  checkWritable,
  projectionStamp,
} from '../engine/ledger-version.ts';
import { transferredTo, transferUnfinished } from '../engine/transfer.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import { judgeNote, trustsLog, type Policy } from '../ledger/policy.ts';
import { isRefusal } from '../ledger/refusal.ts';
import {
  type CheckpointCopy,
  claimedSize,
  copiesOfThisLog,
  disagreement,
  readCheckpointCopies,
} from './checkpoint-file.ts';
import { diagnoseBackups, readBackupNote } from './backup-note.ts';
import { dataFolder, diskSpace, listeningPort, nodeVersion, octalMode, providers } from './host-checks.ts';
import { firstUpgrade, upgradePlan } from './upgrade-plan.ts';
import { hasSecret, ownerHashName, secretCheckName, secretFile, verifierKeyOf } from './start-keys.ts';

const lagMax = 5000;

/** While entries wait for cosignatures, the newest one is no older. */
const cosignatureAgeMaxMs = 10 * 60_000;

export async function examineDeployment(
  config: Config,
  kind: StoreKind,
  isServing: boolean,
): Promise<readonly Diagnosis[]> {
  return [
    nodeVersion(),
    ok('settings', 'every value of the environment can be read'),
    ...dataFolder(config.dataFolder),
    ...ownKeys(config, kind),
    ...diskSpace(config.dataFolder, kind.storedBytes()),
    ...(await kind.diagnose(isServing)),
    ...(await ledger(config, kind)),
    ...(await backups(kind)),
    await listeningPort(config, isServing),
    providers(config),
  ];
}

/** A store that cannot be asked was diagnosed as such already. */
async function backups(kind: StoreKind): Promise<Diagnosis[]> {
  try {
    return [diagnoseBackups(await readBackupNote(kind), Date.now())];
  } catch {
    return [];
  }
}

function ownKeys(config: Config, kind: StoreKind): Diagnosis[] {
  const found: Diagnosis[] = [];
  const path = join(config.dataFolder, secretFile);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined)
    found.push(
      (stats.mode & 0o077) === 0
        ? ok(secretFile, 'its owner alone reads and writes it')
        : fail(secretFile, `it holds keys and has mode ${octalMode(stats.mode)}`, `Run chmod 600 ${path}`),
    );
  if (kind.storedBytes() > 0 && !hasSecret(config))
    found.push(
      fail(
        'secret key',
        `${secretFile} is missing and COLOPHON_SECRET_KEY is not set`,
        'Restore it from the backup: without it no share and no checkpoint of before is valid.',
      ),
    );
  if (kind.isShared && config.secretKey === undefined)
    found.push(
      fail(
        'secret key',
        'COLOPHON_SECRET_KEY is not set, and no node starts on a database without it',
        'Set COLOPHON_SECRET_KEY to the same value on every node that shares the database.',
      ),
    );
  return found;
}

async function ledger(config: Config, kind: StoreKind): Promise<readonly Diagnosis[]> {
  try {
    // Read before the ledger, which may grow meanwhile.
    const kept = readCheckpointCopies(config);
    return await kind.withSnapshot(async (snapshot) => {
      const search = await snapshot.openSearch();
      const { size } = await snapshot.head();
      return [
        ...(await transfers(kind, snapshot)),
        ...(await version(await snapshot.version(), size, search !== undefined, kind.isShared)),
        ...(kind.isShared ? await sharedKeys(config, snapshot) : []),
        ...(await checkpoints(config, snapshot, kept)),
        ...(await witnesses(config, snapshot, size)),
        ...(await forks(snapshot)),
        searchLag((await search?.cursor())?.size, size),
      ];
    });
  } catch (error) {
    if (error instanceof NoLedger)
      return [
        warn(
          'ledger',
          `there is none: ${error.message}`,
          'The first start makes one; if it should be there, correct the setting.',
        ),
      ];
    if (error instanceof NotUpgraded) return [unversioned, firstUpgrade];
    if (error instanceof UnsupportedLedger) return [notForThisBuild(error)];
    return [
      fail(
        'ledger',
        `it cannot be read: ${(error as Error).message}`,
        'Run colophon verify, which says where; then restore a backup.',
      ),
    ];
  }
}

/** A copy that was moved away, or that is not whole yet (contract §6). */
async function transfers(kind: StoreKind, snapshot: LedgerSnapshot): Promise<Diagnosis[]> {
  const to = (await snapshot.keyring(transferredTo)) ?? '';
  const from = (await snapshot.keyring(transferUnfinished)) ?? '';
  if (to !== '')
    return [
      warn(
        'transfer',
        `the ledger was transferred to ${to}, and this copy takes no writes`,
        `Serve it there. When that is backed up, delete this copy in ${kind.place}: scrubs do not reach it.`,
      ),
    ];
  return from === ''
    ? []
    : [
        fail(
          'transfer',
          `the transfer from ${from} was not finished here`,
          `Run the same colophon transfer again, with the settings of ${from}.`,
        ),
      ];
}

/** What a ledger says of itself. */
async function version(
  found: FoundVersion,
  entries: number,
  hasSearch: boolean,
  isShared: boolean,
): Promise<Diagnosis[]> {
  if (found === 'empty') return [ok('version', 'nothing is stored yet')];
  if (found === 'unversioned') return [unversioned, firstUpgrade];
  try {
    checkWritable(found);
  } catch (error) {
    return [notForThisBuild(error as UnsupportedLedger)];
  }
  const { schema: number, build, readableFrom, writableFrom, projections } = found;
  const { schema } = await import('../domain/schema.ts');
  return [
    ok(
      'version',
      `schema ${number}, last written by ${build}; builds from schema ${readableFrom} on may read it, from ${writableFrom} on write to it`,
    ),
    projections === projectionStamp(schema)
      ? ok('projections', 'made by the projectors of this version')
      : warn('projections', 'made by the projectors of another version', 'The next start makes them again.'),
    upgradePlan({ found, entries, hasSearch, stamp: projectionStamp(schema), isShared }),
  ];
}

const unversioned = warn(
  'version',
  'the ledger was written by Colophon 0.1.0 or older and has no schema version yet',
  'Make a backup, then run colophon serve, which upgrades it.',
);

function notForThisBuild(error: UnsupportedLedger): Diagnosis {
  return fail('version', error.message, 'Use the version that it names, or restore a backup.');
}

/** Keys that every node of the ledger must have (contract §0). */
async function sharedKeys(
  { secretKey, terminalKey }: Config,
  snapshot: LedgerSnapshot,
): Promise<Diagnosis[]> {
  const compare = (
    check: string,
    variable: string,
    own: string | undefined,
    stored: string | undefined,
  ): Diagnosis[] => {
    if (own === undefined || stored === undefined) return [];
    return [
      own === stored
        ? ok(check, `${variable} is the one of the database`)
        : fail(
            check,
            `${variable} is not the one of the database`,
            'Set it to the value that the other nodes have.',
          ),
    ];
  };
  const ownSecret = secretKey === undefined ? undefined : secretCheck(secretKey);
  const ownOwner = terminalKey === undefined ? undefined : hashTerminalKey(terminalKey);
  return [
    ...compare('secret key', 'COLOPHON_SECRET_KEY', ownSecret, await snapshot.keyring(secretCheckName)),
    ...compare('owner key', 'COLOPHON_TERMINAL_KEY', ownOwner, await snapshot.keyring(ownerHashName)),
  ];
}

/** The quorum of the policy, as the ledger has stored it. */
async function witnesses(config: Config, snapshot: LedgerSnapshot, size: number): Promise<Diagnosis[]> {
  let policy: Policy | undefined;
  try {
    policy = config.readPolicy()?.policy;
  } catch (error) {
    return [fail('witnesses', (error as Error).message, 'The next start of colophon serve is refused.')];
  }
  if (policy === undefined || !hasSecret(config) || size === 0) return [];
  const key = await verifierKeyOf(config, (name) => snapshot.keyring(name));
  if (!trustsLog(policy, key))
    return [
      fail('witnesses', 'the policy does not name the key of this log', `Add the line "log ${key.text}".`),
    ];
  const note = storedNote(await snapshot.keyring(cosignedRecords + key.name));
  const judged = note === undefined ? undefined : judgeNote(note, policy, [key]);
  if (judged === undefined || isRefusal(judged) || !judged.hasQuorum)
    return [
      warn(
        'witnesses',
        'no quorum of the policy has cosigned this log yet',
        'A running server asks them; /log says which do not answer.',
      ),
    ];
  const detail = `${judged.checkpoint.size} of ${size} entries, ${judged.summary}`;
  // 0 where the witnesses state no time.
  const newestMs = Math.max(...judged.cosigned.map(({ timeSeconds }) => timeSeconds)) * 1000;
  const ageMs = Date.now() - newestMs;
  if (judged.checkpoint.size >= size || ageMs <= cosignatureAgeMaxMs) return [ok('witnesses', detail)];
  const age =
    newestMs > 0
      ? `the newest cosignature is ${Math.round(ageMs / 60_000)} minutes old`
      : 'the cosignatures state no time';
  return [
    warn(
      'witnesses',
      `${detail}; ${age}`,
      'A running server asks the witnesses for newer entries; if this line stays, /log says what each answers.',
    ),
  ];
}

async function checkpoints(
  config: Config,
  snapshot: LedgerSnapshot,
  before: readonly CheckpointCopy[],
): Promise<Diagnosis[]> {
  const { size, checkpoint } = await snapshot.head();
  if (size === 0) return [ok('log', 'it is empty')];
  if (!hasSecret(config) || checkpoint === null)
    return [fail('log', 'nothing signs it', 'Run colophon verify.')];
  const key = await verifierKeyOf(config, (name) => snapshot.keyring(name));
  const kept = await copiesOfThisLog(before, snapshot);
  if (kept.length === 0)
    return [
      await storedCheckpoint(),
      warn(
        'checkpoint',
        `none is kept apart from the ledger in ${config.checkpointPath}`,
        'The next start writes it; was it taken away?',
      ),
    ];
  return [await storedCheckpoint(), ...(await Promise.all(kept.map(keptCheckpoint)))];

  async function storedCheckpoint(): Promise<Diagnosis> {
    const stored = openCheckpoint(checkpoint as string, [key]);
    if (isRefusal(stored))
      return fail(
        'log',
        `its checkpoint does not verify: ${stored.refused}`,
        'Was COLOPHON_SECRET_KEY changed? Put the old one back.',
      );
    return stored.size === size && Buffer.from(await snapshot.rootAt(size)).equals(stored.root)
      ? ok('log', `${size} entries, and the root that its checkpoint signs`)
      : fail(
          'log',
          `its ${size} entries are not the ${stored.size} that its checkpoint signs`,
          'Run colophon verify, which says where; then restore a backup.',
        );
  }

  async function keptCheckpoint({ path, note }: CheckpointCopy): Promise<Diagnosis> {
    const log = { size, rootAt: (of: number) => snapshot.rootAt(of) };
    const problem = await disagreement(log, note, key, `kept apart from it in ${path}`);
    if (problem !== undefined)
      return fail(
        'checkpoint',
        problem,
        'Restore the newer ledger, or start with --accept-rollback, which begins a new log with a new key.',
      );
    const minutes = Math.round((Date.now() - statSync(path).mtimeMs) / 60_000);
    return ok('checkpoint', `covers ${claimedSize(note)} of ${size} entries, written ${minutes} minutes ago`);
  }
}

/** Evidence that logs signed two histories; no line without evidence. */
async function forks(snapshot: LedgerSnapshot): Promise<Diagnosis[]> {
  const rows = (await snapshot.keyringRows()).filter(({ name }) => name.startsWith(evidenceRecords));
  return rows.map(({ name, value }) => {
    const id = name.slice(evidenceRecords.length);
    const fork = readFork(id, value);
    return isRefusal(fork)
      ? fail(
          'evidence',
          `${id} was altered: ${fork.refused}`,
          'Stored bytes were changed outside of Colophon: run colophon verify, and restore a backup.',
        )
      : warn(
          'evidence',
          `the log ${logName(fork.origin)} signed two histories`,
          `Read /witness/evidence/${id}, tell those who rely on that log, and ask its operator.`,
        );
  });
}

function searchLag(indexedSize: number | undefined, entries: number): Diagnosis {
  if (indexedSize === undefined)
    return warn('search', 'there is no index', 'A running server makes it from the log.');
  const lag = Math.max(0, entries - indexedSize);
  const detail = `the index is ${lag} entries behind the log`;
  return lag <= lagMax
    ? ok('search', detail)
    : warn('search', detail, 'A running server catches up; searches find less until then.');
}
