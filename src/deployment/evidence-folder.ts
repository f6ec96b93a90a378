/**
 * Evidence of two histories as files in `evidence/` of the data folder, beside the rows of the keyring that count
 * (contract §6): files to hand on, which stay where a ledger is set back. A start gives each row its file and each file
 * that convicts its log its row.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFork, type KeptFork, type LogAlarms } from '../app/log-alarms.ts';
import { evidenceBytesMax, parseEvidence } from '../ledger/fork-evidence.ts';
import { isRefusal } from '../ledger/refusal.ts';

/** Below the data folder. */
export const evidenceFolder = 'evidence';

const fileName = /^([0-9a-f]{16})\.json$/;
/** More than one deployment has logs to follow. */
const filesMax = 1_000;

/** Writes the file of a fork unless a file that proves it exists; answers with its path. */
export function writeEvidence(dataFolder: string, { id, text }: KeptFork): string {
  const folder = join(dataFolder, evidenceFolder);
  const path = join(folder, `${id}.json`);
  if (readEvidence(path, id) !== undefined) return path;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600, flush: true });
  return path;
}

/** Gives rows their files, and files their rows. */
export async function shareEvidence(dataFolder: string, alarms: LogAlarms): Promise<void> {
  const folder = join(dataFolder, evidenceFolder);
  const known = new Set((await alarms.forks()).map(({ id }) => id));
  const names = existsSync(folder) ? readdirSync(folder).slice(0, filesMax) : [];
  for (const name of names) {
    const [, id] = fileName.exec(name) ?? [];
    const text = id === undefined || known.has(id) ? undefined : readEvidence(join(folder, name), id);
    const evidence = text === undefined ? undefined : parseEvidence(text);
    if (evidence !== undefined && !isRefusal(evidence)) await alarms.keep(evidence);
  }
  for (const fork of await alarms.forks()) writeEvidence(dataFolder, fork);
}

/** The text of a file that convicts the log that it is named by. */
function readEvidence(path: string, id: string): string | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) > evidenceBytesMax) return undefined;
  const text = readFileSync(path, 'utf8');
  return isRefusal(readFork(id, text)) ? undefined : text;
}
