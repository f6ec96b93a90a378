/** Reads of the landscape (spec §4.4, contract §7): cohorts, their comparison tables, assignments. */
import Type from 'typebox';
import { graphEdge, graphNode } from './graph.ts';
import {
  actor,
  claimId,
  count,
  flag,
  hash,
  inv,
  list,
  oneOf,
  open,
  orNull,
  prev,
  read,
  shape,
  slug,
  sourceId,
  text,
  time,
  typedTime,
  url,
} from './parts.ts';
import { lanes } from './vocabulary.ts';

export const assignmentId = Type.String({ pattern: '^norm_[a-z2-7]{16}$' });
export const lane = oneOf(lanes);
const byLane = <S extends Type.TSchema>(schema: S) =>
  shape({ field: schema, build: schema, opposition: schema, synthesis: schema });
export const target = shape({
  id: text,
  name: text,
  repository: orNull(text),
  url: orNull(text),
  rank: orNull(Type.Number({ minimum: 0 })),
});

const cohortMembers = {
  cohort: text,
  query: text,
  sort: text,
  captured_at: typedTime,
  source_url: orNull(url),
  queued_at: time,
  open: Type.Boolean(),
  targets: count,
  items: count,
  axes: list(text),
  lanes: byLane(shape({ open: count, leased: count, complete: count })),
  page: url,
};
const cohortLinks = { read: url, table: url };

export const landscape = read({
  count,
  cohorts: list(
    shape({
      cohort: text,
      query: text,
      sort: text,
      queued_at: time,
      open: Type.Boolean(),
      items: count,
      lanes: byLane(shape({ left: count, complete: count })),
      page: url,
      ...cohortLinks,
    }),
  ),
  templates: list(url),
});

export const cohort = read({
  ...cohortMembers,
  ...cohortLinks,
  count,
  queue: list(
    shape({
      n: count,
      target,
      axis: orNull(text),
      slot: orNull(text),
      article: slug,
      article_url: url,
      lanes: byLane(
        shape({
          state: oneOf(['open', 'leased', 'complete']),
          assignment: orNull(assignmentId),
          until: orNull(time),
        }),
      ),
    }),
  ),
  next: orNull(url),
});

export const comparison = read({
  ...cohortMembers,
  count,
  cells: shape({ all: count, filled: count }),
  rows: list(
    shape({
      target,
      article: slug,
      article_url: orNull(url),
      cells: list(
        shape({
          axis: text,
          claim: orNull(
            shape({
              id: claimId,
              text,
              tier: text,
              weight: Type.Number(),
              url,
              population: text,
              captured_at: text,
              selection: text,
              sources: Type.Array(shape({ id: sourceId, title: text, url: text }), { minItems: 1 }),
            }),
          ),
          more: count,
        }),
      ),
    }),
  ),
  formats: list(url),
  next: orNull(url),
});

/** What a lease answers with, and what a read shows of it. */
export const assignmentMembers = {
  assignment_id: assignmentId,
  assignment: shape({
    id: assignmentId,
    cohort: text,
    lane,
    target,
    axis: orNull(text),
    slot: orNull(text),
    article: slug,
    selection: shape({ query: text, sort: text, captured_at: typedTime, source_url: orNull(url) }),
    status: oneOf(['leased', 'complete', 'lapsed']),
    snapshot: shape({
      article: shape({
        slug,
        exists: Type.Boolean(),
        version: count,
        content_hash: orNull(hash),
        thread_head: prev,
      }),
      nodes: list(graphNode),
      edges: list(graphEdge),
      left_out: count,
    }),
    snapshot_hash: hash,
    capability_fingerprint: actor,
    actor,
    result: list(
      shape({ kind: oneOf(['claim', 'source', 'div', 'discourse', 'vote', 'contribution']), id: text, url }),
    ),
    leased_at: time,
    expires_at: time,
    completed_at: orNull(time),
    receipt: inv,
    read: url,
    article_url: url,
  }),
  batch: orNull(shape({ method: Type.Literal('POST'), url, body: open })),
};

export const assignment = read(assignmentMembers);

/** What LANDSCAPE_QUEUE answers. */
export const Queued = shape({
  cohort: text,
  queued: count,
  already_queued: count,
  items: list(shape({ n: count, target, axis: orNull(text), slot: orNull(text), article: slug })),
  total: count,
  open: flag,
  permalink: url,
});
/** What LANDSCAPE_NEXT answers. */
export const Leased = shape(assignmentMembers);
