/** Article parts about discourse (spec §4.3): discourse, objections, votes. */
import { articleChain } from '../../domain/articles/chains.ts';
import { postTable, threadTable, voteTable, type PostRow } from '../../domain/discourse/tables.ts';
import { threadHead } from '../../domain/discourse/thread.ts';
import { Discourse, Objections, VoteList } from '../../model/discourse.ts';
import { verificationOf } from '../../represent/stored-events.ts';
import { discourseCounts, discourseList, voteJson } from '../../represent/discourse-json.ts';
import type { ReadContext } from '../read-context.ts';
import { readImported } from './imported.ts';
import { loadArticle } from './articles.ts';
import { defineRead, type PartRequest } from './define-read.ts';

export async function readPosts(context: ReadContext, aid: string): Promise<PostRow[]> {
  return [...(await context.read.rows(postTable, aid)).values()].sort((a, b) => a.n - b.n);
}

export async function readThreadHead(context: ReadContext, aid: string): Promise<string> {
  return threadHead({ head: (await context.read.row(threadTable, aid))?.head ?? null });
}

export const readDiscourse = defineRead(Discourse, async ({ context, seen }) => {
  const chain = await context.read.chain(articleChain(seen.aid, 'thread'));
  const entries = discourseList({
    article: await loadArticle(context, seen.aid),
    posts: await readPosts(context, seen.aid),
    chain,
    base: context.base,
  });
  return {
    slug: seen.slug,
    thread_head: await readThreadHead(context, seen.aid),
    counts: discourseCounts(entries),
    entries,
    verification: verificationOf(chain),
    ...(await readImported(context, seen, 'thread')),
  };
});

export const readObjections = defineRead(Objections, async (request: PartRequest) => {
  const { slug, thread_head, entries } = await readDiscourse(request);
  const objections = entries.filter(({ stance }) => stance === 'objection');
  return { slug, thread_head, count: objections.length, objections };
});

export const readVotes = defineRead(VoteList, async ({ context, seen }) => {
  const rows = [...(await context.read.rows(voteTable, seen.aid)).values()];
  const chain = await context.read.chain(articleChain(seen.aid, 'votes'));
  return {
    slug: seen.slug,
    count: rows.length,
    votes: rows.map((row) => voteJson(row, context.base)),
    verification: verificationOf(chain),
    ...(await readImported(context, seen, 'votes')),
  };
});
