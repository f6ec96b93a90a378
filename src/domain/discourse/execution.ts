/**
 * What carries out a ratified vote (contract §5): deciding records, executing is a call of its own, returned ready. Each
 * call is tried on the article as it stands before it is handed over; where there is none, it is said why.
 */
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { repairClaim, retractClaim } from '../articles/amend-claim.ts';
import { burnDivs } from '../articles/burn-divs.ts';
import { consolidateDivs } from '../articles/consolidate-divs.ts';
import { splitDiv } from '../articles/split-div.ts';
import { activeDivs, type ArticleState, bodyOf } from '../articles/state.ts';
import type { DivRow } from '../articles/tables.ts';
import { appendDocument, prepareDocument, titleCharsMax } from '../articles/write-document.ts';
import type { Context } from '../context.ts';
import type { Violation } from '../violations.ts';
import type { Vote } from '../../model/discourse.ts';
import type { Claim } from '../../model/claim.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { links } from '../links.ts';

export type ExecutionCall = { readonly key: string; readonly body: JsonObject };
/** Why there is no call, in a sentence. */
export type NoExecution = { readonly missing: string };

/** What the call is made of, and tried on. */
export interface ExecutionContext {
  readonly article: ArticleState;
  readonly context: Context;
  /** A published article of the same workspace. */
  published(slug: string): ArticleState | undefined;
}

export type ProposedVote = Pick<Vote, 'target' | 'proposal' | 'carries'>;

export function execution(bench: ExecutionContext, ballot: ProposedVote): ExecutionCall | NoExecution {
  const { article } = bench;
  const { target, proposal } = ballot;
  if (proposal === 'should_transclude') return transcluded(bench, ballot);
  const div = article.divs.get(target);
  if (div !== undefined)
    return div.status === 'current'
      ? ofDiv(bench, div, ballot)
      : { missing: `${target} is ${div.status} and takes no more writes.` };
  const claim = article.claims.get(target)?.claim;
  if (claim !== undefined)
    return claim.status === 'active'
      ? ofClaim(bench, claim, ballot)
      : { missing: `${target} is retracted and takes no more writes.` };
  return ofArticle(article, proposal);
}

function ofDiv(
  bench: ExecutionContext,
  div: DivRow,
  { proposal, carries }: ProposedVote,
): ExecutionCall | NoExecution {
  const { article, context } = bench;
  const { slug } = article.row;
  const { div_id: id, vx_hash: hash } = div;
  switch (proposal) {
    case 'should_burn': {
      const body = { slug, ids: [id], expected_hashes: [hash], reason: reasonOf(proposal) };
      return tried('VOXEL_BURN', body, burnDivs(article, body, context));
    }
    case 'should_be_article': {
      const part = `, ${id}`;
      const of = article.row.title.slice(0, titleCharsMax - part.length).toWellFormed();
      const title = div.kind === 'heading' ? {} : { title: of + part };
      return newArticle(bench, id, { ...title, markdown: div.text });
    }
    case 'should_merge': {
      const pair = mergedPair(article, div, carries?.into);
      if ('missing' in pair) return pair;
      const body = {
        slug,
        div_ids: pair.map((each) => each.div_id),
        expected_hashes: pair.map((each) => each.vx_hash),
      };
      return tried('VOXEL_CONSOLIDATE', body, consolidateDivs(article, body, context));
    }
    case 'should_split': {
      if (carries?.at === undefined)
        return {
          missing: `The vote does not say where to split ${id}: "at" takes the exact words that the second part begins with.`,
        };
      const body = { slug, div_id: id, expected_hash: hash, at: carries.at };
      return tried('VOXEL_SPLIT', body, splitDiv(article, body, context));
    }
    case 'should_retier':
      return { missing: `${id} is a DIV; only a claim has a tier.` };
    default:
      return { missing: `${id} is a DIV already.` };
  }
}

/** Without a word about it, a DIV is merged with the one behind it. */
function mergedPair(
  article: ArticleState,
  div: DivRow,
  into: string | undefined,
): readonly [DivRow, DivRow] | NoExecution {
  const order = activeDivs(article);
  if (into === undefined) {
    const next = order[order.indexOf(div) + 1];
    return next === undefined
      ? { missing: `${div.div_id} is the last DIV: "into" takes the DIV that it should go into.` }
      : [div, next];
  }
  const other = order.find((each) => each.div_id === into && each !== div);
  return other === undefined ? { missing: `${into} is no other current DIV of the article.` } : [other, div];
}

function ofClaim(
  bench: ExecutionContext,
  claim: Claim,
  { proposal, carries }: ProposedVote,
): ExecutionCall | NoExecution {
  const { article, context } = bench;
  const { slug } = article.row;
  const retract = (reason: string): ExecutionCall | NoExecution => {
    const body = { slug, claim_id: claim.id, reason };
    return tried('CLAIM_RETRACT', body, retractClaim(article, body, context));
  };
  switch (proposal) {
    case 'should_burn':
      return retract(reasonOf(proposal));
    case 'should_merge': {
      const into = carries?.into;
      if (into === undefined)
        return { missing: `The vote does not say what ${claim.id} goes into: "into" takes another claim.` };
      const other = article.claims.get(into)?.claim;
      return other === undefined || other.id === claim.id || other.status !== 'active'
        ? { missing: `${into} is no other active claim of the article.` }
        : retract(`${reasonOf(proposal)} into ${into}`);
    }
    case 'should_be_div': {
      const document = { slug, markdown: claim.text };
      return tried('VOXEL_BATCH', { document }, appended(article, document, context));
    }
    case 'should_be_article':
      return newArticle(bench, claim.id, { title: claim.text, markdown: claim.text });
    case 'should_retier': {
      if (carries?.tier === undefined)
        return { missing: `The vote does not say which tier ${claim.id} should have: "tier" takes one.` };
      const body = {
        slug,
        claim_id: claim.id,
        text: claim.text,
        tier: carries.tier,
        rationale: reasonOf(proposal),
        expected_hash: claim.hash,
      };
      return tried('CLAIM_REPAIR', body, repairClaim(article, body, context));
    }
    default:
      return {
        missing: `A claim is one assertion: post the parts of ${claim.id} as claims, then retract it.`,
      };
  }
}

function ofArticle({ row }: ArticleState, proposal: string): ExecutionCall | NoExecution {
  const { slug, version, status } = row;
  switch (proposal) {
    case 'should_be_div':
      return { key: 'VOXEL_DIVIDE', body: { slug } };
    case 'should_burn':
      return status === 'archived'
        ? { missing: `${slug} is archived already.` }
        : { key: 'ARTICLE_META', body: { slug, expected_version: version, status: 'archived' } };
    case 'should_split':
      return { missing: 'Vote on the DIV where it should part: should_split, or should_be_article.' };
    case 'should_merge':
      return {
        missing: 'No single call merges articles: append one to the other with VOXEL_BATCH, then archive it.',
      };
    case 'should_retier':
      return { missing: `${slug} is an article; only a claim has a tier.` };
    default:
      return { missing: `${slug} is an article already.` };
  }
}

function transcluded(
  bench: ExecutionContext,
  { target, carries }: ProposedVote,
): ExecutionCall | NoExecution {
  const { article, context } = bench;
  const into = carries?.into;
  if (into === undefined)
    return { missing: `The vote does not say where ${target} should be shown: "into" takes an article.` };
  const other = into === article.row.slug ? undefined : bench.published(into);
  if (other === undefined) return { missing: `There is no other published article ${into}.` };
  const document = { slug: into, markdown: transclusion(article, target, context.base) };
  return tried('VOXEL_BATCH', { document }, appended(other, document, context));
}

/** A draft of its own. Outside of the main workspace, its slug says where it belongs. */
function newArticle(
  { article, context }: ExecutionContext,
  part: string,
  document: { readonly title?: string; readonly markdown: string },
): ExecutionCall | NoExecution {
  const { slug } = article.row;
  const own = slug.includes('--') ? { slug: `${slug.slice(0, 70).replace(/-+$/, '')}-${part}` } : {};
  const body = { document: { ...own, ...document, status: 'draft' } };
  return tried('VOXEL_BATCH', body, prepareDocument(document, context.limits));
}

function appended(article: ArticleState, document: { readonly markdown: string }, context: Context) {
  const prepared = prepareDocument(document, context.limits);
  return isFault(prepared) ? prepared : appendDocument(article, prepared, context);
}

function reasonOf(proposal: string): string {
  return `ratified: ${proposal}`;
}

/** The call, unless it would be refused as things stand. */
function tried(key: string, body: JsonObject, outcome: object | Fault): ExecutionCall | NoExecution {
  if (!isFault(outcome)) return { key, body };
  const violations = (outcome.details?.['violations'] ?? []) as readonly Violation[];
  const why = violations.length === 0 ? outcome.message : violations.map(({ message }) => message).join(' ');
  return { missing: `${key} would be refused: ${why}` };
}

/** Markdown. The hash says which words were taken, so that a reader sees whether they have changed since. */
export function transclusion(article: ArticleState, target: string, base: string): string {
  const { slug, title } = article.row;
  const div = article.divs.get(target);
  if (div !== undefined) return quoted(div.text, target, slug, links.div(base, slug, target), div.vx_hash);
  const claim = article.claims.get(target)?.claim;
  if (claim !== undefined)
    return quoted(claim.text, target, slug, links.claim(base, slug, target), claim.hash);
  return quoted(escaped(title), 'all', slug, links.article(base, slug), sha256Hex(bodyOf(article)));
}

function quoted(text: string, part: string, slug: string, url: string, hash: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => (line === '' ? '>' : `> ${line}`));
  return [...lines, '>', `> — [${part} of ${slug}](${url}), SHA-256 \`${hash}\``, ''].join('\n');
}

function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#!|~]/g, '\\$&');
}
