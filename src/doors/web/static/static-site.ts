/**
 * The published articles of `main` as a static site (`colophon export --site`, contract §0): files that are read without a
 * server and verify offline. One article at a time is rendered by the components of the served pages, for an anonymous
 * reader, and handed on, so that memory does not grow with the texts. The same ledger gives the same bytes: no file contains
 * the time of the export.
 */
import { articleStamp } from '../../../app/reads/articles.ts';
import { findArticle, type ArticleAccess } from '../../../app/reads/article-access.ts';
import { viewArticle, type ArticleView } from '../../../app/reads/article-view.ts';
import { readBundle } from '../../../app/reads/chain-parts.ts';
import { articleLines, groupByLabel } from '../../../app/reads/labels.ts';
import { publisherOf, readCitation } from '../../../app/reads/linked-data.ts';
import { viewLog } from '../../../app/reads/log-view.ts';
import { viewHistory, type HistoryView } from '../../../app/reads/revisions.ts';
import { feedEntries } from '../../../app/reads/syndication.ts';
import { mainTenant } from '../../../domain/articles/slugs.ts';
import { activeDivs, bodyOf, claimsOf, sourcesOf } from '../../../domain/articles/state.ts';
import type { ArticleIndexRow } from '../../../domain/articles/tables.ts';
import type { Entry } from '../../../ledger/entry.ts';
import { isFault } from '../../../kernel/fault.ts';
import { buildVersion } from '../../../kernel/build.ts';
import { bibtex, cslJson } from '../../../represent/citation.ts';
import { mediaTypeOf } from '../../../represent/media-type.ts';
import { atomFeed, sitemap } from '../../../represent/syndication.ts';
import { stableJson } from '../../http/envelope.ts';
import { articlePage } from '../article-page.tsx';
import { loadAssets, staticFolder, type Assets } from '../assets.ts';
import { historyPage } from '../history-page.tsx';
import { articlesOnPage, labelPage, labelsPage } from '../label-pages.tsx';
import { anonymous } from '../page-cache.ts';
import { RenderPool, renderLimits } from '../render-pool.ts';
import type { Site, StaticNote } from '../site.ts';
import { articleFile, labelFile, listFile, type Contents } from './places.ts';
import { blobsIn, relocate } from './relocate.ts';
import { StaticSearchIndex } from './search-index.ts';
import { listedOnPage, staticAboutPage, staticListPage, staticSearchPage } from './static-pages.tsx';
import { excerptOf } from '../../../kernel/text.ts';

export interface StaticFile {
  readonly file: string;
  readonly bytes: string | Uint8Array;
}

/** The export as it goes: files, how many articles are done, and at the end what was written. */
export type StaticPart = StaticFile | { readonly done: number; readonly of: number } | StaticSummary;

export interface StaticSummary {
  readonly articles: number;
  readonly tags: number;
  readonly series: number;
  readonly images: number;
  /** Entries in the log. */
  readonly size: number;
}

/** The ledger changed in a way that would leave the site inconsistent. */
export class StaticSiteError extends Error {}

export interface StaticOptions {
  /** Where the site will be published, without a final slash; adds a feed and a site map. */
  readonly address: string | undefined;
}

/** Rendering is not hurried, so that a busy machine writes the same page. */
const patientLimits = { ...renderLimits, timeMs: 60_000 };

const triesMax = 5;
const entriesAtOnce = 500;
const entriesInFeed = 50;
const pagesInMap = 50_000;

export async function* staticSite(served: Site, { address }: StaticOptions): AsyncGenerator<StaticPart> {
  const pool = new RenderPool(patientLimits);
  try {
    yield* new StaticSite(served, pool, address).files();
  } finally {
    await pool.close();
  }
}

class StaticSite {
  readonly #served: Site;
  readonly #pool: RenderPool;
  readonly #address: string | undefined;
  readonly #live: string | undefined;
  readonly #assets: Assets = loadAssets(staticFolder);
  readonly #index = new StaticSearchIndex();
  readonly #articles = new Map<string, ArticleIndexRow>();
  /** Files of the blobs that were written; undefined for those that are gone. */
  readonly #blobs = new Map<string, string | undefined>();
  #labels: ReturnType<typeof groupByLabel> = { tags: new Map(), series: new Map() };
  #as: Pick<StaticNote, 'size' | 'ts'> = { size: 0, ts: undefined };
  #publisher = '';

  constructor(served: Site, pool: RenderPool, address: string | undefined) {
    this.#served = served;
    this.#pool = pool;
    this.#address = address;
    this.#live = reachable(served.service.base);
  }

  async *files(): AsyncGenerator<StaticPart> {
    const { service } = this.#served;
    for await (const row of articleLines(service, mainTenant))
      if (row.status === 'published') this.#articles.set(row.slug, row);
    this.#labels = groupByLabel(this.#articles.values());
    this.#publisher = await publisherOf(service, mainTenant);
    const { checkpoint, lines } = await viewLog(service, undefined, 1);
    this.#as = { size: checkpoint?.size ?? 0, ts: lines[0]?.ts };

    for (const [name, { bytes }] of this.#assets.files) yield { file: this.#assetFile(name), bytes };
    yield { file: 'log-key.txt', bytes: `${service.logKey.text}\n` };
    if (checkpoint !== null) yield { file: 'checkpoint.txt', bytes: checkpoint.note };
    let done = 0;
    for (const slug of this.#articles.keys()) {
      yield { done, of: this.#articles.size };
      yield* this.#article(slug);
      done++;
    }
    yield { done, of: this.#articles.size };
    yield* this.#index.files();
    yield* this.#lists(checkpoint?.note ?? null);
    if (this.#address !== undefined) yield* this.#published(this.#address);
    await this.#expectUnchanged();
    yield {
      file: 'colophon-site.json',
      bytes: `${JSON.stringify({ site_version: 1, colophon: buildVersion, log: service.logKey.name, ...this.#as, articles: this.#articles.size }, null, 2)}\n`,
    };
    yield {
      articles: this.#articles.size,
      tags: this.#labels.tags.size,
      series: this.#labels.series.size,
      images: [...this.#blobs.values()].filter((file) => file !== undefined).length,
      size: this.#as.size,
    };
  }

  /** What was withdrawn or scrubbed meanwhile may not be in the site; pages link to each other by the list read at first. */
  async #expectUnchanged(): Promise<void> {
    const missing = new Set(this.#articles.keys());
    for await (const { slug, status } of articleLines(this.#served.service, mainTenant))
      if (status === 'published') missing.delete(slug);
    const [slug] = missing;
    if (slug !== undefined) throw withdrawn(slug);
    const { read } = this.#served.service;
    const size = (await read.checkpoint())?.size ?? 0;
    for (let at = this.#as.size; at < size; at += entriesAtOnce)
      for (const { text } of await read.texts(at, Math.min(entriesAtOnce, size - at)))
        if ((JSON.parse(text) as Entry).chain.startsWith('scrub_'))
          throw new StaticSiteError('Something was scrubbed while the site was written. Export again.');
  }

  #assetFile(name: string): string {
    return `assets/${this.#assets.hash}/${name}`;
  }

  /** The site as components see it on the page that becomes `file`. */
  #site(file: string): Site {
    const up = '../'.repeat(file.split('/').length - 1);
    return {
      ...this.#served,
      asset: (name) => up + this.#assetFile(name),
      static: { up, live: this.#live, address: this.#address, ...this.#as },
    };
  }

  /** A page as a file, after the blobs that it shows. */
  async *#page(
    file: string,
    path: string,
    make: (site: Site) => string | Promise<string>,
  ): AsyncGenerator<StaticFile> {
    const { base } = this.#served.service;
    const html = await make(this.#site(file));
    const address = base + path;
    for (const sha256 of blobsIn(html, address, base)) yield* this.#blob(sha256);
    yield {
      file,
      bytes: relocate(html, { file, address, base, live: this.#live, contents: this.#contents }),
    };
  }

  readonly #contents: Contents = {
    hasArticle: (slug) => this.#articles.has(slug),
    hasLabel: (kind, label) => this.#labels[kind].has(label),
    blobFile: (sha256) => this.#blobs.get(sha256),
  };

  async *#blob(sha256: string): AsyncGenerator<StaticFile> {
    if (this.#blobs.has(sha256)) return;
    const bytes = await this.#served.service.store.blobs.get(sha256);
    if (bytes === undefined) return void this.#blobs.set(sha256, undefined);
    const type = mediaTypeOf(bytes)?.split('/')[1] ?? 'bin';
    const file = `blobs/${sha256}.${type === 'jpeg' ? 'jpg' : type}`;
    this.#blobs.set(sha256, file);
    yield { file, bytes };
  }

  async *#article(slug: string): AsyncGenerator<StaticFile> {
    const { access, view, bundle, history } = await this.#readArticle(slug);
    const { state } = view;
    const { service } = this.#served;
    const path = `/a/${slug}`;
    const rendered = await this.#pool.render({ lead: state.row.lead, pieces: activeDivs(state) });
    if (rendered === 'busy') throw new StaticSiteError(`The text of ${slug} could not be rendered in time.`);
    yield* this.#page(articleFile(slug), path, async (site) =>
      (await articlePage(site, view, this.#publisher, rendered)).join(''),
    );
    yield* this.#page(articleFile(slug, 'history.html'), `${path}/history`, (site) =>
      historyPage(site, history, { from: 1, to: 1 }, false),
    );
    yield { file: articleFile(slug, 'bundle.json'), bytes: `${bundle}\n` };
    yield { file: articleFile(slug, 'bundle.js'), bytes: `colophonBundle(${JSON.stringify(bundle)});\n` };
    yield { file: articleFile(slug, 'md'), bytes: bodyOf(state) };
    const cited = await readCitation(service, access, this.#publisher);
    yield { file: articleFile(slug, 'bib'), bytes: bibtex(cited) };
    yield { file: articleFile(slug, 'csl.json'), bytes: `${JSON.stringify(cslJson(cited), null, 1)}\n` };
    this.#index.add({
      file: articleFile(slug),
      title: state.row.title,
      updated: state.row.updated_at,
      ...searched(view),
    });
  }

  /** All that the files of an article are made of, as of one state of it. */
  async #readArticle(slug: string): Promise<{
    readonly access: ArticleAccess;
    readonly view: ArticleView;
    readonly bundle: string;
    readonly history: HistoryView;
  }> {
    const { service } = this.#served;
    for (let tries = 0; tries < triesMax; tries++) {
      // Drafts and closed workspaces have no page for an anonymous reader.
      const access = await findArticle(service, slug, anonymous);
      if (isFault(access) || access.status !== 'published' || access.tenant !== mainTenant)
        throw withdrawn(slug);
      const stamp = await articleStamp(service, access.aid);
      const view = this.#withoutOthers(await viewArticle(service, access));
      const history = await wholeHistory(service, access);
      const bundle = await readBundle({ context: service, access, query: {} });
      if (isFault(bundle) || typeof bundle === 'string') throw withdrawn(slug);
      if ((await articleStamp(service, access.aid)) === stamp)
        // In the order of names: what a process has just written and what it read back differ in the order of members.
        return { access, view, history, bundle: stableJson(bundle) };
    }
    throw new StaticSiteError(
      `The article ${slug} changes faster than it can be read. Export again when it rests.`,
    );
  }

  /** Neighbours in a series that the site does not have are not named. */
  #withoutOthers(view: ArticleView): ArticleView {
    const { series } = view;
    if (series === undefined) return view;
    const shown = (neighbour: typeof series.prev): typeof series.prev =>
      neighbour !== undefined && this.#articles.has(neighbour.slug) ? neighbour : undefined;
    return { ...view, series: { ...series, prev: shown(series.prev), next: shown(series.next) } };
  }

  async *#lists(checkpoint: string | null): AsyncGenerator<StaticFile> {
    const articles = [...this.#articles.values()].toSorted((a, b) =>
      a.title === b.title ? (a.slug < b.slug ? -1 : 1) : a.title.localeCompare(b.title, 'en'),
    );
    const publisher = this.#publisher;
    for (let from = 0; from === 0 || from < articles.length; from += listedOnPage)
      yield* this.#page(listFile(from), '/', (site) => staticListPage(site, { publisher, articles, from }));
    for (const kind of ['tags', 'series'] as const) {
      yield* this.#page(`${kind}.html`, `/${kind}`, (site) => labelsPage(site, this.#labels, kind));
      for (const [label, labelled] of this.#labels[kind])
        for (let from = 0; from < labelled.length; from += articlesOnPage)
          yield* this.#page(labelFile(kind, label, from), `/${kind}/${encodeURIComponent(label)}`, (site) =>
            labelPage(site, { kind, label, articles: labelled, from }),
          );
    }
    yield* this.#page('search.html', '/search', staticSearchPage);
    yield* this.#page('verify.html', '/verify', (site) =>
      staticAboutPage(site, { publisher, articles: articles.length, checkpoint }),
    );
  }

  /** What only makes sense where the site has an address of its own. */
  async *#published(address: string): AsyncGenerator<StaticFile> {
    const { service } = this.#served;
    const newest = [...this.#articles.values()]
      .toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
      .slice(0, entriesInFeed);
    const self = `${address}/feed.xml`;
    const entries = (await feedEntries(service, newest)).map((entry) => ({
      ...entry,
      page: `${address}/${articleFile(entry.slug)}`,
      json: `${address}/${articleFile(entry.slug, 'bundle.json')}`,
    }));
    yield {
      file: 'feed.xml',
      bytes: atomFeed({
        title: this.#publisher,
        authority: service.logKey.name.replace(/[:/].*$/, ''),
        home: `${address}/`,
        first: self,
        self,
        next: null,
        entries,
      }),
    };
    const mapped = [...this.#articles.values()].slice(0, pagesInMap).map(({ slug, updated_at: changed }) => ({
      address: `${address}/${articleFile(slug)}`,
      changed,
    }));
    yield { file: 'sitemap.xml', bytes: sitemap(mapped) };
  }
}

function withdrawn(slug: string): StaticSiteError {
  return new StaticSiteError(`The article ${slug} was withdrawn while the site was written. Export again.`);
}

/** The base address, unless only this machine can open it. */
function reachable(base: string): string | undefined {
  const { hostname } = new URL(base);
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname) ? undefined : base;
}

/** All revisions on one page. */
async function wholeHistory(
  context: Parameters<typeof viewHistory>[0],
  access: ArticleAccess,
): Promise<HistoryView> {
  const first = await viewHistory(context, access, undefined, []);
  const revisions = [...first.revisions];
  for (let { older } = first; older !== null;) {
    const page = await viewHistory(context, access, older, []);
    revisions.push(...page.revisions);
    older = page.older;
  }
  return { ...first, revisions, older: null, newer: null };
}

const summaryCharsMax = 200;

function searched({ state }: ArticleView) {
  const claims = claimsOf(state).filter(({ status }) => status === 'active');
  const divs = activeDivs(state);
  const headings = divs.filter(({ kind }) => kind === 'heading').map(({ text }) => text);
  const sources = sourcesOf(state).map(({ source }) => `${source.title} ${source.quote}`);
  const opening = divs.find(({ kind }) => kind === 'paragraph')?.text ?? '';
  const summary = (claims[0]?.text ?? opening).replace(/\s+/g, ' ').trim();
  return {
    summary: excerptOf(summary, summaryCharsMax),
    texts: {
      title: state.row.title,
      heading: [...headings, ...state.row.meta.tags].join('\n'),
      claim: claims.map(({ text }) => text).join('\n'),
      text: [bodyOf(state), ...sources].join('\n'),
    },
  };
}
