/**
 * Addresses that lead on from a call for callers that can only open addresses (contract §2, §3): its receipt, the same call once more, of a
 * failed call its repair, and where the share did not reach, what it reaches. Each wants the share that made the call, which stands here as a placeholder: a link that is
 * passed on must not hand on authority.
 */
import { anyCall, callParameters, repairParameters } from '../domain/capabilities/call-template.ts';
import type { Row } from '../domain/capabilities/row.ts';
import { links } from '../domain/links.ts';

interface Told {
  readonly id: string;
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

/** `called`: the row of the call, unless no row has its key. */
export function receiptTemplates(
  base: string,
  { id, status, error, repairedBy = null }: Told,
  called: Row | undefined,
): readonly string[] {
  const dispatch = links.dispatch(base);
  const isOpen = (status === 'failed' || status === 'denied') && repairedBy === null;
  const repair =
    called === undefined || rowIsWrong.has(error) ? `${anyCall}&repairs=${id}` : repairParameters(called, id);
  return [
    receiptTemplate(base, id),
    ...(unended.has(status) ? [] : [`${dispatch}?replay=${id}&share={token}`]),
    ...(error === 'scope_denied' ? [`${dispatch}?explain=1&share={token}`] : []),
    ...(isOpen ? [`${dispatch}?${repair}&share={token}`] : []),
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
    `${links.dispatch(base)}?${anyCall}&repairs={inv}&share=${share}`,
  ];
}

/** Longest URL that fetch-only tools open. A template leaves room for the caller's text. */
export const urlCharsMax = 250;
const saidChars = 60;

/** Rows that a stranger writes with. */
const writtenBy: ReadonlySet<string> = new Set([
  'OBJECTION_LOG',
  'OIP_ARTICLE_REVIEW',
  'MODEL_CHAT_INTAKE',
  'MIRROR_APPEND',
]);

/** Addresses with places to fill: a call of each row that writes, what was recorded of it, and how it is mended. */
export function entryTemplates(
  { base, rows }: { readonly base: string; readonly rows: ReadonlyMap<string, Row> },
  keys: readonly string[],
  share: string,
  slugs: readonly string[],
): readonly string[] {
  const dispatch = links.dispatch(base);
  const invoke = (key: string, known: Readonly<Record<string, string>> = {}, all = false): string[] => {
    const row = rows.get(key);
    return row === undefined ? [] : [`${dispatch}?${callParameters(row, known, all)}&share=${share}`];
  };
  const writes = keys.filter((key) => writtenBy.has(key));
  return [
    ...(keys.includes('OBJECTION_LOG')
      ? slugs
          .flatMap((slug) => invoke('OBJECTION_LOG', { slug }))
          .filter((url) => url.length <= urlCharsMax - saidChars)
      : []),
    ...writes.flatMap((key) => invoke(key)),
    ...(writes.length === 0 ? invoke('ARTICLE_INSPECT', {}, true) : []),
    ...(keys.includes('LANDSCAPE_NEXT')
      ? [`${base}/api/build-landscape?next=1&lane={lane}&n={n}&share=${share}`]
      : []),
    ...holderTemplates(base, share),
    links.confirm(base, '{inv}'),
  ];
}
