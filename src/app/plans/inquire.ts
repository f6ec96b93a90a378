/**
 * The plan `inquire`: a question to an article, or evidence for one (contract §5 "Ask"). With a model it is an
 * effect: the intent is recorded before the model is called, the model gets only the extracted passages, and its text
 * is compared with the current article in the act that records the outcome. If the model fails or cites nothing, the
 * extracted answer is used and says so.
 */
import type { ArticleState } from '../../domain/articles/state.ts';
import { authorizeArticle } from '../reads/article-access.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { PlanOf } from '../../domain/capabilities/plan.ts';
import { usd } from '../../domain/yield.ts';
import type { Context, Outcome, Result } from '../../domain/context.ts';
import { mirrorState } from '../../domain/mirror/contribute.ts';
import type { Model } from '../../domain/outside/outside.ts';
import { checkQuestion } from '../../domain/questions/ask.ts';
import { extractAnswer } from '../../domain/questions/extract.ts';
import { questionsOf, type QuestionContext } from '../../domain/questions/state.ts';
import { modelPrompt, type ModelReply } from '../../domain/questions/model-answer.ts';
import { reads, writes, type Tx } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { loadArticle } from '../reads/articles.ts';
import { contextOf, type PreparedCall } from './call.ts';
import { applyOutcome, articleFor, articleKeys, dryRunOn, mayWrite } from './on-article.ts';
import { definePlan, type CommittingEffect, type EffectCommit, type Planned } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    inquire: {
      readonly slug: string;
      /** A question that a model may answer. */
      readonly asks?: string;
      decide(
        article: ArticleState,
        inquiry: QuestionContext,
        context: Context,
        written?: ModelReply,
      ): Outcome<ArticleState> | Fault;
    };
  }
}

/** More than the model's own timeout, which leaves an extracted answer. */
const timeoutMs = 60_000;

export const inquirePlan = definePlan({
  kind: 'inquire',
  keys: (planned) =>
    articleKeys(planned, planned.plan.slug, (aid) => [reads('article', aid), writes('questions', aid)]),
  effect(planned) {
    const { model } = planned.service.outside;
    const { asks } = planned.plan;
    return asks === undefined || model === undefined ? undefined : askModel(planned, asks, model);
  },
  run: ({ tx, call, plan, credential, context }) => decideInquiry(tx, call, plan, credential, context),
  dryRun: (planned) => dryRunOn(planned, planned.plan.slug, mayWrite),
});

function decideInquiry(
  tx: Tx,
  call: PreparedCall,
  plan: PlanOf<'inquire'>,
  credential: Credential,
  context: Context,
  written?: ModelReply,
): Result | Fault {
  const article = articleFor(tx, call, plan.slug, credential, mayWrite);
  if (isFault(article)) return article;
  const { aid } = article.row;
  const inquiry: QuestionContext = {
    questions: questionsOf(tx, aid),
    mirror: (input) => mirrorState(tx, aid, input),
  };
  return applyOutcome(tx, plan.decide(article, inquiry, context, written), aid);
}

function askModel(
  { service, call, plan }: Planned<'inquire'>,
  question: string,
  model: Model,
): CommittingEffect {
  return {
    do: 'effect',
    timeoutMs,
    async run(signal, _outside, job): Promise<EffectCommit | Fault> {
      const access = await authorizeArticle(
        { ...service, tenant: call.tenant, viewer: call.credential },
        plan.slug,
      );
      if (isFault(access)) return access;
      const bad = checkQuestion(question);
      if (bad !== undefined) return bad;
      const keys = [writes('article', access.aid), writes('questions', access.aid)];
      const commit = (written: ModelReply | undefined): EffectCommit => ({
        keys,
        brought: { written: written ?? null },
        apply(tx, nowMs, { written: clean }) {
          call.entropy.restart();
          const late = { ...call, nowMs, now: new Date(nowMs).toISOString() };
          const context = contextOf(service, late, call.credential);
          return decideInquiry(
            tx,
            late,
            plan,
            call.credential,
            context,
            (clean ?? undefined) as ModelReply | undefined,
          );
        },
      });
      const article = await loadArticle(service, access.aid);
      const extract = extractAnswer(article, question);
      // The model is not called about what the article does not mention.
      if (extract.citations.length === 0) return commit(undefined);
      const nothing = { model: model.name, text: '', failed: null, tokens_in: 0, tokens_out: 0, usd: 0 };
      const writing = await model.write(modelPrompt(article, question, extract, job.inv), signal);
      if (isFault(writing)) return commit({ ...nothing, failed: writing.message });
      job.spent(writing.usage);
      const { tokensIn, tokensOut, usdMicros } = writing.usage;
      return commit({
        ...nothing,
        text: writing.text,
        tokens_in: tokensIn,
        tokens_out: tokensOut,
        usd: usd(usdMicros),
      });
    },
  };
}
