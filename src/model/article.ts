/** The article (spec §2.1–2.5, contract §5): as it is read whole, in lists and in one screen, and its health. */
import Type from 'typebox';
import { Contested, StandingObjection } from './contested.ts';
import { ListedContribution } from './contribution.ts';
import { ReviewView } from './discourse.ts';
import { DivEvidence } from './div.ts';
import type { Of } from './exact.ts';
import { EnergyView, ProvenanceItem } from './history.ts';
import { ConformanceEventView } from './invocation.ts';
import {
  aid,
  alteredPart,
  claimId,
  count,
  flag,
  hash,
  list,
  oneOf,
  open,
  openedEntry,
  orNull,
  prev,
  read,
  shape,
  slug,
  sourceId,
  text,
  tier,
  time,
  url,
  verifications,
  weight,
} from './parts.ts';
import { QuestionSlice } from './question.ts';
import { SourceView } from './source.ts';
import { StandingClaim } from './standing-claims.ts';
import { articleStatuses, claimStatuses } from './vocabulary.ts';

export const status = oneOf(articleStatuses);
const version = Type.Integer({ minimum: 1 });

/** What an author says about an article beside its text. */
export const metaMembers = {
  hero: orNull(text),
  images: list(text),
  style: open,
  tags: list(text),
  category: orNull(text),
  model: orNull(text),
  embeds: list(text),
  widgets: list(text),
  home: flag,
  register: text,
  extra: open,
};
const meta = shape(metaMembers);
export type ArticleMeta = Of<typeof meta>;

const neighbour = orNull(shape({ slug: text, human: url, json: url }));
export type NeighbourView = Of<typeof neighbour>;
const counted = shape({ count, url });

export const Machine = shape({
  shape: Type.Literal('article.machine/v1'),
  slug,
  kind: text,
  read: shape({ human: url, json: url, bundle: url }),
  traversal: shape({ prev: neighbour, next: neighbour, hub: neighbour }),
  series: orNull(text),
  position: orNull(version),
  of: orNull(version),
  ledger: shape({ claims: counted, sources: counted, voxels: counted, provenance: counted }),
  standard: text,
  terminal: flag,
});
export type Machine = Of<typeof Machine>;

export const Representations = shape({
  article: url,
  json: url,
  markdown: url,
  skill: url,
  topology: url,
  versions: url,
  invocations: url,
  annotations: url,
  bibtex: url,
  csl: url,
});
export type Representations = Of<typeof Representations>;

export const Conformance = shape({
  success_events: count,
  failure_events: count,
  newest_success: orNull(ConformanceEventView),
  newest_failure: orNull(ConformanceEventView),
  rule: text,
});
export type Conformance = Of<typeof Conformance>;

export const ArticleObject = shape({
  identity: shape({ id: aid, slug, title: text }),
  law: shape({ id: text, statement: text, invariants: list(text) }),
  expressions: shape({
    human: url,
    skill: url,
    json: url,
    markdown: url,
    directory: list(shape({ key: text, contract: url })),
  }),
  ontology: shape({
    conformance_group: orNull(text),
    inferred_from: text,
    relationships: list(shape({ rel: text, to: text, url })),
    sources: list(sourceId),
  }),
  conformance: orNull(Conformance),
  article: url,
});
export type ArticleObject = Of<typeof ArticleObject>;

export const Article = read({
  slug,
  title: text,
  version,
  content_hash: hash,
  body: text,
  ...metaMembers,
  claims: list(StandingClaim),
  /** Against the article, its claims and DIVs included. */
  contested: Contested,
  sources: list(SourceView),
  reviews: list(ReviewView),
  contributions: list(ListedContribution),
  status,
  revisions: version,
  has_traversal: flag,
  provenance: list(ProvenanceItem),
  energy: EnergyView,
  posted_at: orNull(time),
  created_at: time,
  updated_at: time,
  ledger: shape({ href: url, live: flag }),
  machine: Machine,
  representations: Representations,
  object: ArticleObject,
  divs: list(DivEvidence),
  scrubs: list(openedEntry),
  verification: verifications,
});

/** An article as lists show it. */
export const ArticleItem = shape({
  slug,
  title: text,
  status,
  version,
  created_at: time,
  updated_at: time,
  posted_at: orNull(time),
  category: orNull(text),
  tags: list(text),
  /** The series that it is a part of, and its place there. */
  series: orNull(shape({ name: text, position: orNull(Type.Integer()) })),
  register: text,
  kind: text,
  home: flag,
  url,
  json: url,
});
export type ArticleItem = Of<typeof ArticleItem>;
export const ArticleList = read({ count, articles: list(ArticleItem), next: orNull(url) });

export const Masthead = read({
  slug,
  ...alteredPart,
  identity: shape({ slug, version, content_hash: hash, thread_head: prev, divs: count }),
  thesis: text,
  load_bearing: list(
    shape({
      id: claimId,
      text,
      tier,
      weight,
      source_status: oneOf(['sourced', 'unsourced']),
      contested: Contested,
      permalink: url,
    }),
  ),
  /** Every one of thread and mirror, newest first. */
  standing_objections: list(StandingObjection),
  /** Against the article, its claims and DIVs included. */
  contested: Contested,
  verbs: list(shape({ verb: text, method: Type.Optional(Type.Literal('POST')), url })),
  reads_next: list(shape({ rel: oneOf(['next', 'prev', 'hub']), slug: text, url })),
});

export const HealthCheck = shape({ id: text, ok: flag, detail: text, fix: orNull(text) });
export type HealthCheck = Of<typeof HealthCheck>;
export const Health = read({
  slug,
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  checks: list(HealthCheck),
});

export const Topology = read({
  slug,
  ...alteredPart,
  claims: list(
    shape({
      id: claimId,
      text,
      tier,
      weight,
      status: oneOf(claimStatuses),
      source_ids: list(sourceId),
      contested: Contested,
      permalink: url,
    }),
  ),
  sources: list(shape({ id: sourceId, type: text, url, title: text })),
  anecdotes: list(shape({ id: sourceId, platform: orNull(text), title: text, quote: text })),
  reports: list(shape({ id: sourceId, title: text, url })),
  related_embeds: list(text),
  traversal: orNull(
    shape({
      prev: orNull(slug),
      next: orNull(slug),
      hub: orNull(shape({ slug })),
      series: orNull(text),
      position: orNull(version),
      of: orNull(version),
    }),
  ),
  edges: list(shape({ from: claimId, rel: Type.Literal('cites'), to: sourceId })),
  question_graph: QuestionSlice,
});

/** What links to an article. */
export const Backlinks = read({
  slug,
  ...alteredPart,
  count,
  articles: list(
    shape({
      slug,
      title: text,
      url,
      places: list(
        shape({
          kind: oneOf(['div', 'claim', 'source']),
          id: text,
          url,
          heading_path: list(text),
          excerpt: text,
        }),
      ),
    }),
  ),
});
