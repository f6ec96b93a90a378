/** Reads of the landscape (spec §4.4, contract §7): cohorts, their comparison tables, assignments. */
import Type from 'typebox';
import type { Of } from './exact.ts';
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
const target = shape({
  id: text,
  name: text,
  repository: orNull(text),
  url: orNull(text),
  rank: orNull(Type.Number({ minimum: 0 })),
});

/** Something that a cohort compares. */
export type Target = Of<typeof target>;

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
const cohortView = shape({ ...cohortMembers, ...cohortLinks });
export type CohortView = Of<typeof cohortView>;

const cohortSummary = shape({
  cohort: text,
  query: text,
  sort: text,
  queued_at: time,
  open: Type.Boolean(),
  items: count,
  lanes: byLane(shape({ left: count, complete: count })),
  page: url,
  ...cohortLinks,
});
/** What is known of a cohort without looking at its items. */
export type CohortSummary = Of<typeof cohortSummary>;
export const Landscape = read({ count, cohorts: list(cohortSummary), templates: list(url) });

const queueItem = shape({
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
});
export type QueueItem = Of<typeof queueItem>;
export const Cohort = read({
  ...cohortMembers,
  ...cohortLinks,
  count,
  queue: list(queueItem),
  next: orNull(url),
});

const cell = shape({
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
  /** Further claims that would fill the cell. */
  more: count,
});
export type Cell = Of<typeof cell>;
const tableRow = shape({ target, article: slug, article_url: orNull(url), cells: list(cell) });
export type TableRow = Of<typeof tableRow>;
export const Comparison = read({
  ...cohortMembers,
  count,
  cells: shape({ all: count, filled: count }),
  rows: list(tableRow),
  formats: list(url),
  next: orNull(url),
});

const selection = shape({ query: text, sort: text, captured_at: typedTime, source_url: orNull(url) });
/** How the targets of a cohort were chosen: what a comparison names as population and selection. */
export type Selection = Of<typeof selection>;
const snapshot = shape({
  article: shape({
    slug,
    exists: Type.Boolean(),
    version: count,
    content_hash: orNull(hash),
    thread_head: prev,
  }),
  nodes: list(graphNode),
  edges: list(graphEdge),
  /** Objects that the article had beyond those listed. */
  left_out: count,
});
/** The article as the assignment found it: anybody can compute its hash from the JSON. */
export type Snapshot = Of<typeof snapshot>;
const landed = shape({
  kind: oneOf(['claim', 'source', 'div', 'discourse', 'vote', 'contribution']),
  id: text,
  url,
});
/** A graph object that work on an assignment added. */
export type Landed = Of<typeof landed>;
/** `completed` and `returned` are final; an expired assignment takes no work either. */
const assignmentStatuses = ['open', 'completed', 'returned', 'expired'] as const;
const assignment = shape({
  id: assignmentId,
  cohort: text,
  lane,
  target,
  axis: orNull(text),
  slot: orNull(text),
  article: slug,
  selection,
  status: oneOf(assignmentStatuses),
  snapshot,
  snapshot_hash: hash,
  capability_fingerprint: actor,
  actor,
  result: list(landed),
  leased_at: time,
  expires_at: time,
  completed_at: orNull(time),
  returned_at: orNull(time),
  receipt: inv,
  read: url,
  article_url: url,
});
/** An assignment as it is read: never with its share. */
export type AssignmentView = Of<typeof assignment>;
const batch = shape({ method: Type.Literal('POST'), url, body: open });
/** Where and with what body work on an assignment is sent. */
export type ReadyBatch = Of<typeof batch>;

/** What a lease answers with, and what a read shows of it. */
const assignmentMembers = {
  assignment_id: assignmentId,
  assignment,
  batch: orNull(batch),
  /** Addresses that do the work, for the holder of the share; none once the assignment takes no work. */
  templates: list(url),
};
export const Assignment = read(assignmentMembers);

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
/** How far the work of an assignment is, in the answer of a call that is part of it. */
export const AssignmentWork = shape({
  id: assignmentId,
  lane,
  status: oneOf(['open', 'completed']),
  result: list(open),
  opened_article: flag,
  needs: Type.Optional(text),
  expires_at: Type.Optional(time),
  completed_at: Type.Optional(time),
  url,
});
/** A member of the answers of all rows that an assignment's share calls. */
export const worked = { assignment: Type.Optional(AssignmentWork) };
/** What LANDSCAPE_RETURN answers. */
export const Returned = shape({
  assignment_id: assignmentId,
  status: Type.Literal('returned'),
  returned_at: time,
  url,
});
const handed = {
  share: Type.Optional(text),
  explain_url: Type.Optional(url),
  return_url: Type.Optional(url),
  drop: Type.Optional(text),
};
/** What LANDSCAPE_NEXT answers. The share is in the first answer only: a result is recorded, and a token is not. */
export const Leased = shape({
  ...assignmentMembers,
  assignment: shape({ ...assignment.properties, share: handed.share }),
  ...handed,
});
