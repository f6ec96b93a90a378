/**
 * Accepting a ledger that was set back (contract §6, ADR 47): its entries go into a new log, with a new key and a new
 * origin, whose first entry commits to the checkpoint that was lost. So the old key never signs a second history.
 * Beside `compose.ts` one of the places that know the stores.
 */
import { join } from 'node:path';
import { rollbackAction, type Rollback } from './app/reads/earlier-logs.ts';
import { deriveSecrets } from './app/credentials/secrets.ts';
import type { Config } from './config.ts';
import { fileSecret, logLabel, logOrigin, originOf } from './data-folder.ts';
import { schema } from './domain/schema.ts';
import { lostCheckpoint } from './engine/store.ts';
import { commit } from './engine/appended.ts';
import type { FoundLog, NewLog } from './engine/new-log.ts';
import { sha256Hex } from './kernel/hash.ts';
import { opaqueId } from './kernel/ids.ts';
import { signCheckpoint } from './ledger/checkpoint.ts';
import { seal } from './ledger/entry.ts';

/** `lost` is the signed checkpoint that the ledger disagrees with; that of the ledger itself where it is left out. */
export async function beginNewLog(config: Config, problem: string, lost?: string): Promise<void> {
  const secret = config.secretKey ?? fileSecret(config.dataFolder);
  const make = (found: FoundLog): NewLog => newLog(config, secret, problem, lost, found);
  if (config.databaseUrl !== undefined) {
    const { beginPostgresLog } = await import('./store/postgres/new-log.ts');
    await beginPostgresLog(config.databaseUrl, make);
    return;
  }
  const { beginSqliteLog } = await import('./store/sqlite/new-log.ts');
  await beginSqliteLog(config.dataFolder, schema, make);
  const { removeSearchFile, searchFileName } = await import('./store/sqlite/search-file.ts');
  // It follows the log by its indexes, which have moved.
  removeSearchFile(join(config.dataFolder, searchFileName));
}

function newLog(
  config: Config,
  secret: string,
  problem: string,
  lost: string | undefined,
  { entries, keyring, checkpoint }: FoundLog,
): NewLog {
  const origin = keyring[logOrigin] ?? originOf(config.baseUrl);
  const { key } = deriveSecrets(secret, origin, noTerminalKey, keyring[logLabel]).signer;
  const lostNote = lost ?? checkpoint;
  const label = opaqueId('');
  const made = `${origin.replace(/\/log-[a-z2-7]{16}$/, '')}/log-${label}`;
  const { signer } = deriveSecrets(secret, made, noTerminalKey, label);
  const rollback: Rollback = {
    problem,
    checkpoint: lostNote,
    earlier: { origin, verifier_key: key.text, checkpoint },
  };
  const { stored, sha } = commit({ field: 'content_sha', value: { ...rollback } as never });
  const sealed = seal(
    {
      chain: opaqueId('rollback_'),
      ts: new Date().toISOString(),
      actor: 'system',
      action: rollbackAction,
      size: entries,
      content_sha: sha,
      ...(lostNote === null ? {} : { checkpoint_hash: sha256Hex(lostNote) }),
    },
    null,
  );
  return {
    first: { sealed, contents: [stored] },
    keyring: {
      [logOrigin]: made,
      [logLabel]: label,
      ...(keyring[lostCheckpoint] === undefined ? {} : { [lostCheckpoint]: '' }),
    },
    sign: (size, root) => signCheckpoint(signer, size, root),
  };
}

/** Which key signs the log does not depend on the owner's. */
const noTerminalKey = '00'.repeat(32);
