/**
 * Asking an article with a model (contract §5 "Ask"). The call is an effect: its intent is on the ledger before the
 * model is asked, the model gets the slice that extraction finds and nothing else, and what it wrote is held against
 * the article as it stands in the act that records the outcome. A model that fails or cites nothing leaves the
 * extracted answer, which says so.
 */
import type { Plan } from '../../domain/capabilities/row.ts';
import { usd } from '../../domain/capabilities/yield.ts';
import type { Model } from '../../domain/outside/model.ts';
import { checkQuestion } from '../../domain/questions/ask.ts';
import { extractAnswer } from '../../domain/questions/extract.ts';
import { taskFor, type Written } from '../../domain/questions/written.ts';
import { writes } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { loadArticle, seeArticle } from '../reads/articles.ts';
import type { Service } from '../service.ts';
import type { PreparedCall } from './call.ts';
import type { Landing, LandingEffect } from './outcome.ts';
import { executePlan } from './execute.ts';
import { contextOf } from './perform.ts';

/** Beyond the model's own time limit, which leaves an extracted answer. */
const timeoutMs = 60_000;

type Inquiry = Extract<Plan, { readonly do: 'inquire' }>;

/** `question` is what the plan asks. */
export function askModel(
  service: Service,
  call: PreparedCall,
  plan: Inquiry,
  question: string,
  model: Model,
): LandingEffect {
  return {
    do: 'effect',
    timeoutMs,
    async run(signal, _outside, job): Promise<Landing | Fault> {
      const seen = await seeArticle(service, call.tenant, plan.slug, call.credential);
      if (isFault(seen)) return seen;
      const bad = checkQuestion(question);
      if (bad !== undefined) return bad;
      const keys = [writes('article', seen.aid), writes('questions', seen.aid)];
      const landing = (written: Written | undefined): Landing => ({
        keys,
        brought: { written: written ?? null },
        land: (tx, nowMs, { written: said }) => {
          const decided: Inquiry = {
            ...plan,
            decide: (article, inquiry, context) =>
              plan.decide(article, inquiry, context, (said ?? undefined) as Written | undefined),
          };
          const now = new Date(nowMs).toISOString();
          call.draw.restart();
          const landed = { ...call, nowMs, now };
          return executePlan(
            service,
            tx,
            landed,
            decided,
            call.credential,
            contextOf(service, landed, call.credential),
          );
        },
      });
      const article = await loadArticle(service, seen.aid);
      const extract = extractAnswer(article, question);
      // Of what the article says nothing about, no model is asked.
      if (extract.citations.length === 0) return landing(undefined);
      const nothing = { model: model.name, text: '', failed: null, tokens_in: 0, tokens_out: 0, usd: 0 };
      const writing = await model.write(taskFor(article, question, extract, job.inv), signal);
      if (isFault(writing)) return landing({ ...nothing, failed: writing.message });
      job.spent(writing.usage);
      const { tokensIn, tokensOut, usdMicros } = writing.usage;
      return landing({
        ...nothing,
        text: writing.text,
        tokens_in: tokensIn,
        tokens_out: tokensOut,
        usd: usd(usdMicros),
      });
    },
  };
}
