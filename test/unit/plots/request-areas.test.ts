/** To which part of the site a route's requests are counted. */
import { expect, it } from 'vitest';
import { requestAreas } from '../../../src/doors/web/plots/request-areas.ts';
import type { HttpCounters } from '../../../src/doors/http/request-metrics.ts';

const counters = (statuses: readonly number[]) => ({ statuses }) as never;
const routesOf = (...paths: readonly string[]): HttpCounters => ({
  refusals: new Map(),
  routes: new Map(
    paths.map((each, i) => {
      const [method = '', path = ''] = each.split(' ');
      return [each, { method, path, counters: counters([0, 0, 10 ** i, 0, 0, 0]) }];
    }),
  ),
});

it.each([
  ['any unrouted', 'no such address'],
  ['POST /owner/call', 'the desk'],
  ['GET /assets/:hash/:file', 'stylesheet and scripts'],
  ['POST /mcp', 'models over MCP'],
  ['GET /feed.xml', 'feeds and sitemap'],
  ['GET /tile/*', 'log and proofs'],
  ['GET /healthz', 'health and metrics'],
  ['POST /api/dispatch', 'calls and writes over the API'],
  ['GET /api/articles/:slug', 'reads over the API'],
  ['POST /a/:slug/discuss', 'forms of the pages'],
  ['GET /a/:slug', 'pages'],
])('counts %s to %s', (path, area) => {
  expect(requestAreas(routesOf(path), 0)).toEqual([{ name: area, answered: 1, refused: 0 }]);
});

it('adds up the routes of an area, tells refusals, and counts reads from memory', () => {
  const routes = new Map([
    ...routesOf('GET /', 'GET /a/:slug').routes,
    ['GET /b', { method: 'GET', path: '/b', counters: counters([0, 0, 0, 2, 4, 1]) }] as const,
  ]);
  expect(requestAreas({ routes, refusals: new Map() }, 3)).toEqual([
    { name: 'pages', answered: 13, refused: 5 },
    { name: 'reads and pages from memory', answered: 3, refused: 0 },
  ]);
});
