/**
 * Addresses that lead on from a call for callers that can only open addresses (contract §2, §3): its receipt, the same call once more, of a
 * failed call its repair, and where the share did not reach, what it reaches. Each wants the share that made the call, which stands here as a placeholder: a link that is
 * passed on must not hand on authority.
 */
import { anyCall, callParameters, repairParameters } from '../domain/capabilities/call-template.ts';
import { escapePart } from '../domain/capabilities/positional.ts';
import { hashCharsMin } from '../domain/articles/stale.ts';
import type { Row } from '../domain/capabilities/row.ts';
import { links } from '../domain/links.ts';

interface Told {
  readonly id: string;
  readonly status: string;
  /** The code of its failure, where it has one. */
  readonly error: string | null;
  /** The invocation that repaired it already. */
  readonly repairedBy?: string | null;
  /** What its refusal told beside the sentence. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Of a call that named a row which is none, or one that its share does not cover, the row is to be mended too. */
const rowIsWrong: ReadonlySet<string | null> = new Set(['unknown_key', 'scope_denied']);

/** Callers must not repeat a call that waits or runs. */
const unended: ReadonlySet<string> = new Set(['proposed', 'running']);

/** `called`: the row of the call, unless no row has its key. */
export function receiptTemplates(
  base: string,
  { id, status, error, repairedBy = null, details = {} }: Told,
  called: Row | undefined,
): readonly string[] {
  const dispatch = links.dispatch(base);
  const isOpen = (status === 'failed' || status === 'denied') && repairedBy === null;
  const repair =
    called === undefined || rowIsWrong.has(error)
      ? `${anyCall}&repairs=${id}`
      : mended(repairParameters(called, id), called, details);
  return [
    receiptTemplate(base, id),
    ...(unended.has(status) ? [] : [`${dispatch}?replay=${id}&share={token}`]),
    ...(error === 'scope_denied' ? [`${dispatch}?explain=1&share={token}`] : []),
    ...(isOpen ? [`${dispatch}?${repair}&share={token}`] : []),
  ];
}

/** The repair with the values that the refusal told: the present hash or head, the entry that is to be confirmed. */
function mended(parameters: string, row: Row, details: Readonly<Record<string, unknown>>): string {
  const { current_hash: hash, current_thread_head: head, canonical } = details;
  const told: Readonly<Record<string, unknown>> = {
    expected_hash: typeof hash === 'string' ? hash.slice(0, hashCharsMin) : undefined,
    content_hash: typeof hash === 'string' ? hash.slice(0, hashCharsMin) : undefined,
    expected_thread_head: typeof head === 'string' ? head.slice(0, hashCharsMin) : undefined,
    duplicate_of: (canonical as { readonly id?: unknown } | undefined)?.id,
  };
  return Object.entries(told).reduce((text, [name, value]) => {
    if (typeof value !== 'string' || !row.argNames.includes(name)) return text;
    if (text.includes(`{${name}}`)) return text.replace(`{${name}}`, value);
    return text.includes('&arg.') ? `${text}&arg.${name}=${value}` : text;
  }, parameters);
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

/** What a newcomer named already; the rest stands as placeholders. */
export interface EntryTarget {
  readonly slug?: string | undefined;
  readonly claim?: string | undefined;
  readonly threadHead?: string | undefined;
  readonly actor?: string | null | undefined;
}

interface Rows {
  readonly base: string;
  readonly rows: ReadonlyMap<string, Row>;
}

/** Addresses with places to fill: what is to be read, a call of each row that writes, what was recorded of it, and how it is mended. */
export function entryTemplates(
  { base, rows }: Rows,
  keys: readonly string[],
  share: string,
  target: EntryTarget = {},
): readonly string[] {
  const { slug, claim, actor } = target;
  const call = (
    key: string,
    known: Readonly<Record<string, string | undefined>> = {},
    all = false,
  ): string[] => {
    const row = keys.includes(key) ? rows.get(key) : undefined;
    if (row === undefined) return [];
    const named = Object.entries({ slug, ...(actor == null ? {} : { actor }), ...known }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && row.argNames.includes(entry[0]),
    );
    return [`${links.dispatch(base)}?${callParameters(row, Object.fromEntries(named), all)}&share=${share}`];
  };
  const part = `${slug ?? '{slug}'}/${claim ?? '{claim_id}'}`;
  return [
    // The address of a part has a slash, which needs no escape in a query.
    ...call('OBJECTION_LOG', { slug: '-' }).map((url) => url.replace('arg.slug=-', `arg.slug=${part}`)),
    ...call('MIRROR_APPEND', { claim_id: claim, kind: 'repair' }),
    ...(keys.includes('VOXEL_CHALLENGE') ? [challengeTemplate(base, share, target)] : []),
    ...(slug === undefined
      ? [links.articleMarkdown(base, '{slug}').replace(/%7B|%7D/g, decodeURIComponent)]
      : []),
    searchTemplate(base),
    ...call('MIRROR_APPEND', { claim_id: claim }),
    ...call('OBJECTION_LOG'),
    ...call('OIP_ARTICLE_REVIEW'),
    ...call('MODEL_CHAT_INTAKE'),
    ...call('ARTICLE_INSPECT', {}, true),
    ...(keys.includes('LANDSCAPE_NEXT')
      ? [`${base}/api/build-landscape?next=1&lane={lane}&n={n}&share=${share}`]
      : []),
    ...holderTemplates(base, share),
    links.confirm(base, '{inv}'),
  ].filter((url) => url.includes('{'));
}

export function searchTemplate(base: string): string {
  return `${base}/api/search?q={words}`;
}

/**
 * A challenge of one block, by its first arguments in order: named arguments would leave no room for a text in an address
 * that fetch-only tools open. Every place is taken, so that a pipe in the text is refused and never cuts it.
 */
function challengeTemplate(base: string, share: string, { slug, threadHead, actor }: EntryTarget): string {
  const parts = [
    slug ?? '{slug}',
    threadHead?.slice(0, hashCharsMin) ?? '{expected_thread_head}',
    '{target_div}',
    '{expected_hash}',
    'challenge',
    '{body}',
    actor == null ? '{actor}' : encodeURIComponent(escapePart(actor)),
    // An empty duplicate_of: without it a pipe in the text would move the actor there.
    '',
  ];
  return `${links.dispatch(base)}?invoke=VOXEL_CHALLENGE&body=${parts.join('%7C')}&share=${share}`;
}
