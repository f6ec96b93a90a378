/** `/a/<slug>` (contract §8): an article with its claims, sources, contributions and colophon. */
import type { ArticleView } from '../../app/reads/article-view.ts';
import { activeDivs, bodyOf, claimsOf, sourcesOf } from '../../domain/articles/state.ts';
import type { ArticleRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import type { VNode } from 'preact';
import { findMath, texToMathML } from '../../represent/article-html-math.ts';
import { headMetadata } from '../../represent/citation.ts';
import { articleJsonLd, scriptText } from '../../represent/schema-org.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import {
  type BlockAction,
  bodyMarkup,
  type BodyOptions,
  divMarkup,
  imageLinkText,
  isOwnImage,
  plainMarkup,
  titleIn,
} from './body-markup.ts';
import { CitationBox } from './citation-box.tsx';
import { groupClaims, notesMarkup, placeClaims } from './claim-notes.tsx';
import { Colophon, divisions, divisionsSlot } from './colophon.tsx';
import type { Chunks } from '../http/cached-bytes.ts';
import { Contributions } from './contribution-list.tsx';
import { Discourse } from './discourse-list.tsx';
import { Ago } from './components/ago.tsx';
import { Chip } from './components/chip.tsx';
import { Actor } from './parts.tsx';
import type { Rendered } from './render-pool.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { Sources } from './source-list.tsx';
import { countText, languageOf } from './format-text.ts';
import type { TocEntry } from '../../represent/article-html.ts';
import type { Claim } from '../../model/claim.ts';

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
          {site.asOf === undefined ? (
            <a href={`${site.to.owner}/a/${row.slug}/edit`} rel="nofollow">
              Edit
            </a>
          ) : null}
          <a href={site.to.history(row.slug)}>History</a>
          <a href={site.to.discuss(row.slug)}>Discuss</a>
          <CitationBox site={site} row={row} publisher={publisher} />
          <Seal />
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
  if (site.asOf !== undefined) return null;
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

/** A decorative image. Its URL is contributed: images on other hosts are linked instead of loaded. */
function Hero({ base, url }: { readonly base: string; readonly url: string | null }) {
  if (url === null || !/^https?:\/\//i.test(url)) return null;
  if (!isOwnImage(base, url))
    return (
      <p>
        <a href={url} rel="nofollow ugc noopener">
          {imageLinkText('', url)}
        </a>
      </p>
    );
  return <img class="hero" src={url} alt="" decoding="async" referrerpolicy="no-referrer" />;
}

/** The first claim that stands: what the article holds, in one sentence. */
function Thesis({ claims, lang }: Readonly<{ claims: readonly Claim[]; lang: string | undefined }>) {
  const first = claims.find(({ status }) => status === 'active');
  if (first === undefined) return null;
  return (
    <p class="thesis" dir="auto" lang={lang}>
      {first.text} <a href={`#${first.id}`}>{first.id}</a>
    </p>
  );
}

function Byline({ site, view }: { readonly site: Site; readonly view: ArticleView }) {
  const { row } = view.state;
  const newest = view.deeds.at(-1);
  const about = [row.meta.category, ...row.meta.tags].filter((each) => each !== null && each !== '');
  return (
    <div class="byline">
      <p>
        Version {row.version}
        {newest === undefined ? null : (
          <>
            {' '}
            by <Actor site={site} actor={newest.actor} />
          </>
        )}
        , <Ago iso={row.updated_at} />
        {row.status === 'published' ? null : (
          <>
            {' '}
            <Chip state={row.status} />
          </>
        )}
      </p>
      {about.length === 0 ? null : <p dir="auto">{about.join(' · ')}</p>}
    </div>
  );
}

/** The result of verifying in this browser in three words, its particulars one click away; `web/reading/verification.ts` starts it. */
function Seal() {
  return (
    <div class="seal seal-brief" id="seal" data-state="open">
      <p id="seal-text" role="status">
        <strong>Not verified in this browser.</strong>
      </p>
      <details id="seal-more">
        <summary>details</summary>
        <div class="seal-panel">
          <p id="seal-note">Without JavaScript, the colophon at the end has the hashes and the proof.</p>
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
  if (site.asOf !== undefined) return [own];
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

/** The previous and next article of its series. */
function SeriesNavigation({ site, view: { series } }: { readonly site: Site; readonly view: ArticleView }) {
  if (series === undefined || (series.prev === undefined && series.next === undefined)) return null;
  const place =
    series.position === null ? '' : `Part ${series.position}${series.of === null ? '' : ` of ${series.of}`}`;
  return (
    <nav class="series" aria-label="Series">
      <p class="note">{[place, series.name].filter((each) => each !== '' && each !== null).join(', ')}</p>
      {series.prev === undefined ? null : (
        <a href={site.to.article(series.prev.slug)} rel="prev">
          Before: {series.prev.title}
        </a>
      )}
      {series.next === undefined ? null : (
        <a href={site.to.article(series.next.slug)} rel="next">
          Next: {series.next.title}
        </a>
      )}
    </nav>
  );
}

/** A heading's text, its formulas as such. */
function HeadingText({ title }: { readonly title: string }) {
  if (!/[$\\]/.test(title)) return <>{title}</>;
  const parts: VNode[] = [];
  let from = 0;
  for (let at = 0; at < title.length; at++) {
    const found = findMath(title, at);
    const written = found === undefined ? undefined : texToMathML(found.tex, false);
    if (found === undefined || written === undefined) continue;
    parts.push(<>{title.slice(from, at)}</>, <span key={at} dangerouslySetInnerHTML={{ __html: written }} />);
    from = found.end;
    at = found.end - 1;
  }
  return (
    <>
      {parts}
      {title.slice(from)}
    </>
  );
}

export interface Branch {
  readonly entry: TocEntry;
  readonly below: readonly Branch[];
}

const levelsMax = 3;

/** Headings as a tree; a heading that skips levels becomes a child of the heading before it. */
export function contentsTree(toc: readonly TocEntry[]): readonly Branch[] {
  interface Growing {
    readonly entry: TocEntry;
    readonly below: Growing[];
  }
  const roots: Growing[] = [];
  const open: Growing[] = [];
  for (const entry of toc) {
    while (open.length > 0 && (open[open.length - 1] as Growing).entry.level >= entry.level) open.pop();
    const branch: Growing = { entry, below: [] };
    (open[open.length - 1]?.below ?? roots).push(branch);
    open.push(branch);
  }
  return roots;
}

interface ContentsPart {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

/** Folded on narrow pages, where it stays at the top; a column of its own on wide ones. `web/reading/contents.ts` marks the present place. */
function Contents({ toc, parts }: Readonly<{ toc: readonly TocEntry[]; parts: readonly ContentsPart[] }>) {
  const headings = toc.filter(({ title }) => title !== '');
  const present = parts.filter(({ count }) => count > 0);
  if (headings.length + present.length < 3) return null;
  return (
    <nav class="contents" aria-label="Contents">
      <details>
        <summary>
          Contents
          <span class="contents-here" />
        </summary>
        <Branches branches={contentsTree(headings)} level={1} />
        <ul class="contents-parts">
          {present.map(({ id, name, count }) => (
            <li key={id}>
              <a href={`#${id}`}>
                {name} <span class="contents-count">{count.toLocaleString('en-GB')}</span>
              </a>
            </li>
          ))}
          <li>
            <a href="#colophon">Colophon</a>
          </li>
        </ul>
      </details>
    </nav>
  );
}

function Branches({ branches, level }: { readonly branches: readonly Branch[]; readonly level: number }) {
  return (
    <ol>
      {branches.map(({ entry, below }) => (
        <li key={entry.anchor}>
          <a href={`#${encodeURIComponent(entry.anchor)}`} dir="auto">
            <HeadingText title={entry.title} />
          </a>
          {below.length > 0 && level < levelsMax ? <Branches branches={below} level={level + 1} /> : null}
        </li>
      ))}
    </ol>
  );
}
