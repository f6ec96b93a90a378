/** Every route of a server, from the server itself: a list by hand would miss the next one. */
import type { FastifyInstance } from 'fastify';

export interface Route {
  readonly method: string;
  /** With `:name` and `*` for what varies. */
  readonly path: string;
}

export async function routesOf(app: FastifyInstance): Promise<Route[]> {
  await app.ready();
  return listed(app.printRoutes({ commonPrefix: false }));
}

/**
 * The tree that the framework prints, as a flat list; HEAD goes with GET. It prints `/tile/*` as `*` and leaves
 * out what is below two parameters, so these are named here.
 */
function listed(printed: string): Route[] {
  const found: Route[] = [
    { method: 'GET', path: '/tile/*' },
    { method: 'GET', path: '/assets/:hash/:file' },
  ];
  const above: string[] = [];
  for (const line of printed.split('\n')) {
    const match = /^([│ ]*)[└├]── (\S*) \(([A-Z, ]+)\)/.exec(line);
    if (match === null) continue;
    const depth = (match[1] ?? '').length / 4;
    above.length = depth;
    above[depth] = match[2] ?? '';
    const path = above
      .join('')
      .replace(/^\/+/, '/')
      .replace(/([a-z])\*$/, '$1/*');
    for (const method of (match[3] ?? '').split(', ')) if (method !== 'HEAD') found.push({ method, path });
  }
  return found;
}
