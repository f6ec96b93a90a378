/** `/owner/a/<slug>/ask` (contract §5 "Ask", §8): a form that calls ARTICLE_ASK, and the page with its answer. */
import { visibleValue } from '../../../app/reads/invocation.ts';
import { readQuestions } from '../../../app/reads/question-parts.ts';
import { yieldJson } from '../../../domain/yield.ts';
import { isFault } from '../../../kernel/fault.ts';
import type { QuestionAnswered, QuestionNode } from '../../../model/question.ts';
import { stringParam } from '../../http/parameters.ts';
import { pageReply, refusedPage, seeOther } from '../../http/replies.ts';
import { route } from '../../http/route.ts';
import type { RouteServer } from '../../http/route-declaration.ts';
import { queryParameter } from '../page-cache.ts';
import type { Site } from '../site.ts';
import { askPage, askPath, type AskView } from './ask-page.tsx';
import { calledBefore, deskDeclarations, formToken } from './desk.ts';
import { callRow, type OpenArticle, openArticle } from './write/desk.ts';

export function askRoutes(server: RouteServer, site: Site): void {
  const { service } = server;
  const { page, form } = deskDeclarations(site);

  route(
    server,
    {
      ...page,
      get: '/owner/a/:slug/ask',
      id: 'askPage',
      summary: 'The questions asked of an article with their answers, and the box to ask.',
      query: { done: stringParam('the invocation that the form led to') },
    },
    async ({ request, query, session, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const answered = await answerOf(article, queryParameter(query, 'done'));
      return pageReply(askPage({ article, questions: await questionsOf(article), answered }));
    },
  );

  route(
    server,
    {
      ...form,
      post: '/owner/a/:slug/ask',
      id: 'askByForm',
      summary: 'Asks an article, as ARTICLE_ASK does, and leads to the answer.',
      body: {
        form_token: formToken,
        once: stringParam('as the page has it'),
        question: stringParam('the question'),
        parent: stringParam('the question that it follows from'),
      },
      required: ['form_token'],
    },
    async ({ request, session, form: sent, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const question = sent.get('question')?.trim() ?? '';
      const parent = sent.get('parent') ?? '';
      const called = await callRow(
        article,
        'ARTICLE_ASK',
        { slug, question, ...(parent === '' ? {} : { parent }) },
        sent.get('once'),
      );
      if (!isFault(called)) return seeOther(`${askPath(article)}?done=${called.inv}`);
      const view = { article, questions: await questionsOf(article), sent: question, refusal: called };
      return refusedPage(askPage(view), called);
    },
  );

  async function questionsOf({ access }: OpenArticle): Promise<readonly QuestionNode[]> {
    return (await readQuestions(service, access)).map(({ node }) => node).reverse();
  }

  /** The whole answer, which only the receipt holds. */
  async function answerOf(
    { context, access }: OpenArticle,
    inv: string | undefined,
  ): Promise<AskView['answered']> {
    const called = await calledBefore(service, context.session, inv);
    if (called?.key !== 'ARTICLE_ASK') return undefined;
    const result = visibleValue(called.response) as QuestionAnswered | null;
    if (result === null || result.slug !== access.slug) return undefined;
    return { inv: called.id, result, spent: yieldJson(called.yielded) };
  }
}
