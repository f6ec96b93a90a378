/** The article and what it is made of, as reads show them (spec §2.1–2.5, contract §5). */
import Type from 'typebox';
import { ClaimView } from './claim.ts';
import { ListedContribution } from './contribution.ts';
import { SourceView } from './source.ts';
import { ReviewView } from './discourse.ts';
import type { Of } from './exact.ts';
import {
  actor,
  aid,
  count,
  divId,
  entry,
  flag,
  hash,
  inv,
  list,
  listed,
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
  time,
  url,
  verifications,
} from './parts.ts';
import { articleStatuses, divStatuses } from './vocabulary.ts';

export const status = oneOf(articleStatuses);

export const energyMembers = {
  passes: count,
  tokens_in: count,
  tokens_out: count,
  tokens_total: count,
  cost_usd: Type.Number({ minimum: 0 }),
  models: Type.Record(Type.String(), count),
  head: prev,
};

export const provenanceItem = shape({
  ts: time,
  actor,
  action: text,
  rev: orNull(count),
  model: orNull(text),
  prompt: orNull(text),
  input: orNull(text),
  response: orNull(text),
  tokens_in: count,
  tokens_out: count,
  cost: Type.Number({ minimum: 0 }),
  change: orNull(open),
  receipt: orNull(inv),
  ...listed,
});

export type ProvenanceItem = Of<typeof provenanceItem>;

const divEntries = list(Type.Intersect([entry, Type.Object({ op: text, text_sha: hash, hash })]));

export const div = shape({
  div_id: divId,
  kind: text,
  order: orNull(Type.Integer({ minimum: 1 })),
  text,
  sep: text,
  status: oneOf(divStatuses),
  vx_hash: hash,
  /** The text is the replacement of a scrubbed one; the chain names the entry that commits to it. */
  scrubbed_by: Type.Optional(text),
  heading_path: list(text),
  permalink: url,
  chain: divEntries,
});

export const meta = {
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

const neighbour = orNull(shape({ slug: text, human: url, json: url }));
const counted = shape({ count, url });

const machine = shape({
  shape: Type.Literal('article.machine/v1'),
  slug,
  kind: text,
  read: shape({ human: url, json: url, bundle: url }),
  traversal: shape({ prev: neighbour, next: neighbour, hub: neighbour }),
  series: orNull(text),
  position: orNull(Type.Integer({ minimum: 1 })),
  of: orNull(Type.Integer({ minimum: 1 })),
  ledger: shape({ claims: counted, sources: counted, voxels: counted, provenance: counted }),
  standard: text,
  terminal: flag,
});

const representations = shape({
  article: url,
  json: url,
  markdown: url,
  skill: url,
  topology: url,
  versions: url,
  invocations: url,
});

export const conformanceEvent = shape({
  id: inv,
  key: text,
  status: text,
  actor,
  ts: time,
  url,
  confirm: url,
});

const object = shape({
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
  conformance: orNull(
    shape({
      success_events: count,
      failure_events: count,
      newest_success: orNull(conformanceEvent),
      newest_failure: orNull(conformanceEvent),
      rule: text,
    }),
  ),
  article: url,
});

/** Where a DIV stands in the body, in bytes of UTF-8, and its entries; null where it left the article. */
const divEvidence = shape({
  div_id: divId,
  start: orNull(count),
  end: orNull(count),
  scrubbed_by: Type.Optional(text),
  chain: divEntries,
});

export const article = read({
  slug,
  title: text,
  version: Type.Integer({ minimum: 1 }),
  content_hash: hash,
  body: text,
  ...meta,
  claims: list(ClaimView),
  sources: list(SourceView),
  reviews: list(ReviewView),
  contributions: list(ListedContribution),
  status,
  revisions: Type.Integer({ minimum: 1 }),
  has_traversal: flag,
  provenance: list(provenanceItem),
  energy: shape(energyMembers),
  posted_at: orNull(time),
  created_at: time,
  updated_at: time,
  ledger: shape({ href: url, live: flag }),
  machine,
  representations,
  object,
  divs: list(divEvidence),
  scrubs: list(openedEntry),
  verification: verifications,
});

export const articleList = read({
  count,
  articles: list(
    shape({
      slug,
      title: text,
      status,
      version: Type.Integer({ minimum: 1 }),
      created_at: time,
      updated_at: time,
      posted_at: orNull(time),
      category: orNull(text),
      tags: list(text),
      register: text,
      kind: text,
      home: flag,
      url,
      json: url,
    }),
  ),
  next: orNull(url),
});
