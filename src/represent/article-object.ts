/** What an article is to machines (spec §2.1): where each expression of it is, what it is related to, how it is acted on. */
import { activeDivs, type ArticleState, claimsOf } from '../domain/articles/state.ts';
import { kindOf } from '../domain/articles/tables.ts';
import { type Traversal, traversalOf } from '../domain/articles/traversal.ts';
import { links } from '../domain/links.ts';
import type {
  ArticleObject,
  Conformance,
  Machine,
  NeighbourView,
  Representations,
} from '../model/article.ts';
import type { ConformanceEvent, ConformanceRow } from '../domain/capabilities/conformance.ts';
import type { ConformanceEventView } from '../model/invocation.ts';

export function representations(base: string, slug: string): Representations {
  return {
    article: links.article(base, slug),
    json: links.articleJson(base, slug),
    markdown: links.articleMarkdown(base, slug),
    skill: links.articlePart(base, slug, 'skill'),
    topology: links.articlePart(base, slug, 'topology'),
    versions: links.articlePart(base, slug, 'revisions'),
    invocations: links.articlePart(base, slug, 'invocations'),
    annotations: links.annotations(base, slug),
    bibtex: links.citation(base, slug, 'bibtex'),
    csl: links.citation(base, slug, 'csl'),
  };
}

/** Rows that act on an article: their contracts are live definitions. */
const verbs = [
  'ARTICLE_META',
  'CLAIM_POST',
  'MIRROR_APPEND',
  'MIRROR_FEED',
  'OBJECTION_LOG',
  'OIP_ARTICLE_REVIEW',
  'SOURCE_POST',
  'THREAD_UPDATE',
  'VOXEL_ATTEST',
  'VOXEL_CHALLENGE',
  'VOXEL_EDIT',
  'VOXEL_VOTE',
];

/** What the article's traversal relates it to. */
function relationships(state: ArticleState, base: string): ArticleObject['ontology']['relationships'] {
  const traversal = traversalOf(state.row.meta);
  return (['prev', 'next', 'hub'] as const).flatMap((rel) => {
    const to = traversal?.[rel] ?? null;
    return to === null ? [] : [{ rel, to, url: links.articleJson(base, to) }];
  });
}

function neighbour(base: string, slug: string | null | undefined): NeighbourView {
  return slug == null
    ? null
    : { slug, human: links.article(base, slug), json: links.articleJson(base, slug) };
}

export function machine(state: ArticleState, base: string, traversal: Traversal | undefined): Machine {
  const { slug } = state.row;
  const part = (name: string): string => links.articlePart(base, slug, name);
  return {
    shape: 'article.machine/v1',
    slug,
    kind: kindOf(state.row.meta),
    read: { human: links.article(base, slug), json: links.articleJson(base, slug), bundle: part('bundle') },
    traversal: {
      prev: neighbour(base, traversal?.prev),
      next: neighbour(base, traversal?.next),
      hub: neighbour(base, traversal?.hub),
    },
    series: traversal?.series ?? null,
    position: traversal?.position ?? null,
    of: traversal?.of ?? null,
    ledger: {
      claims: { count: state.claims.size, url: part('claims') },
      sources: { count: state.sources.size, url: part('sources') },
      voxels: { count: activeDivs(state).length, url: part('voxels') },
      provenance: { count: (state.row.heads.provenance?.n ?? -1) + 1, url: part('provenance') },
    },
    standard: state.row.meta.register,
    terminal: traversal?.next == null,
  };
}

export function articleObject(
  state: ArticleState,
  base: string,
  conformance: Conformance | undefined,
): ArticleObject {
  const { aid, slug, title } = state.row;
  const thesis = claimsOf(state).find((claim) => claim.status === 'active');
  return {
    identity: { id: aid, slug, title },
    law: {
      id: `${aid}/law`,
      statement: thesis?.text ?? title,
      invariants: [
        'One stable identity across every expression.',
        'Human and model expressions use audience-specific language.',
        'Directory contracts are live definitions.',
        'Successes and failures amend conformance knowledge.',
      ],
    },
    expressions: {
      human: links.article(base, slug),
      skill: links.articlePart(base, slug, 'skill'),
      json: links.articleJson(base, slug),
      markdown: links.articleMarkdown(base, slug),
      directory: verbs.map((key) => ({ key, contract: links.contract(base, key) })),
    },
    ontology: {
      conformance_group: state.row.meta.category,
      inferred_from: 'category',
      relationships: relationships(state, base),
      sources: [...state.sources.values()].map(({ source_id: id }) => id),
    },
    conformance: conformance ?? null,
    article: links.articleJson(base, slug),
  };
}

export function conformanceJson(base: string, row: ConformanceRow | undefined): Conformance {
  const newest = (event: ConformanceEvent | null | undefined): ConformanceEventView | null =>
    event == null ? null : conformanceEventJson(base, event);
  return {
    success_events: row?.successes ?? 0,
    failure_events: row?.failures ?? 0,
    newest_success: newest(row?.newest_success),
    newest_failure: newest(row?.newest_failure),
    rule: 'An invocation on the article that succeeded is a success event; one that failed or was denied is a failure event.',
  };
}

export function conformanceEventJson(base: string, event: ConformanceEvent): ConformanceEventView {
  const { inv, key, status, actor, ts } = event;
  return {
    id: inv,
    key,
    status,
    actor,
    ts,
    url: links.receipt(base, inv),
    confirm: links.confirm(base, inv),
  };
}
