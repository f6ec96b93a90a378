/**
 * A small ledger as version 0.1.0 left it, on each store (`vectors/stored`): two articles, a contribution, a share, a
 * scrub. It was written with the keys below, and is what upgrades are tested from (contract §6).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TestDatabases } from './postgres.ts';

export const storedKeys = {
  COLOPHON_SECRET_KEY: 'secret-key-of-the-0.1.0-ledger-0123456789',
  COLOPHON_TERMINAL_KEY: 'tk_terminal-key-of-the-0.1.0-ledger',
} as const;

const read = (name: string): Buffer =>
  gunzipSync(readFileSync(new URL(`../../vectors/stored/${name}.gz`, import.meta.url)));

/** Puts the file into a data folder. */
export function storedFolder(folder: string): string {
  writeFileSync(join(folder, 'colophon.db'), read('0.1.0.db'), { mode: 0o600 });
  return folder;
}

/** Makes a database of it and answers with its URL. */
export async function storedDatabase(postgres: TestDatabases): Promise<string> {
  const url = await postgres.database();
  await postgres.query(read('0.1.0.sql').toString('utf8'), [], url);
  return url;
}
