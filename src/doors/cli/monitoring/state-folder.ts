/**
 * The folder of a monitor: `keys` (which key each address showed at first use), `logs/` (what was seen of each log) and
 * `evidence/` (files that prove a fork; the alarm is raised as long as one is there).
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { MonitoredKey } from '../../../../verify/monitor.ts';
import { SqliteKeptLog } from './kept-log.ts';

/** One piece of evidence is proof enough; a log that signs ever more histories fills no disk. */
const evidenceMax = 16;

export interface EvidenceFile {
  readonly path: string;
  readonly sizes: readonly [number, number];
}

export class StateFolder {
  readonly #folder: string;
  readonly pinsPath: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.pinsPath = join(folder, 'keys');
    for (const name of ['logs', 'evidence']) mkdirSync(join(folder, name), { recursive: true });
  }

  /** Verifier keys by address. */
  pins(): ReadonlyMap<string, string> {
    if (!existsSync(this.pinsPath)) return new Map();
    const lines = readFileSync(this.pinsPath, 'utf8').split('\n');
    return new Map(
      lines.map((line) => line.split(' ')).filter((pair): pair is [string, string] => pair.length === 2),
    );
  }

  pin(url: string, key: string): void {
    const pins = new Map([...this.pins(), [url, key]]);
    const lines = Array.from(pins, ([address, text]) => `${address} ${text}\n`);
    writeWhole(this.pinsPath, lines.join(''));
  }

  openLog(key: MonitoredKey): SqliteKeptLog {
    return new SqliteKeptLog(join(this.#folder, 'logs', `${nameOf(key)}.sqlite`));
  }

  /** Evidence against a key, oldest sizes first. */
  evidence(key: MonitoredKey): readonly EvidenceFile[] {
    const folder = join(this.#folder, 'evidence');
    const start = `${nameOf(key)}-`;
    return readdirSync(folder)
      .filter((name) => name.startsWith(start))
      .toSorted()
      .flatMap((name) => {
        const [, first, second] = /^(\d+)-(\d+)-[0-9a-f]+\.json$/.exec(name.slice(start.length)) ?? [];
        if (first === undefined || second === undefined) return [];
        return [{ path: join(folder, name), sizes: [Number(first), Number(second)] as const }];
      });
  }

  /** Keeps evidence; answers with its file, or with one that is there already where there is enough. */
  keepEvidence(key: MonitoredKey, sizes: readonly [number, number], text: string): EvidenceFile {
    const known = this.evidence(key);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
    const path = join(this.#folder, 'evidence', `${nameOf(key)}-${sizes[0]}-${sizes[1]}-${hash}.json`);
    const [first] = known;
    if (first !== undefined && known.length >= evidenceMax && !existsSync(path)) return first;
    if (!existsSync(path)) writeWhole(path, text);
    return { path, sizes };
  }
}

/** Names the files of a log: the beginning of its origin to be read, and a hash of its key. */
function nameOf({ key, text }: MonitoredKey): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${key.name.replaceAll(/[^a-zA-Z0-9.]+/g, '_').slice(0, 40)}-${hash}`;
}

/** A reader sees the whole file or the one before it. */
function writeWhole(path: string, text: string): void {
  const file = openSync(`${path}.new`, 'w');
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}
