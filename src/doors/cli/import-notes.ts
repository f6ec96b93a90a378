/**
 * `colophon import --vault DIR` and `--follow DIR`: a folder of Markdown, such as an Obsidian vault, as articles
 * (contract §8). A vault is compared with what the last import wrote; a followed folder keeps that record in a file
 * beside it and is looked at again whenever a file changes. Nothing here deletes an article.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isFault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../kernel/json.ts';
import type { ImportFile, ImportFiles, Skipped } from '../../represent/intake/read-zip.ts';
import type {
  Called,
  Compared,
  CurrentArticle,
  ImportMark,
  ImportTarget,
  Refused,
  Written,
} from '../intake/run-import.ts';
import { UsageError } from './command.ts';
import type { Owner } from './owner-socket.ts';

export interface NotesOptions {
  readonly folder: string;
  readonly base: string;
  readonly status: 'draft' | 'published';
  readonly fetchImages: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** The rows behind these paths answer with their result at top level, and take large bodies. */
const paths: Readonly<Record<string, string>> = {
  VOXEL_BATCH: 'voxel-batch',
  IMAGE_STORE: 'image',
  ARTICLE_META: 'article',
  SOURCE_POST: 'sources',
  CLAIM_POST: 'claim',
};

export function ownerTarget(owner: Owner): ImportTarget {
  return {
    async article(slug) {
      const [article, voxels] = await Promise.all([
        owner.get(`/api/articles/${slug}`),
        owner.get(`/api/articles/${slug}/voxels?include_inactive=1`),
      ]);
      return article.status === 200 && voxels.status === 200
        ? currentFrom(article.body, voxels.body)
        : undefined;
    },
    async call(key, args): Promise<Called> {
      const path = paths[key];
      const { body } =
        path === undefined
          ? await owner.post('/api/dispatch', { key, body: args })
          : await owner.post(`/api/protocol/${path}`, args);
      if (body['ok'] !== true) return refusedFrom(body);
      const receipt = (body['receipt'] ?? body['invocation']) as JsonObject | undefined;
      const result = path === undefined ? body['result'] : body;
      return { ok: true, inv: String(receipt?.['id']), result: (result ?? {}) as JsonObject };
    },
    async rehearse(key, args) {
      const { body } = await owner.post('/api/dispatch', { key, body: args, shape: true });
      if (body['would_run'] === true) return undefined;
      return refusedFrom((body['refusal'] as JsonObject | undefined) ?? body);
    },
  };
}

function refusedFrom(body: JsonObject): Refused {
  const message = body['detail'] ?? body['message'] ?? body['problem'] ?? body['error'] ?? 'It was refused.';
  return { ok: false, message: String(message), fix: String(body['fix'] ?? '') };
}

function currentFrom(article: JsonObject, voxels: JsonObject): CurrentArticle {
  const divs = voxels['divs'] as unknown as readonly {
    readonly div_id: string;
    readonly text: string;
    readonly sep: string;
    readonly vx_hash: string;
    readonly order: number | null;
  }[];
  const current = divs.filter(({ order }) => order !== null);
  const { import: mark, aliases } = (article['extra'] ?? {}) as JsonObject;
  return {
    slug: String(article['slug']),
    title: String(article['title']),
    status: String(article['status']),
    version: Number(article['version']),
    content_hash: String(article['content_hash']),
    tags: article['tags'] as readonly string[],
    extra: {
      ...(mark === undefined ? {} : { import: mark }),
      ...(aliases === undefined ? {} : { aliases }),
    },
    layout: { lead: String(voxels['lead']), pieces: current },
    hashes: new Map(current.map(({ div_id: id, vx_hash: hash }) => [id, hash])),
    blocksMade: Math.max(0, ...divs.map(({ div_id: id }) => Number(id.slice(1)))),
  };
}

/** Every file below a folder. Links to elsewhere are not followed. */
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
      const state = lstatSync(join(folder, path));
      const skip = (why: string): void => void skipped.push({ path: path.replace(/\p{C}/gu, '?'), why });
      if (safe === undefined) skip('Its name cannot be read.');
      else if (state.isSymbolicLink()) skip('It is a link to elsewhere, which is not followed.');
      else if (state.isDirectory()) visit(path);
      else if (!state.isFile()) skip('It is no file.');
      else if (state.size > importLimits.fileBytes)
        skip(`It has ${state.size} bytes; at most ${importLimits.fileBytes} are read.`);
      else {
        bytes += state.size;
        if (files.length >= importLimits.files || bytes > importLimits.bytes)
          throw new UsageError(
            `${folder} has more than ${importLimits.files} files or ${importLimits.bytes} bytes. Import its folders one by one.`,
          );
        files.push({ path: safe, bytes: readFileSync(join(folder, path)) });
      }
    }
  };
  visit('');
  return { files, skipped };
}

const words: Readonly<Record<Compared['standing'], string>> = {
  new: 'new',
  update: 'changed',
  unchanged: 'unchanged',
  kept: 'changed here only, kept',
  conflict: 'conflict',
  taken: 'address taken',
};

/** One pass over a folder. Answers with the exit status and what was written. */
export async function importNotes(
  owner: Owner,
  options: NotesOptions,
  followed?: FollowState,
): Promise<{ readonly status: number; readonly state: FollowState }> {
  const { planNotes } = await import('../../represent/intake/plan-notes.ts');
  const { compareImport, runImport, markIn, writes } = await import('../intake/run-import.ts');
  const target = ownerTarget(owner);
  const files = await readFolder(options.folder);
  const known = renamedIn(followed, files.files);
  const slugs = new Map(Object.entries(known).map(([path, { slug }]) => [path, slug]));
  const plan = planNotes(files, { base: options.base, status: options.status, slugOf: 'file', slugs });
  const markOf = (article: { readonly path: string }, current: CurrentArticle): ImportMark | undefined =>
    followed === undefined ? markIn(current, article.path) : known[article.path];
  const compared = await compareImport(target, plan, markOf);
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
  let failed = 0;
  const next: Record<string, FollowedFile> = { ...known };
  const report = (written: Written, each: Compared): void => {
    const isFailure =
      written.standing === 'conflict' || written.standing === 'taken' || isRefused(written, each);
    if (isFailure) failed++;
    if (written.mark !== undefined)
      next[written.path] = {
        slug: written.slug,
        ...written.mark,
        bytes_sha256: bytesHash(files.files, written.path),
      };
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
      const { path, slug, title, status, tags, images, foreign } = article;
      tell('article', { path, slug, title, status, tags, standing, images, foreign, problems });
      say(`${path} -> ${slug}: ${words[standing]}, “${title}”`);
      for (const problem of problems) if (!options.json) say(`    ${problem}`);
    }
    say(
      `Dry run: ${compared.filter(({ standing }) => writes(standing)).length} of ${compared.length} articles would be written.`,
    );
    return { status: failed === 0 ? 0 : 1, state: { version: 1, files: known } };
  }
  const done = compared.values();
  const written = await runImport(
    target,
    compared,
    plan.images,
    { fetchImages: options.fetchImages, marks: followed === undefined },
    (each) => report(each, done.next().value as Compared),
  );
  const count = written.filter(({ done: text, mark }) => text !== undefined && mark !== undefined).length;
  say(
    `Wrote ${count} of ${written.length} articles; ${written.filter(({ standing }) => standing === 'unchanged').length} unchanged.`,
  );
  return { status: failed === 0 ? 0 : 1, state: { version: 1, files: next } };
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
    signal.addEventListener('abort', () => end(false), { once: true });
  });
}
