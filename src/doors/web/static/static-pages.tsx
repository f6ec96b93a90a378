/** The pages that only a static site has: its list of articles, its search, and what it is and how it is verified. */
import type { ArticleIndexRow } from '../../../domain/articles/tables.ts';
import { ArticleList } from '../article-list.tsx';
import { countText } from '../format-text.ts';
import { Mono, Time } from '../parts.tsx';
import { renderPage } from '../shell.tsx';
import type { Site } from '../site.ts';

export const listedOnPage = 200;

interface ListView {
  readonly publisher: string;
  readonly articles: readonly ArticleIndexRow[];
  /** How many come before this page. */
  readonly from: number;
}

export function staticListPage(site: Site, { publisher, articles, from }: ListView): string {
  const shown = articles.slice(from, from + listedOnPage);
  const note = site.static;
  return renderPage(
    site,
    { title: from === 0 ? publisher : `Articles of ${publisher}`, here: 'Articles' },
    <div class="labels">
      <h1 dir="auto">{publisher}</h1>
      <p>
        {countText(articles.length, 'published article')} to read without a network
        {note?.ts === undefined ? null : (
          <>
            , as of <Time iso={note.ts} />
          </>
        )}
        . Each shows its claims, the words they rest on and what was said against them, and each{' '}
        <a href={site.to.verify}>can be verified here</a>.
      </p>
      {articles.length === 0 ? (
        <p>No article was published when this copy was made.</p>
      ) : (
        <ArticleList site={site} articles={shown.map(lineOf)} hasLabels />
      )}
      {articles.length <= listedOnPage ? null : (
        <nav class="turn" aria-label="Pages of the list">
          {from > 0 ? (
            <a href={`${site.to.home}?from=${from - listedOnPage}`}>Articles before these</a>
          ) : null}
          {from + listedOnPage < articles.length ? (
            <a href={`${site.to.home}?from=${from + listedOnPage}`}>More articles</a>
          ) : null}
        </nav>
      )}
    </div>,
  );
}

export function staticSearchPage(site: Site): string {
  return renderPage(
    site,
    { title: 'Search', here: 'Search', isOwnText: true, register: 'working' },
    <div class="static-search">
      <h1>Search</h1>
      <noscript>
        <p class="notice">
          Searching a copy needs JavaScript. <a href={site.to.home}>All articles are listed</a>, also{' '}
          <a href={site.to.tags}>by tag</a> and <a href={site.to.series}>in series</a>.
        </p>
      </noscript>
      <search id="static-search" hidden>
        <p class="field">
          <label for="q">Words in titles, headings, claims, sources and text</label>
          <input id="q" type="search" autocomplete="off" spellcheck={false} aria-describedby="q-hint" />
          <span class="field-hint" id="q-hint">
            Articles with all of the words are shown while you type. Nothing leaves this device.
          </span>
        </p>
      </search>
      <p id="search-count" role="status" />
      <ol class="article-list" id="hits" />
    </div>,
  );
}

interface AboutView {
  readonly publisher: string;
  readonly articles: number;
  readonly checkpoint: string | null;
}

export function staticAboutPage(site: Site, { publisher, articles, checkpoint }: AboutView): string {
  const { service } = site;
  const note = site.static;
  const key = service.logKey.text;
  return renderPage(
    site,
    { title: 'About this copy', here: 'Verify', isOwnText: true },
    <article class="prose-page">
      <h1>About this copy</h1>
      <p class="lead">
        These files are the {countText(articles, 'published article')} of {publisher} as Colophon had them at
        entry {(note?.size ?? 0).toLocaleString('en-GB')} of its log
        {note?.ts === undefined ? null : (
          <>
            , <Time iso={note.ts} />
          </>
        )}
        . They are read without a server, and no page asks another host for anything.
      </p>
      <h2>Verify in the browser</h2>
      <p>
        Each article checks itself when it is opened with JavaScript; the result stands below its title. The
        check reads the bundle beside the page, which holds every entry of the article and what opens it,
        computes all hashes and the place in the signed log again, renders the text of each block that the
        entries commit to, and compares the result with the words on the page. It names the block, claim,
        source or entry of the discussion that differs.
      </p>
      <h2>What that proves</h2>
      <ul>
        <li>
          The title, the blocks, the thesis, the claims, the quotes of the sources, the contributions, the
          votes and the discussion shown are those that the entries commit to, signed with the names shown.
        </li>
        <li>
          The entries form unbroken chains, and the log whose key is below signed a state that contains them
          all.
        </li>
      </ul>
      <h2>What it does not prove</h2>
      <ul>
        <li>
          That these are the newest words. A copy shows one moment
          {note?.live === undefined ? null : (
            <>
              ;{' '}
              <a href={`${note.live}/`} rel="external">
                the live site
              </a>{' '}
              has what came later
            </>
          )}
          .
        </li>
        <li>
          That nothing was left out at the end: without the newest entries of the discussion, or the newest
          revisions, the rest still verifies.
        </li>
        <li>That a claim is true, or that a source says what is quoted from it.</li>
        <li>
          That the key is the right one. It came with these files; whoever made other files could have put
          another key beside them. Compare it with the key that the publisher shows elsewhere
          {note?.live === undefined ? null : (
            <>
              , such as{' '}
              <a href={`${note.live}/.well-known/colophon-key`} rel="external">
                on the live site
              </a>
            </>
          )}
          .
        </li>
        <li>
          That the check itself was not changed. Its script is one of these files. For that, use your own
          Colophon: the command below trusts no script of this folder.
        </li>
        <li>
          What stands around those words: states and times of claims and answers, the contents, tags, series,
          how to cite and the colophon of an article; images, which are named by their SHA-256; the lists, the
          revisions and the search; and how the pages look.
        </li>
      </ul>
      <h2 id="commands">Verify with your own tools</h2>
      <pre>
        <code>
          {`colophon verify a/SLUG.bundle.json --key '${key}'\nsha256sum --check --quiet SHA256SUMS`}
        </code>
      </pre>
      <p>
        The first command checks the bundle of one article against the key. The second finds files that
        changed since the copy was made; <code>SHA256SUMS</code> is not signed, so it shows damage and not
        intent.
      </p>
      <h2>The key and the checkpoint</h2>
      <p>
        The log’s verifier key, also in <a href={`${site.root}/.well-known/colophon-key`}>log-key.txt</a>:{' '}
        <Mono>{key}</Mono>
      </p>
      {checkpoint === null ? null : (
        <>
          <p>
            The signed checkpoint of the log when the copy was made, also in{' '}
            <a href={`${site.root}/checkpoint`}>checkpoint.txt</a>:
          </p>
          <pre>
            <code>{checkpoint}</code>
          </pre>
        </>
      )}
      <h2>To move articles</h2>
      <p>
        A copy is for reading. <code>colophon import a/SLUG.bundle.json</code> brings an article with its
        history into another Colophon; <code>colophon export SLUG</code> writes the same bundle.
      </p>
    </article>,
  );
}

function lineOf({ series, position, ...row }: ArticleIndexRow) {
  return { ...row, series: series === null ? null : { name: series, position } };
}
