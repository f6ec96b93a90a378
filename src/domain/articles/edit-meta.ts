/** Metadata of an article (spec §2.1, contract §5): compare-and-set on its version; statuses move draft, published, archived. */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { EventDraft } from '../../engine/act.ts';
import { sameJson, type JsonObject } from '../../kernel/json.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { nextRev, provenance } from './events.ts';
import { markProblems, placeProblems } from './traversal.ts';
import { visibleTextRules, visibleTagRules } from '../text-rules.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import type { ArticleState } from './state.ts';
import { isOneOf, type ArticleStatus } from '../../model/vocabulary.ts';
import type { ArticleMeta } from '../../model/article.ts';
import { exactly } from '../../model/exact.ts';
import { MetaWritten } from '../../model/article-writes.ts';

export interface MetaInput {
  readonly expected_version: number;
  readonly title?: string | undefined;
  readonly hero?: string | null | undefined;
  readonly images?: readonly string[] | undefined;
  readonly style?: JsonObject | undefined;
  readonly embeds?: readonly string[] | undefined;
  readonly widgets?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly category?: string | null | undefined;
  readonly home?: boolean | undefined;
  readonly register?: string | undefined;
  /** The model that wrote it, as it names itself. */
  readonly model?: string | undefined;
  readonly status?: string | undefined;
  readonly traversal?: JsonObject | undefined;
  readonly extra?: JsonObject | undefined;
}

/** What may follow each status; a draft is never made of what was once public. */
const nextStatuses: Readonly<Record<ArticleStatus, readonly ArticleStatus[]>> = {
  draft: ['draft', 'published'],
  published: ['published', 'archived'],
  archived: ['archived', 'published'],
};

export function editMeta(
  article: ArticleState,
  input: MetaInput,
  context: Context,
): Outcome<ArticleState> | Fault {
  const { row } = article;
  const bad = refusalOf(
    metaRules(row.slug, input),
    'The metadata',
    'Mend each violation and send the metadata again.',
  );
  if (bad !== undefined) return bad;
  if (input.expected_version !== row.version) {
    return fault(
      'conflict',
      `${row.slug} is at version ${row.version}, not ${input.expected_version}.`,
      'Read the article and send its version as expected_version.',
      {
        current_version: row.version,
      },
    );
  }
  const status = input.status ?? row.status;
  if (!isOneOf(nextStatuses[row.status], status)) {
    return fault(
      'conflict',
      `${row.slug} is ${row.status} and cannot become "${status.slice(0, 40)}".`,
      `From ${row.status} it may become ${nextStatuses[row.status].join(' or ')}.`,
      {
        current_status: row.status,
      },
    );
  }
  const { expected_version: _version, title, status: _status, traversal, extra, ...given } = input;
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const meta: ArticleMeta = {
    ...row.meta,
    ...Object.fromEntries(named),
    extra: {
      ...row.meta.extra,
      ...extra,
      ...(traversal === undefined ? {} : { normandy_v1: { traversal } }),
    },
  };
  const requested = [
    ...named.map(([name]) => name),
    ...(title === undefined ? [] : ['title']),
    ...(input.status === undefined ? [] : ['status']),
    ...(traversal === undefined ? [] : ['traversal']),
    ...(extra === undefined ? [] : ['extra']),
  ];
  const titled = title?.trim() ?? row.title;
  // What is as it was asked to be makes no version: a receipt says that it was asked.
  const isUnchanged = titled === row.title && status === row.status && sameJson(meta, row.meta);
  const changed = isUnchanged ? [] : requested;
  const event = (): EventDraft =>
    provenance(row.aid, row.heads.provenance, context, 'meta', nextRev(article), {
      ...(title === undefined ? {} : { title: titled }),
      status,
      meta,
      of: changed,
    });
  return {
    events: isUnchanged ? [] : [event()],
    conclude(_, after) {
      const permalink = links.article(context.base, row.slug);
      return {
        result: exactly(MetaWritten, {
          slug: row.slug,
          version: after.row.version,
          revision: after.row.version,
          status: after.row.status,
          title: after.row.title,
          changed,
          permalink,
        }),
        text: isUnchanged
          ? `${row.slug} is so already: nothing changed, and it stays at revision ${after.row.version}: ${permalink}`
          : `Changed ${changed.join(', ')} of ${row.slug} (revision ${after.row.version}): ${permalink}`,
        material: [{ kind: 'article', id: row.slug, url: permalink }],
      };
    },
  };
}

/** What a page or a reader would show or follow must be showable: a title, addresses of the web, a place in a series. */
export function metaRules(slug: string | null | undefined, input: PartialInput<MetaInput>): Violation[] {
  const {
    expected_version: _version,
    title,
    hero,
    images,
    embeds,
    tags,
    status,
    traversal,
    ...others
  } = input;
  const changes = [title, hero, images, embeds, tags, status, traversal, ...Object.values(others)];
  if (changes.every((change) => change === undefined))
    return [
      violation(
        'missing',
        '',
        'Nothing is to be changed.',
        'Name at least one member beside slug and expected_version.',
      ),
    ];
  const addresses: readonly (readonly [string, string | null])[] = [
    ...(typeof hero === 'string' ? [['/hero', hero] as const] : []),
    ...(images ?? []).map((image, i) => [`/images/${i}`, image] as const),
    ...(embeds ?? []).map((embed, i) => [`/embeds/${i}`, embed] as const),
  ];
  return [
    ...visibleTextRules({ title, category: others.category, register: others.register, model: others.model }),
    ...visibleTagRules(tags),
    ...(title?.trim() === ''
      ? [violation('empty', '/title', 'The title is empty.', 'Send a title, or leave it out.')]
      : []),
    ...addresses
      .filter(([, address]) => address !== null && !isWebAddress(address))
      .map(([at]) =>
        violation(
          'url',
          at,
          'It is no http(s) address.',
          'Send an address that begins with https:// or http://.',
        ),
      ),
    ...(tags ?? []).flatMap((tag, i) =>
      tag?.trim() === '' ? [violation('empty', `/tags/${i}`, 'The tag is empty.', 'Leave it out.')] : [],
    ),
    ...(typeof status === 'string' && !Object.hasOwn(nextStatuses, status)
      ? [
          violation(
            'unknown_status',
            '/status',
            `"${status.slice(0, 40)}" is no status.`,
            `Use one of ${Object.keys(nextStatuses).join(', ')}.`,
          ),
        ]
      : []),
    ...(traversal == null ? [] : placeProblems(slug ?? '', traversal)).map(({ at, message, fix }) =>
      violation('traversal', `/traversal/${at}`, message, fix),
    ),
    ...markProblems(slug ?? '', others.extra?.['normandy_v1'] ?? null).map(({ at, message, fix }) =>
      violation('traversal', `/extra/normandy_v1${at}`, message, fix),
    ),
  ];
}

export function isWebAddress(address: unknown): address is string {
  const protocol = typeof address === 'string' ? URL.parse(address)?.protocol : undefined;
  return protocol === 'http:' || protocol === 'https:';
}
