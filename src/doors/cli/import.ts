/**
 * `colophon import`: Markdown and HTML files, bundles, folders of notes, bibliographies and annotations (contract §8).
 * Every kind has a dry run that writes nothing.
 */
import { isAnnotationChoice, annotationChoices } from '../intake/import-annotations.ts';
import { citationPath } from '../../represent/intake/citations.ts';
import { type Command, readOptions, UsageError } from './command.ts';
import { importFiles } from './import-files.ts';
import type { NotesOptions } from './import-notes.ts';
import { urlOption, withOwner, type Owner } from './owner-socket.ts';

export const importCommand: Command = {
  name: 'import',
  what: 'Import Markdown or HTML files, bundles, notes, bibliographies or annotations.',
  usage: 'colophon import FILE [FILE ...] [--article SLUG] | --vault DIR | --follow DIR',
  options: [
    ['--slug NAME', 'Import a bundle under another slug; for one file.'],
    ['--draft', 'Import as drafts instead of publishing; a bundle of a draft always becomes a draft.'],
    ['--category NAME', 'Give every article this category.'],
    ['--accept-violations', 'Accept claims and sources of a bundle that break content rules, each marked.'],
    [
      '--article SLUG',
      'Import BibTeX, RIS or CSL-JSON as sources of this article, or Web Annotations as its discussion.',
    ],
    ['--as KIND', `What annotations become: ${Object.keys(annotationChoices).join(', ')}.`],
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
    ['--fetch-images', 'Fetch images on other hosts and serve them from here; for notes and HTML files.'],
    ['--dry-run', 'Print what would be written and what would not, and write nothing.'],
    urlOption,
    ['--json', 'Print one JSON object per file or entry.'],
  ],
  async run(argv, context) {
    const { values, positionals: files } = readOptions(argv, {
      draft: { type: 'boolean' },
      slug: { type: 'string' },
      url: { type: 'string' },
      category: { type: 'string' },
      'accept-violations': { type: 'boolean' },
      article: { type: 'string' },
      as: { type: 'string' },
      json: { type: 'boolean' },
      vault: { type: 'string' },
      follow: { type: 'string' },
      once: { type: 'boolean' },
      publish: { type: 'boolean' },
      'fetch-images': { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    });
    const folder = values.vault ?? values.follow;
    const base = values.url ?? context.readConfig(process.env).baseUrl;
    const json = values.json === true;
    const dryRun = values['dry-run'] === true;
    const fetchImages = values['fetch-images'] === true;
    if (folder !== undefined) {
      if (files.length > 0 || (values.vault !== undefined && values.follow !== undefined))
        throw new UsageError('it takes files, or --vault DIR, or --follow DIR.');
      if (values.article !== undefined || values.as !== undefined)
        throw new UsageError('--article and --as go with a file.');
      const status = values.publish === true ? 'published' : 'draft';
      const options = { folder, base, status, fetchImages, dryRun, json } as const;
      const isLooking = values.follow !== undefined;
      const once = values.once === true || dryRun;
      return withOwner(context, (owner) => importFolder(owner, options, isLooking, once), values.url);
    }
    if (files.length === 0) throw new UsageError('it takes at least one file.');
    const { article, as } = values;
    if (as !== undefined && !isAnnotationChoice(as))
      throw new UsageError(
        `--as takes ${Object.keys(annotationChoices).join(', ')}; got ${as.slice(0, 40)}.`,
      );
    if (article === undefined) {
      if (as !== undefined) throw new UsageError('--as goes with --article.');
      const bibliography = files.find((file) => citationPath.test(file));
      if (bibliography !== undefined)
        throw new UsageError(`${bibliography} holds sources of an article: name it with --article SLUG.`);
      const options = {
        slug: values.slug,
        status: values.draft === true ? 'draft' : undefined,
        category: values.category,
        acceptsViolations: values['accept-violations'] === true,
        base,
        fetchImages,
        dryRun,
        json,
      } as const;
      return withOwner(context, (owner) => importFiles(owner, files, options), values.url);
    }
    return withOwner(
      context,
      async (owner) => {
        const { importEvidence } = await import('./import-evidence.ts');
        const { ownerTarget } = await import('./owner-target.ts');
        const target = ownerTarget(owner);
        let isWhole = true;
        for (const file of files)
          isWhole = (await importEvidence(target, file, { article, as, dryRun, json })) && isWhole;
        return isWhole ? 0 : 1;
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
  if (!isFollowed) return importNotes(owner, options);
  const { folder } = options;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  let delayMs = 0;
  for (;;) {
    // Watched from before the folder is read, so that no change falls in between.
    const changed = once ? undefined : nextChange(folder, stop.signal);
    const followed = {
      state: readState(folder),
      save: (state: ReturnType<typeof readState>): void => writeState(folder, state),
      signal: stop.signal,
    };
    try {
      const status = await importNotes(owner, options, followed);
      delayMs = 0;
      if (changed === undefined) return status;
      if (!options.json) console.log(`Following ${folder}; interrupt to stop.`);
    } catch (error) {
      if (once || error instanceof UsageError) throw error;
      // The service is away or starting again: the same files are looked at until it answers.
      delayMs = Math.min(retryMsMax, Math.max(retryMsMin, delayMs * 2));
      console.error(`${(error as Error).message} Trying again in ${delayMs / 1000} s.`);
    }
    const isRetry = delayMs > 0;
    const again = isRetry ? Promise.race([changed, pause(delayMs, stop.signal)]) : changed;
    if (!(await again)) return 0;
  }
}

const retryMsMin = 1_000;
const retryMsMax = 30_000;

/** False once `signal` fires. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(true), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done(false);
    });
  });
}
