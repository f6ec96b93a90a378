/**
 * What a call wrote and what became of it, for its public confirmation (contract §3). Only what everybody may read on the
 * article now: nothing about drafts, closed workspaces, or what was written before the article was first published.
 */
import { articleTable, claimTable, type ArticleRow } from '../../domain/articles/tables.ts';
import { isOpen, postTable, voteTable, type PostRow } from '../../domain/discourse/thread.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import type { Material } from '../../domain/context.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Written } from '../../model/invocation.ts';
import type { Reader } from '../../engine/store.ts';
import type { ReadContext } from '../read-context.ts';
import { visibleValue, type Invocation } from './invocation.ts';
import { isOpenTo } from './workspaces.ts';

/** The most objects that a confirmation names. */
const namedMax = 50;

export async function writtenBy(context: ReadContext, invocation: Invocation): Promise<Written[]> {
  const aid = invocation.events[0]?.entry['article'];
  const { status, yielded, startedAt } = invocation;
  if (status !== 'success' || typeof aid !== 'string' || yielded.material.length === 0) return [];
  const article = await context.read.row(articleTable, aid);
  if (article === undefined || article.posted_at === null || startedAt < article.posted_at) return [];
  if (!(await isOpenTo(context, { kind: 'anonymous' }, article.tenant))) return [];
  const response = (visibleValue(invocation.response) ?? {}) as JsonObject;
  const written: Written[] = [];
  for (const material of yielded.material.slice(0, namedMax)) {
    if (!isOn(article, material)) continue;
    const found = await stateOf(context, aid, material, response);
    if (found === undefined) continue;
    const { kind, id, url } = material;
    written.push({ kind, id, slug: article.slug, ...found, url });
  }
  return written;
}

/** Whether the address of an object is on the article's page. */
function isOn({ slug }: ArticleRow, { url }: Material): boolean {
  return new URL(url).pathname.split('/').slice(1, 3).join('/') === `a/${slug}`;
}

type State = Pick<Written, 'target' | 'status' | 'decision'>;

/** Undefined for objects that nothing is decided about. */
async function stateOf(
  { read }: ReadContext,
  aid: string,
  { kind, id }: Material,
  response: JsonObject,
): Promise<State | undefined> {
  switch (kind) {
    case 'contribution': {
      const said = response['contribution'] as
        { readonly id?: string; readonly claim_id?: string } | undefined;
      const resolution = await read.row(resolutionTable, aid, id);
      return {
        target: said?.id === id ? (said.claim_id ?? null) : null,
        status: resolution?.status ?? 'proposed',
        decision: resolution?.status ?? null,
      };
    }
    case 'discourse': {
      const row = await postRow(read, aid, id);
      if (row === undefined) return undefined;
      const decision = row.settled === null ? null : 'settled';
      return { target: row.post.target, status: isOpen(row) ? 'open' : 'settled', decision };
    }
    case 'vote': {
      const row = await read.row(voteTable, aid, id);
      return row === undefined
        ? undefined
        : { target: row.vote.target, status: row.status, decision: row.decision };
    }
    case 'claim': {
      const claimId = id.slice(id.indexOf('/') + 1);
      const row = await read.row(claimTable, aid, claimId);
      return row === undefined ? undefined : { target: claimId, status: row.claim.status, decision: null };
    }
    default:
      return undefined;
  }
}

const pageRows = 200;

/** An entry of the thread by its id, from the newest on. */
async function postRow(read: Reader, aid: string, id: string): Promise<PostRow | undefined> {
  for (let before: number | undefined; ;) {
    const rows = await read.list(postTable, aid, {
      limit: pageRows,
      reverse: true,
      ...(before === undefined ? {} : { before }),
    });
    const found = rows.find((row) => row.id === id);
    if (found !== undefined || rows.length < pageRows) return found;
    before = rows.at(-1)?.n;
  }
}
