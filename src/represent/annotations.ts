/**
 * What was said about an article as Web Annotations (W3C Web Annotation Data Model): an AnnotationCollection whose pages
 * hold posts, contributions and votes, oldest first, so that pages do not change when something is added.
 */
import type { ArticleState } from '../domain/articles/state.ts';
import { isOpen, type PostRow, type VoteRow } from '../domain/discourse/thread.ts';
import { links } from '../domain/links.ts';
import type { ContributionRow } from '../domain/mirror/tables.ts';
import type { Contribution } from '../model/contribution.ts';
import type { Stance } from '../model/discourse.ts';
import type { Annotation, Annotations, Motivation } from '../model/linked-data.ts';
import { titleOf } from './citation.ts';

export interface Annotated {
  readonly state: ArticleState;
  readonly base: string;
  readonly posts: readonly PostRow[];
  readonly contributions: readonly (ContributionRow & { readonly status: string })[];
  readonly votes: readonly VoteRow[];
}

const context = 'http://www.w3.org/ns/anno.jsonld';
export const annotationsOnPage = 100;

/** Annotations, oldest first. */
export function annotationsOf(annotated: Annotated): readonly Annotation[] {
  const found = [
    ...annotated.posts.map((row) => ofPost(row, annotated)),
    ...annotated.contributions.map((row) => ofContribution(row, annotated)),
    ...annotated.votes.map((row) => ofVote(row, annotated)),
  ];
  const key = ({ created, id }: Annotation): string => `${created} ${id}`;
  return found.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The collection with its first page, or one page; `at` is the address of a page, or of the collection. */
export function annotationDocument(
  { state }: Pick<Annotated, 'state'>,
  items: readonly Annotation[],
  page: number | undefined,
  at: (page?: number) => string,
): Annotations | undefined {
  const pages = Math.max(1, Math.ceil(items.length / annotationsOnPage));
  if (page !== undefined && page > pages) return undefined;
  const pageOf = (n: number) => ({
    id: at(n),
    type: 'AnnotationPage' as const,
    startIndex: (n - 1) * annotationsOnPage,
    ...(n > 1 ? { prev: at(n - 1) } : {}),
    ...(n < pages ? { next: at(n + 1) } : {}),
    items: items.slice((n - 1) * annotationsOnPage, n * annotationsOnPage),
  });
  const collection = { id: at(), type: 'AnnotationCollection' as const, total: items.length };
  if (page !== undefined) return { '@context': context, ...pageOf(page), partOf: collection };
  return {
    '@context': context,
    ...collection,
    label: `Discourse on ${titleOf(state.row)}`,
    ...(items.length === 0 ? {} : { first: pageOf(1), last: at(pages) }),
  };
}

const motivationOfStance: Readonly<Record<Stance, Motivation>> = {
  challenge: 'questioning',
  support: 'assessing',
  upgrade: 'editing',
  objection: 'assessing',
  attestation: 'assessing',
  confirmation: 'replying',
  review: 'assessing',
  note: 'commenting',
  update: 'commenting',
};
const motivationOfKind: Readonly<Record<Contribution['kind'], Motivation>> = {
  question: 'questioning',
  objection: 'assessing',
  source: 'linking',
  repair: 'editing',
  compression: 'editing',
  contradiction: 'assessing',
  audit: 'assessing',
};

function ofPost(row: PostRow, { state, base }: Annotated): Annotation {
  const { id, post, settled } = row;
  const page = links.article(base, state.row.slug);
  const motivation = motivationOfStance[post.stance];
  return annotation(`${page}#${id}`, motivation, post, {
    target:
      post.confirms === null
        ? targetOf(post.target, post.target_hash, { state, base })
        : `${page}#${post.confirms}`,
    body: [
      ...text(post.body, motivation),
      ...text(post.minimum_patch ?? '', 'editing'),
      ...text(settled?.note ?? '', 'replying'),
      ...tags(post.stance, post.verdict, post.outcome, post.surface, statusOf(row)),
    ],
  });
}

/** Only what asks for an answer is open or settled. */
function statusOf(row: PostRow): string | null {
  if (isOpen(row)) return 'open';
  return row.settled === null ? null : 'settled';
}

/** The article for '', a DIV, or a claim, with the words that it is about as long as the claim has them. */
function targetOf(
  target: string,
  hash: string | null,
  { state, base }: Pick<Annotated, 'state' | 'base'>,
): Annotation['target'] {
  const { slug } = state.row;
  if (target === '') return links.article(base, slug);
  const claim = state.claims.get(target)?.claim;
  const source = links.div(base, slug, target);
  return claim !== undefined && claim.hash === hash
    ? { type: 'SpecificResource', source, selector: { type: 'TextQuoteSelector', exact: claim.text } }
    : source;
}

function ofContribution(row: Annotated['contributions'][number], { state, base }: Annotated): Annotation {
  const { id, contribution, claim_id: claimId, status } = row;
  const motivation = motivationOfKind[contribution.kind];
  return annotation(`${links.article(base, state.row.slug)}#${id}`, motivation, contribution, {
    target: targetOf(claimId, contribution.claim_hash, { state, base }),
    body: [...text(contribution.body, motivation), ...tags(contribution.kind, status)],
  });
}

function ofVote({ id, vote, status, decision }: VoteRow, { state, base }: Annotated): Annotation {
  const { slug } = state.row;
  const page = links.article(base, slug);
  return annotation(`${page}#${id}`, 'moderating', vote, {
    target: vote.target === slug ? page : links.div(base, slug, vote.target),
    body: [...text(vote.rationale, 'moderating'), ...tags(vote.proposal, decision ?? status)],
  });
}

/** The creator is the typed name that pages show. It is not verified. */
function annotation(
  id: string,
  motivation: Motivation,
  { actor, ts }: { readonly actor: string; readonly ts: string },
  about: Pick<Annotation, 'target' | 'body'>,
): Annotation {
  return { id, type: 'Annotation', motivation, created: ts, creator: { name: actor }, ...about };
}

function text(value: string, purpose: Motivation): Annotation['body'] {
  return value === '' ? [] : [{ type: 'TextualBody', value, format: 'text/plain', purpose }];
}

/** The words of the ledger for what was said. */
function tags(...values: readonly (string | null)[]): Annotation['body'] {
  return values.flatMap((value) =>
    value === null ? [] : [{ type: 'TextualBody' as const, value, purpose: 'tagging' as const }],
  );
}
