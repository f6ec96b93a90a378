/**
 * The folder of a static site. Files are written to a new folder beside it, which takes its place when it is complete:
 * whatever ends an export early leaves the earlier one as it was. `SHA256SUMS` lists what is ours; other files that stand in
 * the folder, such as `.git` or `CNAME`, move to the new one.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../engine/store.ts';
import { syncEntry, syncTree } from './sync-tree.ts';

const marker = 'colophon-site.json';
const sums = 'SHA256SUMS';

/** Segments of letters, digits and `._-` that do not begin with a dot: no path leads out of the folder. */
const safePath = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

export class SiteFolder {
  readonly folder: string;
  readonly #new: string;
  readonly #earlier: string;
  readonly #written = new Map<string, string>();
  #bytes = 0;

  /** Throws an `OperatorError` for a folder that is neither empty nor an earlier export. */
  constructor(path: string) {
    const absolute = resolve(path);
    this.folder = existsSync(absolute) ? realpathSync(absolute) : absolute;
    const beside = join(dirname(this.folder), `.${basename(this.folder)}`);
    this.#new = `${beside}.new-${process.pid}`;
    this.#earlier = `${beside}.earlier`;
    if (!existsSync(this.folder) && existsSync(join(this.#earlier, marker)))
      // An export ended between the two steps of taking the place.
      renameSync(this.#earlier, this.folder);
    this.#expectOurs();
    removeAbandoned(this.folder);
    mkdirSync(this.#new, { recursive: true });
  }

  #expectOurs(): void {
    if (!existsSync(this.folder)) return;
    if (!lstatSync(this.folder).isDirectory())
      throw new OperatorError(`${this.folder} is a file. Name a folder for the site.`);
    if (readdirSync(this.folder).length === 0 || isExport(this.folder)) return;
    throw new OperatorError(
      `${this.folder} is not empty and holds no earlier export of a site, so nothing was written. Name a new or an empty folder.`,
    );
  }

  get files(): number {
    return this.#written.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  write(file: string, bytes: string | Uint8Array): void {
    if (!safePath.test(file))
      throw new OperatorError(`The site has a file of the name ${JSON.stringify(file)}.`);
    const path = join(this.#new, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    this.#bytes += Buffer.byteLength(bytes);
    this.#written.set(file, createHash('sha256').update(bytes).digest('hex'));
  }

  /** Takes the place of the earlier export. Returns a folder with files that could not be kept, if there is one. */
  complete(): string | undefined {
    const list = [...this.#written].sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(join(this.#new, sums), list.map(([file, sha256]) => `${sha256}  ${file}\n`).join(''));
    if (existsSync(this.#earlier)) retire(this.#earlier, this.folder);
    // The earlier export goes only when the new one would survive a power cut.
    syncTree(this.#new);
    if (existsSync(this.folder)) renameSync(this.folder, this.#earlier);
    renameSync(this.#new, this.folder);
    syncEntry(dirname(this.folder));
    if (existsSync(this.#earlier)) retire(this.#earlier, this.folder);
    return existsSync(this.#earlier) ? this.#earlier : undefined;
  }

  /** Removes what was written; the earlier export stays. */
  abandon(): void {
    rmSync(this.#new, { recursive: true, force: true });
  }
}

function isExport(folder: string): boolean {
  try {
    const { site_version: version } = JSON.parse(readFileSync(join(folder, marker), 'utf8')) as {
      readonly site_version?: unknown;
    };
    return typeof version === 'number';
  } catch {
    return false;
  }
}

/** What exports to the same folder left behind when they were ended. */
function removeAbandoned(folder: string): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) return;
  const start = `.${basename(folder)}.new-`;
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(start) ? Number(name.slice(start.length)) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Deletes the files of an earlier export, and moves all others to the site that took its place, unless it has them. */
function retire(earlier: string, folder: string): void {
  const listed = listedIn(earlier);
  const ours = new Set([...listed, sums]);
  const folders = new Set([...listed].flatMap((file) => parents(file)));
  const walk = (below: string): void => {
    for (const name of readdirSync(join(earlier, below))) {
      const path = below === '' ? name : `${below}/${name}`;
      const from = join(earlier, path);
      if (ours.has(path)) unlinkSync(from);
      else if (folders.has(path)) walk(path);
      else if (!existsSync(join(folder, path))) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        renameSync(from, join(folder, path));
      }
    }
    if (readdirSync(join(earlier, below)).length === 0) rmdirSync(join(earlier, below));
  };
  walk('');
}

function listedIn(folder: string): ReadonlySet<string> {
  const text = existsSync(join(folder, sums)) ? readFileSync(join(folder, sums), 'utf8') : '';
  return new Set(text.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(66)])));
}

function parents(file: string): readonly string[] {
  const segments = file.split('/').slice(0, -1);
  return segments.map((_, i) => segments.slice(0, i + 1).join('/'));
}
