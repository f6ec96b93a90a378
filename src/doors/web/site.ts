/**
 * What every page knows of its deployment: the service, and the URLs of pages and assets. Links are paths below the
 * base URL's path, so that they work under any host name.
 */
import type { Service } from '../../app/service.ts';
import { links } from '../../domain/links.ts';
import { loadAssets, type Assets } from './assets.ts';
import { Plotter } from './plots/plotter.ts';

export interface Site {
  readonly service: Service;
  /** The path of the base URL without a final slash; '' at the root of a host. */
  readonly root: string;
  readonly to: Paths;
  /** The address of an asset, such as `site.css`. */
  asset(file: string): string;
  /** Read and hashed when first needed. */
  assets(): Assets;
  readonly plotter: Plotter;
  /** Set on pages that show an article as of an earlier moment. */
  readonly asOf?: AsOfNote;
  /** Set on pages of a static site, which are read from files. */
  readonly static?: StaticNote;
}

/** The read that has as JSON what a page shows, as its head names it; `path` is below `/api/`. */
export function jsonOf({ service }: Site, path: string, title: string) {
  return [{ type: 'application/json', href: `${service.base}/api/${path}`, title }] as const;
}

/** Whether a page has forms and links to forms: not in a static site, nor where it shows an earlier moment. */
export function takesAnswers(site: Site): boolean {
  return site.asOf === undefined && site.static === undefined;
}

/** What a page of a static site (`colophon export --site`) knows of it. */
export interface StaticNote {
  /** The way from the page to the folder of the site: '' or `../`. */
  readonly up: string;
  /** The base address of the deployment, if readers elsewhere can reach it. */
  readonly live: string | undefined;
  /** Entries in the log when the site was made. */
  readonly size: number;
  /** The time of the newest of them. */
  readonly ts: string | undefined;
  /** Where the site will be published, if that is known. */
  readonly address: string | undefined;
}

/** What the notice on such a page says. */
export interface AsOfNote {
  /** The time of the newest entry at that moment. */
  readonly ts: string;
  readonly rev: number;
  /** The newest revision today. */
  readonly newest: number;
  readonly now: string;
  readonly history: string;
  /** The requested moment as a query, without the question mark. */
  readonly query: string;
}

export interface Paths {
  readonly home: string;
  readonly search: string;
  readonly recent: string;
  readonly tags: string;
  readonly series: string;
  /** Hands out a share; not for crawlers. */
  readonly start: string;
  /** For people who send a model here. */
  readonly help: string;
  readonly owner: string;
  readonly protocol: string;
  readonly directory: string;
  readonly log: string;
  readonly verify: string;
  readonly docs: string;
  /** A guide by its name in `guides.ts`. */
  guide(name: string): string;
  /** Keyboard shortcuts, and the legend of states. */
  readonly keys: string;
  /** The entry point of the API. */
  readonly manifest: string;
  article(slug: string): string;
  div(slug: string, divId: string): string;
  claim(slug: string, claimId: string): string;
  source(slug: string, sourceId: string): string;
  /** The discussion; with `on` the form about a block or claim (`''`: the whole article), opened for a kind (`as`). */
  discuss(slug: string, query?: Readonly<Record<string, string>>): string;
  /** The page of one entry of the discussion: `dx_…`, `mc_…` or `vote_…`. */
  entry(slug: string, id: string): string;
  /** The form about one claim or, with '', about the whole article. */
  propose(slug: string, claimId: string): string;
  json(slug: string): string;
  markdown(slug: string): string;
  part(slug: string, part: string): string;
  citation(slug: string, format: 'bibtex' | 'csl'): string;
  nanopub(slug: string, claimId: string): string;
  history(slug: string): string;
  graph(slug: string): string;
  graphJson(slug: string): string;
  receipt(inv: string): string;
  confirm(inv: string): string;
  capability(fingerprint: string): string;
  workspace(name: string): string;
  row(key: string): string;
  rowJson(key: string): string;
}

export function siteOf(service: Service): Site {
  const root = new URL(service.base).pathname.replace(/\/+$/, '');
  let assets: Assets | undefined;
  const load = (): Assets => (assets ??= loadAssets());
  return {
    service,
    root,
    to: pathsBelow(root),
    asset: (file) => `${root}/assets/${load().hash}/${file}`,
    assets: load,
    plotter: new Plotter(),
  };
}

function pathsBelow(root: string): Paths {
  const discuss: Paths['discuss'] = (slug, query = {}) => {
    const asked = new URLSearchParams(query).toString();
    return `${links.article(root, slug)}/discuss${asked === '' ? '' : `?${asked}`}`;
  };
  return {
    home: `${root}/`,
    search: `${root}/search`,
    recent: `${root}/recent`,
    tags: `${root}/tags`,
    series: `${root}/series`,
    start: `${root}/start`,
    help: `${root}/start/help`,
    owner: `${root}/owner`,
    protocol: `${root}/protocol`,
    directory: `${root}/directory`,
    log: `${root}/log`,
    verify: `${root}/verify`,
    docs: `${root}/docs`,
    guide: (name) => `${root}/docs/guides/${name}`,
    keys: `${root}/docs/keys`,
    manifest: links.dispatch(root),
    article: (slug) => links.article(root, slug),
    div: (slug, divId) => links.div(root, slug, divId),
    claim: (slug, claimId) => links.claim(root, slug, claimId),
    source: (slug, sourceId) => links.source(root, slug, sourceId),
    discuss,
    entry: (slug, id) => `${links.article(root, slug)}/discuss/${id}`,
    propose: (slug, claimId) => `${discuss(slug, { on: claimId })}#say`,
    json: (slug) => links.articleJson(root, slug),
    markdown: (slug) => links.articleMarkdown(root, slug),
    part: (slug, part) => links.articlePart(root, slug, part),
    citation: (slug, format) => links.citation(root, slug, format),
    nanopub: (slug, claimId) => links.nanopub(root, slug, claimId),
    history: (slug) => `${links.article(root, slug)}/history`,
    graph: (slug) => `${links.article(root, slug)}/graph`,
    graphJson: (slug) => links.graph(root, slug),
    receipt: (inv) => links.receipt(root, inv),
    confirm: (inv) => links.confirm(root, inv),
    capability: (fingerprint) => links.capability(root, fingerprint),
    workspace: (name) => links.workspacePage(root, name),
    row: (key) => links.rowPage(root, key),
    rowJson: (key) => links.row(root, key),
  };
}
