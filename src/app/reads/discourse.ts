/** Discourse of an article (spec §4.3, contract §5): posts, objections, votes, and the state of the thread. */
import { articleChain } from '../../domain/articles/chains.ts';
import {
  type PostRow,
  postTable,
  threadHead,
  threadTable,
  voteTable,
} from '../../domain/discourse/thread.ts';
import {
  Discourse,
  Objections,
  type ProposedCallView,
  ThreadStateView,
  VoteList,
} from '../../model/discourse.ts';
import { verificationOf } from '../../represent/stored-events.ts';
import { countsOf, discourseCounts, discourseList, voteJson } from '../../represent/discourse-json.ts';
import type { ReadContext } from '../read-context.ts';
import { readImported } from './imported.ts';
import { loadArticle } from './articles.ts';
import { readContests } from './contested.ts';
import { contributionViews } from './mirror-feed.ts';
import { isContestingKind } from '../../domain/discourse/contested.ts';
import { type PartRequest, defineRead } from './define-read.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { findArticle } from './article-access.ts';
import { type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { links } from '../../domain/links.ts';

export async function readPosts(context: ReadContext, aid: string): Promise<PostRow[]> {
  return [...(await context.read.rows(postTable, aid)).values()].sort((a, b) => a.n - b.n);
}

export async function readThreadHead(context: ReadContext, aid: string): Promise<string> {
  return threadHead({ head: (await context.read.row(threadTable, aid))?.head ?? null });
}

export const readDiscourse = defineRead(Discourse, async ({ context, access }) => {
  const chain = await context.read.chain(articleChain(access.aid, 'thread'));
  const entries = discourseList({
    article: await loadArticle(context, access.aid),
    posts: await readPosts(context, access.aid),
    chain,
    base: context.base,
  });
  return {
    slug: access.slug,
    thread_head: await readThreadHead(context, access.aid),
    counts: discourseCounts(entries),
    contested: (await readContests(context, access.aid)).article,
    entries,
    verification: verificationOf(chain),
    ...(await readImported(context, access, 'thread')),
  };
});

export const readObjections = defineRead(Objections, async (request: PartRequest) => {
  const { slug, thread_head, entries } = await readDiscourse(request);
  const proposed = await contributionViews(request.context, request.access.aid, slug);
  const objections = [
    ...entries.filter(({ stance }) => stance === 'objection'),
    ...proposed
      .filter(({ kind }) => kind === 'objection')
      .reverse()
      .map((view) => ({ ...view, objection: view.body, surface: null, minimum_patch: null })),
  ];
  const count = objections.length;
  return { slug, thread_head, count, total: count, objections };
});

export const readVotes = defineRead(VoteList, async ({ context, access }) => {
  const rows = [...(await context.read.rows(voteTable, access.aid)).values()];
  const chain = await context.read.chain(articleChain(access.aid, 'votes'));
  return {
    slug: access.slug,
    count: rows.length,
    total: rows.length,
    votes: rows.map((row) => voteJson(row, context.base)),
    verification: verificationOf(chain),
    ...(await readImported(context, access, 'votes')),
  };
});

/** The fault of an unknown target. */
export function targetFault(target: string | undefined): Fault | undefined {
  if (target !== undefined && target.trim() !== '') return undefined;
  return invalidParameter(
    'target',
    `target is ${target === undefined ? 'missing' : 'empty'}.`,
    'Name the article, such as target=what-the-ledger-is.',
  );
}

export const readThreadState = defineRead(
  ThreadStateView,
  async (context: ReadContext, viewer: Credential, target: string | undefined) => {
    const wrong = targetFault(target);
    if (wrong !== undefined || target === undefined) return wrong as Fault;
    const access = await findArticle(context, target, viewer);
    if (isFault(access)) return access;
    const chain = await context.read.chain(articleChain(access.aid, 'thread'));
    const posts = await readPosts(context, access.aid);
    const entries = discourseList({
      article: await loadArticle(context, access.aid),
      posts,
      chain,
      base: context.base,
    });
    const { article, contests } = await readContests(context, access.aid);
    const standing = new Set(contests.map(({ id }) => id));
    const contributions = (await contributionViews(context, access.aid, access.slug)).filter((view) =>
      isContestingKind(view.kind),
    );
    const open = [
      ...entries.filter(({ status }) => status === 'open'),
      ...contributions.filter(({ id }) => standing.has(id)),
    ].sort(newestFirst);
    const settled = [
      ...entries.filter(({ status }) => status !== 'open'),
      ...contributions.filter(({ id }) => !standing.has(id)),
    ].sort(newestFirst);
    return {
      target,
      thread_head: await readThreadHead(context, access.aid),
      open,
      settled,
      contested: article,
      proposed_calls: proposedCalls(context, posts),
      counts: countsOf(open, settled),
    };
  },
);

function newestFirst(a: { readonly ts: string }, b: { readonly ts: string }): number {
  return a.ts === b.ts ? 0 : a.ts < b.ts ? 1 : -1;
}

/** Calls proposed by updates, newest first, with their payloads. */
function proposedCalls(context: ReadContext, posts: readonly PostRow[]): ProposedCallView[] {
  return posts.toReversed().flatMap(({ id, post }) =>
    (post.proposed_calls ?? []).map(({ key, body, why }) => ({
      entry: id,
      actor: post.actor,
      ts: post.ts,
      key,
      why,
      call: { method: 'POST', url: links.dispatch(context.base), payload: { key, body } },
    })),
  );
}
