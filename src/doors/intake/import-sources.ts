/**
 * Entries of a bibliography as sources of an article (contract §8, importing): what each lacks and whether it is here
 * already, and one SOURCE_POST for those that are whole. The browser and the command line share it.
 */
import { canonicalUrl, sameSource } from '../../domain/articles/same-source.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { CitationEntry } from '../../represent/intake/citations.ts';
import {
  refusalText,
  type CurrentArticle,
  type ImportTarget,
  type Refused,
  type ReportLine,
} from './import-target.ts';

/** What a person may change of an entry. */
export type TypedSource = Readonly<Record<'title' | 'url' | 'quote', string>>;

export interface PlannedSource {
  readonly name: string;
  readonly entry: CitationEntry;
  readonly typed: TypedSource;
  /** What is wrong with each, and what to do; none where it can be written. */
  readonly lacks: Partial<TypedSource>;
  /** Where the same source is already: its id in the article, or an earlier entry. */
  readonly known: string | undefined;
}

/** `typed` holds what was typed for the entries, by their place. */
export function planSources(
  entries: readonly CitationEntry[],
  { sources }: Pick<CurrentArticle, 'sources'>,
  typed: readonly TypedSource[] = entries,
): readonly PlannedSource[] {
  const here = new Map(sources.map(({ id, url, quote }) => [sameSource(url, quote), `${id} of the article`]));
  return entries.map((entry, i): PlannedSource => {
    const { title, url, quote } = typed[i] ?? entry;
    const said = { title: title.trim(), url: url.trim(), quote };
    const lacks = lacksOf(said);
    const same = sameSource(said.url, quote);
    const known = quote.trim() === '' ? undefined : here.get(same);
    if (known === undefined && quote.trim() !== '') here.set(same, `entry ${i + 1}`);
    return { name: said.title || entry.key || `Entry ${i + 1}`, entry, typed: said, lacks, known };
  });
}

function lacksOf({ title, url, quote }: TypedSource): Partial<TypedSource> {
  return {
    ...(title === '' ? { title: 'It has no title.' } : {}),
    ...(isAddress(url) ? {} : { url: 'It has no http(s) address and no DOI.' }),
    ...(quote.trim() === '' ? { quote: 'It has no exact quote.' } : {}),
  };
}

function isAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(canonicalUrl(url));
}

export function isWhole({ lacks, known }: PlannedSource): boolean {
  return known === undefined && Object.keys(lacks).length === 0;
}

/** Sources that one call takes. */
const sourcesMax = 100;

function callsOf({ slug }: Pick<CurrentArticle, 'slug'>, planned: readonly PlannedSource[]) {
  const whole = planned.filter(isWhole);
  return Array.from({ length: Math.ceil(whole.length / sourcesMax) }, (_, n) => {
    const part = whole.slice(n * sourcesMax, (n + 1) * sourcesMax);
    const sources = part.map(({ entry, typed }): JsonObject => {
      const { type, summary } = entry;
      return { type, ...typed, ...(summary === '' ? {} : { summary }) };
    });
    return { part, args: { slug, sources } };
  });
}

/** What a rehearsal says against each source, where anything does. */
export async function rehearseSources(
  target: ImportTarget,
  article: CurrentArticle,
  planned: readonly PlannedSource[],
): Promise<Map<PlannedSource, string>> {
  const problems = new Map<PlannedSource, string>();
  for (const { part, args } of callsOf(article, planned)) {
    const refused = await target.rehearse('SOURCE_POST', args);
    if (refused !== undefined) for (const [each, why] of blamed(refused, part)) problems.set(each, why);
  }
  return problems;
}

/** The sources that a refusal names; all of them where it names none. */
function blamed(
  refused: Refused,
  part: readonly PlannedSource[],
): readonly (readonly [PlannedSource, string])[] {
  const named = (refused.violations ?? []).flatMap(({ at, message }) => {
    const each = part[Number(/\/sources\/(\d+)/.exec(at)?.[1] ?? -1)];
    return each === undefined ? [] : [[each, message] as const];
  });
  return named.length > 0 ? named : part.map((each) => [each, refusalText(refused)] as const);
}

/** Writes what is whole; a refused call leaves out only the sources that it names, and the others are sent again. */
export async function writeSources(
  target: ImportTarget,
  article: CurrentArticle,
  planned: readonly PlannedSource[],
): Promise<readonly ReportLine[]> {
  const problems = await rehearseSources(target, article, planned);
  const written = new Map<PlannedSource, { readonly id: string; readonly inv?: string }>();
  for (const { part, args } of callsOf(
    article,
    planned.filter((each) => !problems.has(each)),
  )) {
    const called = await target.call('SOURCE_POST', args);
    if (!called.ok) for (const [each, why] of blamed(called, part)) problems.set(each, why);
    else
      for (const [n, id] of (called.result['source_ids'] as readonly string[]).entries()) {
        const each = part[n];
        if (each !== undefined) written.set(each, { id, ...(n === 0 ? { inv: called.inv } : {}) });
      }
  }
  return planned.map((each): ReportLine => {
    const { name, lacks, known } = each;
    const here = written.get(each);
    const problem = problems.get(each);
    return {
      what: name,
      href: here === undefined ? undefined : `/a/${article.slug}#${here.id}`,
      done:
        here !== undefined
          ? `written as ${here.id}`
          : known !== undefined
            ? `already here: ${known}`
            : 'not written',
      isWritten: here !== undefined,
      receipts: here?.inv === undefined ? [] : [here.inv],
      problems: [
        ...(known === undefined ? Object.values(lacks) : []),
        ...(problem === undefined ? [] : [problem]),
      ],
    };
  });
}
