/** `/a/<slug>` (contract §8): an article with its claims, sources, contributions and colophon. */
import type { ArticleView } from '../../app/reads/article-view.ts';
import { activeDivs, bodyOf, claimsOf, sourcesOf } from '../../domain/articles/state.ts';
import type { ArticleRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import type { ComponentChildren } from 'preact';
import { headMetadata } from '../../represent/citation.ts';
import { articleJsonLd, scriptText } from '../../represent/schema-org.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { Byline, Hero, SeriesNavigation, Thesis } from './article-byline.tsx';
import { Contents } from './article-contents.tsx';
import {
  type BlockAction,
  bodyMarkup,
  type BodyOptions,
  divMarkup,
  plainMarkup,
  titleIn,
} from './body-markup.ts';
import { CitationBox } from './citation-box.tsx';
import { groupClaims, notesMarkup, placeClaims } from './claim-notes.tsx';
import { Colophon, divisions, divisionsSlot } from './colophon.tsx';
import type { Chunks } from '../http/cached-bytes.ts';
import { Contributions } from './contribution-list.tsx';
import { Discourse } from './discourse-list.tsx';
import { policyMark } from './parts.tsx';
import type { Rendered } from './render-pool.ts';
import { renderPage } from './shell.tsx';
import { type Site, takesAnswers } from './site.ts';
import { AnswerOnLiveSite, StaticSealNote } from './static/static-parts.tsx';
import { Sources } from './source-list.tsx';
import { countText, languageOf } from './format-text.ts';

/**
 * Placeholders are HTML comments: neither components nor the sanitiser print any, so no contributed text can be one.
 */
const bodySlot = '<!--body-->';
const slots = new RegExp(`${bodySlot}|${divisionsSlot}`);

/** In chunks: the body and the list of DIVs may have ten thousand items and are rendered in time slices. */
export async function articlePage(
  site: Site,
  view: ArticleView,
  publisher: string,
  rendered: Rendered,
): Promise<Chunks> {
  const { state } = view;
  const { row } = state;
  const body = bodyOf(state);
  const contentHash = sha256Hex(body);
  const language = languageOf(body);
  const divs = activeDivs(state);
  const toc = typeof rendered === 'string' ? [] : rendered.toc;
  const title = titleIn(row.title, divs, toc);
  const claims = claimsOf(state);
  // What names the title as its section is on the whole article.
  const groups = groupClaims(placeClaims(claims, title.at === -1 ? toc : toc.slice(1)));
  const notes = new Map(
    [...groups].map(([divId, group]) => [
      divId,
      notesMarkup(group, {
        site,
        slug: row.slug,
        contributions: view.contributions,
        contests: view.contests,
      }),
    ]),
  );
  const options: BodyOptions = {
    headingShift: title.headingShift,
    omitIndex: title.at,
    base: site.service.base,
    actions: (divId) => blockActions(site, row.slug, divId),
    notesAfter: notes,
  };
  const opening = typeof rendered === 'string' ? undefined : rendered.divs[title.at];
  const frame = renderPage(
    site,
    pageHead(site, row, publisher, claims.length, state.sources.size),
    <article
      class="article"
      id="article"
      data-slug={row.slug}
      data-version={row.version}
      data-content-hash={contentHash}
      data-asked={site.asOf?.query}
      data-key={site.static === undefined ? undefined : site.service.logKey.text}
    >
      <header class="masthead">
        <LinkedData site={site} view={view} publisher={publisher} />
        <div class="title" lang={language}>
          {opening === undefined ? (
            <h1 dir="auto">{row.title}</h1>
          ) : (
            <div
              dangerouslySetInnerHTML={{
                __html: divMarkup(opening.div_id, opening.html, {
                  ...options,
                  headingShift: 0,
                  actions: () => [],
                }),
              }}
            />
          )}
        </div>
        <Thesis claims={claims} lang={language} />
        <Byline site={site} view={view} />
        <Hero base={site.service.base} url={row.meta.hero} />
        <div class="article-bar">
          {takesAnswers(site) ? (
            <a href={`${site.to.owner}/a/${row.slug}/edit`} rel="nofollow" aria-keyshortcuts="e">
              Edit
            </a>
          ) : null}
          <a href={site.to.history(row.slug)}>History</a>
          {site.static === undefined ? (
            <a href={site.to.discuss(row.slug)}>Discuss</a>
          ) : (
            <AnswerOnLiveSite site={site} slug={row.slug} />
          )}
          {takesAnswers(site) ? <a href={`${site.to.discuss(row.slug)}#questions`}>Ask</a> : null}
          <CitationBox site={site} row={row} publisher={publisher} />
          <Seal site={site}>{site.static === undefined ? null : <StaticSealNote site={site} />}</Seal>
        </div>
      </header>
      <Contents
        toc={title.at === -1 ? toc : toc.slice(1)}
        parts={[
          { id: 'sources', name: 'Sources', count: state.sources.size },
          { id: 'discourse', name: 'Discussion', count: view.postCount + view.votes.length },
          { id: 'contributions', name: 'Contributions', count: view.contributionCount },
        ]}
      />
      <div class="text" id="text" lang={typeof rendered === 'string' ? undefined : language}>
        {typeof rendered === 'string' ? <Unrendered site={site} row={row} /> : null}
        {claims.length === 0 ? null : <span id="claims" />}
        {groups.has('') ? <div dangerouslySetInnerHTML={{ __html: notes.get('') ?? '' }} /> : null}
        <div
          dangerouslySetInnerHTML={{
            __html: bodySlot,
          }}
        />
      </div>
      <Sources site={site} slug={row.slug} sources={sourcesOf(state)} claims={claims} />
      <Discourse site={site} slug={row.slug} view={view} />
      <Contributions site={site} slug={row.slug} rows={view.contributions} count={view.contributionCount} />
      <SeriesNavigation site={site} view={view} />
      <Colophon site={site} view={view} contentHash={contentHash} />
    </article>,
  );
  const [head = '', middle = '', end = ''] = frame.split(slots);
  const text = await (typeof rendered === 'string'
    ? plainMarkup(divs, options)
    : bodyMarkup(rendered, options));
  return [head, ...text, middle, ...(await divisions(site, row.slug, divs)), end];
}

function pageHead(site: Site, row: ArticleRow, publisher: string, claims: number, sources: number) {
  const { base } = site.service;
  // No contributed text but the title: the head of a page is outside the untrusted-text marks.
  const description = `An article in version ${row.version} with ${countText(claims, 'claim')} and ${countText(sources, 'source')}, on the ledger with who wrote what.`;
  // They are of the newest revision.
  const newest =
    site.asOf === undefined
      ? { alternates: alternatesOf(site, row), metadata: headMetadata(row, publisher, base, description) }
      : {};
  return {
    title: row.title,
    description,
    canonical: links.article(base, row.slug),
    ...newest,
  };
}

function alternatesOf({ service: { base } }: Site, { slug }: ArticleRow) {
  return [
    { type: 'application/json', href: links.articleJson(base, slug), title: 'The article as JSON' },
    { type: 'text/markdown', href: links.articleMarkdown(base, slug), title: 'The article as Markdown' },
    { type: 'application/x-bibtex', href: links.citation(base, slug, 'bibtex'), title: 'Cite as BibTeX' },
    {
      type: 'application/vnd.citationstyles.csl+json',
      href: links.citation(base, slug, 'csl'),
      title: 'Cite as CSL-JSON',
    },
    {
      type: 'application/ld+json',
      href: links.annotations(base, slug),
      title: 'The discourse as Web Annotations',
    },
    {
      type: 'application/atom+xml',
      href: `${links.article(base, slug)}/feed.xml`,
      title: 'What happens to this article',
    },
    {
      type: 'application/json+oembed',
      href: links.oEmbed(base, links.article(base, slug)),
      title: 'oEmbed',
    },
  ];
}

/** Data inside the untrusted-text marks, because it repeats contributed text. */
function LinkedData({
  site,
  view,
  publisher,
}: Readonly<{ site: Site; view: ArticleView; publisher: string }>) {
  if (site.asOf !== undefined || (site.static !== undefined && site.static.live === undefined)) return null;
  const { state, posts, contributions, postCount, contributionCount } = view;
  const json = articleJsonLd({
    state,
    base: site.service.base,
    publisher,
    posts,
    contributions: contributions.map(({ contribution, status }) => ({ ...contribution, status })),
    commentCount: postCount + contributionCount,
  });
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: scriptText(json) }} />;
}

/** The result of verifying in this browser in three words, its particulars one click away; `web/reading/verification.ts` starts it. */
function Seal({ site, children }: Readonly<{ site: Site; children: ComponentChildren }>) {
  return (
    <div class="seal seal-brief" id="seal" data-state="open" {...policyMark(site)}>
      <p id="seal-text" role="status">
        <strong>Not verified in this browser.</strong>
      </p>
      <details id="seal-more">
        <summary>details</summary>
        <div class="seal-panel">
          <p id="seal-note">Without JavaScript, the colophon at the end has the hashes and the proof.</p>
          {children}
          <ul id="seal-checks" />
          <button id="seal-button" type="button" hidden>
            Verify in this browser
          </button>
        </div>
      </details>
    </div>
  );
}

/** What can be done with a block: its permanent page, and the forms about it unless the page shows the past. */
function blockActions(site: Site, slug: string, divId: string): readonly BlockAction[] {
  const own = { name: 'link', href: site.to.div(slug, divId) };
  if (!takesAnswers(site)) return [own];
  return [
    own,
    { name: 'object', href: site.to.discuss(slug, { on: divId, as: 'challenge' }) },
    { name: 'propose', href: site.to.discuss(slug, { on: divId, as: 'upgrade' }) },
  ];
}

function Unrendered({ site, row }: { readonly site: Site; readonly row: ArticleRow }) {
  return (
    <div class="notice" role="note">
      <p>
        Rendering this text took too long, so it is shown as it was written. The same bytes are served{' '}
        <a href={`${site.to.markdown(row.slug)}&raw=1`}>as Markdown</a> and{' '}
        <a href={site.to.json(row.slug)}>as JSON</a>.
      </p>
    </div>
  );
}
