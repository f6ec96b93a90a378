/**
 * How the decision on an item that waits becomes a call (contract §3, §5): which row decides it, and with which
 * arguments. Used for many items at once; a single item's form sends the same arguments as fields.
 */
import type { WaitingItem } from '../../../app/reads/waiting.ts';
import { fault, type Fault } from '../../../kernel/fault.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ConsoleContext } from './console-page.tsx';

export type Decision = 'accept' | 'reject';

interface Decided {
  readonly key: string;
  readonly args: JsonObject;
}

/** The row that decides an item; undefined for items that tell of work under way. */
export function decidingRow(item: WaitingItem): string | undefined {
  switch (item.kind) {
    case 'call':
      return 'OIP_APPROVE';
    case 'contribution':
      return 'MIRROR_RESOLVE';
    case 'entry':
      return 'THREAD_SETTLE';
    case 'vote':
      return 'VOXEL_RATIFY';
    case 'draft':
    case 'assignment':
      return undefined;
  }
}

/** Whether the session may decide the item. */
export function mayDecide(context: ConsoleContext, item: WaitingItem): boolean {
  const row = decidingRow(item);
  const hasSlug = item.kind === 'contribution' || item.kind === 'entry';
  return row !== undefined && context.may(row, hasSlug ? item.article?.slug : undefined);
}

export function decide(item: WaitingItem, decision: Decision, note: string): Decided | Fault {
  const said: JsonObject = note === '' ? {} : { note };
  const accepts = decision === 'accept';
  switch (item.kind) {
    case 'call':
      return {
        key: 'OIP_APPROVE',
        args: { id: item.call.inv, decision: accepts ? 'approved' : 'declined', ...said },
      };
    case 'contribution':
      return {
        key: 'MIRROR_RESOLVE',
        args: {
          slug: item.contribution.article,
          contribution_id: item.contribution.id,
          decision: accepts ? 'accepted' : 'rejected',
          ...said,
        },
      };
    case 'entry':
      if (!accepts)
        return fault(
          'invalid_decision',
          'An entry of the discussion is settled, not rejected.',
          'Settle it with a note that says why it changes nothing.',
        );
      return { key: 'THREAD_SETTLE', args: { slug: item.article?.slug ?? '', entry: item.post.id, note } };
    case 'vote':
      return {
        key: 'VOXEL_RATIFY',
        args: { vote_id: item.vote.id, decision: accepts ? 'ratified' : 'rejected' },
      };
    case 'draft':
    case 'assignment':
      return fault('invalid_decision', 'Nothing is decided about it here.', 'Choose other items.');
  }
}
