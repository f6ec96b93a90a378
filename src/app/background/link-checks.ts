/**
 * Checks sources in the background (spec §2.3, contract §5): does the link answer, is the quote still there. Off
 * unless configured; one node and one page at a time, with a pause between requests to the same host.
 */
import { linkCheckEvent, linkStatusOf, holdsQuote, linkTable } from '../../domain/articles/link-checks.ts';
import { articleOf } from '../../domain/articles/state.ts';
import { workspaceOfSlug } from '../../domain/articles/slugs.ts';
import { workspacesOf } from '../reads/workspaces.ts';
import { articleIndexTable, sourceTable } from '../../domain/articles/tables.ts';
import { leaseTable } from '../../domain/jobs/lease.ts';
import type { FetchText } from '../../domain/outside/outside.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { writes } from '../../engine/act.ts';
import { scrubText } from '../../guard/secrets.ts';
import { isFault } from '../../kernel/fault.ts';
import type { Service } from '../service.ts';
import { holdsJobLease } from './job-lease.ts';
import type { LinkCheck, Source } from '../../model/source.ts';

export interface LinkCheckOptions {
  readonly fetchText: FetchText;
  /** Identifies this process among those that share the store. */
  readonly holder: string;
  /** Interval between checks of a source. */
  readonly againAfterMs?: number;
  readonly leaseMs?: number;
  /** Pause between requests to the same host. */
  readonly pauseMs?: number;
  /** Delay of the first round after start. */
  readonly firstAfterMs?: number;
  readonly signal?: AbortSignal;
}

const defaults = {
  againAfterMs: 7 * 86_400_000,
  leaseMs: 10 * 60_000,
  pauseMs: 2000,
  firstAfterMs: 60_000,
} as const;
/** Articles and sources per round. */
const articlesMax = 500;
const sourcesMax = 100;
const urlCharsMax = 2000;

interface Due {
  readonly aid: string;
  readonly sources: readonly Source[];
}

/** One round, from the article after `after` on. Returns how many sources it checked and where it stopped. */
export async function checkLinks(
  service: Service,
  options: LinkCheckOptions,
  after?: string,
): Promise<{ readonly checked: number; readonly at: string | undefined }> {
  const { leaseMs, againAfterMs } = { ...defaults, ...options };
  const { due, at } = await findDue(service, againAfterMs, after);
  if (due.length === 0) return { checked: 0, at };
  const endMs = service.now() + leaseMs;
  if (!(await holdsJobLease(service, 'link_check', options.holder, endMs))) return { checked: 0, at };
  const polite = pacer(options);
  let checked = 0;
  for (const { aid, sources } of due) {
    const found: LinkCheck[] = [];
    for (const source of sources) {
      // The rest of a round that takes too long is left to the next one.
      if (options.signal?.aborted === true || service.now() > endMs - leaseMs / 5) break;
      await polite(source.url);
      found.push(await look(service, options.fetchText, source));
    }
    await record(service, aid, found);
    checked += found.length;
  }
  return { checked, at };
}

/** Published articles with sources that are due. */
async function findDue(
  service: Service,
  againAfterMs: number,
  after: string | undefined,
): Promise<{ readonly due: readonly Due[]; readonly at: string | undefined }> {
  const { read } = service.store;
  const before = new Date(service.now() - againAfterMs).toISOString();
  const due: Due[] = [];
  let left = sourcesMax;
  let looked = 0;
  // Workspaces in order; the slug where a round stopped names its workspace.
  const workspaces = [...(await workspacesOf(service)).values()];
  const start = workspaces.findIndex(({ state }) => state.name === workspaceOfSlug(after));
  for (const [i, { tenant }] of workspaces.slice(Math.max(0, start)).entries()) {
    const rows = await read.list(articleIndexTable, tenant, {
      limit: articlesMax - looked,
      ...(after === undefined || i > 0 ? {} : { after }),
    });
    for (const { aid, slug, status } of rows) {
      if (status !== 'published') continue;
      const known = await read.rows(linkTable, aid);
      const sources = [...(await read.rows(sourceTable, aid)).values()]
        .filter(({ source_id: id }) => (known.get(id)?.checked_at ?? '') <= before)
        .sort((a, b) => a.n - b.n)
        .slice(0, left)
        .map(({ source }) => source);
      if (sources.length > 0) due.push({ aid, sources });
      left -= sources.length;
      if (left === 0) return { due, at: slug };
    }
    looked += rows.length;
    if (looked >= articlesMax) return { due, at: rows.at(-1)?.slug };
  }
  return { due, at: undefined };
}

async function look(service: Service, fetchText: FetchText, source: Source): Promise<LinkCheck> {
  const seen = await fetchText(source.url);
  const found = { source_id: source.id, checked_at: new Date(service.now()).toISOString() };
  if (isFault(seen)) {
    // The response is not text.
    const answered = seen.details?.['status'];
    const http = typeof answered === 'number' ? answered : null;
    const linkStatus = http === null ? ('unreachable' as const) : linkStatusOf(http);
    return { ...found, link_status: linkStatus, http_status: http, final_url: null, quote_found: null };
  }
  const status = linkStatusOf(seen.status);
  return {
    ...found,
    link_status: status,
    http_status: seen.status,
    final_url:
      seen.finalUrl === source.url
        ? null
        : scrubText(seen.finalUrl.slice(0, urlCharsMax), fingerprintOf).value,
    quote_found: status === 'ok' ? holdsQuote(seen.text, source.quote) : null,
  };
}

async function record(service: Service, aid: string, found: readonly LinkCheck[]): Promise<void> {
  if (found.length === 0) return;
  const now = new Date(service.now()).toISOString();
  const done = await service.store.run({
    name: 'record link checks',
    keys: [writes('article', aid)],
    decide(tx) {
      const article = articleOf(tx, aid);
      const event =
        article === undefined ? undefined : linkCheckEvent(article, tx.rows(linkTable, aid), found, now);
      if (event !== undefined) tx.append(event);
    },
  });
  if (isFault(done)) throw new Error(`link checks were not recorded: ${done.message}`);
}

/** Waits until the host may be requested again. */
function pacer({ pauseMs = defaults.pauseMs, signal }: LinkCheckOptions): (url: string) => Promise<void> {
  const lastRequestAt = new Map<string, number>();
  return async (url) => {
    const host = URL.parse(url)?.host ?? '';
    const wait = (lastRequestAt.get(host) ?? -Infinity) + pauseMs - performance.now();
    if (wait > 0) await pause(wait, signal);
    lastRequestAt.set(host, performance.now());
  };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Delay of the first round: rounds keep their interval across restarts and nodes. */
async function untilFirst(
  { store, now }: Service,
  { firstAfterMs = defaults.firstAfterMs }: LinkCheckOptions,
  everyMs: number,
): Promise<number> {
  const last = await store.read.row(leaseTable, 'link_check');
  const due = last === undefined ? 0 : Date.parse(last.head.ts) + everyMs - now();
  // After the clock was set back, the delay is at most one interval.
  return Math.min(Math.max(due, firstAfterMs), everyMs);
}

/** Runs rounds every `everyMs` until stopped. */
export function startLinkChecks(
  service: Service,
  options: LinkCheckOptions,
  everyMs: number,
  onTrouble: (error: unknown) => void,
): { stop(): Promise<void> } {
  const closing = new AbortController();
  const run = async (): Promise<void> => {
    let at: string | undefined;
    let wait = await untilFirst(service, options, everyMs).catch((error: unknown) => {
      onTrouble(error);
      return everyMs;
    });
    for (; !closing.signal.aborted; wait = everyMs) {
      await pause(wait, closing.signal);
      if (closing.signal.aborted) return;
      try {
        ({ at } = await checkLinks(service, { ...options, signal: closing.signal }, at));
      } catch (error) {
        onTrouble(error);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      closing.abort();
      await running;
    },
  };
}
