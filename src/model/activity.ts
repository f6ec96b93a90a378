/** What the pages of recent changes, tags, series and of what waits show, as JSON (contract §8). */
import Type from 'typebox';
import { StoredContribution } from './contribution.ts';
import { StoredPost, StoredVote } from './discourse.ts';
import type { Of } from './exact.ts';
import { assignmentId, lane } from './landscape.ts';
import {
  actor,
  anything,
  count,
  flag,
  hash,
  inv,
  list,
  oneOf,
  orNull,
  read,
  shape,
  slug,
  text,
  time,
  url,
} from './parts.ts';
import { activityKinds, articleStatuses, queues } from './vocabulary.ts';

const activity = shape({
  kind: oneOf(activityKinds),
  ts: time,
  /** Who acted, as the ledger records it. */
  actor: text,
  /** The name that the contributor typed, which nobody verified. */
  name: orNull(text),
  /** The act in plain words: “the owner reworded c2 of Ants”. */
  what: text,
  article: shape({ slug, title: text, url }),
  /** Ids of the parts that it changed, and of the part that it is about. */
  of: list(text),
  target: orNull(text),
  /** What was said, or the reason given. */
  said: orNull(text),
  /** Hash of the entry. */
  hash,
  receipt: orNull(inv),
});
export type ActivityItem = Of<typeof activity>;

export const Recent = read({ count, changes: list(activity), next: orNull(url), feed: url });

const labelMembers = { name: text, count, page: url, feed: url };
export const TagList = read({
  count,
  /** `articles` lists those of the tag as JSON. */
  tags: list(shape({ ...labelMembers, articles: url })),
});
export const SeriesList = read({
  count,
  /** `articles` in their order. */
  series: list(
    shape({
      ...labelMembers,
      articles: list(shape({ slug, title: text, position: orNull(Type.Integer()), url })),
    }),
  ),
});

const waitingItem = shape({
  id: text,
  queue: oneOf(queues),
  kind: oneOf(['call', 'contribution', 'entry', 'vote', 'draft', 'assignment']),
  ts: time,
  article: orNull(shape({ slug, title: text, status: oneOf(articleStatuses), url })),
  /** The claim or block that it is about, as it reads now. */
  target: orNull(shape({ id: text, text, hash })),
  /** The target reads otherwise than when this was written. */
  stale: flag,
  /** The row that decides it, and the arguments that name it; null for work under way. */
  decide: orNull(
    shape({ key: text, args: Type.Unsafe<Readonly<Record<string, string>>>(Type.Record(text, text)) }),
  ),
  contribution: Type.Optional(StoredContribution),
  entry: Type.Optional(StoredPost),
  vote: Type.Optional(StoredVote),
  call: Type.Optional(
    shape({
      inv,
      key: text,
      actor,
      purpose: orNull(text),
      /** The exact request; null if it was scrubbed. */
      body: anything,
      /** What calls of the row cost lately; null where none had a price. */
      usual_cost_usd: orNull(Type.Number({ minimum: 0 })),
    }),
  ),
  draft: Type.Optional(shape({ actor, updated_at: time })),
  assignment: Type.Optional(
    shape({ id: assignmentId, cohort: text, lane, actor, expires_at: time, read: url }),
  ),
});
export type WaitingItemJson = Of<typeof waitingItem>;

export const Waiting = read({
  /** How many wait in each queue, as far as the caller may see them. */
  counts: shape(
    Object.fromEntries(queues.map((queue) => [queue, count])) as Record<
      (typeof queues)[number],
      typeof count
    >,
  ),
  count,
  items: list(waitingItem),
  next: orNull(url),
});
