/**
 * Recent changes as `/recent` and `/api/recent` show them (contract §8): what a reader asked for, checked, and the acts that
 * fit. Only what everybody may read of one workspace.
 */
import type { ActivityKind } from '../../model/vocabulary.ts';
import { activityKinds, isOneOf } from '../../model/vocabulary.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { type ActivityFilter, type ActivityPage, readActivity, readActivityOf } from './activity.ts';
import { type ArticleAccess, authorizeArticle } from './article-access.ts';
import { readLabels } from './labels.ts';
import type { ReadContext } from '../read-context.ts';

/** Filters as a reader gives them; absent or '' for none. */
export type RecentQuery = Readonly<
  Partial<Record<'kind' | 'article' | 'who' | 'tag' | 'since' | 'before', string | undefined>>
>;

/** A query without faults, in its workspace. */
export interface RecentRequest {
  readonly tenant: string;
  readonly filter: ActivityFilter;
  readonly access: ArticleAccess | undefined;
}

/** The request of a query, and what is wrong with it by parameter: filters that cannot be read are left out. */
export async function parseRecent(
  context: ReadContext,
  tenant: string,
  { kind = '', article = '', who = '', tag = '', since = '', before = '' }: RecentQuery,
): Promise<{ readonly request: RecentRequest; readonly faults: readonly Fault[] }> {
  const faults: Fault[] = recentFaults({ kind, who, since, before });
  const access =
    article === ''
      ? undefined
      : await authorizeArticle({ ...context, tenant, viewer: { kind: 'anonymous' } }, article);
  if (isFault(access))
    faults.push(
      invalidParameter(
        'article',
        `There is no article ${article.slice(0, 120)}.`,
        'Use the end of its address.',
      ),
    );
  const tagged = tag === '' ? undefined : (await readLabels(context, tenant)).tags.get(tag);
  if (tag !== '' && tagged === undefined)
    faults.push(
      invalidParameter(
        'tag',
        `No published article has the tag ${tag.slice(0, 100)}.`,
        'Tags are listed under /tags.',
      ),
    );
  const isWrong = (name: string): boolean => faults.some((each) => parameterOf(each) === name);
  return {
    request: {
      tenant,
      filter: {
        kind: isOneOf(activityKinds, kind) ? kind : undefined,
        who: who === '' || isWrong('who') ? undefined : who,
        since: since === '' || isWrong('since') ? undefined : since,
        before: before === '' || isWrong('before') ? undefined : Number(before),
        aids: tagged === undefined ? undefined : new Set(tagged.map(({ aid }) => aid)),
      },
      access: isFault(access) ? undefined : access,
    },
    faults,
  };
}

/** The parameter that a fault is about. */
export function parameterOf({ details }: Fault): string {
  return String(details?.['parameter'] ?? '');
}

/** All faults that show without a look at the ledger. */
export function recentFaults({ kind = '', who = '', since = '', before = '' }: RecentQuery): Fault[] {
  const faults: Fault[] = [];
  if (kind !== '' && !isOneOf(activityKinds, kind))
    faults.push(
      invalidParameter(
        'kind',
        `"${kind.slice(0, 40)}" is no kind of change.`,
        `Use one of ${activityKinds.join(', ')}.`,
      ),
    );
  if (!/^(?:|owner|anonymous|contributors|system|cap_[0-9a-f]{16})$/.test(who))
    faults.push(
      invalidParameter(
        'who',
        `who is "${who.slice(0, 40)}", which names no person or share.`,
        'Use owner, contributors, anonymous, or the fingerprint of a share.',
      ),
    );
  const isDate = /^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since));
  if (since !== '' && !isDate)
    faults.push(invalidParameter('since', 'since is no date.', 'Choose a date such as 2026-01-31.'));
  if (!/^\d{0,15}$/.test(before))
    faults.push(
      invalidParameter(
        'before',
        'before is no number of an entry.',
        'Follow the links of the page as they are.',
      ),
    );
  return faults;
}

/** The acts that fit, newest first. */
export async function readRecent(
  context: ReadContext,
  { tenant, filter, access }: RecentRequest,
  limit: number,
): Promise<ActivityPage> {
  if (access === undefined) return readActivity(context, tenant, filter, limit);
  const all = await readActivityOf(context, access.aid, Number.MAX_SAFE_INTEGER);
  const fitting = all.items.filter((item) => fits(item, access.aid, filter));
  const items = fitting.slice(0, limit);
  return { items, next: fitting.length > limit ? (items.at(-1)?.seq ?? null) : null };
}

function fits(
  {
    kind,
    actor,
    ts,
    seq,
  }: { readonly kind: ActivityKind; readonly actor: string; readonly ts: string; readonly seq: number },
  aid: string,
  filter: ActivityFilter,
): boolean {
  return (
    (filter.kind === undefined || kind === filter.kind) &&
    (filter.who === undefined ||
      actor === filter.who ||
      (filter.who === 'contributors' && actor.startsWith('cap_'))) &&
    (filter.since === undefined || ts >= filter.since) &&
    (filter.before === undefined || seq < filter.before) &&
    (filter.aids === undefined || filter.aids.has(aid))
  );
}
