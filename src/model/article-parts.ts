/** Reads below an article: one schema a part (spec §4.3, contract §5). */
import Type from 'typebox';
import { conformanceEvent, div, energyMembers, meta, provenanceItem, status } from './article.ts';
import {
  actor,
  alteredPart,
  claimId,
  count,
  divId,
  entry,
  flag,
  hash,
  imported,
  inv,
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
  verification,
  verifications,
  weight,
} from './parts.ts';
import { ClaimView } from './claim.ts';
import { RevisedSource, SourceView } from './source.ts';
import { ListedContribution } from './contribution.ts';
import { PostView } from './discourse.ts';
import { constitutionMembers, llmManifestMembers } from './references.ts';
import { questionSlice } from './questions.ts';
import { surfaces } from './vocabulary.ts';

const version = Type.Integer({ minimum: 1 });

export const voxels = read({
  slug,
  version,
  lead: text,
  divs: list(div),
  scrubs: list(openedEntry),
  verification: verifications,
});
export const provenance = read({
  slug,
  provenance: list(provenanceItem),
  energy: shape(energyMembers),
  verification,
  imported,
});

export const masthead = read({
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
      permalink: url,
    }),
  ),
  standing_objections: list(
    shape({
      id: text,
      stance: oneOf(['challenge', 'upgrade', 'objection']),
      target: text,
      body: text,
      surface: orNull(oneOf(surfaces)),
      minimum_patch: orNull(text),
    }),
  ),
  verbs: list(shape({ verb: text, method: Type.Optional(Type.Literal('POST')), url })),
  reads_next: list(shape({ rel: oneOf(['next', 'prev', 'hub']), slug: text, url })),
});

export const health = read({
  slug,
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  checks: list(shape({ id: text, ok: flag, detail: text, fix: orNull(text) })),
});

export const topology = read({
  slug,
  ...alteredPart,
  claims: list(
    shape({
      id: claimId,
      text,
      tier,
      weight,
      status: oneOf(['active', 'retracted']),
      source_ids: list(sourceId),
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
  question_graph: questionSlice,
});

/** The entry's members stand at top level too, for readers; `hash` is of `entry` alone. */
const ledgerEntry = Type.Intersect([entry, Type.Object({ log_index: orNull(count), hash, entry })]);
export const ledger = read({
  slug,
  count,
  entries: list(ledgerEntry),
  next: orNull(url),
  verification: verifications,
});

export const revisions = read({
  slug,
  ...alteredPart,
  head: count,
  revisions: list(shape({ rev: version, ts: time, actor, action: text, hash, prev, url })),
});

export const revision = read({
  slug,
  rev: version,
  title: text,
  body: text,
  content_hash: hash,
  claims: list(ClaimView),
  sources: list(RevisedSource),
  divs: list(shape({ div_id: divId, vx_hash: hash })),
  status,
  ts: time,
  actor,
  action: text,
  hash,
  prev,
  diff: list(open),
});

export const invocations = read({
  slug,
  count,
  success_events: count,
  failure_events: count,
  invocations: list(conformanceEvent),
  ...alteredPart,
  next: orNull(url),
});

/** Calls of a row; what was sent and answered is shown to who may read the receipts. */
export const calls = read({
  object_id: text,
  count,
  invocations: list(
    shape({
      id: inv,
      status: text,
      actor,
      ts: time,
      confirm: url,
      url,
      request: Type.Optional(shape({ body: Type.Unknown() })),
      response: Type.Optional(shape({ result: Type.Unknown() })),
      yield: Type.Optional(open),
    }),
  ),
  ...alteredPart,
  next: orNull(url),
});

const bundleMembers = {
  bundle_version: Type.Literal(1),
  slug,
  title: text,
  status,
  version,
  content_hash: hash,
  meta: shape(meta),
  body: text,
  lead: text,
  claims: list(ClaimView),
  sources: list(SourceView),
  contributions: list(ListedContribution),
  discourse: list(PostView),
  question_graph: questionSlice,
  constitution: shape(constitutionMembers),
  llm_manifest: shape(llmManifestMembers),
  verification: verifications,
  counts: shape({
    divs: count,
    claims: count,
    sources: count,
    provenance: count,
    contributions: count,
    discourse: count,
  }),
  origin: shape({
    base: url,
    log: text,
    verifier_key: text,
    checkpoint: orNull(text),
    inclusion: orNull(list(text)),
    article: url,
  }),
};

export const bundle = read({
  ...bundleMembers,
  voxels: list(div),
  provenance: list(provenanceItem),
  chains: Type.Record(Type.String(), list(openedEntry)),
});

export const slimBundle = read({
  ...bundleMembers,
  voxels: shape({ count, inactive: count }),
  provenance: shape({ count }),
});

export const grow = read({
  count,
  looked_at: shape({ articles: count, order: Type.Literal('last changed') }),
  needs: list(
    shape({
      kind: oneOf(['answer_objection', 'bring_evidence', 'cite_source', 'state_claim']),
      article: slug,
      about: text,
      why: text,
      url,
      method: Type.Literal('POST'),
      post_to: url,
      auth: oneOf(['none', 'share']),
      payload: Type.Record(Type.String(), text),
    }),
  ),
});
