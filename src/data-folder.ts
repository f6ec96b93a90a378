/** What the data folder holds beside the ledger, and what the log is called: known without opening anything. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret } from './app/credentials/secrets.ts';
import { BadConfig } from './config.ts';

export const checkpointFile = 'checkpoint';
export const secretFile = 'secret.key';

/** The ledger is shorter than, or not a continuation of, the checkpoint that was kept apart from it. */
export class RolledBack extends Error {}

/** Host, port and path of the base URL: what the log is called for ever. */
export function originOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  return (url.host + url.pathname).replace(/\/+$/, '');
}

/** The secret of the folder, made where it has none. */
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
