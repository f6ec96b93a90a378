/** `/owner/costs`: reads the figures of a workspace and has their plots drawn. */
import { readFigures, type Span, spans } from '../../../app/reads/figures.ts';
import { withWorkspaceRows } from '../../../app/workspace-rows.ts';
import { isFault } from '../../../kernel/fault.ts';
import { stringParam } from '../../http/parameters.ts';
import { pageReply } from '../../http/replies.ts';
import type { HttpCounters } from '../../http/request-metrics.ts';
import { route } from '../../http/route.ts';
import type { RouteServer } from '../../http/route-declaration.ts';
import { timeText } from '../format-text.ts';
import { requestAreas } from '../plots/request-areas.ts';
import type { Site } from '../site.ts';
import { costsPage } from './costs-page.tsx';
import { consoleContextOf, consoleQuery, deskDeclarations, refuseOthers } from './desk.ts';
import { figurePlots } from './figure-plots.ts';

export interface TrafficSources {
  readonly http: HttpCounters;
  /** Reads that were answered from memory before they were routed. */
  readonly reads: { readonly answered: number };
}

export function costsRoutes(server: RouteServer, site: Site, { http, reads }: TrafficSources): void {
  const { service } = server;
  const { page } = deskDeclarations(site);
  route(
    server,
    {
      ...page,
      get: '/owner/costs',
      id: 'costsPage',
      summary: 'Growth, traffic, yields and costs as plots.',
      query: { ...consoleQuery, span: stringParam(`one of ${Object.keys(spans).join(', ')}`) },
    },
    async ({ query, session }) => {
      const refused = refuseOthers(session);
      if (refused !== undefined) return refused;
      const context = await consoleContextOf(site, session, query);
      if (isFault(context)) return context;
      const { tenant } = context;
      const { rows } = await withWorkspaceRows(service, tenant);
      const reading = { ...service, read: service.store.read, tenant, viewer: session.credential, rows };
      const figures = await readFigures(reading, isSpan(query['span']) ? query['span'] : 'month');
      const started = timeText(new Date(performance.timeOrigin).toISOString());
      const plots = figurePlots(figures, requestAreas(http, reads.answered), started);
      const all = Object.values(plots).flat();
      const pictures = await site.plotter.draw(all);
      const drawn = new Map(all.map((plot, i) => [plot, pictures[i]]));
      return pageReply(costsPage(context, { figures, plots, drawn }));
    },
  );
}

function isSpan(text: string | undefined): text is Span {
  return text !== undefined && Object.hasOwn(spans, text);
}
