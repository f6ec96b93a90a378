/**
 * Looking at a deployment from outside (contract §0): what stands around it, its keys, its ledger or its database.
 * Nothing is changed, and nothing takes long: `colophon verify` is who recomputes every byte. Beside `compose.ts`
 * one of the places that know the stores.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deriveSecrets } from './app/credentials/secrets.ts';
import type { Config } from './config.ts';
import { checkpointFile, fileSecret, originOf, secretFile } from './data-folder.ts';
import { fail, ok, warn, type Finding } from './doors/cli/finding.ts';
import { folder, megabytes, nodeVersion, octal, port, providers, room } from './examine-host.ts';
import { openCheckpoint } from './ledger/checkpoint.ts';
import { isRefusal } from './ledger/refusal.ts';
import { databaseName } from './store/sqlite/ddl.ts';
import { isOwned, lookAtLedger, type LedgerLook } from './store/sqlite/look.ts';
import { followedBy, searchFileName } from './store/sqlite/search-file.ts';
import { defaultWalBounds } from './store/sqlite/wal.ts';

const lagMax = 5000;

export async function examineDeployment(config: Config, isServing: boolean): Promise<readonly Finding[]> {
  const stored = statSync(join(config.dataFolder, databaseName), { throwIfNoEntry: false })?.size ?? 0;
  const findings: Finding[] = [nodeVersion(), ok('settings', 'every value of the environment can be read')];
  findings.push(...folder(config.dataFolder), ...keys(config), ...room(config.dataFolder, stored));
  if (config.databaseUrl === undefined) findings.push(...ledger(config, isServing));
  else findings.push(...(await database(config.databaseUrl)));
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
      warn(
        'secret key',
        'it stands in the data folder of this node',
        'Set COLOPHON_SECRET_KEY to the same value on every node that shares the database.',
      ),
    );
  return findings;
}

// The embedded ledger

function ledger(config: Config, isServing: boolean): Finding[] {
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
    const look = lookAtLedger(config.dataFolder);
    const followed = followedBy(join(config.dataFolder, searchFileName));
    findings.push(...checkpoints(config, look), searchLag(followed?.size, look.entries));
  } catch (error) {
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

function checkpoints(config: Config, look: LedgerLook): Finding[] {
  if (look.entries === 0) return [ok('log', 'it is empty')];
  const hasSecret = config.secretKey !== undefined || existsSync(join(config.dataFolder, secretFile));
  if (!hasSecret || look.checkpoint === undefined)
    return [fail('log', 'nothing signs it', 'Run colophon verify.')];
  const origin = look.origin ?? originOf(config.baseUrl);
  const { key } = deriveSecrets(
    config.secretKey ?? fileSecret(config.dataFolder),
    origin,
    '00'.repeat(32),
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
  const path = join(config.dataFolder, checkpointFile);
  if (!existsSync(path))
    return [
      ...findings,
      warn(
        'checkpoint',
        'none is kept apart from the ledger',
        'The next start writes it; was it taken away?',
      ),
    ];
  const kept = openCheckpoint(readFileSync(path, 'utf8'), [key]);
  const minutes = Math.round((Date.now() - statSync(path).mtimeMs) / 60_000);
  if (isRefusal(kept))
    findings.push(
      fail(
        'checkpoint',
        `the one kept apart does not verify: ${kept.refused}`,
        'Restore it from the backup.',
      ),
    );
  else if (kept.size > look.entries)
    findings.push(
      fail(
        'checkpoint',
        `the one kept apart has seen ${kept.size} entries, the ledger has ${look.entries}`,
        'Restore the newer ledger, or start with --accept-rollback to record that this one is accepted.',
      ),
    );
  else
    findings.push(
      ok('checkpoint', `covers ${kept.size} of ${look.entries} entries, written ${minutes} minutes ago`),
    );
  return findings;
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

async function database(url: string): Promise<Finding[]> {
  const { lookAtDatabase } = await import('./store/postgres/look.ts');
  try {
    const look = await lookAtDatabase(url);
    const findings = [ok('PostgreSQL', `version ${look.version}, ${look.entries} entries`)];
    if (look.migrations > look.migrationsKnown)
      findings.push(
        fail(
          'migrations',
          `the database is at ${look.migrations}, this version knows ${look.migrationsKnown}`,
          'Start the newer version.',
        ),
      );
    else if (look.migrations < look.migrationsKnown)
      findings.push(
        warn(
          'migrations',
          `${look.migrations} of ${look.migrationsKnown} are applied`,
          'The next start applies the others.',
        ),
      );
    else findings.push(ok('migrations', `all ${look.migrationsKnown} are applied`));
    if (look.pending > lagMax)
      findings.push(
        warn(
          'log',
          `${look.pending} entries wait to be taken in`,
          'Look at the logs of the nodes: one of them should be doing it.',
        ),
      );
    return [...findings, searchLag(look.searched, look.entries)];
  } catch (error) {
    return [
      fail(
        'PostgreSQL',
        `it does not answer: ${(error as Error).message}`,
        'Check DATABASE_URL, the server, and who may connect.',
      ),
    ];
  }
}
