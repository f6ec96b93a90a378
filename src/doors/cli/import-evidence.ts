/**
 * `colophon import FILE --article SLUG`: a bibliography as sources of an article, Web Annotations as its discussion
 * (contract §8). The same plan and the same writes as in the browser; `--dry-run` prints the plan.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { AnnotationChoice, PlannedAnnotation } from '../intake/import-annotations.ts';
import type { CurrentArticle, ImportTarget, ReportLine } from '../intake/import-target.ts';
import type { Upload } from '../intake/recognize.ts';
import { UsageError } from './command.ts';

export interface EvidenceOptions {
  readonly article: string;
  /** What annotations become; undefined for a file without any, and for a dry run. */
  readonly as: AnnotationChoice | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** What a file holds, where it belongs to an article. */
export async function evidenceIn(file: string): Promise<Upload> {
  const { recognize } = await import('../intake/recognize.ts');
  return recognize([{ path: basename(file), bytes: readFileSync(file) }]);
}

/** Answers with whether everything that can be written was. */
export async function importEvidence(
  target: ImportTarget,
  file: string,
  options: EvidenceOptions,
): Promise<boolean> {
  const refuse = (detail: string, fix: string): boolean => {
    if (options.json) console.log(JSON.stringify({ kind: 'file', file, ok: false, detail, fix }));
    else console.error(`${file}: ${detail} ${fix}`);
    return false;
  };
  let upload: Upload;
  try {
    upload = await evidenceIn(file);
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}.`, 'Name another file.');
  }
  if (upload.kind === 'notes' || upload.kind === 'bundle')
    return refuse(
      'is neither a bibliography nor annotations.',
      'Import it without --article, or name a .bib, .ris, CSL-JSON or Web Annotations file.',
    );
  const article = await target.article(options.article);
  if (article === undefined)
    return refuse(`belongs to no article: there is no ${options.article}.`, 'Name the slug of an article.');
  const kind = upload.kind === 'sources' ? 'source' : 'annotation';
  const lines =
    upload.kind === 'sources'
      ? await sourceLines(target, article, upload, options)
      : await annotationLines(target, article, upload, options);
  const skipped = upload.kind === 'sources' ? upload.citations.skipped : [];
  for (const { path, why } of skipped) {
    if (options.json) console.log(JSON.stringify({ kind: 'skipped', file, path, why }));
    else console.log(`${path}: not read. ${why}`);
  }
  for (const { isWritten, isFine: _isFine, ...line } of lines) {
    if (options.json) console.log(JSON.stringify({ kind, file, written: isWritten, ...line }));
    else
      console.log([`${line.what}: ${line.done}`, ...line.problems.map((each) => `    ${each}`)].join('\n'));
  }
  const ready = lines.filter(({ done }) => done.startsWith('would be written')).length;
  const written = lines.filter(({ isWritten }) => isWritten).length;
  const what = kind === 'source' ? 'entries' : 'annotations';
  if (!options.json)
    console.log(
      options.dryRun
        ? `Dry run: ${ready} of ${lines.length} ${what} would be written to ${article.slug}.`
        : `Wrote ${written} of ${lines.length} ${what} to ${article.slug}.`,
    );
  return skipped.length === 0 && lines.every(({ isFine }) => isFine);
}

/** `isFine`: it was written, is here already, or was left out on purpose. */
type Line = Omit<ReportLine, 'href'> & { readonly isFine: boolean };

async function sourceLines(
  target: ImportTarget,
  article: CurrentArticle,
  { citations }: Extract<Upload, { kind: 'sources' }>,
  { dryRun }: EvidenceOptions,
): Promise<readonly Line[]> {
  const { isWhole, planSources, rehearseSources, writeSources } = await import('../intake/import-sources.ts');
  const planned = planSources(citations.entries, article);
  if (!dryRun) {
    const written = await writeSources(target, article, planned);
    return written.map(({ href: _href, ...line }, i) => ({
      ...line,
      isFine: line.isWritten || planned[i]?.known !== undefined,
    }));
  }
  const refused = await rehearseSources(target, article, planned);
  return planned.map((each) => {
    const problem = refused.get(each);
    const isReady = isWhole(each) && problem === undefined;
    return {
      what: each.name,
      done: isReady
        ? 'would be written'
        : each.known === undefined
          ? 'would not be written'
          : `already here: ${each.known}`,
      isWritten: false,
      isFine: isReady || each.known !== undefined,
      receipts: [],
      problems: [
        ...(each.known === undefined ? Object.values(each.lacks) : []),
        ...(problem === undefined ? [] : [problem]),
      ],
    };
  });
}

async function annotationLines(
  target: ImportTarget,
  article: CurrentArticle,
  { annotations }: Extract<Upload, { kind: 'annotations' }>,
  { as, dryRun }: EvidenceOptions,
): Promise<readonly Line[]> {
  const { annotationChoices, planAnnotations, problemWith, titleOf, writeAnnotations } =
    await import('../intake/import-annotations.ts');
  const discussion = await target.discussion(article.slug);
  const planned = planAnnotations(annotations, article, discussion ?? { said: [] });
  const isKnown = (each: PlannedAnnotation): boolean =>
    as === 'attestation' ? each.isAttested : each.isKnown;
  if (!dryRun) {
    if (as === undefined)
      throw new UsageError(
        `annotations become an entry of the discussion: say which with --as ${Object.keys(annotationChoices).join('|')}.`,
      );
    const written = await writeAnnotations(
      target,
      article,
      planned,
      planned.map(() => as),
    );
    return written.map(({ href: _href, ...line }, i) => ({
      ...line,
      isFine: line.isWritten || isKnown(planned[i] as PlannedAnnotation),
    }));
  }
  return planned.map((each) => {
    const problem = as === undefined ? undefined : problemWith(each, as);
    const at = each.div_id === undefined ? 'at no block' : `at ${each.div_id}`;
    const done = isKnown(each)
      ? 'already here'
      : problem === undefined
        ? `would be written ${at}`
        : 'would be left out';
    return {
      what: titleOf(each),
      done,
      isWritten: false,
      isFine: problem === undefined || isKnown(each),
      receipts: [],
      problems: [
        ...(problem === undefined ? [] : [problem]),
        ...(each.isAmbiguous ? ['Other blocks hold these words too.'] : []),
        ...(each.by === 'position' ? ['It was found by its place alone.'] : []),
      ],
    };
  });
}
