/** What is printed of the rounds at one address: what was not so in the round before, and which problems are over. */
import type { MonitorEvent } from './events.ts';

type Problem = Extract<MonitorEvent, { readonly event: 'problem' }>;

/** What every round to the end finds anew, whatever else it finds. */
const independentChecks = new Set(['chain', 'quorum']);

export class RoundChanges {
  #before: readonly MonitorEvent[] = [];
  /** The newest problem of each check that is not known to be over. */
  readonly #open = new Map<string, Problem>();

  /** `isWhole`: the round went to its end, so that a problem that it did not find is over. */
  next(events: readonly MonitorEvent[], isWhole: boolean): readonly MonitorEvent[] {
    const problems = events.filter((each) => each.event === 'problem');
    const isJudged = isWhole && events.every(({ event }) => event !== 'fork');
    const ended = isJudged ? [...this.#open.values()].filter(({ check }) => isOver(check, problems)) : [];
    for (const { check } of ended) this.#open.delete(check);
    for (const problem of problems) this.#open.set(problem.check, problem);
    const news = newsIn(events, this.#before);
    this.#before = events;
    return [...news, ...ended.map(({ url, log, check }) => ({ event: 'ended', url, log, check }) as const)];
  }
}

/** Where a checkpoint is refused, what it would lead to is not checked. */
function isOver(check: string, problems: readonly Problem[]): boolean {
  return independentChecks.has(check)
    ? problems.every((each) => each.check !== check)
    : problems.every((each) => independentChecks.has(each.check));
}

/** Alarms and watched entries are news in every round. */
function newsIn(events: readonly MonitorEvent[], before: readonly MonitorEvent[]): readonly MonitorEvent[] {
  const known = new Set(before.map(identityOf));
  const wasUnread = before.some(({ event }) => event === 'unreadable');
  return events.filter((each) => {
    if (each.event === 'fork' || each.event === 'entry' || each.event === 'more_entries') return true;
    if (each.event === 'unchanged') return wasUnread;
    return each.event !== 'cosigned' && !known.has(identityOf(each));
  });
}

function identityOf(event: MonitorEvent): string {
  return event.event === 'behind' ? event.event : JSON.stringify(event);
}
