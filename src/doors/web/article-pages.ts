/** Makes the pages of an article: the whole of it, one DIV, one claim, one source. */
import { viewArticle, viewDiv } from '../../app/reads/article-view.ts';
import type { ArticleAccess } from '../../app/reads/article-access.ts';
import { loadArticle } from '../../app/reads/articles.ts';
import { viewSource } from '../../app/reads/source-view.ts';
import { outdatedBy } from '../../app/reads/proof.ts';
import { publisherOf } from '../../app/reads/linked-data.ts';
import { type AsOf, readAsOf } from '../../app/reads/historical-read.ts';
import type { ReadContext } from '../../app/read-context.ts';
import { graphOf } from '../../app/reads/graph.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { articlePage } from './article-page.tsx';
import { claimPage } from './claim-page.tsx';
import { graphPage } from './graph-page.tsx';
import { divPage, layoutOfDiv } from './div-page.tsx';
import { siteAsOf } from './parts.tsx';
import type { MadePage } from './page-cache.ts';
import type { Rendered, RenderPool } from './render-pool.ts';
import type { Site } from './site.ts';
import { sourcePage } from './source-page.tsx';

/** A text that timed out is not rendered again for this long, unless it changes. */
const retryAfterMs = 10 * 60_000;
const slowMax = 1000;

/** The article now, or as of an earlier moment. */
interface PageSource {
  readonly site: Site;
  readonly context: ReadContext;
  readonly access: ArticleAccess;
}

export class ArticlePages {
  readonly #site: Site;
  readonly #pool: RenderPool;
  /** When each text that timed out may be rendered again. */
  readonly #slow = new Map<string, number>();

  constructor(site: Site, pool: RenderPool) {
    this.#site = site;
    this.#pool = pool;
  }

  /** With `asOf`, the article at that moment, with links that lead to the same moment. */
  async article(access: ArticleAccess, asOf?: AsOf): Promise<MadePage | Fault> {
    const from = await this.#from(access, asOf);
    return isFault(from) ? from : this.#article(from);
  }

  async part(access: ArticleAccess, part: string, asOf?: AsOf): Promise<MadePage | Fault> {
    const from = await this.#from(access, asOf);
    if (isFault(from)) return from;
    if (part === 'graph') return this.#graph(from);
    if (/^d[1-9]\d{0,6}$/.test(part)) return this.#div(from, part);
    if (/^c[1-9]\d{0,6}$/.test(part)) return this.#claim(from, part);
    if (/^s[1-9]\d{0,6}$/.test(part)) return this.#source(from, part);
    return about(
      fault(
        'not_found',
        `The article ${access.slug} has no part “${part.slice(0, 60)}”.`,
        'DIVs are d1, d2 and so on, claims c1, c2 and so on, sources s1, s2 and so on.',
      ),
      { kind: 'part', id: part, slug: access.slug },
    );
  }

  async #from(access: ArticleAccess, asOf: AsOf | undefined): Promise<PageSource | Fault> {
    const site = this.#site;
    if (asOf === undefined) return { site, context: site.service, access };
    const historical = await readAsOf(site.service, access, asOf);
    if (isFault(historical)) return historical;
    const asOfNote = { ts: historical.ts, rev: historical.access.version, newest: access.version };
    return {
      site: siteAsOf(site, access.slug, asOf, asOfNote),
      context: historical.context,
      access: historical.access,
    };
  }

  async #article({ site, context, access }: PageSource): Promise<MadePage | Fault> {
    const view = await viewArticle(context, access);
    const { state } = view;
    const rendered = await this.#render(`${access.aid} ${state.row.version}`, {
      lead: state.row.lead,
      pieces: activeDivs(state),
    });
    if (isFault(rendered)) return rendered;
    return {
      html: await articlePage(site, view, await publisherOf(site.service, access.tenant), rendered),
      cacheable: rendered !== 'slow' && view.place !== null,
      ...(view.place === null ? {} : { isOutdated: outdatedBy(site.service, view.place.index) }),
    };
  }

  async #div({ site, context, access }: PageSource, id: string): Promise<MadePage | Fault> {
    const view = await viewDiv(context, access, id);
    if (view === undefined)
      return about(
        fault(
          'not_found',
          `The article ${access.slug} has no DIV ${id}${site.asOf === undefined ? '' : ' at that moment'}.`,
          'The colophon of the article lists its DIVs.',
        ),
        { kind: 'div', id, slug: access.slug },
      );
    const rendered = await this.#render(`${access.aid} ${id} ${view.div.vx_hash}`, layoutOfDiv(view));
    if (isFault(rendered)) return rendered;
    return { html: divPage(site, view, rendered), cacheable: rendered !== 'slow' };
  }

  async #graph({ site, context, access }: PageSource): Promise<MadePage> {
    const { row } = await loadArticle(context, access.aid);
    const view = {
      slug: access.slug,
      title: row.title,
      graph: await graphOf(context, [access], 'evidence', true),
    };
    return { html: graphPage(site, view), cacheable: true };
  }

  async #claim({ site, context, access }: PageSource, id: string): Promise<MadePage | Fault> {
    const view = await viewArticle(context, access);
    const claim = view.state.claims.get(id)?.claim;
    if (claim === undefined)
      return about(
        fault(
          'not_found',
          `The article ${access.slug} has no claim ${id}${site.asOf === undefined ? '' : ' at that moment'}.`,
          'The article lists its claims.',
        ),
        { kind: 'claim', id, slug: access.slug },
      );
    return { html: claimPage(site, view, claim), cacheable: true };
  }

  async #source({ site, context, access }: PageSource, id: string): Promise<MadePage | Fault> {
    const view = await viewSource(context, access, id);
    if (view === undefined)
      return about(
        fault(
          'not_found',
          `The article ${access.slug} has no source ${id}${site.asOf === undefined ? '' : ' at that moment'}.`,
          'The article lists its sources.',
        ),
        { kind: 'source', id, slug: access.slug },
      );
    return { html: sourcePage(site, view), cacheable: true };
  }

  async #render(
    name: string,
    layout: Parameters<RenderPool['render']>[0],
  ): Promise<Exclude<Rendered, 'busy'> | Fault> {
    const now = this.#site.service.now();
    if ((this.#slow.get(name) ?? 0) > now) return 'slow';
    this.#slow.delete(name);
    const rendered = await this.#pool.render(layout);
    if (rendered === 'busy')
      return fault(
        'overloaded',
        'Too many long texts are being rendered.',
        'Wait a few seconds and load the page again.',
        { retry_after: 5 },
      );
    if (rendered === 'slow') {
      this.#slow.set(name, now + retryAfterMs);
      const [oldest] = this.#slow.keys();
      if (this.#slow.size > slowMax && oldest !== undefined) this.#slow.delete(oldest);
    }
    return rendered;
  }
}
