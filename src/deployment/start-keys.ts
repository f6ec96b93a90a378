/**
 * The keys that all nodes of a database share (contract §0): a node whose COLOPHON_SECRET_KEY or COLOPHON_TERMINAL_KEY
 * is another one would sign a second history, or obey another owner, and is refused before it writes anything.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashTerminalKey, secretCheck } from '../app/credentials/secrets.ts';
import { BadConfig, type Config } from '../config.ts';
import type { Admission, Admit } from '../engine/store.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import { isRefusal } from '../ledger/refusal.ts';
import { logLabel, logOrigin, logSigner, originOf, secretFile } from './signing-key.ts';

/** Names in the keyring: the check value of the secret key, and the owner key's hash. */
export const secretCheckName = 'secret_key_check';
export const ownerHashName = 'terminal_key_sha256';

export interface StartRights {
  /** `colophon serve` alone upgrades a ledger and changes the owner key. */
  readonly serves: boolean;
  readonly acceptRollback: boolean;
}

/** Where nodes share a ledger a secret of the node's own would be another one than the other nodes have. */
export function requireSharedSecret({ secretKey, dataFolder }: Config): void {
  if (secretKey !== undefined) return;
  const path = join(dataFolder, secretFile);
  const hint = existsSync(path) ? ` The one that this node has used so far is in ${path}.` : '';
  throw new BadConfig(
    `COLOPHON_SECRET_KEY is not set; with DATABASE_URL it accepts the secret of at least 32 characters that all nodes of the database share.${hint}`,
  );
}

export function admitKeys(config: Config, secret: string, rights: StartRights): Admit {
  return async (database) => {
    await admitSecret(config, secret, rights, database);
    await admitOwner(config, rights, database);
  };
}

async function admitSecret(
  config: Config,
  secret: string,
  { acceptRollback }: StartRights,
  { keyring, checkpoint, isAlone }: Admission,
): Promise<void> {
  const own = secretCheck(secret);
  const stored = await keyring.get(secretCheckName);
  if (stored === own) return;
  const isOther = stored !== undefined || !(await signs(config, secret, keyring, checkpoint));
  if (isOther && !(acceptRollback && (await isAlone())))
    throw new BadConfig(
      'COLOPHON_SECRET_KEY is not the secret key of this database; it accepts the one that the database was begun with, which its other nodes have.',
    );
  await keyring.set(secretCheckName, own);
}

/** A ledger without a stored check value is checked by its signed checkpoint. */
async function signs(
  config: Config,
  secret: string,
  keyring: Admission['keyring'],
  checkpoint: string | null,
): Promise<boolean> {
  if (checkpoint === null) return true;
  const origin = (await keyring.get(logOrigin)) ?? originOf(config.baseUrl);
  const { key } = logSigner(secret, origin, await keyring.get(logLabel));
  return !isRefusal(openCheckpoint(checkpoint, [key]));
}

async function admitOwner(
  { terminalKey }: Config,
  { serves }: StartRights,
  { keyring, isAlone }: Admission,
): Promise<void> {
  if (terminalKey === undefined) return;
  const own = hashTerminalKey(terminalKey);
  const stored = await keyring.claim(ownerHashName, own);
  if (stored === own) return;
  if (!serves || !(await isAlone()))
    throw new BadConfig(
      'COLOPHON_TERMINAL_KEY is not the owner key of this database; it accepts the one that the other nodes have, or stays unset. To change the owner key, stop every node, then run colophon serve with the new one.',
    );
  await keyring.set(ownerHashName, own);
}
