/**
 * An article in schema.org's terms, as JSON-LD for its page: the claims, the sources that it cites, and what was said
 * about it. The size is bounded; the article's JSON has everything. All texts are untrusted.
 */
import { type ArticleState, claimsOf, sourcesOf } from '../domain/articles/state.ts';
import { links } from '../domain/links.ts';
import type { Claim } from '../model/claim.ts';
import type { Contribution } from '../model/contribution.ts';
import type { Post } from '../model/discourse.ts';
import type { Source } from '../model/source.ts';
import { invisibleCharacters } from '../kernel/invisible-characters.ts';
import type { JsonObject } from '../kernel/json.ts';
import { titleOf } from './citation.ts';
import { webIri } from './iri.ts';

export interface Published {
  readonly state: ArticleState;
  readonly base: string;
  readonly publisher: string;
  readonly posts: readonly { readonly post: Post; readonly open: boolean }[];
  readonly contributions: readonly (Contribution & { readonly status: string })[];
  /** Everything that was said, shown or not. */
  readonly commentCount: number;
}

/** Of one text. */
const textCharsMax = 600;
/** Of each list as JSON, so that the whole has at most 60,000 characters. */
const listCharsMax = { claims: 24_000, sources: 16_000, discourse: 16_000 } as const;

export function articleJsonLd(published: Published): JsonObject {
  const { state, base, publisher, posts, contributions, commentCount } = published;
  const { row } = state;
  const page = links.article(base, row.slug);
  const organization = { '@type': 'Organization', name: publisher, url: `${base}/` };
  const said = within(listCharsMax.discourse, [
    ...posts.map(({ post, open }) => (): Said => {
      const claim = state.claims.get(post.target)?.claim;
      return { about: claim?.id ?? '', node: postNode(post, open, page, base, row.slug, claim) };
    }),
    ...contributions.map((each) => (): Said => ({
      about: each.claim_id,
      node: contributionNode(each, page, state.claims.get(each.claim_id)?.claim),
    })),
  ]);
  const claims = within(
    listCharsMax.claims,
    claimsOf(state).map((claim) => () => claimNode(claim, page, base, row.slug, said)),
  );
  const sources = within(
    listCharsMax.sources,
    sourcesOf(state).map(
      ({ source }) =>
        () =>
          sourceNode(source, page),
    ),
  );
  return {
    '@context': 'https://schema.org',
    '@type': 'Article',
    '@id': page,
    identifier: row.aid,
    url: page,
    headline: cut(titleOf(row), 110),
    name: titleOf(row),
    version: String(row.version),
    creativeWorkStatus: row.status,
    dateCreated: row.created_at,
    ...(row.posted_at === null ? {} : { datePublished: row.posted_at }),
    dateModified: row.updated_at,
    author: organization,
    publisher: organization,
    ...(row.meta.tags.length === 0
      ? {}
      : { keywords: row.meta.tags.slice(0, 20).map((tag) => cut(tag, 100)) }),
    ...(row.meta.category === null ? {} : { articleSection: cut(row.meta.category, 100) }),
    isAccessibleForFree: true,
    encoding: [
      encoding(links.articleJson(base, row.slug), 'application/json'),
      encoding(links.articleMarkdown(base, row.slug), 'text/markdown'),
      encoding(links.annotations(base, row.slug), 'application/ld+json'),
    ],
    ...listed('hasPart', claims),
    ...listed('citation', sources),
    ...reviewsAndComments(said, ''),
    commentCount,
  };
}

/** JSON for a `script` element: no character of it can end the element or begin a comment, and none is invisible. */
export function scriptText(value: JsonObject): string {
  return JSON.stringify(value)
    .replace(/[<>&\u2028\u2029]/g, escapeUnits)
    .replace(invisibleCharacters, escapeUnits);
}

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** What was said, and the claim that it is about; '' for the article. */
interface Said {
  readonly about: string;
  readonly node: JsonObject;
}

function reviewsAndComments(said: readonly Said[], about: string): JsonObject {
  const nodes = said.filter((each) => each.about === about).map(({ node }) => node);
  const isComment = (node: JsonObject): boolean => node['@type'] === 'Comment';
  return {
    ...listed(
      'review',
      nodes.filter((node) => !isComment(node)),
    ),
    ...listed('comment', nodes.filter(isComment)),
  };
}

function claimNode(
  claim: Claim,
  page: string,
  base: string,
  slug: string,
  said: readonly Said[],
): JsonObject {
  return {
    '@type': 'Claim',
    '@id': links.claim(base, slug, claim.id),
    text: cut(claim.text),
    author: { name: cut(claim.who_claims, 300) },
    dateCreated: claim.posted_by.ts,
    version: String(claim.version),
    creativeWorkStatus: claim.status,
    keywords: claim.tier,
    ...listed(
      'citation',
      claim.source_ids.slice(0, 20).map((id) => ({ '@id': `${page}#${id}` })),
    ),
    ...reviewsAndComments(said, claim.id),
  };
}

function sourceNode(source: Source, page: string): JsonObject {
  const url = webIri(source.url);
  return {
    '@type': 'CreativeWork',
    '@id': `${page}#${source.id}`,
    name: cut(source.title, 300),
    ...(url === undefined ? {} : { url }),
    hasPart: { '@type': 'Quotation', text: cut(source.quote) },
  };
}

/** From worst to best. */
const verdictValues = { unsound: 1, needs_work: 2, sound: 3 } as const;

function postNode(
  post: Post,
  open: boolean,
  page: string,
  base: string,
  slug: string,
  claim: Claim | undefined,
): JsonObject {
  const { id, stance, target, verdict, actor, ts, body } = post;
  const common = {
    '@id': `${page}#${id}`,
    author: { name: cut(actor, 200) },
    dateCreated: ts,
    keywords: stance,
    ...(open ? { creativeWorkStatus: 'open' } : {}),
  };
  if (stance === 'review' && verdict !== null)
    return {
      '@type': 'Review',
      ...common,
      reviewBody: cut(body),
      reviewRating: {
        '@type': 'Rating',
        ratingValue: verdictValues[verdict],
        worstRating: 1,
        bestRating: 3,
        alternateName: verdict,
      },
    };
  if (claim !== undefined)
    return { '@type': 'ClaimReview', ...common, claimReviewed: cut(claim.text), reviewBody: cut(body) };
  return {
    '@type': 'Comment',
    ...common,
    text: cut(body),
    ...(target === '' ? {} : { about: { '@id': links.div(base, slug, target) } }),
  };
}

/** Contributions that judge the claim, not only its wording. */
const judging: ReadonlySet<string> = new Set(['objection', 'contradiction', 'audit']);

function contributionNode(
  { id, kind, actor, ts, body, status }: Published['contributions'][number],
  page: string,
  claim: Claim | undefined,
): JsonObject {
  const common = {
    '@id': `${page}#${id}`,
    author: { name: cut(actor, 200) },
    dateCreated: ts,
    keywords: kind,
    creativeWorkStatus: status,
  };
  return claim !== undefined && judging.has(kind)
    ? { '@type': 'ClaimReview', ...common, claimReviewed: cut(claim.text), reviewBody: cut(body) }
    : { '@type': 'Comment', ...common, text: cut(body) };
}

function encoding(contentUrl: string, encodingFormat: string): JsonObject {
  return { '@type': 'MediaObject', contentUrl, encodingFormat };
}

function listed(name: string, nodes: readonly JsonObject[]): JsonObject {
  return nodes.length === 0 ? {} : { [name]: nodes };
}

/** The first items whose JSON fits together; the others are not made. */
function within<T extends JsonObject | Said>(charsMax: number, items: readonly (() => T)[]): T[] {
  const found: T[] = [];
  let chars = 0;
  for (const make of items) {
    const item = make();
    chars += scriptText('node' in item ? (item as Said).node : item).length;
    if (chars > charsMax) break;
    found.push(item);
  }
  return found;
}

function cut(text: string, charsMax = textCharsMax): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1).toWellFormed()}…` : text;
}
