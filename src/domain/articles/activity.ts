/**
 * What happened to articles, for recent changes (contract §8): one row for each act on an article, by what it concerned.
 * A row names the entry; who may see it and what it says are looked up when it is shown.
 */
import type { Event, Projection } from '../../engine/act.ts';
import type { ActivityKind } from '../../model/vocabulary.ts';
import { integer, table, text, type RowOf } from '../../engine/tables.ts';
import { articleTable } from './tables.ts';

/** Rows are appended to one of seven lanes of a workspace, so that each can be read from its end, and counted. */
export const activityTable = table('activity', {
  /** `<tenant>/<kind>`. */
  key: { lane: text(), seq: integer() },
  columns: { aid: text(), actor: text(), ts: text() },
  compact: true,
});
export type ActivityRow = RowOf<typeof activityTable>;

const ofProvenance: Readonly<Record<string, ActivityKind>> = {
  claim: 'claims',
  claim_retract: 'claims',
  claim_repair: 'claims',
  source: 'sources',
  mirror_accept: 'decisions',
  mirror_reject: 'decisions',
  thread_settle: 'decisions',
};

/** The kind of a provenance entry; nothing for looks and questions, which change nothing. */
export function kindOfDeed(action: string, hasRevision: boolean): ActivityKind | undefined {
  return ofProvenance[action] ?? (hasRevision ? 'text' : undefined);
}

export function laneOf(tenant: string, kind: ActivityKind): string {
  return `${tenant}/${kind}`;
}

/** The article's row names its workspace. */
export function putActivity(event: Event, aid: string, kind: ActivityKind, to: Projection): void {
  const tenant = to.row(articleTable, aid)?.tenant;
  if (tenant === undefined) return;
  const { actor, ts } = event.sealed.entry;
  to.put(activityTable, { lane: laneOf(tenant, kind), seq: event.seq, aid, actor, ts });
}
