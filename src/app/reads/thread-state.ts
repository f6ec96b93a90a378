/** The state of an article's discourse (spec §4.3 thread-state, contract §5). */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { findArticle } from './article-access.ts';
import { threadTable, type PostRow } from '../../domain/discourse/tables.ts';
import { threadHead } from '../../domain/discourse/thread.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { ProposedCallView, ThreadStateView } from '../../model/discourse.ts';
import type { Answer } from '../../model/exact.ts';
import { articleChain } from '../../domain/articles/chains.ts';
import { discourseCounts, discourseList } from '../../represent/discourse-json.ts';
import { links } from '../../domain/links.ts';
import { readPosts } from './discourse-parts.ts';
import { loadArticle } from './articles.ts';
import type { ReadContext } from '../read-context.ts';

/** The fault of an unknown target. */
export function targetFault(target: string | undefined): Fault | undefined {
  if (target !== undefined && target.trim() !== '') return undefined;
  return fault(
    'invalid_request',
    `target is ${target === undefined ? 'missing' : 'empty'}.`,
    'Name the article, such as target=what-the-ledger-is.',
    { parameter: 'target' },
  );
}

export async function readThreadState(
  context: ReadContext,
  viewer: Credential,
  target: string | undefined,
): Promise<Answer<typeof ThreadStateView> | Fault> {
  const wrong = targetFault(target);
  if (wrong !== undefined || target === undefined) return wrong as Fault;
  const seen = await findArticle(context, target, viewer);
  if (isFault(seen)) return seen;
  const chain = await context.read.chain(articleChain(seen.aid, 'thread'));
  const posts = await readPosts(context, seen.aid);
  const entries = discourseList({
    article: await loadArticle(context, seen.aid),
    posts,
    chain,
    base: context.base,
  });
  const head = threadHead({ head: (await context.read.row(threadTable, seen.aid))?.head ?? null });
  return {
    target,
    thread_head: head,
    open: entries.filter((entry) => entry.status === 'open'),
    settled: entries.filter((entry) => entry.status !== 'open'),
    proposed_calls: proposedCalls(context, posts),
    counts: discourseCounts(entries),
  };
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
