/**
 * Notifications (contract §8): where the owner wants to be told of events, and what each message says. Messages hold
 * references and phrases of this service, never contributed text.
 */
import Type from 'typebox';
import type { Of } from './exact.ts';
import { actor, count, list, oneOf, orNull, shape, text, time, url } from './parts.ts';

/** Types of events, as outgoing webhooks name them. */
export const notificationEvents = [
  'contribution.proposed',
  'discussion.entry',
  'vote.cast',
  'call.waiting',
  'call.finished',
  'assignment.completed',
  'article.changed',
] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

export const notificationKinds = ['webhook', 'mail', 'feed'] as const;

/** One event of the log, by references. */
export const NotedEvent = shape({
  type: oneOf([...notificationEvents, 'test']),
  /** Index of its entry in the log; null for a test. */
  log_index: orNull(count),
  ts: time,
  actor,
  /** Kind and verb of the entry. */
  kind: text,
  verb: text,
  article: orNull(text),
  /** The claim, block or source that it is about. */
  object: orNull(text),
  /** The kind of a contribution or the stance of an entry of a discussion. */
  detail: orNull(text),
  /** The row of a call. */
  key: orNull(text),
  inv: orNull(text),
});
export type NotedEvent = Of<typeof NotedEvent>;

const target = {
  id: text,
  kind: oneOf(notificationKinds),
  name: text,
  /** A URL of a webhook, or an address of mail; '' for a feed. */
  address: text,
  events: list(oneOf(notificationEvents)),
};
const stored = shape(target);
/** What the ledger keeps of a notification's target. */
export type NotificationTarget = Of<typeof stored>;

/** What NOTIFY_PUT answers. Secret or feed URL stand beside it, once. */
export const NotificationPut = shape({ ...target, desk: url });
/** What NOTIFY_REMOVE answers. */
export const NotificationRemoved = shape({ id: text, removed: Type.Literal(true) });
/** What NOTIFY_TEST answers. */
export const NotificationTested = shape({ id: text, message: text, desk: url });
