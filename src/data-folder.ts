/** What the data folder holds beside the ledger, and what the log is called: known without opening anything. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret } from './app/credentials/secrets.ts';
import { BadConfig } from './config.ts';

export const secretFile = 'secret.key';

/** Names in the keyring: what the log is called, and what its key is derived with where it was begun anew. */
export const logOrigin = 'log_origin';
export const logLabel = 'log_label';

/** The ledger is shorter than, or not a continuation of, the checkpoint that was kept apart from it. */
export class RolledBack extends Error {
  /** What is wrong, without what to do about it. */
  readonly problem: string;
  /** The signed checkpoint that the ledger disagrees with; undefined where nothing else can be opened. */
  readonly lost: string | undefined;

  constructor(problem: string, lost?: string) {
    super(
      `${problem} Restore the newer ledger, or start with --accept-rollback, which begins a new log with a new key. colophon verify says what is wrong with this one.`,
    );
    this.problem = problem;
    this.lost = lost;
  }
}

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
