/**
 * How the decision on an item that waits becomes a call (contract §3, §5): which row decides it, by which choices, and
 * with which arguments. Forms of single items and of many are made from the same table.
 */
import type { WaitingItem } from '../../../../app/reads/waiting.ts';
import { fault, type Fault } from '../../../../kernel/fault.ts';
import type { JsonObject } from '../../../../kernel/json.ts';
import type { ConsoleContext } from '../console-page.tsx';

export type Decision = 'accept' | 'reject';

interface Way {
  readonly row: string;
  /** The value of `decision`, empty where the row takes none; the button; its key. */
  readonly choices: readonly (readonly [decision: string, button: string, key?: 'a' | 'r'])[];
  readonly takesNote: boolean;
}

const ways: Readonly<Partial<Record<WaitingItem['kind'], Way>>> = {
  call: {
    row: 'OIP_APPROVE',
    choices: [
      ['approved', 'Approve', 'a'],
      ['declined', 'Decline', 'r'],
    ],
    takesNote: true,
  },
  contribution: {
    row: 'MIRROR_RESOLVE',
    choices: [
      ['accepted', 'Accept', 'a'],
      ['rejected', 'Reject', 'r'],
    ],
    takesNote: true,
  },
  entry: { row: 'THREAD_SETTLE', choices: [['', 'Settle', 'a']], takesNote: true },
  vote: {
    row: 'VOXEL_RATIFY',
    choices: [
      ['ratified', 'Ratify', 'a'],
      ['rejected', 'Reject', 'r'],
      ['deferred', 'Defer'],
    ],
    takesNote: false,
  },
};

/** Undefined for items that tell of work under way. */
export function wayOf(item: WaitingItem): Way | undefined {
  return ways[item.kind];
}

/** Whether the session may decide the item. */
export function mayDecide(context: ConsoleContext, item: WaitingItem): boolean {
  const way = wayOf(item);
  const hasSlug = item.kind === 'contribution' || item.kind === 'entry';
  return way !== undefined && context.may(way.row, hasSlug ? item.article?.slug : undefined);
}

/** The arguments that name the item. */
export function argumentsOf(item: WaitingItem): Readonly<Record<string, string>> {
  switch (item.kind) {
    case 'call':
      return { id: item.call.inv };
    case 'contribution':
      return { slug: item.contribution.article, contribution_id: item.contribution.id };
    case 'entry':
      return { slug: item.article?.slug ?? '', entry: item.post.id };
    case 'vote':
      return { vote_id: item.vote.id };
    case 'draft':
    case 'assignment':
      return {};
  }
}

export function decide(
  item: WaitingItem,
  decision: Decision,
  note: string,
): { readonly key: string; readonly args: JsonObject } | Fault {
  const way = wayOf(item);
  if (way === undefined)
    return fault('invalid_decision', 'Nothing is decided about it here.', 'Choose other items.');
  const [value] = way.choices.find(([, , key]) => key === (decision === 'accept' ? 'a' : 'r')) ?? [];
  if (value === undefined)
    return fault(
      'invalid_decision',
      'An entry of the discussion is settled, not rejected.',
      'Settle it with a note that says why it changes nothing.',
    );
  return {
    key: way.row,
    args: {
      ...argumentsOf(item),
      ...(value === '' ? {} : { decision: value }),
      ...(note === '' || !way.takesNote ? {} : { note }),
    },
  };
}
