/**
 * What stands open against a claim or an article (contract §5): objections, contradictions and challenges of thread and
 * mirror, and proposed repairs. The same shape in every read.
 */
import Type from 'typebox';
import type { Of } from './exact.ts';
import { count, list, oneOf, shape, text, time, url } from './parts.ts';

/** Stances and kinds that ask for an answer. An `upgrade` proposes more than it disputes. */
export const contestKinds = ['objection', 'contradiction', 'challenge', 'repair', 'upgrade'] as const;
export type ContestKind = (typeof contestKinds)[number];
/** `open`: an entry of the thread. `proposed` and `accepted`: a contribution of the mirror. */
export const contestStatuses = ['open', 'proposed', 'accepted'] as const;

/** What an entry is about: a claim id, a DIV id, or empty for the article as a whole. */
export const contestTarget = Type.String({ pattern: '^(?:[cd]\\d+)?$' });

const contest = shape({
  id: Type.String({ pattern: '^(?:dx|mc)_' }),
  target: contestTarget,
  status: oneOf(contestStatuses),
  /** The claim or DIV reads otherwise now, or has left the article. */
  text_changed: Type.Optional(Type.Literal(true)),
  ts: time,
  permalink: url,
});

/** Newest first. `count` is how many are listed, `total` how many stand open. */
const group = shape({ count, total: count, entries: list(contest) });
export type ContestGroup = Of<typeof group>;

export const Contested = shape({
  objections: group,
  contradictions: group,
  challenges: group,
  repairs: group,
});
export type Contested = Of<typeof Contested>;

/** One standing entry with its words. */
export const StandingObjection = shape({
  id: text,
  kind: oneOf(['objection', 'contradiction', 'challenge', 'upgrade']),
  target: contestTarget,
  text,
  status: oneOf(contestStatuses),
  actor: text,
  ts: time,
  text_changed: Type.Optional(Type.Literal(true)),
  permalink: url,
});
export type StandingObjection = Of<typeof StandingObjection>;
