/** `/healthz`, `/readyz` and `/robots.txt` (contract §7): what runs, what answers, and what crawlers leave alone. */
import { StoreUnreachable } from '../../engine/store.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { mediaReply } from './replies.ts';
import { route, type Door } from './route.ts';

const described = { tag: 'discovery', caller: 'nobody', query: undefined, json: false } as const;

/** What asks expects an answer within a second or two, and takes none for a no of an unknown kind. */
const readyWithinMs = 1000;

/** What the deployment still does before it is what it is to be, as a clause; undefined when it is done. */
export type Unready = () => string | undefined;

export function stateRoutes(door: Door, unready: Unready): void {
  const { store, base } = door.service;
  const json = { ...described, types: ['application/json'], cache: 'no-store' } as const;
  const text = { ...described, types: ['text/plain'] } as const;

  route(
    door,
    { ...json, get: '/healthz', id: 'readLiveness', summary: 'Whether the process answers.' },
    () => ({
      ok: true,
    }),
  );
  route(
    door,
    {
      ...json,
      get: '/readyz',
      id: 'readReadiness',
      summary: 'Whether the ledger answers and holds what it starts with; 503 where not.',
    },
    async () => {
      try {
        const entries = await store.probe(readyWithinMs);
        const awaited = unready();
        return awaited === undefined ? { ok: true, entries } : starting(awaited);
      } catch (error) {
        if (!(error instanceof StoreUnreachable)) throw error;
        return unreachable(error);
      }
    },
  );
  const robots = `User-agent: *\nDisallow: /start\nDisallow: /api/dispatch\n\nSitemap: ${base}/sitemap.xml\n`;
  route(door, { ...text, get: '/robots.txt', id: 'readRobots', summary: 'What crawlers leave alone.' }, () =>
    mediaReply('text/plain; charset=utf-8', robots),
  );
}

function starting(awaited: string): Fault {
  return fault('overloaded', `The deployment is starting: ${awaited}.`, 'Ask again in a second.');
}

function unreachable({ message, fix }: StoreUnreachable): Fault {
  return fault(
    'overloaded',
    `The ledger cannot be reached: ${message}.`,
    fix ??
      'See that the database runs and takes connections from here; this server goes on by itself once it does.',
  );
}
