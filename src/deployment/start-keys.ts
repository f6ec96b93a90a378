/**
 * The keys that all nodes of a database share (contract §0): a node whose COLOPHON_SECRET_KEY or COLOPHON_TERMINAL_KEY
 * is another one would sign a second history, or obey another owner, and is refused before it writes anything.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveSecrets, hashTerminalKey, newSecret, secretCheck } from '../app/credentials/secrets.ts';
import { BadConfig, type Config } from '../config.ts';
import type { Admission, Admit } from '../engine/store.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import { isRefusal } from '../ledger/refusal.ts';
import type { NoteSigner, VerifierKey } from '../ledger/note.ts';

/** Names in the keyring: the check value of the secret key, and the owner key's hash. */
export const secretCheckName = 'secret_key_check';
export const ownerHashName = 'terminal_key_sha256';

interface StartRights {
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

export const secretFile = 'secret.key';

/** Names in the keyring: the name of the log, and the salt of its key if a new log was begun. */
export const logOrigin = 'log_origin';
export const logLabel = 'log_label';

/** Host, port and path of the base URL: what a new log is called for ever. */
export function originOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  return (url.host + url.pathname).replace(/\/+$/, '');
}

/** The secret in the data folder, created at the first start. */
export function fileSecret(folder: string): string {
  const path = join(folder, secretFile);
  if (!existsSync(path)) writeFileSync(path, `${newSecret()}\n`, { mode: 0o600, flag: 'wx' });
  const secret = readFileSync(path, 'utf8').trim();
  if (secret.length < 32)
    throw new BadConfig(
      `${path} holds no secret of at least 32 characters; restore it from the backup, or set COLOPHON_SECRET_KEY.`,
    );
  return secret;
}

export function hasSecret({ secretKey, dataFolder }: Config): boolean {
  return secretKey !== undefined || existsSync(join(dataFolder, secretFile));
}

/** The owner's key has no part in it. */
export function logSigner(secret: string, origin: string, label: string | undefined): NoteSigner {
  return deriveSecrets(secret, origin, '00'.repeat(32), label).signer;
}

/** The key that must have signed a ledger. Where the secret is gone no other is made, as reading changes nothing. */
export async function verifierKeyOf(
  config: Config,
  keyring: (name: string) => Promise<string | undefined>,
): Promise<VerifierKey> {
  if (!hasSecret(config))
    throw new BadConfig(
      `${join(config.dataFolder, secretFile)} is missing, so the checkpoints cannot be judged; restore it from the backup, or set COLOPHON_SECRET_KEY.`,
    );
  const secret = config.secretKey ?? fileSecret(config.dataFolder);
  const origin = (await keyring(logOrigin)) ?? originOf(config.baseUrl);
  return logSigner(secret, origin, await keyring(logLabel)).key;
}
