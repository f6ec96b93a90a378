/**
 * `colophon transfer` (contract §0, §6, ADR 67): moves a stopped deployment to the other kind of store. The copy is
 * verified against the source entry by entry, then the source is marked, then the mark on the target is removed. A crash
 * before the source is marked leaves the source usable, one behind it the target complete; a rerun finishes both.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretCheck } from '../app/credentials/secrets.ts';
import { checkpointFile, type Config } from '../config.ts';
import { schema } from '../domain/schema.ts';
import type { Progress, TransferReport } from '../doors/cli/command.ts';
import { hasListener } from '../doors/cli/owner-socket.ts';
import {
  checkWritable,
  NotUpgraded,
  ownVersion,
  UnsupportedLedger,
  versionName,
  type FoundVersion,
} from '../engine/ledger-version.ts';
import { NoLedger, type LedgerSnapshot, type StoreKind } from '../engine/store-kind.ts';
import { LedgerInUse, lostCheckpoint, OperatorError, type LogEntry } from '../engine/store.ts';
import {
  byLogIndex,
  checkTransferMarks,
  LedgerDigest,
  transferredTo,
  transferUnfinished,
  type HeldRow,
  type KeyringRow,
  type LedgerCopy,
} from '../engine/transfer.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import { isRefusal } from '../ledger/refusal.ts';
import { copiesOfThisLog, disagreement, readCheckpointCopies } from './checkpoint-file.ts';
import { evidenceFolder } from './evidence-folder.ts';
import { fileSecret, logOrigin, secretCheckName, secretFile, verifierKeyOf } from './start-keys.ts';
import { checkWitnessCopy, witnessFile, witnessFileText } from './witness.ts';

const pageEntries = 1000;

/** `to` is a PostgreSQL URL or a data folder, as `kindOf` selects by the configuration that it gives. */
export async function transferDeployment(
  config: Config,
  kindOf: (config: Config) => Promise<StoreKind>,
  to: Pick<Config, 'databaseUrl' | 'dataFolder'>,
  progress: Progress,
): Promise<TransferReport> {
  const source = await kindOf(config);
  const target = await kindOf({ ...config, ...to });
  if (source.isShared === target.isShared)
    throw new OperatorError(
      source.isShared
        ? 'The ledger is in PostgreSQL, and so is the target: move it with pg_dump and pg_restore. transfer --to takes a data folder here.'
        : 'The ledger is in a data folder, and so is the target: move it with colophon backup and restore. transfer --to takes a postgres:// URL here.',
    );
  if (!source.isShared && (await hasListener(config.dataFolder)))
    throw LedgerInUse.ofFolder(config.dataFolder);
  return source.whileStopped(async (keyring) => {
    const done = (await keyring.get(transferredTo)) ?? '';
    if (done !== '') return finish(config, source, target, done, progress);
    const report = await source.withSnapshot(async (ledger) => {
      await checkSource(config, ledger);
      if (!source.isShared) checkWitnessCopy(config, await ledger.keyringRows());
      return copyVerified(config, source, target, ledger, progress);
    });
    progress('marking the source', 0, 1);
    await keyring.set(transferredTo, target.place);
    await open(target, progress);
    return report;
  });
}

/** The source was marked by a run before: the target is whole, and perhaps not opened yet. */
async function finish(
  config: Config,
  source: StoreKind,
  target: StoreKind,
  done: string,
  progress: Progress,
): Promise<TransferReport> {
  const found = await source.withSnapshot(async (from) => {
    const { size, checkpoint } = await from.head();
    const isThere = await target
      .withSnapshot(async (there) => {
        if ((await there.keyring(logOrigin)) !== (await from.keyring(logOrigin))) return false;
        // What a killed run left in another place must stay closed: this ledger goes on where the mark says.
        const isClosed = ((await there.keyring(transferUnfinished)) ?? '') !== '';
        if (isClosed && target.place !== done) return false;
        const { size: now } = await there.head();
        return (
          size <= now && (size === 0 || Buffer.from(await there.rootAt(size)).equals(await from.rootAt(size)))
        );
      })
      .catch((error: unknown) => {
        if (error instanceof NoLedger) return false;
        throw error;
      });
    if (!isThere) checkTransferMarks((name) => (name === transferredTo ? done : undefined));
    return { size, checkpoint };
  });
  await open(target, progress);
  return {
    ...places(config, source, target),
    entries: found.size,
    verified: null,
    checkpoint: found.checkpoint,
  };
}

/** Nodes may start on the target from here on. */
async function open(target: StoreKind, progress: Progress): Promise<void> {
  const unfinished = await target.withSnapshot((there) => there.keyring(transferUnfinished));
  if ((unfinished ?? '') === '') return;
  progress('opening the target', 0, 1);
  await target.whileStopped((keyring) => keyring.set(transferUnfinished, ''));
}

function places(
  { secretKey }: Config,
  source: StoreKind,
  target: StoreKind,
): Pick<TransferReport, 'from' | 'to' | 'store' | 'secret'> {
  const secret = secretKey === undefined ? 'file' : 'environment';
  return { from: source.place, to: target.place, store: target.name, secret };
}

/** Refuses what a start would refuse, and what the target could not go on with. */
async function checkSource(config: Config, ledger: LedgerSnapshot): Promise<void> {
  checkVersion(await ledger.version());
  checkTransferMarks(await marksOf(ledger));
  const pending = await ledger.unlogged();
  if (pending > 0)
    throw new OperatorError(
      `${pending} entries have no place in the log yet: start and stop colophon serve, which gives them one, then run colophon transfer again.`,
    );
  const lost = ((await ledger.keyring(lostCheckpoint)) ?? '').split('\n', 1)[0];
  if (lost !== '')
    throw new OperatorError(
      `A running node found that the database was set back: ${lost}. Start colophon serve, which says what to do; then run colophon transfer again.`,
    );
  const { size, checkpoint } = await ledger.head();
  if (size === 0) return;
  const key = await verifierKeyOf(config, (name) => ledger.keyring(name));
  const signed = openCheckpoint(checkpoint ?? '', [key]);
  if (isRefusal(signed))
    throw new OperatorError(
      `The checkpoint of the ledger does not verify: ${signed.refused}. Was the secret key changed? colophon verify says more.`,
    );
  const log = { size, rootAt: (of: number) => ledger.rootAt(of) };
  const kept = await copiesOfThisLog(readCheckpointCopies(config), ledger);
  for (const note of [checkpoint ?? '', ...kept.map((each) => each.note)]) {
    const problem = await disagreement(
      log,
      note,
      key,
      note === checkpoint ? 'stored with it' : 'kept apart from it',
    );
    if (problem !== undefined)
      throw new OperatorError(`${problem} colophon verify says where; nothing was transferred.`);
  }
  if (signed.size !== size)
    throw new OperatorError(
      `The ledger has ${size} entries, and its checkpoint covers ${signed.size}. colophon verify says more; nothing was transferred.`,
    );
}

async function marksOf(ledger: LedgerSnapshot): Promise<(name: string) => string | undefined> {
  const marks = new Map((await ledger.keyringRows()).map(({ name, value }) => [name, value]));
  return (name) => marks.get(name);
}

/** Both stores are written by this build, with its schema. */
function checkVersion(found: FoundVersion): void {
  if (found === 'unversioned') throw new NotUpgraded();
  if (found === 'empty') throw new NoLedger('Nothing was ever stored here; there is nothing to transfer.');
  checkWritable(found);
  if (found.schema !== ownVersion.schema)
    throw new UnsupportedLedger(
      `The ledger has schema ${found.schema}, and this build has ${ownVersion.schema}: ${found.schema < ownVersion.schema ? 'start and stop colophon serve once, which upgrades it' : `use Colophon ${found.build}`}, then run colophon transfer again.`,
    );
}

async function copyVerified(
  config: Config,
  source: StoreKind,
  target: StoreKind,
  ledger: LedgerSnapshot,
  progress: Progress,
): Promise<TransferReport> {
  const { size, checkpoint } = await ledger.head();
  const digest = new LedgerDigest();
  const keyring = await keyringRows(config, source, target, ledger);
  const copy: LedgerCopy = {
    size,
    checkpoint: checkpoint === null ? null : { note: checkpoint, root: await ledger.rootAt(size) },
    pages: () => pagesOf(ledger, digest),
    keyring,
    held: await ledger.heldRows(),
    blobs: ledger.blobs,
    files: filesOf(config, checkpoint, keyring),
  };
  await target.receive(copy, schema, progress);
  progress('verifying', 0, size);
  const counts = await target.withSnapshot((there) => verify(copy, digest.hex(), there, progress));
  return {
    ...places(config, source, target),
    entries: size,
    verified: { ...counts, keys: copy.keyring.length, held: copy.held.length },
    checkpoint,
  };
}

/** The next page is read while the last one is written. */
async function* pagesOf(ledger: LedgerSnapshot, digest: LedgerDigest): AsyncIterable<readonly LogEntry[]> {
  const numbered = byLogIndex();
  let next = ledger.entries(0, pageEntries);
  for (let from = 0; ;) {
    const page = await next;
    from += page.length;
    const isLast = page.length < pageEntries;
    if (!isLast) {
      next = ledger.entries(from, pageEntries);
      // Awaited with the next page; a failure meanwhile is no unhandled one.
      next.catch(() => undefined);
    }
    for (const entry of page) digest.add(entry);
    if (page.length > 0) yield page.map(numbered);
    if (isLast) return;
  }
}

/** As they stand, but for what says something about the place: the version and marks of transfers. */
async function keyringRows(
  config: Config,
  source: StoreKind,
  target: StoreKind,
  ledger: LedgerSnapshot,
): Promise<readonly KeyringRow[]> {
  const ofPlace = new Set([versionName, transferredTo, transferUnfinished]);
  const rows = (await ledger.keyringRows()).filter(({ name }) => !ofPlace.has(name));
  // Nodes of a shared ledger are held to it.
  const check = rows.some(({ name }) => name === secretCheckName)
    ? []
    : [{ name: secretCheckName, value: secretCheck(secretOf(config)) }];
  return [...rows, ...(target.isShared ? check : []), { name: transferUnfinished, value: source.place }];
}

function secretOf({ secretKey, dataFolder }: Config): string {
  return secretKey ?? fileSecret(dataFolder);
}

/** Kept in a data folder apart from the ledger: evidence of other histories. */
const evidenceFile = /^checkpoint(?:\.cosigned)?\.rejected-\d+$/;

/** The checkpoint covers all that is copied; the copy that was kept apart may be a moment older. */
function filesOf(
  config: Config,
  checkpoint: string | null,
  keyring: readonly KeyringRow[],
): LedgerCopy['files'] {
  const { dataFolder } = config;
  const kept = [
    ...namesIn(dataFolder).filter((name) => evidenceFile.test(name)),
    ...namesIn(join(dataFolder, evidenceFolder)).map((name) => join(evidenceFolder, name)),
  ];
  const witnessed = witnessFileText(config, keyring);
  return [
    { name: secretFile, text: `${secretOf(config)}\n` },
    ...(checkpoint === null ? [] : [{ name: checkpointFile, text: checkpoint }]),
    ...(witnessed === undefined ? [] : [{ name: witnessFile, text: witnessed }]),
    ...kept.map((name) => ({ name, text: readFileSync(join(dataFolder, name), 'utf8') })),
  ];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Throws unless the target holds what the source holds; answers with what was compared. */
async function verify(
  copy: LedgerCopy,
  digest: string,
  there: LedgerSnapshot,
  progress: Progress,
): Promise<{ readonly contents: number; readonly scrubbed: number; readonly blobs: number }> {
  const found = new LedgerDigest();
  const audit = await there.audit({
    sizes: new Set([copy.size]),
    ledgerOnly: true,
    progress: (done, of) => progress('verifying', done, of),
    seen: (entry) => found.add(entry),
  });
  const root = copy.checkpoint?.root;
  const problems = [
    ...audit.problems,
    ...(root === undefined || Buffer.from(audit.root).equals(root) ? [] : ['its root is another']),
    ...(audit.checkpoint === (copy.checkpoint?.note ?? null) ? [] : ['its checkpoint is another']),
    ...(found.hex() === digest ? [] : ['its entries or contents are others']),
    ...(isSame(await there.keyringRows(), copy.keyring) ? [] : ['its keys are others']),
    ...(isSame(await there.heldRows(), copy.held) ? [] : ['its operational records are others']),
  ];
  let blobs = 0;
  for await (const name of copy.blobs.names()) {
    if ((await there.blobs.get(name)) === undefined)
      problems.push(
        (await copy.blobs.get(name)) === undefined
          ? `blob ${name} of the source was altered; restore it from a backup, or remove it`
          : `blob ${name} is missing`,
      );
    blobs++;
  }
  if (problems.length > 0)
    throw new OperatorError(
      `The copy is not the ledger: ${problems[0]}${problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`}. The source stays in force; run colophon verify on it.`,
    );
  return { contents: audit.contents, scrubbed: audit.scrubbed, blobs };
}

function isSame(
  found: readonly (KeyringRow | HeldRow)[],
  wanted: readonly (KeyringRow | HeldRow)[],
): boolean {
  const lines = (rows: readonly (KeyringRow | HeldRow)[]): string =>
    JSON.stringify(
      rows
        .filter(({ name }) => name !== versionName)
        .map((row) => [row.name, row.value, 'expires' in row ? row.expires : 0])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  return lines(found) === lines(wanted);
}
