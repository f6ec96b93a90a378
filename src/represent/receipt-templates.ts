/**
 * Where whoever has only addresses goes on from a call (contract §2, §3): its receipt, the same call once more, of a
 * failed call its repair, and where the share did not reach, what it reaches. Each wants the share that made the call, which stands here as a placeholder: a link that is
 * passed on must not hand on authority.
 */
import { links } from '../domain/links.ts';

export interface Told {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  /** The code of its failure, where it has one. */
  readonly error: string | null;
  /** The invocation that repaired it already. */
  readonly repairedBy?: string | null;
}

/** Of a call that named a row which is none, or one that its share does not cover, the row is to be mended too. */
const rowIsWrong: ReadonlySet<string | null> = new Set(['unknown_key', 'scope_denied']);

/** Callers must not repeat a call that waits or runs. */
const unended: ReadonlySet<string> = new Set(['proposed', 'running']);

export function receiptTemplates(
  base: string,
  { id, key, status, error, repairedBy = null }: Told,
): readonly string[] {
  const dispatch = links.dispatch(base);
  const isOpen = (status === 'failed' || status === 'denied') && repairedBy === null;
  const row = rowIsWrong.has(error) ? '{key}' : encodeURIComponent(key);
  return [
    receiptTemplate(base, id),
    ...(unended.has(status) ? [] : [`${dispatch}?replay=${id}&share={token}`]),
    ...(error === 'scope_denied' ? [`${dispatch}?explain=1&share={token}`] : []),
    ...(isOpen ? [`${dispatch}?invoke=${row}&body={body}&repairs=${id}&share={token}`] : []),
  ];
}

/** The receipt of one invocation, for holders of the share that may read it. */
export function receiptTemplate(base: string, id: string): string {
  return `${links.receiptJson(base, id)}&share={token}`;
}

/** The same for the recipient of a new share, whose token is shown once: its receipts, and their repair. */
export function holderTemplates(base: string, share: string): readonly string[] {
  return [
    `${links.receiptJson(base, '{inv}')}&share=${share}`,
    `${links.dispatch(base)}?invoke={key}&body={body}&repairs={inv}&share=${share}`,
  ];
}
