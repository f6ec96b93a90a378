/**
 * `colophon import FILE …`: Markdown files as articles, divided byte for byte (spec §4.4 voxel-batch), bundles, and HTML
 * files by way of Markdown. Several run concurrently, so that they share commits; outcomes are printed in the order of
 * the files.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../kernel/json.ts';
import { slugFrom } from '../../domain/articles/slugs.ts';
import { isHtmlPath } from '../../represent/intake/html-to-markdown.ts';
import { refusalText } from '../intake/import-target.ts';
import type { Owner } from './owner-socket.ts';
import { ownerTarget } from './owner-target.ts';

export interface FilesOptions {
  /** Another slug for a bundle. */
  readonly slug: string | undefined;
  readonly status: 'draft' | undefined;
  readonly category: string | undefined;
  readonly acceptsViolations: boolean;
  readonly base: string;
  readonly fetchImages: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Answers with the exit status. */
export async function importFiles(
  owner: Owner,
  files: readonly string[],
  options: FilesOptions,
): Promise<number> {
  const documents = files.filter((file) => isHtmlPath(file));
  const others = files.filter((file) => !isHtmlPath(file));
  const failed =
    (others.length === 0 ? 0 : await importDocuments(owner, others, options)) +
    (documents.length === 0 ? 0 : await importHtml(owner, documents, options));
  return failed === 0 ? 0 : 1;
}

/** As the browser imports them, with the titles that they have. */
async function importHtml(owner: Owner, files: readonly string[], options: FilesOptions): Promise<number> {
  const { importRead } = await import('./import-notes.ts');
  const read: { readonly path: string; readonly bytes: Buffer }[] = [];
  const skipped: { readonly path: string; readonly why: string }[] = [];
  for (const file of files)
    try {
      read.push({ path: basename(file), bytes: readFileSync(file) });
    } catch (error) {
      skipped.push({ path: file, why: `It cannot be read: ${(error as Error).message}.` });
    }
  const { base, fetchImages, dryRun, json, category } = options;
  const status = options.status ?? 'published';
  const how = { base, status, fetchImages, dryRun, json, category, slugOf: 'title' } as const;
  return importRead(owner, { files: read, skipped }, how);
}

async function importDocuments(
  owner: Owner,
  files: readonly string[],
  options: FilesOptions,
): Promise<number> {
  const { json, dryRun, status, category, slug } = options;
  const choices = {
    ...(status === undefined ? {} : { status }),
    ...(category === undefined ? {} : { category }),
  };
  const target = ownerTarget(owner);
  const post: Post = async (document) => {
    if ('bundle' in document) {
      const body = {
        ...document,
        ...(slug === undefined ? {} : { slug }),
        ...choices,
        ...(options.acceptsViolations ? { accept_violations: true } : {}),
      };
      if (!dryRun) return (await owner.post('/api/protocol/import', body)).body;
      const refused = await target.rehearse('ARTICLE_IMPORT', body);
      return refused === undefined
        ? planned(String(slug ?? document.bundle['slug']), String(document.bundle['title'] ?? ''))
        : refusedBody(refused);
    }
    const body = { document: { ...document, ...choices } };
    if (!dryRun) return (await owner.post('/api/protocol/voxel-batch', body)).body;
    const refused = await target.rehearse('VOXEL_BATCH', body);
    if (refused !== undefined) return refusedBody(refused);
    const { titleIn } = await import('../../domain/articles/write-document.ts');
    const title = document.title ?? titleIn(document.markdown);
    return planned(slugFrom(title, 'article'), title);
  };
  const { titleIn } = await import('../../domain/articles/write-document.ts');
  const one = (file: string, turns: Turns) => importOne(file, titleIn, turns, post);
  let failed = 0;
  let i = 0;
  for await (const outcome of mapInOrder(files, concurrencyMax, one)) {
    const file = files[i++] as string;
    if (outcome['ok'] !== true) failed++;
    if (json) console.log(JSON.stringify({ file, ...outcome }));
    else if (outcome['ok'] === true && dryRun)
      console.log(
        `${i}/${files.length} ${file}: would become “${String(outcome['title'])}” at /a/${String(outcome['slug'])}`,
      );
    else if (outcome['ok'] === true)
      console.log(
        [
          `${i}/${files.length} ${file} -> ${String(outcome['permalink'])} (${String(outcome['divs'])} DIVs)`,
          ...scrubbedIn(outcome).map(
            ({ path, kind, count }) =>
              `    ${path || '/'}: scrubbed ${kind} ×${count}; revoke it where it was issued`,
          ),
        ].join('\n'),
      );
    else
      console.error(
        [
          `${i}/${files.length} ${file}: ${String(outcome['detail'])} ${String(outcome['fix'] ?? '')}`,
          ...violationsIn(outcome).map(
            ({ at, message }) => `    ${at.replace(/^\/bundle(?=\/)/, '')}: ${message}`,
          ),
        ].join('\n'),
      );
  }
  const done = files.length - failed;
  if (!json)
    console.log(
      dryRun
        ? `Dry run: ${done} of ${files.length} files would be imported.`
        : `Imported ${done} of ${files.length} files.`,
    );
  return failed;
}

function refusedBody(refused: Parameters<typeof refusalText>[0]): Readonly<Record<string, unknown>> {
  return { ok: false, error: 'refused', detail: refused.message, fix: refused.fix };
}

/** The slug is numbered where an article has it. */
function planned(slug: string, title: string): Readonly<Record<string, unknown>> {
  return { ok: true, would_write: true, slug, title };
}

/** Concurrent requests; more only cost memory. */
const concurrencyMax = 8;

type Post = (
  document: { readonly markdown: string; readonly title?: string } | { readonly bundle: JsonObject },
) => Promise<Readonly<Record<string, unknown>>>;

/** Takes its turn synchronously, so that turns are in the order of the files. */
async function importOne(
  file: string,
  titleIn: (markdown: string) => string,
  turns: Turns,
  post: Post,
): Promise<Record<string, unknown>> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR')
      return {
        ok: false,
        detail: 'is a folder.',
        fix: 'Name its files, or import it as notes with --vault.',
      };
    return { ok: false, detail: `cannot be read: ${(error as Error).message}.` };
  }
  if (!isUtf8(bytes))
    return { ok: false, detail: 'is not valid UTF-8.', fix: 'Convert it and import it again.' };
  const markdown = bytes.toString('utf8');
  const bundle = bundleIn(file, markdown);
  if (isFault(bundle)) return { ok: false, error: bundle.fault, detail: bundle.message, fix: bundle.fix };
  if (bundle !== undefined) {
    const imported = await turns.take(String(bundle['slug']), () => post({ bundle }));
    return imported['ok'] === true
      ? summary(imported)
      : {
          ok: false,
          error: imported['error'],
          detail: imported['detail'],
          fix: imported['fix'],
          violations: imported['violations'],
        };
  }
  // A text without a title is named after its file.
  const named = titleIn(markdown);
  const title = named === '' ? basename(file).replace(/\.md$/i, '') : named;
  // Equal slugs are numbered in the order of the files.
  const body = await turns.take(slugFrom(title, ''), () =>
    post(named === '' ? { markdown, title } : { markdown }),
  );
  return body['ok'] === true
    ? summary(body)
    : { ok: false, error: body['error'], detail: body['detail'], fix: body['fix'] };
}

/**
 * The bundle in a file, without transport members; undefined for Markdown. A malformed bundle is refused rather
 * than imported as text, which would publish what the bundle withholds.
 */
function bundleIn(file: string, text: string): JsonObject | Fault | undefined {
  const begun = text.trimStart();
  const meant = /\.json$/i.test(file) || (begun.startsWith('{') && begun.includes('"bundle_version"'));
  if (!meant) return undefined;
  const parsed = parseJson(text);
  if (isFault(parsed))
    return {
      ...parsed,
      message: `is no bundle. ${parsed.message}`,
      fix: 'Get the bundle again from its origin.',
    };
  const { value } = parsed;
  if (value === null || typeof value !== 'object' || Array.isArray(value) || !('bundle_version' in value))
    return fault(
      'invalid_json',
      'is no bundle: it has no bundle_version.',
      'Name a bundle that colophon export wrote; CSL-JSON and Web Annotations go with --article SLUG.',
    );
  const { ok: _ok, _self, ...bundle } = value;
  return bundle;
}

interface ScrubbedPart {
  readonly path: string;
  readonly kind: string;
  readonly count: number;
}

function scrubbedIn(outcome: Readonly<Record<string, unknown>>): readonly ScrubbedPart[] {
  return (outcome['scrubbed'] as readonly ScrubbedPart[] | undefined) ?? [];
}

/** Violations that the refusal of a bundle names. */
function violationsIn(outcome: Readonly<Record<string, unknown>>): { at: string; message: string }[] {
  return Array.isArray(outcome['violations'])
    ? (outcome['violations'] as { at: string; message: string }[])
    : [];
}

function summary(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (body['would_write'] === true) return { ...body };
  const { slug, title, permalink, divs, receipt, scrubbed } = body as {
    slug: string;
    title: string;
    permalink: string;
    divs: readonly unknown[];
    receipt: { id: string };
    scrubbed?: readonly ScrubbedPart[];
  };
  return {
    ok: true,
    slug,
    title,
    permalink,
    divs: divs.length,
    receipt: receipt.id,
    ...(scrubbed && { scrubbed }),
  };
}

export interface Turns {
  /** Starts `work` after earlier work with the same name. */
  take<R>(name: string, work: () => Promise<R>): Promise<R>;
}

export async function* mapInOrder<T, R>(
  items: readonly T[],
  runningMax: number,
  work: (item: T, turns: Turns) => Promise<R>,
): AsyncGenerator<R, void> {
  const last = new Map<string, Promise<unknown>>();
  const turns: Turns = {
    take(name, turn) {
      const taken = (last.get(name) ?? Promise.resolve()).then(turn);
      last.set(
        name,
        taken.catch(() => undefined),
      );
      return taken;
    },
  };
  const running: Promise<R>[] = [];
  for (const item of items) {
    const started = work(item, turns);
    // A failure of earlier work ends the iteration before this promise is awaited.
    started.catch(() => undefined);
    running.push(started);
    if (running.length === runningMax) yield await (running.shift() as Promise<R>);
  }
  yield* running;
}
