/**
 * `colophon import`: imports Markdown files as articles, divided byte for byte (spec §4.4 voxel-batch). Several run
 * concurrently, so that they share commits; outcomes are printed in the order of the files.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../kernel/json.ts';
import { slugFrom } from '../../domain/articles/slugs.ts';
import { type Command, readOptions, UsageError } from './command.ts';
import type { NotesOptions } from './import-notes.ts';
import { urlOption, withOwner, type Owner } from './owner-socket.ts';

export const importCommand: Command = {
  name: 'import',
  what: 'Import Markdown files, bundles, an Obsidian vault or a folder of notes as articles.',
  usage: 'colophon import FILE [FILE ...] | --vault DIR | --follow DIR',
  options: [
    ['--slug NAME', 'Import a bundle under another slug; for one file.'],
    ['--draft', 'Import as drafts instead of publishing; a bundle of a draft always becomes a draft.'],
    ['--category NAME', 'Give every article this category.'],
    ['--accept-violations', 'Accept claims and sources of a bundle that break content rules, each marked.'],
    [
      '--vault DIR',
      'Import a folder of notes: links, images, tags and titles are taken over. Again, it updates.',
    ],
    [
      '--follow DIR',
      'The same, and again whenever a file changes; keeps its record in a file beside the folder.',
    ],
    ['--once', 'With --follow: look once and stop.'],
    ['--publish', 'With --vault and --follow: publish notes that do not say otherwise; drafts without it.'],
    ['--fetch-images', 'With --vault and --follow: fetch images on other hosts and serve them from here.'],
    ['--dry-run', 'With --vault and --follow: print what would be written, and write nothing.'],
    urlOption,
    ['--json', 'Print one JSON object per file.'],
  ],
  async run(argv, context) {
    const { values, positionals: files } = readOptions(argv, {
      draft: { type: 'boolean' },
      slug: { type: 'string' },
      url: { type: 'string' },
      category: { type: 'string' },
      'accept-violations': { type: 'boolean' },
      json: { type: 'boolean' },
      vault: { type: 'string' },
      follow: { type: 'string' },
      once: { type: 'boolean' },
      publish: { type: 'boolean' },
      'fetch-images': { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    });
    const folder = values.vault ?? values.follow;
    if (folder !== undefined) {
      if (files.length > 0 || (values.vault !== undefined && values.follow !== undefined))
        throw new UsageError('it takes files, or --vault DIR, or --follow DIR.');
      const options = {
        folder,
        base: values.url ?? context.readConfig(process.env).baseUrl,
        status: values.publish === true ? 'published' : 'draft',
        fetchImages: values['fetch-images'] === true,
        dryRun: values['dry-run'] === true,
        json: values.json === true,
      } as const;
      const isLooking = values.follow !== undefined;
      const once = values.once === true || options.dryRun;
      return withOwner(context, (owner) => importFolder(owner, options, isLooking, once), values.url);
    }
    if (values['dry-run'] === true) throw new UsageError('--dry-run goes with --vault or --follow.');
    if (files.length === 0) throw new UsageError('it takes at least one file.');
    const choices = {
      ...(values.draft === true ? { status: 'draft' } : {}),
      ...(values.category === undefined ? {} : { category: values.category }),
    };
    return withOwner(
      context,
      async (owner) => {
        const post: Post = async (document) => {
          if ('bundle' in document) {
            const slug = values.slug === undefined ? {} : { slug: values.slug };
            const accepts = values['accept-violations'] === true ? { accept_violations: true } : {};
            return (
              await owner.post('/api/protocol/import', { ...document, ...slug, ...choices, ...accepts })
            ).body;
          }
          const { body } = await owner.post('/api/protocol/voxel-batch', {
            document: { ...document, ...choices },
          });
          return body;
        };
        const { titleIn } = await import('../../domain/articles/write-document.ts');
        const one = (file: string, turns: Turns) => importOne(file, titleIn, turns, post);
        let failed = 0;
        let i = 0;
        for await (const outcome of mapInOrder(files, concurrencyMax, one)) {
          const file = files[i++] as string;
          if (outcome['ok'] !== true) failed++;
          if (values.json === true) console.log(JSON.stringify({ file, ...outcome }));
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
        if (values.json !== true) console.log(`Imported ${files.length - failed} of ${files.length} files.`);
        return failed === 0 ? 0 : 1;
      },
      values.url,
    );
  },
};

/** One pass over a folder, or one after each change until the process is interrupted. */
async function importFolder(
  owner: Owner,
  options: NotesOptions,
  isFollowed: boolean,
  once: boolean,
): Promise<number> {
  const { importNotes, nextChange, readState, writeState } = await import('./import-notes.ts');
  if (!isFollowed) return (await importNotes(owner, options)).status;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  for (;;) {
    // Watched from before the folder is read, so that no change falls in between.
    const changed = once ? undefined : nextChange(options.folder, stop.signal);
    const { status, state } = await importNotes(owner, options, readState(options.folder));
    if (!options.dryRun) writeState(options.folder, state);
    if (changed === undefined) return status;
    if (!options.json) console.log(`Following ${options.folder}; interrupt to stop.`);
    if (!(await changed)) return 0;
  }
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
      'Name a bundle that colophon export wrote; a Markdown file has another ending than .json.',
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
