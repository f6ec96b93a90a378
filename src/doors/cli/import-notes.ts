/**
 * `colophon import --vault DIR` and `--follow DIR`: a folder of Markdown, such as an Obsidian vault, as articles
 * (contract §8). A vault is compared with what the last import wrote; a followed folder keeps that record in a file
 * beside it and is looked at again whenever a file changes. Nothing here deletes an article.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isFault } from '../../kernel/fault.ts';
import { parseJson } from '../../kernel/json.ts';
import type { ImportFile, ImportFiles, Skipped } from '../../represent/intake/read-zip.ts';
import type { CurrentArticle } from '../intake/import-target.ts';
import type { Compared, ImportMark, Written } from '../intake/run-import.ts';
import { UsageError } from './command.ts';
import type { Owner } from './owner-socket.ts';
import { ownerTarget } from './owner-target.ts';

export interface NotesOptions {
  readonly folder: string;
  readonly base: string;
  readonly status: 'draft' | 'published';
  readonly fetchImages: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Every file below a folder. Links to elsewhere are not followed; a file that goes meanwhile is passed over. */
export async function readFolder(folder: string): Promise<ImportFiles> {
  const { importLimits, isHidden, safePath } = await import('../../represent/intake/read-zip.ts');
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new UsageError(`${folder} is no folder. Name the folder that holds the notes.`);
  const files: ImportFile[] = [];
  const skipped: Skipped[] = [];
  let bytes = 0;
  const visit = (inside: string): void => {
    for (const name of readdirSync(join(folder, inside)).sort()) {
      const path = inside === '' ? name : `${inside}/${name}`;
      if (isHidden(path)) continue;
      const safe = safePath(path);
      const skip = (why: string): void => void skipped.push({ path: path.replace(/\p{C}/gu, '?'), why });
      // Names that are no UTF-8 are read with this character, and open nothing.
      if (name.includes('\uFFFD')) {
        skip('Its name is not valid UTF-8. Rename it.');
        continue;
      }
      const state = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (state === undefined) continue;
      if (safe === undefined) skip('Its name cannot be read.');
      else if (state.isSymbolicLink()) skip('It is a link to elsewhere, which is not followed.');
      else if (state.isDirectory()) visit(path);
      else if (!state.isFile()) skip('It is no file.');
      else if (state.size > importLimits.fileBytes)
        skip(`It has ${state.size} bytes; at most ${importLimits.fileBytes} are read.`);
      else {
        const content = contentOf(join(folder, path));
        if (content === undefined) continue;
        bytes += content.length;
        if (files.length >= importLimits.files || bytes > importLimits.bytes)
          throw new UsageError(
            `${folder} has more than ${importLimits.files} files or ${importLimits.bytes} bytes. Import its folders one by one.`,
          );
        files.push({ path: safe, bytes: content });
      }
    }
  };
  visit('');
  return { files, skipped };
}

/** Undefined where the file has gone, or is a link by now. */
function contentOf(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    return readFileSync(file);
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}.`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const words: Readonly<Record<Compared['standing'], string>> = {
  new: 'new',
  update: 'changed',
  unchanged: 'unchanged',
  kept: 'changed here only, kept',
  conflict: 'conflict',
  taken: 'address taken',
};

/** One pass over a folder. Answers with the exit status. */
export async function importNotes(
  owner: Owner,
  { folder, ...options }: NotesOptions,
  followed?: Followed,
): Promise<number> {
  const files = await readFolder(folder);
  return (await importRead(owner, files, { ...options, slugOf: 'file' }, followed)) === 0 ? 0 : 1;
}

export interface ReadOptions extends Omit<NotesOptions, 'folder'> {
  readonly slugOf: 'file' | 'title';
  readonly category?: string | undefined;
}

/** Imports files that were read; answers with how many articles could not be written. */
export async function importRead(
  owner: Owner,
  files: ImportFiles,
  options: ReadOptions,
  followed?: Followed,
): Promise<number> {
  const { planFiles } = await import('../intake/plan-import.ts');
  const { compareImport, runImport, writes } = await import('../intake/run-import.ts');
  const target = ownerTarget(owner);
  const known = renamedIn(followed?.state, files.files);
  const slugs = new Map(Object.entries(known).map(([path, { slug }]) => [path, slug]));
  const { base, status, slugOf, category } = options;
  const plan = await planFiles(files, { base, status, slugOf, slugs });
  const compared = await compareImport(
    target,
    plan,
    followed === undefined ? undefined : ({ path }) => known[path],
  );
  const say = (line: string): void => {
    if (!options.json) console.log(line);
  };
  const tell = (kind: string, value: object): void => {
    if (options.json) console.log(JSON.stringify({ kind, ...value }));
  };
  for (const { path, why } of plan.skipped) {
    say(`${path}: not imported. ${why}`);
    tell('skipped', { path, why });
  }
  const gone = Object.entries(known).filter(
    ([path]) => !plan.articles.some((article) => article.path === path),
  );
  for (const [path, { slug }] of gone) {
    say(`${path}: the file is gone. The article ${slug} stays; archive it if it should go.`);
    tell('gone', { path, slug });
  }
  // Of files that were named, each is meant.
  let failed = slugOf === 'title' ? plan.skipped.length : 0;
  const next: Record<string, FollowedFile> = { ...known };
  const keep = ({ path, slug }: { readonly path: string; readonly slug: string }, mark: ImportMark): void => {
    next[path] = { slug, ...mark, bytes_sha256: bytesHash(files.files, path) };
  };
  const report = (written: Written, each: Compared): void => {
    const isFailure =
      written.standing === 'conflict' || written.standing === 'taken' || isRefused(written, each);
    if (isFailure) failed++;
    if (written.mark !== undefined) keep(written, written.mark);
    if (written.done !== undefined) followed?.save({ version: 1, files: next });
    if (options.json) {
      const here = written.standing === 'conflict' ? textOf(each.current) : undefined;
      const { mark: _mark, ...shown } = written;
      tell('article', {
        ...shown,
        ...(here === undefined ? {} : { here, file: each.article.markdown }),
      });
      return;
    }
    if (written.standing === 'unchanged') return;
    say(`${written.path} -> ${written.slug}: ${written.done ?? words[written.standing]}`);
    for (const problem of written.problems) say(`    ${problem}`);
    if (written.standing === 'conflict') {
      say(indented('here', textOf(each.current) ?? ''));
      say(indented('file', each.article.markdown));
    }
  };
  if (options.dryRun) {
    for (const each of compared) {
      const { article, standing, refused } = each;
      const problems = [
        ...article.problems,
        ...(refused === undefined ? [] : [`${refused.message} ${refused.fix}`]),
      ];
      if (refused !== undefined || standing === 'conflict' || standing === 'taken') failed++;
      const { path, slug, title, tags, images, foreign } = article;
      tell('article', {
        path,
        slug,
        title,
        status: article.status,
        tags,
        standing,
        images,
        foreign,
        problems,
      });
      say(`${path} -> ${slug}: ${words[standing]}, “${title}”`);
      for (const problem of problems) if (!options.json) say(`    ${problem}`);
    }
    say(
      `Dry run: ${compared.filter(({ standing }) => writes(standing)).length} of ${compared.length} articles would be written.`,
    );
    return failed;
  }
  const done = compared.values();
  const written = await runImport(
    target,
    compared,
    plan.images,
    { fetchImages: options.fetchImages, marks: followed === undefined, category },
    {
      onWritten: (each) => report(each, done.next().value as Compared),
      // Kept before the article is made, so that a pass after a crash knows it as its own.
      ...(followed === undefined
        ? {}
        : {
            signal: followed.signal,
            onBegin(article, mark) {
              keep(article, mark);
              followed.save({ version: 1, files: next });
            },
          }),
    },
  );
  followed?.save({ version: 1, files: next });
  const count = written.filter(({ done: text, mark }) => text !== undefined && mark !== undefined).length;
  say(
    `Wrote ${count} of ${written.length} articles; ${written.filter(({ standing }) => standing === 'unchanged').length} unchanged.`,
  );
  return failed;
}

function isRefused({ mark, standing }: Written, { standing: planned }: Compared): boolean {
  return mark === undefined && standing === planned && (standing === 'new' || standing === 'update');
}

function textOf(current: CurrentArticle | undefined): string | undefined {
  return current?.layout.pieces.map(({ text, sep: behind }) => text + behind).join('');
}

function indented(name: string, text: string): string {
  return [
    `    --- ${name}`,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`),
  ].join('\n');
}

/** A folder that is followed: its record, and how it is kept. */
export interface Followed {
  readonly state: FollowState;
  save(state: FollowState): void;
  /** The pass ends before the next article. */
  readonly signal: AbortSignal;
}

/** What a followed folder was like when it was last looked at. */
export interface FollowState {
  readonly version: 1;
  /** By path. */
  readonly files: Readonly<Record<string, FollowedFile>>;
}

interface FollowedFile extends ImportMark {
  readonly slug: string;
  /** Of the file itself: a renamed file is known by it. */
  readonly bytes_sha256: string;
}

function bytesHash(files: readonly ImportFile[], path: string): string {
  const file = files.find((each) => each.path === path);
  return file === undefined ? '' : hashOf(file.bytes);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The record with the paths that files have now: one that moved reads as before and its old path is gone. */
function renamedIn(
  state: FollowState | undefined,
  files: readonly ImportFile[],
): Record<string, FollowedFile> {
  const now = new Set(files.map(({ path }) => path));
  const known: Record<string, FollowedFile> = {};
  const lost: [string, FollowedFile][] = [];
  for (const [path, file] of Object.entries(state?.files ?? {}))
    if (now.has(path)) known[path] = file;
    else lost.push([path, file]);
  for (const [path, file] of lost) {
    const moved = files.find(
      (each) => known[each.path] === undefined && hashOf(each.bytes) === file.bytes_sha256,
    );
    known[moved?.path ?? path] = file;
  }
  return known;
}

/** The record stands beside the folder, so that a program that keeps the folder in step elsewhere leaves it alone. */
export function stateFile(folder: string): string {
  const full = resolve(folder);
  return join(dirname(full), `.${basename(full)}.colophon.json`);
}

export function readState(folder: string): FollowState {
  const file = stateFile(folder);
  if (!existsSync(file)) return { version: 1, files: {} };
  const parsed = parseJson(readFileSync(file, 'utf8'));
  const value = isFault(parsed) ? undefined : (parsed.value as unknown as FollowState);
  if (value?.version !== 1 || typeof value.files !== 'object')
    throw new UsageError(`${file} cannot be read. Move it away to compare the folder from the beginning.`);
  return value;
}

/** Written beside and renamed, so that a crash leaves the old record or the new one. */
export function writeState(folder: string, state: FollowState): void {
  const file = stateFile(folder);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const quietMs = 500;

/** Resolves when something in the folder has changed and nothing has for a moment; undefined once `signal` fires. */
export function nextChange(folder: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((done) => {
    let timer: NodeJS.Timeout | undefined;
    const watcher = watch(folder, { recursive: true }, (_event, name) => {
      if ((name ?? '').split(sep).some((part) => part.startsWith('.'))) return;
      clearTimeout(timer);
      timer = setTimeout(() => end(true), quietMs);
    });
    const end = (changed: boolean): void => {
      clearTimeout(timer);
      watcher.close();
      done(changed);
    };
    // The folder itself has gone, or no more folders can be watched: the next pass says which.
    watcher.on('error', () => end(true));
    signal.addEventListener('abort', () => end(false), { once: true });
  });
}
