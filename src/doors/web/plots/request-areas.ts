/** Requests since this process started, by the part of the site that they were for (contract §8, traffic). */
import type { HttpCounters } from '../../http/request-metrics.ts';

export interface Area {
  readonly name: string;
  /** Statuses below 400. */
  readonly answered: number;
  readonly refused: number;
}

/** The first rule that matches names the area of a route. */
const areas: readonly (readonly [name: string, matches: (method: string, path: string) => boolean])[] = [
  ['no such address', (method) => method === 'any'],
  ['the desk', (_, path) => path.startsWith('/owner')],
  ['stylesheet and scripts', (_, path) => path.startsWith('/assets')],
  ['models over MCP', (_, path) => path.startsWith('/mcp')],
  ['feeds and sitemap', (_, path) => path.endsWith('.xml')],
  ['log and proofs', (_, path) => /^\/(?:checkpoint|tile|witness|\.well-known)/.test(path)],
  ['health and metrics', (_, path) => /^\/(?:healthz|readyz|metrics)/.test(path)],
  ['calls and writes over the API', (method, path) => path.startsWith('/api') && isWrite(method)],
  ['reads over the API', (_, path) => path.startsWith('/api')],
  ['forms of the pages', isWrite],
];
const pages = 'pages';

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** Most requests first; areas without requests are left out. */
export function requestAreas({ routes }: HttpCounters, warmReads: number): readonly Area[] {
  const sums = new Map<string, { answered: number; refused: number }>();
  for (const { method, path, counters } of routes.values()) {
    const name = areas.find(([, matches]) => matches(method, path))?.[0] ?? pages;
    const sum = sums.get(name) ?? { answered: 0, refused: 0 };
    for (const [digit, count] of counters.statuses.entries())
      sum[digit < 4 ? 'answered' : 'refused'] += count;
    sums.set(name, sum);
  }
  return [...sums, ['reads and pages from memory', { answered: warmReads, refused: 0 }] as const]
    .map(([name, counts]) => ({ name, ...counts }))
    .filter(({ answered, refused }) => answered + refused > 0)
    .sort((a, b) => b.answered + b.refused - a.answered - a.refused);
}
