/** Plans that change state, carried out inside an act. Each loads what its decision needs and appends its events. */
import type { Plan } from '../../domain/capabilities/row.ts';
import { articleAt, articleOf, type ArticleState } from '../../domain/articles/state.ts';
import { checkSlug, numbered, slugIn } from '../../domain/articles/slugs.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { importBundle } from '../../domain/bundles/import-bundle.ts';
import { appendDocument, createArticle } from '../../domain/articles/write-document.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { certifiedPlace, certifiedTable, certify, isReceiptId } from '../../domain/certificates/certify.ts';
import { misfitIn, type Misfit } from '../../domain/capabilities/arguments.ts';
import { voteIndexTable, type ProposedCall } from '../../domain/discourse/tables.ts';
import { directoryTable } from '../../domain/directory/tables.ts';
import { threadOf } from '../../domain/discourse/thread.ts';
import type { Alike } from '../../domain/discourse/challenge.ts';
import type { Published } from '../../domain/discourse/vote.ts';
import { compare } from '../../domain/similarity/compare.ts';
import type { Context, Outcome, Result } from '../../domain/context.ts';
import { contribute, mirrorState } from '../../domain/mirror/contribute.ts';
import { resolveContribution } from '../../domain/mirror/resolve.ts';
import { resolutionTable } from '../../domain/mirror/resolution.ts';
import { questionsOf, type Inquiry } from '../../domain/questions/state.ts';
import { everyWorkspace, workspaceTable } from '../../domain/workspaces/tables.ts';
import { reachesDraft } from '../../domain/landscape/binding.ts';
import type { Tx } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { PreparedCall } from './call.ts';
import { lease, queue } from './landscape.ts';
import { growPaper } from './paper.ts';
import { noArticle } from '../reads/no-article.ts';
import { chainWithin } from '../reads/invocation.ts';
import type { Service } from '../service.ts';
import { rotateWebhook } from './webhook.ts';
import { mint, mintKey, revoke } from './grant.ts';

export function executePlan(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  plan: Exclude<Plan, { readonly do: 'batch' | 'thread-update' | 'decide-proposal' }>,
  credential: Credential,
  context: Context,
): Result | Fault {
  switch (plan.do) {
    case 'ask':
      if (call.answered === undefined) throw new Error(`${call.row.key} was not answered before its act`);
      return call.answered;
    case 'effect':
    case 'call-again':
    case 'scrub':
      throw new Error(`${call.row.key} reaches outside and cannot run inside an act`);
    case 'write-article': {
      const article = articleAt(tx, call.tenant, plan.slug);
      if (article === undefined || !mayWrite(article, credential)) return noArticle(plan.slug);
      return settle(tx, plan.decide(article, context), article.row.aid);
    }
    case 'say': {
      const article = articleAt(tx, call.tenant, plan.slug);
      if (article === undefined || article.row.status === 'draft') return noArticle(plan.slug);
      const { aid } = article.row;
      return settle(tx, plan.decide(article, threadOf(tx, aid), alike, context, publishedIn(tx, call)), aid);
    }
    case 'inquire': {
      const article = articleAt(tx, call.tenant, plan.slug);
      if (article === undefined || !mayWrite(article, credential)) return noArticle(plan.slug);
      const { aid } = article.row;
      const inquiry: Inquiry = {
        questions: questionsOf(tx, aid),
        mirror: (input) => mirrorState(tx, aid, input),
      };
      return settle(tx, plan.decide(article, inquiry, context), aid);
    }
    case 'decide-vote': {
      const at = tx.row(voteIndexTable, plan.voteId);
      const article = at === undefined || at.tenant !== call.tenant ? undefined : articleOf(tx, at.aid);
      if (article === undefined)
        return fault('not_found', `There is no vote ${plan.voteId}.`, 'Read the open votes of the article.');
      const { aid } = article.row;
      return settle(tx, plan.decide(article, threadOf(tx, aid), context, publishedIn(tx, call)), aid);
    }
    case 'write-row': {
      const written = plan.decide(
        {
          stored: tx.row(directoryTable, call.tenant, plan.key),
          running: service.rows.get(plan.key),
        },
        context,
      );
      if (isFault(written)) return written;
      for (const event of written.events) tx.append(event);
      return written.result;
    }
    case 'write-workspace': {
      const written = plan.decide(tx.row(workspaceTable, everyWorkspace, plan.name), context);
      if (isFault(written)) return written;
      tx.append(written.event);
      return written.result;
    }
    case 'import-bundle': {
      const slug = plan.slug ?? slugIn(call.workspace, plan.bundle.slug);
      const bad = checkSlug(slug, call.workspace);
      if (bad !== undefined) return bad;
      if (tx.row(slugTable, slugPath(call.tenant, slug)) !== undefined) {
        return fault('conflict', `There is an article ${slug} already.`, 'Import it under another slug.', {
          slug,
        });
      }
      const aid = context.id('art_');
      return settle(tx, importBundle(plan.bundle, slug, aid, plan.choices, context), aid);
    }
    case 'write-document':
      return writeDocument(tx, call, credential, context);
    case 'contribute': {
      const article = articleAt(tx, call.tenant, plan.input.slug);
      if (article === undefined || article.row.status === 'draft') return noArticle(plan.input.slug);
      const { aid } = article.row;
      const state = mirrorState(tx, aid, plan.input);
      const decided =
        state.first === undefined ? undefined : tx.row(resolutionTable, aid, state.first.id)?.status;
      return settle(tx, contribute(article, { ...state, decided }, plan.input, context), aid);
    }
    case 'resolve-contribution': {
      const { slug, contribution_id: id } = plan.input;
      const article = articleAt(tx, call.tenant, slug);
      if (article === undefined) return noArticle(slug);
      const { aid } = article.row;
      const row = call.contribution;
      if (row?.aid !== aid)
        return fault(
          'not_found',
          `${slug} has no contribution ${id}.`,
          'Read the contributions under /mirror.',
        );
      const decided = tx.row(resolutionTable, aid, id);
      return settle(
        tx,
        resolveContribution(article, row, decided, questionsOf(tx, aid), plan.input, context),
        aid,
      );
    }
    case 'rotate-webhook': {
      const article = articleAt(tx, call.tenant, plan.slug);
      return article === undefined ? noArticle(plan.slug) : rotateWebhook(service, tx, article, context);
    }
    case 'mint':
      return mint(service, tx, call, plan.input, credential, context);
    case 'grow-paper':
      if (call.growth === undefined) throw new Error('the ledger is counted before the paper grows');
      return growPaper(service, tx, call.growth, call.workspace, context);
    case 'certify': {
      const { target } = plan.input;
      const article = isReceiptId(target) ? undefined : articleAt(tx, call.tenant, target);
      const certified = certify(
        {
          article: article?.row.status === 'draft' ? undefined : article,
          chain: isReceiptId(target) ? chainWithin(call.tenant, tx.chain(target)) : [],
          certified: tx.row(certifiedTable, certifiedPlace(call.tenant, target)),
        },
        plan.input,
        context,
      );
      if (isFault(certified)) return certified;
      tx.append(certified.event);
      return certified.result;
    }
    case 'queue-targets':
      return queue(tx, call, plan, context);
    case 'lease-item':
      return lease(service, tx, call, plan, credential, context);
    case 'mint-key':
      return mintKey(service, tx, call, plan.input, context);
    case 'revoke':
      return revoke(tx, plan.fingerprint, credential, context);
  }
}

/** Arguments that do not fit, with what the article tells of the others to whoever may write to it. */
export function misfitOf(
  { limits }: Service,
  tx: Tx,
  call: PreparedCall,
  refusal: Fault,
  credential: Credential,
): Fault {
  const slug = (refusal as Partial<Misfit>).fits?.['slug'];
  if (call.row.rules === undefined || typeof slug !== 'string') return refusal;
  const article = articleAt(tx, call.tenant, slug);
  if (article === undefined || !mayWrite(article, credential)) return refusal;
  return misfitIn(call.row, refusal, article, limits);
}

/** The entry that an update leaves, with the calls that it only proposes. */
export function sayUpdate(
  tx: Tx,
  call: PreparedCall,
  plan: Extract<Plan, { readonly do: 'thread-update' }>,
  proposed: readonly ProposedCall[],
  context: Context,
): Result | Fault {
  const article = articleAt(tx, call.tenant, plan.slug);
  if (article === undefined || article.row.status === 'draft') return noArticle(plan.slug);
  const { aid } = article.row;
  return settle(tx, plan.decide(article, threadOf(tx, aid), proposed, context), aid);
}

function publishedIn(tx: Tx, { tenant }: PreparedCall): Published {
  return (slug) => {
    const article = articleAt(tx, tenant, slug);
    return article?.row.status === 'published' ? article : undefined;
  };
}

const alike: Alike = (a, b) => {
  const { kind, similarity, differs } = compare(a, b);
  return { duplicate: kind === 'duplicate', similarity, differs };
};

/**
 * Drafts are visible to their workspace's keys only; whoever passed the gates with one may write. The share of a lease
 * reaches the draft that its work began, and no other.
 */
export function mayWrite(article: ArticleState, credential: Credential): boolean {
  if (article.row.status !== 'draft' || credential.kind === 'owner') return true;
  if (credential.kind === 'share' && credential.binding !== undefined)
    return reachesDraft(credential.binding, article.row.slug);
  return credential.kind === 'share' && credential.chain.every(({ record }) => record.origin === 'owner');
}

function settle(tx: Tx, outcome: Outcome<ArticleState> | Fault, aid: string): Result | Fault {
  if (isFault(outcome)) return outcome;
  const appended = outcome.events.map((event) => tx.append(event));
  return outcome.conclude(appended, articleOf(tx, aid) as ArticleState);
}

/** Tries for a free slug, from the number that was free a moment ago: as many as may create one title at once. */
const slugTries = 1000;

function writeDocument(tx: Tx, call: PreparedCall, credential: Credential, context: Context): Result | Fault {
  if (call.document === undefined) throw new Error('a document is divided before its act');
  const { prepared: document, named, number, aid } = call.document;
  if (isFault(document)) return document;
  if (named) {
    const bad = checkSlug(document.slug, call.workspace, '/document/slug');
    if (bad !== undefined) return bad;
    const existing = articleAt(tx, call.tenant, document.slug);
    if (existing !== undefined && !mayWrite(existing, credential)) return noArticle(document.slug);
    if (existing !== undefined)
      return settle(tx, appendDocument(existing, document, context), existing.row.aid);
    return settle(tx, createArticle(document, aid, context), aid);
  }
  for (let n = number; n < number + slugTries; n++) {
    const slug = numbered(document.slug, n);
    if (tx.row(slugTable, slugPath(call.tenant, slug)) === undefined)
      return settle(tx, createArticle({ ...document, slug }, aid, context), aid);
  }
  return fault('conflict', `Every name like ${document.slug} is taken.`, 'Send document.slug.');
}
