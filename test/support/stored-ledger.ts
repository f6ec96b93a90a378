/**
 * A small ledger as version 0.1.0 left it, on each store (`vectors/stored`): two articles, a contribution, a share, a
 * scrub. It was written with the keys below, and is what upgrades are tested from (contract §6).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TestDatabases } from './postgres.ts';

export const storedKeys = {
  COLOPHON_SECRET_KEY: 'secret-key-of-the-0.1.0-ledger-0123456789',
  COLOPHON_TERMINAL_KEY: 'tk_terminal-key-of-the-0.1.0-ledger',
} as const;

const folderOfAll = new URL('../../vectors/stored/', import.meta.url);

/** Every version that there is a stored ledger of. */
export const storedVersions: readonly string[] = readdirSync(folderOfAll).flatMap((name) => {
  const [, version] = /^(.+)\.db\.gz$/.exec(name) ?? [];
  return version ?? [];
});

const read = (name: string): Buffer => gunzipSync(readFileSync(new URL(`${name}.gz`, folderOfAll)));

/** Puts the file into a data folder. */
export function storedFolder(folder: string, version = '0.1.0'): string {
  writeFileSync(join(folder, 'colophon.db'), read(`${version}.db`), { mode: 0o600 });
  return folder;
}

/** Makes a database of it and answers with its URL. */
export async function storedDatabase(postgres: TestDatabases, version = '0.1.0'): Promise<string> {
  const url = await postgres.database();
  await postgres.query(read(`${version}.sql`).toString('utf8'), [], url);
  return url;
}
