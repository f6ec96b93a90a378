/**
 * Values of query kinds that are read whole (spec §4.3, contract §7): sources, DIVs, questions, contributions, posts
 * and votes. Fields are named in `domain/query/fields.ts`.
 */
import { activeDivs, claimsOf, sourcesOf } from '../../domain/articles/state.ts';
import type { ArticleAccess } from './article-access.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import { postLink } from '../../domain/discourse/posting.ts';
import { isOpen, postTable, voteTable } from '../../domain/discourse/thread.ts';
import { links } from '../../domain/links.ts';
import type { QueryKind } from '../../model/query-fields.ts';
import { questionTable } from '../../domain/questions/state.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { loadArticle, readContributions } from './articles.ts';
import type { ReadContext } from '../read-context.ts';

/** The article's objects of a kind, in order. */
export async function valuesOf(
  context: ReadContext,
  access: ArticleAccess,
  kind: QueryKind,
): Promise<readonly JsonObject[]> {
  const { base, read } = context;
  const { slug, aid } = access;
  switch (kind) {
    case 'article': {
      const row = await read.row(articleTable, aid);
      if (row === undefined) return [];
      const { title, status, version, updated_at, meta } = row;
      return [
        {
          id: slug,
          title,
          status,
          category: meta.category ?? '',
          version,
          updated_at,
          permalink: links.article(base, slug),
        },
      ];
    }
    case 'source': {
      const state = await loadArticle(context, aid);
      const citing = new Map<string, number>();
      for (const claim of claimsOf(state))
        for (const id of claim.source_ids) citing.set(id, (citing.get(id) ?? 0) + 1);
      return sourcesOf(state).map(({ source, hash }) => ({
        id: source.id,
        type: source.type,
        url: source.url,
        title: source.title,
        quote: source.quote,
        summary: source.summary,
        platform: source.platform ?? '',
        software_class: source.software_class ?? '',
        found_by: source.found_by,
        accessed_at: source.accessed_at,
        claims: citing.get(source.id) ?? 0,
        hash,
        permalink: `${links.article(base, slug)}#${source.id}`,
      }));
    }
    case 'div':
      return activeDivs(await loadArticle(context, aid)).map((div, i) => ({
        id: div.div_id,
        // `kind` in the envelope is the row's; here it is the block's.
        kind: div.kind,
        order: i + 1,
        title: div.title,
        text: div.text,
        status: div.status,
        hash: div.vx_hash,
        permalink: links.div(base, slug, div.div_id),
      }));
    case 'question':
      return [...(await read.rows(questionTable, aid)).values()]
        .sort((a, b) => (a.node.asked_at < b.node.asked_at ? -1 : 1))
        .map(({ id, node }) => ({
          id,
          question: node.question,
          status: node.status,
          confidence: node.confidence,
          asked: node.asked,
          claim_id: node.claim_id ?? '',
          updated_at: node.updated_at,
          permalink: links.articlePart(base, slug, 'question-graph'),
        }));
    case 'contribution':
      return (await readContributions(context, access)).map((item) =>
        pick(item, ['id', 'kind', 'claim_id', 'status', 'actor', 'body', 'ts', 'permalink']),
      );
    case 'discourse': {
      const state = await loadArticle(context, aid);
      const posts = [...(await read.rows(postTable, aid)).values()].sort((a, b) => a.n - b.n);
      return posts.map(({ id, post, settled }) => ({
        id,
        stance: post.stance,
        target: post.target,
        status: isOpen({ post, settled }) ? 'open' : 'settled',
        actor: post.actor,
        body: post.body,
        surface: post.surface ?? '',
        outcome: post.outcome ?? '',
        verdict: post.verdict ?? '',
        ts: post.ts,
        permalink: postLink(base, state, id),
      }));
    }
    case 'vote':
      return [...(await read.rows(voteTable, aid)).values()].map(({ id, vote, status, decision }) => ({
        id,
        proposal: vote.proposal,
        target: vote.target,
        status,
        decision: decision ?? '',
        actor: vote.actor,
        rationale: vote.rationale,
        ts: vote.ts,
        permalink: links.article(base, slug),
      }));
    case 'claim':
    case 'invocation':
      throw new Error(`${kind}s are selected by the store`);
  }
}

/** The named members. */
export function pick(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, value[name] as JsonValue]));
}
