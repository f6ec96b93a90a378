/** The list of articles, one article at the desk, its metadata and its old revisions (contract §3 ARTICLE_META, ARTICLE_REVERT; §8). */
import { changesSince, loadRevision } from '../../../../app/reads/editing.ts';
import { readQuestions } from '../../../../app/reads/question-parts.ts';
import { deskArticles } from '../../../../app/reads/desk-articles.ts';
import { editableText, matchBlocks } from '../../../../domain/articles/match-blocks.ts';
import { claimsOf } from '../../../../domain/articles/state.ts';
import { isFault, type Fault } from '../../../../kernel/fault.ts';
import { articleStatuses, isOneOf } from '../../../../model/vocabulary.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, refusedPage, seeOther, type Reply } from '../../../http/replies.ts';
import { route } from '../../../http/route.ts';
import { queryParameter } from '../../page-cache.ts';
import { consoleQuery, consoleContextOf, formToken } from '../desk.ts';
import { deskArticlePage } from './article-page.tsx';
import { knownLabels, metaOf, type MetaView } from './meta-form.tsx';
import { articlesPage } from './articles-page.tsx';
import { callRow, layoutOf, noticeOf, type OpenArticle, openArticle } from './desk.ts';
import { previewOf } from './preview.tsx';
import { revertPage } from './revert-page.tsx';
import { type WriteDeclarations, version, onceField } from './declarations.ts';
import { metaFieldsOf, saveMeta } from './metadata.ts';

const revisionsShown = 20;

export function articleRoutes(write: WriteDeclarations): void {
  const { server, site, pool, paths, page, form } = write;
  const { service } = server;

  route(
    server,
    {
      ...page,
      get: '/owner/articles',
      id: 'deskArticlesPage',
      summary: 'Every article of the workspace, drafts first.',
      query: {
        ...consoleQuery,
        q: stringParam('words of the title, address, tags or category'),
        status: stringParam('draft, published or archived'),
      },
    },
    async ({ query, session }) => {
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      const named = queryParameter(query, 'status') ?? '';
      const asked = {
        q: queryParameter(query, 'q') ?? '',
        status: isOneOf(articleStatuses, named) ? named : undefined,
      };
      const reading = { ...service, tenant: context.tenant, viewer: session.credential };
      return pageReply(articlesPage(context, await deskArticles(reading, asked), asked));
    },
  );

  route(
    server,
    {
      ...page,
      get: '/owner/a/:slug',
      id: 'deskArticlePage',
      summary: 'An article as its writers see it, drafts included, with what can be done with it.',
      query: {
        done: stringParam('the invocation that a form led to'),
        unchanged: stringParam('1 after a form that changed nothing'),
      },
    },
    async ({ request, query, session, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const notice =
        queryParameter(query, 'unchanged') === undefined
          ? await noticeOf(service, session, queryParameter(query, 'done'))
          : { done: 'Nothing had changed, so nothing was written.' };
      return pageReply(await articleAt({ ...article, context: { ...article.context, notice } }));
    },
  );

  route(
    server,
    {
      ...form,
      post: '/owner/a/:slug/meta',
      id: 'metaByForm',
      summary: 'Changes title, status, tags, series, category or image, as ARTICLE_META does.',
      body: {
        form_token: formToken,
        once: onceField,
        version,
        title: stringParam('the title'),
        tags: stringParam('separated by commas'),
        category: stringParam('one category'),
        series: stringParam('the name of a series'),
        position: stringParam('the place in it'),
        hero: stringParam('the address of an image'),
        status: stringParam('published or archived'),
      },
      required: ['form_token', 'version'],
    },
    async ({ request, session, form: sent, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const called = await saveMeta(article, sent);
      if (!isFault(called)) return seeOther(`${paths.article(slug)}?done=${called.inv}`);
      const meta = { ...metaOf(article), ...metaFieldsOf(sent), version: article.state.row.version };
      return refusedPage(await articleAt(article, meta, called), called);
    },
  );

  route(
    server,
    {
      ...page,
      get: '/owner/a/:slug/revert',
      id: 'revertPage',
      summary: 'What restoring an old revision would change.',
      query: { rev: stringParam('the revision') },
    },
    async ({ request, query, session, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      return isFault(article) ? article : showRevert(article, queryParameter(query, 'rev') ?? '', '');
    },
  );

  route(
    server,
    {
      ...form,
      post: '/owner/a/:slug/revert',
      id: 'revertByForm',
      summary: 'Restores an old revision, as ARTICLE_REVERT does.',
      body: {
        form_token: formToken,
        once: onceField,
        version,
        rev: stringParam('the revision'),
        note: stringParam('why'),
      },
      required: ['form_token', 'version', 'rev', 'note'],
    },
    async ({ request, session, form: sent, params: { slug = '' } }) => {
      const article = await openArticle(server, site, request, session, slug);
      if (isFault(article)) return article;
      const [rev = '', note = ''] = [sent.get('rev'), sent.get('note')];
      const called = await callRow(
        article,
        'ARTICLE_REVERT',
        { slug, rev: Number(rev), expected_version: Number(sent.get('version')), note },
        sent.get('once'),
      );
      return isFault(called)
        ? showRevert(article, rev, note, called)
        : seeOther(`${paths.article(slug)}?done=${called.inv}`);
    },
  );

  async function articleAt(
    article: OpenArticle,
    meta: MetaView = metaOf(article),
    refusal?: Fault,
  ): Promise<string> {
    const { access, state } = article;
    const newest = Math.max(0, state.row.version - revisionsShown);
    return deskArticlePage({
      article,
      meta,
      refusal,
      known: await knownLabels(service, access.tenant),
      questions: (await readQuestions(service, access)).map(({ node }) => node).reverse(),
      revisions: await changesSince(service, access, newest),
      preview: await previewOf(site, pool, {
        slug: access.slug,
        lead: state.row.lead,
        blocks: layoutOf(state).pieces.map((piece) => ({ ...piece, change: 'kept', line: 0 })),
        removed: [],
        claims: claimsOf(state),
      }),
    });
  }

  async function showRevert(
    article: OpenArticle,
    rev: string,
    note: string,
    refusal?: Fault,
  ): Promise<Reply | Fault> {
    const past = await loadRevision(service, article.access, Number(rev));
    if (isFault(past)) return past;
    const after = matchBlocks(layoutOf(article.state), editableText(layoutOf(past)));
    if (isFault(after)) return after;
    const html = revertPage({ article, rev: Number(rev), after, note, refusal });
    return refusal === undefined ? pageReply(html) : refusedPage(html, refusal);
  }
}
