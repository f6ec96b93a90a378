/**
 * The key that signs a deployment's log: derived from the deployment's secret and the name of the log, which the
 * ledger's keyring keeps.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveSecrets, newSecret } from '../app/credentials/secrets.ts';
import { BadConfig, type Config } from '../config.ts';
import type { NoteSigner, VerifierKey } from '../ledger/note.ts';

export const secretFile = 'secret.key';

/** Names in the keyring: the name of the log, and the salt of its key if a new log was begun. */
export const logOrigin = 'log_origin';
export const logLabel = 'log_label';

/** Host, port and path of the base URL: what a new log is called for ever. */
export function originOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  return (url.host + url.pathname).replace(/\/+$/, '');
}

/** The secret in the data folder, made where there is none. */
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
