/** `/api/protocol/grow` (contract §5): open needs of recently changed articles, as payloads that are ready to send. */
import { claimsOf } from '../../domain/articles/state.ts';
import { type ArticleAccess, authorizeArticle } from './article-access.ts';
import { links } from '../../domain/links.ts';
import { isFault } from '../../kernel/fault.ts';
import { Grow, type Need } from '../../model/references.ts';
import { listArticles } from './article-list.ts';
import { readContests } from './contested.ts';
import { loadArticle } from './articles.ts';
import { readQuestions } from './question-parts.ts';
import type { CallerContext, ReadContext } from '../read-context.ts';
import type { Claim } from '../../model/claim.ts';
import { defineRead } from './define-read.ts';

const articlesMax = 50;
const anonymous = { kind: 'anonymous' } as const;

/** At most `limit` needs, most recently changed articles first. */
export const readGrow = defineRead(Grow, async (context: CallerContext, limit: number) => {
  const reader = { ...context, viewer: anonymous };
  const listed = await listArticles(reader, articlesMax, { sort: 'updated' });
  if (isFault(listed)) return listed;
  const needs: Need[] = [];
  for (const { slug } of listed.articles) {
    const access = await authorizeArticle(reader, slug);
    if (!isFault(access)) for (const need of await needsOf(context, access)) needs.push(need);
  }
  return {
    count: Math.min(needs.length, limit),
    /** Of the articles that were looked at. */
    total: needs.length,
    truncated: needs.length > limit || listed.next !== null,
    looked_at: {
      articles: listed.articles.length,
      order: 'last changed' as const,
    },
    needs: needs.slice(0, limit),
  };
});

async function needsOf(context: ReadContext, access: ArticleAccess): Promise<Need[]> {
  const { base } = context;
  const { slug } = access;
  const state = await loadArticle(context, access.aid);
  const active = claimsOf(state).filter(({ status }) => status === 'active');
  const { contests } = await readContests(context, access.aid);
  const disputes = contests.filter(({ kind }) => kind !== 'repair');
  const gaps = (await readQuestions(context, access)).filter(({ node }) => node.status === 'gap');
  return [
    ...disputes.map(({ id, kind, target, status }): Need => ({
      kind: 'answer_objection',
      article: slug,
      about: id,
      why: `${id} (${kind}) stands open on ${target === '' ? 'the article' : target}.`,
      url: links.articlePart(base, slug, status === 'open' ? 'discourse' : 'mirror'),
      ...open(base, slug, claimIdOf(target), 'repair', `What would meet ${id}: …`),
    })),
    ...gaps.map(({ id, node }): Need => ({
      kind: 'bring_evidence',
      article: slug,
      about: id,
      why: `The ledger does not answer: ${node.question}`,
      url: links.articlePart(base, slug, 'question-graph'),
      method: 'POST',
      post_to: `${base}/api/protocol/ingest`,
      auth: 'share',
      payload: { slug, evidence: '…', question_node_id: id },
    })),
    ...active.filter(isUnsourced).map((claim): Need => ({
      kind: 'cite_source',
      article: slug,
      about: claim.id,
      why: `${claim.id} cites no source: ${claim.text}`,
      url: links.claim(base, slug, claim.id),
      ...open(
        base,
        slug,
        claim.id,
        'source',
        '{"type":"…","url":"https://…","title":"…","quote":"…","summary":"…"}',
      ),
    })),
    ...(active.length === 0
      ? [
          {
            kind: 'state_claim' as const,
            article: slug,
            about: slug,
            why: 'The article has text and no claim.',
            url: links.articleJson(base, slug),
            method: 'POST' as const,
            post_to: `${base}/api/protocol/claim`,
            auth: 'share' as const,
            payload: { slug, text: '…', tier: 'speculative', who_claims: '…', why_material: '…' },
          },
        ]
      : []),
  ];
}

/** Axioms of a design need no source. */
function isUnsourced(claim: Claim): boolean {
  return claim.source_status === 'unsourced' && claim.tier !== 'system';
}

/** A contribution, open without a credential. */
function open(
  base: string,
  slug: string,
  claimId: string,
  kind: string,
  body: string,
): Pick<Need, 'method' | 'post_to' | 'auth' | 'payload'> {
  return {
    method: 'POST',
    post_to: links.articlePart(base, slug, 'mirror'),
    auth: 'none',
    payload: { claim_id: claimId, kind, actor: '…', body },
  };
}

function claimIdOf(target: string): string {
  return /^c\d+$/.test(target) ? target : '';
}
