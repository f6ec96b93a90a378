/** The parts of an article that are about what was said of it (spec §4.3): discourse, objections, votes. */
import { articleChain } from '../../domain/articles/chains.ts';
import { postTable, threadTable, voteTable, type PostRow } from '../../domain/discourse/tables.ts';
import { threadHead } from '../../domain/discourse/thread.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { verificationOf } from '../../represent/stored-events.ts';
import { discourseCounts, discourseList, voteJson } from '../../represent/discourse-json.ts';
import type { Service } from '../service.ts';
import { readImported } from './imported.ts';
import { loadArticle } from './articles.ts';
import type { PartRequest } from './part-request.ts';

export async function readPosts(service: Service, aid: string): Promise<PostRow[]> {
  return [...(await service.store.read.rows(postTable, aid)).values()].sort((a, b) => a.n - b.n);
}

export async function readThreadHead(service: Service, aid: string): Promise<string> {
  return threadHead({ head: (await service.store.read.row(threadTable, aid))?.head ?? null });
}

export async function readDiscourse({ service, seen }: PartRequest): Promise<JsonObject> {
  const chain = await service.store.read.chain(articleChain(seen.aid, 'thread'));
  const entries = discourseList({
    article: await loadArticle(service, seen.aid),
    posts: await readPosts(service, seen.aid),
    chain,
    base: service.base,
  });
  return {
    slug: seen.slug,
    thread_head: await readThreadHead(service, seen.aid),
    counts: discourseCounts(entries),
    entries,
    verification: verificationOf(chain),
    ...(await readImported(service, seen, 'thread')),
  };
}

export async function readObjections(request: PartRequest): Promise<JsonObject> {
  const {
    slug,
    thread_head: head,
    entries,
  } = (await readDiscourse(request)) as {
    readonly slug: string;
    readonly thread_head: string;
    readonly entries: readonly JsonObject[];
  };
  const objections = entries.filter((entry) => entry['stance'] === 'objection');
  return { slug, thread_head: head, count: objections.length, objections };
}

export async function readVotes({ service, seen }: PartRequest): Promise<JsonObject> {
  const rows = [...(await service.store.read.rows(voteTable, seen.aid)).values()];
  const chain = await service.store.read.chain(articleChain(seen.aid, 'votes'));
  return {
    slug: seen.slug,
    count: rows.length,
    votes: rows.map((row) => voteJson(row, service.base)),
    verification: verificationOf(chain),
    ...(await readImported(service, seen, 'votes')),
  };
}
