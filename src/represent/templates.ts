/**
 * Addresses that lead on from a call for callers that can only open addresses (contract §2, §3): its receipt, the same call once more, of a
 * failed call its repair, and where the share did not reach, what it reaches. Each wants the share that made the call, which stands here as a placeholder: a link that is
 * passed on must not hand on authority.
 */
import { links } from '../domain/links.ts';

interface Told {
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

/** Longest URL that fetch-only tools open. A template leaves room for the caller's text. */
export const urlCharsMax = 250;
const saidChars = 60;

/** Bodies of the rows that a stranger writes with. */
const writtenBy: Readonly<Record<string, string>> = {
  OBJECTION_LOG: '{slug}%7C{objection}',
  OIP_ARTICLE_REVIEW: '{slug}%7C{verdict}%7C{body}%7C{actor}',
  MODEL_CHAT_INTAKE: '{slug}%7C{actor}%7C{text}',
  MIRROR_APPEND: '{slug}%7C{claim_id}%7C{kind}%7C{actor}%7C{text}',
};

/** Addresses with places to fill: a call of each row that writes, what was recorded of it, and how it is mended. */
export function entryTemplates(
  base: string,
  keys: readonly string[],
  share: string,
  slugs: readonly string[],
): readonly string[] {
  const dispatch = links.dispatch(base);
  const invoke = (key: string, body: string): string =>
    `${dispatch}?invoke=${key}&body=${body}&share=${share}`;
  const writes = keys.filter((key) => key in writtenBy);
  return [
    ...(keys.includes('OBJECTION_LOG')
      ? slugs
          .map((slug) => invoke('OBJECTION_LOG', `${slug}%7C{objection}`))
          .filter((url) => url.length <= urlCharsMax - saidChars)
      : []),
    ...writes.map((key) => invoke(key, writtenBy[key] as string)),
    ...(writes.length === 0 ? [invoke('ARTICLE_INSPECT', '{slug}%7C{part}')] : []),
    ...(keys.includes('LANDSCAPE_NEXT')
      ? [`${base}/api/build-landscape?next=1&lane={lane}&n={n}&share=${share}`]
      : []),
    ...holderTemplates(base, share),
    links.confirm(base, '{inv}'),
  ];
}
