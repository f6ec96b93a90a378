/** Makes the pages of an article: the whole of it, one DIV, one claim. */
import { viewArticle } from '../../app/reads/article-view.ts';
import type { ArticleAccess } from '../../app/reads/article-access.ts';
import { loadArticle } from '../../app/reads/articles.ts';
import type { AsOf } from '../../app/reads/as-of.ts';
import { readAsOf } from '../../app/reads/historical-read.ts';
import type { ReadContext } from '../../app/read-context.ts';
import { graphOf } from '../../app/reads/graph.ts';
import { viewDiv } from '../../app/reads/div-view.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { articlePage } from './article-page.tsx';
import { claimPage } from './claim-page.tsx';
import { graphPage } from './graph-page.tsx';
import { divPage, layoutOfDiv } from './div-page.tsx';
import { siteAsOf } from './as-of-notice.tsx';
import type { MadePage } from './page-cache.ts';
import type { Rendered, RenderPool } from './render-pool.ts';
import type { Site } from './site.ts';

/** A text that timed out is not rendered again for this long, unless it changes. */
const retryAfterMs = 10 * 60_000;
const slowMax = 1000;

/** The article now, or as of an earlier moment. */
interface PageSource {
  readonly site: Site;
  readonly context: ReadContext;
  readonly seen: ArticleAccess;
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
  async article(seen: ArticleAccess, asOf?: AsOf): Promise<MadePage | Fault> {
    const from = await this.#from(seen, asOf);
    return isFault(from) ? from : this.#article(from);
  }

  async part(seen: ArticleAccess, part: string, asOf?: AsOf): Promise<MadePage | Fault> {
    const from = await this.#from(seen, asOf);
    if (isFault(from)) return from;
    if (part === 'graph') return this.#graph(from);
    if (/^d[1-9]\d{0,6}$/.test(part)) return this.#div(from, part);
    if (/^c[1-9]\d{0,6}$/.test(part)) return this.#claim(from, part);
    return fault(
      'not_found',
      `The article ${seen.slug} has no part “${part.slice(0, 60)}”.`,
      'DIVs are d1, d2 and so on, claims c1, c2 and so on.',
    );
  }

  async #from(seen: ArticleAccess, asOf: AsOf | undefined): Promise<PageSource | Fault> {
    const site = this.#site;
    if (asOf === undefined) return { site, context: site.service, seen };
    const past = await readAsOf(site.service, seen, asOf);
    if (isFault(past)) return past;
    const asOfNote = { ts: past.ts, rev: past.seen.version, newest: seen.version };
    return { site: siteAsOf(site, seen.slug, asOf, asOfNote), context: past.context, seen: past.seen };
  }

  async #article({ site, context, seen }: PageSource): Promise<MadePage | Fault> {
    const view = await viewArticle(context, seen);
    const { state } = view;
    const rendered = await this.#render(`${seen.aid} ${state.row.version}`, {
      lead: state.row.lead,
      pieces: activeDivs(state),
    });
    if (isFault(rendered)) return rendered;
    return {
      html: await articlePage(site, view, rendered),
      cacheable: rendered !== 'slow' && view.place !== null,
    };
  }

  async #div({ site, context, seen }: PageSource, id: string): Promise<MadePage | Fault> {
    const view = await viewDiv(context, seen, id);
    if (view === undefined)
      return fault(
        'not_found',
        `The article ${seen.slug} has no DIV ${id}${site.asOf === undefined ? '' : ' at that moment'}.`,
        'The colophon of the article lists its DIVs.',
      );
    const rendered = await this.#render(`${seen.aid} ${id} ${view.div.vx_hash}`, layoutOfDiv(view));
    if (isFault(rendered)) return rendered;
    return { html: divPage(site, view, rendered), cacheable: rendered !== 'slow' };
  }

  async #graph({ site, context, seen }: PageSource): Promise<MadePage> {
    const { row } = await loadArticle(context, seen.aid);
    const view = {
      slug: seen.slug,
      title: row.title,
      head: row.heads.provenance?.hash ?? '',
      graph: await graphOf(context, [seen], 'evidence', true),
    };
    return { html: graphPage(site, view), cacheable: true };
  }

  async #claim({ site, context, seen }: PageSource, id: string): Promise<MadePage | Fault> {
    const view = await viewArticle(context, seen);
    const claim = view.state.claims.get(id)?.claim;
    if (claim === undefined)
      return fault(
        'not_found',
        `The article ${seen.slug} has no claim ${id}${site.asOf === undefined ? '' : ' at that moment'}.`,
        'The article lists its claims.',
      );
    return { html: claimPage(site, view, claim), cacheable: true };
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
