/** Rounds at many addresses, once or again and again, and what is printed of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf, type MonitorEvent } from './events.ts';
import { RoundChanges } from './round-changes.ts';
import type { Monitoring } from './round.ts';

type Rounds = Pick<Monitoring, 'round'>;

/** The longest wait after failures; not shorter than --every. */
const backOffMs = 60 * 60_000;

/** Looks once; answers with the exit status. */
export async function lookOnce(
  monitoring: Rounds,
  urls: readonly string[],
  peers: readonly string[],
  print: (event: MonitorEvent) => void,
): Promise<number> {
  const events: MonitorEvent[] = [];
  const lookAt = async (addresses: readonly string[], isPeer: boolean): Promise<void> => {
    const rounds = await Promise.all([...new Set(addresses)].map((url) => monitoring.round(url, isPeer)));
    for (const round of rounds) {
      for (const event of round.events) print(event);
      round.printed();
      events.push(...round.events);
    }
  };
  await lookAt(urls, false);
  // Peers are held to the keys that the logs have shown.
  await lookAt(peers, true);
  return statusOf(events);
}

/** Looks again and again until it is stopped; answers with the status of the last rounds. */
export async function follow(
  monitoring: Rounds,
  urls: readonly string[],
  peers: readonly string[],
  everyMs: number,
  stop: AbortSignal,
  print: (event: MonitorEvent) => void,
): Promise<number> {
  const last = new Map<string, readonly MonitorEvent[]>();
  const changes = new Map<string, RoundChanges>();
  const look = async (url: string, isPeer: boolean): Promise<void> => {
    const { events, isWhole, printed } = await monitoring.round(url, isPeer);
    // What the stop itself has made unreadable is no news, and what was found before is.
    const found = stop.aborted ? events.filter(({ event }) => event !== 'unreadable') : events;
    const known = changes.get(url) ?? new RoundChanges();
    changes.set(url, known);
    for (const event of known.next(found, isWhole)) print(event);
    printed();
    last.set(url, stop.aborted ? [...(last.get(url) ?? []), ...found] : found);
  };
  const watch = async (url: string, isPeer: boolean): Promise<void> => {
    for (let failures = 0; !stop.aborted;) {
      failures = statusOf(last.get(url) ?? []) === 2 ? failures + 1 : 0;
      const wait = Math.min(everyMs * 2 ** Math.min(failures, 20), Math.max(everyMs, backOffMs));
      await sleep(wait * (0.9 + 0.2 * Math.random()), undefined, { signal: stop }).catch(() => undefined);
      if (!stop.aborted) await look(url, isPeer);
    }
  };
  const [logs, mirrors] = [[...new Set(urls)], [...new Set(peers)]];
  await Promise.all(logs.map((url) => look(url, false)));
  // Peers are held to the keys that the logs have shown.
  await Promise.all([
    ...logs.map((url) => watch(url, false)),
    ...mirrors.map(async (url) => {
      await look(url, true);
      await watch(url, true);
    }),
  ]);
  return statusOf([...last.values()].flat());
}
