/** An assignment as it is read (spec §4.4 `/api/normandy`, contract §7): never with its share. */
import { batchBody, proposalBody } from '../domain/landscape/batch-body.ts';
import type { AssignmentRow } from '../domain/landscape/tables.ts';
import { links } from '../domain/links.ts';
import type { AssignmentView, ReadyBatch } from '../model/landscape.ts';

/** `now` is ISO 8601: a lease that has ended says so without anybody having written it. */
export function assignmentStatus(
  { record, completed_at: done }: AssignmentRow,
  now: string,
): AssignmentView['status'] {
  if (done !== null) return 'complete';
  return record.expires_at > now ? 'leased' : 'lapsed';
}

export function assignmentJson(base: string, row: AssignmentRow, now: string): AssignmentView {
  const { record, result, completed_at } = row;
  const { id, cohort, lane, item, snapshot, snapshot_hash, capability_fingerprint } = record;
  return {
    id,
    cohort,
    lane,
    target: { ...item.target },
    axis: item.axis,
    slot: item.slot,
    article: item.article,
    selection: { ...item.selection },
    status: assignmentStatus(row, now),
    snapshot: snapshot,
    snapshot_hash,
    capability_fingerprint,
    actor: record.actor,
    result: result.map((each) => ({ ...each })),
    leased_at: record.leased_at,
    expires_at: record.expires_at,
    completed_at,
    receipt: record.receipt,
    read: links.assignment(base, id),
    article_url: links.article(base, item.article),
  };
}

/** Where and with what work on the assignment is sent; its worker puts the share under `key`, or `share` for a dispatch. */
export function readyBatch(
  base: string,
  { record }: Pick<AssignmentRow, 'record'>,
  key?: string,
): ReadyBatch {
  const proposal = proposalBody(record);
  if (proposal !== undefined)
    return {
      method: 'POST',
      url: links.dispatch(base),
      body: key === undefined ? proposal : { ...proposal, share: key },
    };
  const body = batchBody(record);
  return { method: 'POST', url: links.batch(base), body: key === undefined ? body : { ...body, key } };
}
