/** Makes the pages of an article: the whole of it, one DIV, one claim. */
import { viewArticle } from '../../app/reads/article-view.ts';
import { loadArticle } from '../../app/reads/articles.ts';
import type { Seen } from '../../app/seen.ts';
import { graphOf } from '../../app/reads/graph.ts';
import { viewDiv } from '../../app/reads/div-view.ts';
import { activeDivs } from '../../domain/articles/state.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { articlePage } from './article-page.tsx';
import { claimPage } from './claim-page.tsx';
import { graphPage } from './graph-page.tsx';
import { divPage, layoutOfOne } from './div-page.tsx';
import type { MadePage } from './page-cache.ts';
import type { Rendered, RenderPool } from './render-pool.ts';
import type { Site } from './site.ts';

/** A text that took too long is not tried again for this long, unless it changes. */
const retryAfterMs = 10 * 60_000;
const slowMax = 1000;

export class ArticlePages {
  readonly #site: Site;
  readonly #pool: RenderPool;
  /** When each text that could not be rendered in time may be tried again. */
  readonly #slow = new Map<string, number>();

  constructor(site: Site, pool: RenderPool) {
    this.#site = site;
    this.#pool = pool;
  }

  async article(seen: Seen): Promise<MadePage | Fault> {
    const view = await viewArticle(this.#site.service, seen);
    const { state } = view;
    const rendered = await this.#render(`${seen.aid} ${state.row.version}`, {
      lead: state.row.lead,
      pieces: activeDivs(state),
    });
    if (isFault(rendered)) return rendered;
    return {
      html: articlePage(this.#site, view, rendered),
      keep: rendered !== 'slow' && view.place !== null,
    };
  }

  async part(seen: Seen, part: string): Promise<MadePage | Fault> {
    if (part === 'graph') return this.#graph(seen);
    if (/^d[1-9]\d{0,6}$/.test(part)) return this.#div(seen, part);
    if (/^c[1-9]\d{0,6}$/.test(part)) return this.#claim(seen, part);
    return fault(
      'not_found',
      `The article ${seen.slug} has no part “${part.slice(0, 60)}”.`,
      'DIVs are d1, d2 and so on, claims c1, c2 and so on.',
    );
  }

  async #div(seen: Seen, id: string): Promise<MadePage | Fault> {
    const view = await viewDiv(this.#site.service, seen, id);
    if (view === undefined)
      return fault(
        'not_found',
        `The article ${seen.slug} has no DIV ${id}.`,
        'The colophon of the article lists its DIVs.',
      );
    const rendered = await this.#render(`${seen.aid} ${id} ${view.div.vx_hash}`, layoutOfOne(view));
    if (isFault(rendered)) return rendered;
    return { html: divPage(this.#site, view, rendered), keep: rendered !== 'slow' };
  }

  async #graph(seen: Seen): Promise<MadePage> {
    const { row } = await loadArticle(this.#site.service, seen.aid);
    const view = {
      slug: seen.slug,
      title: row.title,
      head: row.heads.provenance?.hash ?? '',
      graph: await graphOf(this.#site.service, [seen], 'evidence'),
    };
    return { html: graphPage(this.#site, view), keep: true };
  }

  async #claim(seen: Seen, id: string): Promise<MadePage | Fault> {
    const view = await viewArticle(this.#site.service, seen);
    const claim = view.state.claims.get(id)?.claim;
    if (claim === undefined)
      return fault(
        'not_found',
        `The article ${seen.slug} has no claim ${id}.`,
        'The article lists its claims.',
      );
    return { html: claimPage(this.#site, view, claim), keep: true };
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
        'Too many long texts are being set at this moment.',
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
