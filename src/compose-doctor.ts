/**
 * Looking at a deployment from outside (contract §0): what stands around it, its keys, its ledger or its database.
 * Nothing is changed, and nothing takes long: `colophon verify` is who recomputes every byte. Beside `compose.ts`
 * one of the places that know the stores.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deriveSecrets, hashTerminalKey, secretCheck } from './app/credentials/secrets.ts';
import type { Config } from './config.ts';
import { fileSecret, logLabel, logOrigin, originOf, secretFile } from './data-folder.ts';
import { fail, ok, warn, type Finding } from './doors/cli/finding.ts';
import { aboutThisLog, disagreement, keptNotes, type KeptNote } from './kept-checkpoint.ts';
import { folder, megabytes, nodeVersion, octal, port, providers, room } from './examine-host.ts';
import {
  checkWritable,
  projectionStamp,
  UnsupportedLedger,
  type LedgerVersion,
} from './engine/ledger-version.ts';
import { openCheckpoint } from './ledger/checkpoint.ts';
import type { VerifierKey } from './ledger/note.ts';
import { isRefusal } from './ledger/refusal.ts';
import { databaseName } from './store/sqlite/ddl.ts';
import { isOwned, lookAtLedger, rootAt, type LedgerLook } from './store/sqlite/look.ts';
import { ReadOnlyLedger } from './store/sqlite/read-only.ts';
import { followedBy, searchFileName } from './store/sqlite/search-file.ts';
import { readableVersion } from './store/sqlite/version.ts';
import { defaultWalBounds } from './store/sqlite/wal.ts';
import { ownerHashName, secretCheckName } from './start-keys.ts';

const lagMax = 5000;

export async function examineDeployment(config: Config, isServing: boolean): Promise<readonly Finding[]> {
  const stored = statSync(join(config.dataFolder, databaseName), { throwIfNoEntry: false })?.size ?? 0;
  const findings: Finding[] = [nodeVersion(), ok('settings', 'every value of the environment can be read')];
  findings.push(...folder(config.dataFolder), ...keys(config), ...room(config.dataFolder, stored));
  if (config.databaseUrl === undefined) findings.push(...(await ledger(config, isServing)));
  else findings.push(...(await database(config, config.databaseUrl)));
  findings.push(await port(config, isServing), providers(config));
  return findings;
}

// The keys

function keys(config: Config): Finding[] {
  const findings: Finding[] = [];
  for (const name of [secretFile, databaseName]) {
    const stats = statSync(join(config.dataFolder, name), { throwIfNoEntry: false });
    if (stats === undefined) continue;
    findings.push(
      (stats.mode & 0o077) === 0
        ? ok(name, 'its owner alone reads and writes it')
        : fail(
            name,
            `it holds keys and has mode ${octal(stats.mode)}`,
            `Run chmod 600 ${join(config.dataFolder, name)}`,
          ),
    );
  }
  const used = existsSync(join(config.dataFolder, databaseName));
  if (used && config.secretKey === undefined && !existsSync(join(config.dataFolder, secretFile)))
    findings.push(
      fail(
        'secret key',
        `${secretFile} is missing and COLOPHON_SECRET_KEY is not set`,
        'Restore it from the backup: without it no share and no checkpoint of before is valid.',
      ),
    );
  if (config.databaseUrl !== undefined && config.secretKey === undefined)
    findings.push(
      fail(
        'secret key',
        'COLOPHON_SECRET_KEY is not set, and no node starts on a database without it',
        'Set COLOPHON_SECRET_KEY to the same value on every node that shares the database.',
      ),
    );
  return findings;
}

// The embedded ledger

async function ledger(config: Config, isServing: boolean): Promise<Finding[]> {
  const path = join(config.dataFolder, databaseName);
  if (!existsSync(path))
    return [
      warn(
        'ledger',
        `there is none in ${config.dataFolder}`,
        'The first start makes one; if it should be there, set COLOPHON_DATA.',
      ),
    ];
  const findings = [owner(config, isServing), wal(path)];
  try {
    // Read before the ledger, which may grow meanwhile.
    const kept = await keptOfThisLog(config);
    const found = readableVersion(path);
    findings.push(...(await version(typeof found === 'string' ? undefined : found, found === 'empty')));
    const look = lookAtLedger(config.dataFolder);
    const followed = followedBy(join(config.dataFolder, searchFileName));
    findings.push(...(await checkpoints(config, look, kept)), searchLag(followed?.size, look.entries));
  } catch (error) {
    if (error instanceof UnsupportedLedger) return [...findings, notForThisBuild(error)];
    findings.push(
      fail(
        'ledger',
        `it cannot be read: ${(error as Error).message}`,
        'Run colophon verify, which says where; then restore a backup.',
      ),
    );
  }
  return findings;
}

/** What a ledger says of itself, on either store. */
async function version(found: LedgerVersion | undefined, isEmpty: boolean): Promise<Finding[]> {
  if (isEmpty) return [ok('version', 'nothing is stored yet')];
  if (found === undefined)
    return [
      warn(
        'version',
        'the ledger was written by Colophon 0.1.0 or older and has no schema version yet',
        'Make a backup, then run colophon serve, which upgrades it.',
      ),
    ];
  try {
    checkWritable(found);
  } catch (error) {
    return [notForThisBuild(error as UnsupportedLedger)];
  }
  const { schema: number, build, readableFrom, writableFrom, projections } = found;
  const { schema } = await import('./domain/schema.ts');
  return [
    ok(
      'version',
      `schema ${number}, last written by ${build}; builds from schema ${readableFrom} on may read it, from ${writableFrom} on write to it`,
    ),
    projections === projectionStamp(schema)
      ? ok('projections', 'made by the projectors of this version')
      : warn('projections', 'made by the projectors of another version', 'The next start makes them again.'),
  ];
}

function notForThisBuild(error: UnsupportedLedger): Finding {
  return fail('version', error.message, 'Use the version that it names, or restore a backup.');
}

function owner(config: Config, isServing: boolean): Finding {
  if (isServing) return ok('lock', 'a running server owns the folder and answers on its socket');
  return isOwned(config.dataFolder)
    ? fail(
        'lock',
        'a process owns the folder and does not answer on its socket',
        'Wait until it has started or stopped; if it hangs, end it.',
      )
    : ok('lock', 'no process owns the folder');
}

function wal(path: string): Finding {
  const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const said = `${megabytes(bytes)} MB`;
  return bytes <= 2 * defaultWalBounds.hardBytes
    ? ok('write-ahead log', said)
    : warn(
        'write-ahead log',
        said,
        'A reader holds it: end long verifications and copies; the next start empties it.',
      );
}

async function keptOfThisLog(config: Config): Promise<readonly KeptNote[]> {
  const kept = keptNotes(config);
  const entries = new ReadOnlyLedger(config.dataFolder);
  try {
    return await aboutThisLog(kept, entries);
  } finally {
    entries.close();
  }
}

async function checkpoints(config: Config, look: LedgerLook, kept: readonly KeptNote[]): Promise<Finding[]> {
  if (look.entries === 0) return [ok('log', 'it is empty')];
  const hasSecret = config.secretKey !== undefined || existsSync(join(config.dataFolder, secretFile));
  if (!hasSecret || look.checkpoint === undefined)
    return [fail('log', 'nothing signs it', 'Run colophon verify.')];
  const origin = look.origin ?? originOf(config.baseUrl);
  const { key } = deriveSecrets(
    config.secretKey ?? fileSecret(config.dataFolder),
    origin,
    '00'.repeat(32),
    look.label,
  ).signer;
  const stored = openCheckpoint(look.checkpoint, [key]);
  const findings: Finding[] = [];
  if (isRefusal(stored))
    findings.push(
      fail(
        'log',
        `its checkpoint does not verify: ${stored.refused}`,
        'Was COLOPHON_SECRET_KEY changed? Put the old one back.',
      ),
    );
  else if (stored.size !== look.entries || !Buffer.from(look.root).equals(stored.root))
    findings.push(
      fail(
        'log',
        `its ${look.entries} entries are not the ${stored.size} that its checkpoint signs`,
        'Run colophon verify, which says where; then restore a backup.',
      ),
    );
  else findings.push(ok('log', `${look.entries} entries, and the root that its checkpoint signs`));
  if (kept.length === 0)
    return [
      ...findings,
      warn(
        'checkpoint',
        `none is kept apart from the ledger in ${config.checkpointPath}`,
        'The next start writes it; was it taken away?',
      ),
    ];
  return [...findings, ...(await Promise.all(kept.map((each) => keptFinding(config, look, key, each))))];
}

async function keptFinding(
  { dataFolder }: Config,
  { entries }: LedgerLook,
  key: VerifierKey,
  { path, note }: KeptNote,
): Promise<Finding> {
  const log = { size: entries, rootAt: async (size: number) => rootAt(dataFolder, size) };
  const problem = await disagreement(log, note, key, `kept apart from it in ${path}`);
  if (problem !== undefined) return fail('checkpoint', problem, restoreNewer);
  const minutes = Math.round((Date.now() - statSync(path).mtimeMs) / 60_000);
  return ok(
    'checkpoint',
    `covers ${note.split('\n')[1]} of ${entries} entries, written ${minutes} minutes ago`,
  );
}

function searchLag(followed: number | undefined, entries: number): Finding {
  if (followed === undefined)
    return warn('search', 'there is no index', 'A running server makes it from the log.');
  const lag = Math.max(0, entries - followed);
  return lag <= lagMax
    ? ok('search', `the index is ${lag} entries behind the log`)
    : warn(
        'search',
        `the index is ${lag} entries behind the log`,
        'A running server catches up; searches find less until then.',
      );
}

// The database

async function database(config: Config, url: string): Promise<Finding[]> {
  const { lookAtDatabase } = await import('./store/postgres/look.ts');
  try {
    const look = await lookAtDatabase(url);
    const findings = [
      ok('PostgreSQL', `version ${look.version}, ${look.entries} entries`),
      look.pooled === undefined
        ? ok('sessions', 'each connection keeps its own')
        : fail('sessions', look.pooled, 'Connect to PostgreSQL directly, or pool by session.'),
      ...(await version(look.ledger, look.migrations === 0)),
      ...sharedKeys(config, look.keyring),
    ];
    if (look.migrations < look.migrationsKnown)
      findings.push(
        warn(
          'migrations',
          `${look.migrations} of ${look.migrationsKnown} are applied`,
          'The next start applies the others.',
        ),
      );
    else
      findings.push(
        ok(
          'migrations',
          look.migrations === look.migrationsKnown
            ? `all ${look.migrationsKnown} are applied`
            : `all ${look.migrationsKnown} are applied, and ${look.migrations - look.migrationsKnown} of a newer version`,
        ),
      );
    if (look.pending > lagMax)
      findings.push(
        warn(
          'log',
          `${look.pending} entries wait to be taken in`,
          'Look at the logs of the nodes: one of them should be doing it.',
        ),
      );
    if (look.migrations > 0)
      findings.push(...keptOfDatabase(config, look.entries, Object.fromEntries(look.keyring)));
    return [...findings, searchLag(look.searched, look.entries)];
  } catch (error) {
    if (error instanceof UnsupportedLedger) return [notForThisBuild(error)];
    return [
      fail(
        'PostgreSQL',
        `it does not answer: ${(error as Error).message}`,
        'Check DATABASE_URL, the server, and who may connect.',
      ),
    ];
  }
}

/** Compared by size alone: whether the entries are the same is what a start and colophon verify compare. */
function keptOfDatabase(
  config: Config,
  entries: number,
  keyring: Readonly<Record<string, string>>,
): Finding[] {
  const { secretKey, dataFolder } = config;
  const origin = keyring[logOrigin];
  if (origin === undefined || (secretKey === undefined && !existsSync(join(dataFolder, secretFile))))
    return [];
  const secret = secretKey ?? fileSecret(dataFolder);
  const { key } = deriveSecrets(secret, origin, '00'.repeat(32), keyring[logLabel]).signer;
  return keptNotes(config).map(({ path, note }) => {
    const signed = openCheckpoint(note, [key]);
    if (isRefusal(signed))
      return fail('checkpoint', `the one in ${path} does not verify: ${signed.refused}`, restoreNewer);
    return signed.size > entries
      ? fail(
          'checkpoint',
          `the one in ${path} has seen ${signed.size} entries, the log has ${entries}`,
          restoreNewer,
        )
      : ok('checkpoint', `covers ${signed.size} of ${entries} entries`);
  });
}

const restoreNewer =
  'Restore the newer ledger, or start with --accept-rollback, which begins a new log with a new key.';
/** Keys that every node of the database must have (contract §0). */
function sharedKeys({ secretKey, terminalKey }: Config, keyring: ReadonlyMap<string, string>): Finding[] {
  const findings: Finding[] = [];
  const compare = (
    check: string,
    variable: string,
    own: string | undefined,
    stored: string | undefined,
  ): void => {
    if (own === undefined || stored === undefined) return;
    findings.push(
      own === stored
        ? ok(check, `${variable} is the one of the database`)
        : fail(
            check,
            `${variable} is not the one of the database`,
            'Set it to the value that the other nodes have.',
          ),
    );
  };
  compare(
    'secret key',
    'COLOPHON_SECRET_KEY',
    secretKey === undefined ? undefined : secretCheck(secretKey),
    keyring.get(secretCheckName),
  );
  compare(
    'owner key',
    'COLOPHON_TERMINAL_KEY',
    terminalKey === undefined ? undefined : hashTerminalKey(terminalKey),
    keyring.get(ownerHashName),
  );
  return findings;
}
