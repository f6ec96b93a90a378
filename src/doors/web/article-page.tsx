/** `/a/<slug>` (contract §8): an article with its claims, sources, contributions and colophon. */
import type { ArticleView } from '../../app/reads/article-view.ts';
import { activeDivs, bodyOf, claimsOf, sourcesOf } from '../../domain/articles/state.ts';
import type { ArticleRow } from '../../domain/articles/tables.ts';
import { links } from '../../domain/links.ts';
import { headMetadata } from '../../represent/citation.ts';
import { articleJsonLd, scriptText } from '../../represent/schema-org.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import {
  bodyMarkup,
  type BodyOptions,
  divMarkup,
  imageLinkText,
  isOwnImage,
  plainMarkup,
  titleIn,
} from './body-markup.ts';
import { ClaimNotes, claimsByDiv, placeClaims } from './claim-notes.tsx';
import { Colophon, divisions, divisionsSlot } from './colophon.tsx';
import type { Chunks } from '../http/cached-bytes.ts';
import { Contributions } from './contribution-list.tsx';
import { Discourse } from './discourse-list.tsx';
import { VerificationStatus } from './parts.tsx';
import type { Rendered } from './render-pool.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { Sources } from './source-list.tsx';
import { countText, dateText, languageOf } from './format-text.ts';
import type { TocEntry } from '../../represent/article-html.ts';

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
  const placed = placeClaims(claims, toc);
  const permalink = (divId: string): string => site.to.div(row.slug, divId);
  const options: BodyOptions = {
    headingShift: title.headingShift,
    omitIndex: title.at,
    base: site.service.base,
    permalink,
    claimsAt: claimsByDiv(placed),
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
        <p class="kicker">
          {[row.meta.category, ...row.meta.tags].filter((each) => each !== null && each !== '').join(' · ')}
        </p>
        <div class="title" lang={language}>
          {opening === undefined ? (
            <h1 dir="auto">{row.title}</h1>
          ) : (
            <div
              dangerouslySetInnerHTML={{
                __html: divMarkup(opening.div_id, opening.html, {
                  ...options,
                  headingShift: 0,
                  claimsAt: new Map(),
                }),
              }}
            />
          )}
        </div>
        <Hero base={site.service.base} url={row.meta.hero} />
        <Byline site={site} row={row} />
        <VerificationStatus
          what="Without JavaScript, the colophon at the end has the hashes and the proof."
          button="Verify in this browser"
        />
      </header>
      <Contents toc={title.at === -1 ? toc : toc.slice(1)} />
      <div class="text" id="text" lang={typeof rendered === 'string' ? undefined : language}>
        {typeof rendered === 'string' ? <Unrendered site={site} row={row} /> : null}
        <div
          dangerouslySetInnerHTML={{
            __html: bodySlot,
          }}
        />
      </div>
      <ClaimNotes
        site={site}
        slug={row.slug}
        placed={placed}
        contributions={view.contributions}
        contests={view.contests}
      />
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
    scripts: ['reading', 'verify'],
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

function Byline({ site, row }: { readonly site: Site; readonly row: ArticleRow }) {
  return (
    <p class="byline">
      Version {row.version}
      {row.status === 'published' ? '' : ` (${row.status})`}, <Dates row={row} />. As{' '}
      <a href={site.to.json(row.slug)}>JSON</a> or <a href={site.to.markdown(row.slug)}>Markdown</a>;{' '}
      <a href={site.to.history(row.slug)}>history</a>, <a href={site.to.graph(row.slug)}>graph</a>,{' '}
      <a href="#colophon">colophon</a>. Cite:{' '}
      <a href={site.to.citation(row.slug, 'bibtex')} download={`${row.slug}.bib`}>
        BibTeX
      </a>
      ,{' '}
      <a href={site.to.citation(row.slug, 'csl')} download={`${row.slug}.json`}>
        CSL-JSON
      </a>
      .
    </p>
  );
}

/** Dates only; the colophon has the times. */
function Dates({ row }: { readonly row: ArticleRow }) {
  const published = row.posted_at === null ? null : dateText(row.posted_at);
  const changed = dateText(row.updated_at);
  if (published === null) return <>last changed {changed}</>;
  if (row.version === 1) return <>published {published}</>;
  return published === changed ? (
    <>published and last changed {changed}</>
  ) : (
    <>
      published {published}, last changed {changed}
    </>
  );
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

export interface Branch {
  readonly entry: TocEntry;
  readonly below: readonly Branch[];
}

const levelsMax = 3;
/** Longer lists start collapsed above the text. */
const openMax = 14;

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

function Contents({ toc }: { readonly toc: readonly TocEntry[] }) {
  const shown = toc.filter(({ title }) => title !== '');
  if (shown.length < 3) return null;
  return (
    <nav class="contents" aria-label="Contents">
      <details open={shown.length <= openMax}>
        <summary>Contents</summary>
        <Branches branches={contentsTree(shown)} level={1} />
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
            {entry.title}
          </a>
          {below.length > 0 && level < levelsMax ? <Branches branches={below} level={level + 1} /> : null}
        </li>
      ))}
    </ol>
  );
}
