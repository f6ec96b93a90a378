/** Appending sources (spec §2.3, §4.4; contract §5): each is an entry of the article's hash chain of sources. */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { visibleTextRules } from '../text-rules.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { nextRev, provenance, sourceEntry } from './events.ts';
import { isCaptureTime } from './claim-rules.ts';
import { medicalRules } from './medical-rules.ts';
import { sameSource } from './same-source.ts';
import type { ArticleState } from './state.ts';
import { exactly } from '../../model/exact.ts';
import { sourceCharsMax, SourcesWritten, type Source, type SourceInput } from '../../model/source.ts';
import { isOneOf, platforms, softwareClasses } from '../../model/vocabulary.ts';

export function appendSources(
  article: ArticleState,
  inputs: readonly SourceInput[],
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(
    [...sourcesRules(inputs), ...medicalRules({ actor: context.actorName })],
    'The sources',
    'Mend each violation and send the sources again.',
  );
  if (bad !== undefined) return bad;
  const { slug, aid, heads } = article.row;
  const known = new Map([...article.sources.values()].map((row) => [row.same_as, row.source_id]));
  const sources: Source[] = [];
  for (const input of inputs) {
    const same = sameSource(input.url, input.quote);
    const stored = known.get(same);
    if (stored !== undefined) {
      return fault(
        'duplicate_source',
        `${stored} already has this URL and quote.`,
        'Cite the stored source, or quote another passage.',
        {
          canonical: {
            id: stored,
            permalink: `${links.article(context.base, slug)}#${stored}`,
            similarity: 1,
            differs: [],
          },
        },
      );
    }
    const source = sourceFrom(input, `s${article.row.sources_made + sources.length + 1}`, context);
    sources.push(source);
  }
  return {
    events: [
      provenance(aid, heads.provenance, context, 'source', nextRev(article), {
        sources_made: sources.length,
        of: sources.map((source) => source.id),
      }),
      ...sources.map((source, i) => sourceEntry(aid, i === 0 ? heads.sources : 'previous', context, source)),
    ],
    conclude(appended, after) {
      const permalink = `${links.article(context.base, slug)}#sources`;
      return {
        result: exactly(SourcesWritten, {
          slug,
          source_ids: sources.map((source) => source.id),
          sources: sources.map((source, i) => {
            const { entry, hash } = (appended[i + 1] as (typeof appended)[number]).sealed;
            return { ...source, claim_ids: [], prev: entry.prev, hash };
          }),
          revision: after.row.version,
          permalink,
        }),
        text: `Appended ${sources.map((source) => source.id).join(', ')} to ${slug}: ${permalink}`,
        material: sources.map((source) => ({
          kind: 'source',
          id: `${slug}/${source.id}`,
          url: `${links.article(context.base, slug)}#${source.id}`,
        })),
      };
    },
  };
}

/** Everything that the sources of one call break, each by itself and with one another. */
export function sourcesRules(inputs: readonly (PartialInput<SourceInput> | null)[]): Violation[] {
  return [
    ...inputs.flatMap((input, i) => (input === null ? [] : lintSource(input, `/sources/${i}`))),
    ...repeatedSources(inputs),
  ];
}

/** What a call sends twice is stored by neither, and points at no stored source. */
export function repeatedSources(inputs: readonly (PartialInput<SourceInput> | null)[]): Violation[] {
  const first = new Map<string, number>();
  return inputs.flatMap((input, i) => {
    if (!input?.url || !input.quote) return [];
    const same = sameSource(input.url, input.quote);
    const twin = first.get(same);
    if (twin === undefined) {
      first.set(same, i);
      return [];
    }
    return [
      {
        code: 'repeated_source',
        at: `/sources/${i}`,
        message: `It has the URL and quote of /sources/${twin}.`,
        fix: 'Send it once, or quote another passage.',
        severity: 'error',
      },
    ];
  });
}

/** Every rule that a source breaks; `at` is the JSON pointer of the source. */
export function lintSource(input: PartialInput<SourceInput>, at: string): Violation[] {
  const { type, title, summary, platform, software_class: software, accessed_at: accessed } = input;
  const found: Violation[] = [
    ...lintAddress(input.url, at),
    // The quote is kept exactly as it stands where it was found.
    ...visibleTextRules({ type, title, summary, source_role: input.source_role }, at),
    ...medicalRules({ type, summary, source_role: input.source_role }, at),
  ];
  const say = (code: string, member: string, message: string, fix: string): void => {
    found.push(violation(code, `${at}/${member}`, message, fix));
  };
  for (const [name, charsMax] of Object.entries(sourceCharsMax)) {
    const value = input[name as keyof typeof sourceCharsMax];
    if (typeof value === 'string' && value.length > charsMax)
      say('too_long', name, `The ${name} has more than ${charsMax} characters.`, 'Shorten it.');
  }
  if (input.quote?.trim() === '')
    say('missing_quote', 'quote', 'The exact quote is missing.', 'Quote the passage word for word.');
  if (title?.trim() === '')
    say('missing_title', 'title', 'The title is missing.', 'Give the title of the cited page.');
  if (type?.trim() === '')
    say(
      'missing_type',
      'type',
      'The type is missing.',
      'Say what kind of source it is, such as review or adjacent.',
    );
  if (type === 'anecdotal' && platform === undefined)
    say(
      'missing_platform',
      'platform',
      'An anecdotal source must name its platform.',
      `Use one of ${platforms.join(', ')}.`,
    );
  if (typeof platform === 'string' && !isOneOf(platforms, platform))
    say(
      'unknown_platform',
      'platform',
      `"${platform}" is no platform.`,
      `Use one of ${platforms.join(', ')}.`,
    );
  if (typeof software === 'string' && !isOneOf(softwareClasses, software)) {
    say(
      'unknown_software_class',
      'software_class',
      `"${software}" is no software source class.`,
      `Use one of ${softwareClasses.join(', ')}.`,
    );
  }
  if (typeof accessed === 'string' && !isCaptureTime(accessed))
    say('accessed_at', 'accessed_at', 'accessed_at is no date.', 'Use ISO 8601.');
  return found;
}

function lintAddress(address: string | null | undefined, at: string): Violation[] {
  if (typeof address !== 'string') return [];
  const say = (message: string, fix: string): Violation[] => [violation('url', `${at}/url`, message, fix)];
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return say('The URL is no http(s) address.', 'Give the address that the quote can be read at.');
  if (url.username !== '' || url.password !== '')
    return say('The URL carries a user name or password.', 'Give the address without credentials.');
  return [];
}

export function sourceFrom(input: SourceInput, id: string, context: Context): Source {
  return {
    id,
    type: input.type.trim(),
    url: input.url.trim(),
    title: input.title.trim(),
    quote: input.quote,
    summary: input.summary ?? '',
    quality_score: input.quality_score ?? null,
    source_role: input.source_role ?? null,
    // `lintSource` refused every other value.
    platform: (input.platform ?? null) as Source['platform'],
    software_class: (input.software_class ?? null) as Source['software_class'],
    found_by: context.actorName === null ? context.actor : `${context.actorName} (${context.actor})`,
    accessed_at: input.accessed_at ?? context.now,
  };
}
