/**
 * What is wrong with transparency logs, this deployment's own or those that it follows (contract §6): evidence of two
 * histories, kept for good, and whatever else has a source here. Metrics, the desk, `/log` and doctor show the same.
 * Evidence is witness state: rows of the keyring, one for each log, which backups hold and nodes share; neither entries
 * nor made again by a rebuild.
 */
import type { Keyring } from '../engine/store.ts';
import { codePoint } from '../kernel/invisible-characters.ts';
import {
  evidenceId,
  formatEvidence,
  judgeEvidence,
  parseEvidence,
  type Fork,
  type ForkEvidence,
} from '../ledger/fork-evidence.ts';
import { isRefusal, type Refusal } from '../ledger/refusal.ts';

/** Evidence in the keyring: the prefix and `evidenceId`. The first of each log stays. */
export const evidenceRecords = 'evidence/';

/** What is wrong with a witness or with another log, for the log of the server. */
export class WitnessTrouble extends Error {
  /** Whether an operator should act at once. */
  readonly isAlarm: boolean;

  constructor(message: string, isAlarm: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isAlarm = isAlarm;
  }
}

export interface LogAlarm {
  /** One sentence, fit to be shown to anybody: foreign names in it went through `logName`. */
  readonly text: string;
  /** Of the evidence that proves it, where there is some (`LogAlarms.evidence`). */
  readonly evidenceId?: string;
}

/** Evidence that was judged, and how it is kept. */
export interface KeptFork extends Fork {
  readonly id: string;
  /** The file. */
  readonly text: string;
}

/** Answers from memory, or at most about once a second from a store. */
export type AlarmSource = () => Promise<readonly LogAlarm[]>;

export interface LogAlarmsOptions {
  readonly keyring: Pick<Keyring, 'claim' | 'under'>;
  /** Told of each fork when it is kept first. */
  readonly onFork?: (fork: KeptFork) => void;
  readonly monotonicMs?: () => number;
}

/** For how long rows are not read again. */
const freshMs = 1_000;

export class LogAlarms {
  readonly #options: LogAlarmsOptions;
  readonly #sources: AlarmSource[] = [];
  /** Evidence that was kept or read by this process, by id. */
  readonly #known = new Map<string, KeptFork>();
  #read: { readonly atMs: number; readonly forks: Promise<readonly KeptFork[]> } | undefined;

  constructor(options: LogAlarmsOptions) {
    this.#options = options;
  }

  /** Shows the alarms of another source in the same places. */
  watch(source: AlarmSource): void {
    this.#sources.push(source);
  }

  /** Logs that are known to have signed two histories. */
  forks(): Promise<readonly KeptFork[]> {
    const nowMs = this.#nowMs();
    if (this.#read === undefined || nowMs - this.#read.atMs >= freshMs) {
      const read = { atMs: nowMs, forks: this.#readForks() };
      this.#read = read;
      read.forks.catch(() => {
        if (this.#read === read) this.#read = undefined;
      });
    }
    return this.#read.forks;
  }

  async all(): Promise<readonly LogAlarm[]> {
    const forks = (await this.forks()).map(({ origin, id }) => ({
      text: `The log ${logName(origin)} signed two histories.`,
      evidenceId: id,
    }));
    return [...forks, ...(await Promise.all(this.#sources.map((source) => source()))).flat()];
  }

  /** The file with this id. */
  async evidence(id: string): Promise<string | undefined> {
    return (await this.forks()).find((fork) => fork.id === id)?.text;
  }

  /** Keeps evidence durably, unless evidence against the same log is kept already. Refuses what proves no fork. */
  async keep(evidence: ForkEvidence): Promise<KeptFork | Refusal> {
    const judged = judgeEvidence(evidence);
    if (isRefusal(judged)) return judged;
    const id = evidenceId(judged.origin);
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const text = await this.#options.keyring.claim(evidenceRecords + id, formatEvidence(evidence));
    const kept = this.#known.get(id) ?? readFork(id, text);
    if (isRefusal(kept))
      throw new Error(`the evidence against ${judged.origin} was altered: ${kept.refused}`);
    if (!this.#known.has(id)) {
      this.#known.set(id, kept);
      this.#read = undefined;
      this.#options.onFork?.(kept);
    }
    return kept;
  }

  /** Skips altered rows that prove no fork any more; doctor names them. */
  async #readForks(): Promise<readonly KeptFork[]> {
    const rows = await this.#options.keyring.under(evidenceRecords);
    return rows.flatMap(({ name, value }) => {
      const id = name.slice(evidenceRecords.length);
      const known = this.#known.get(id);
      const fork = known?.text === value ? known : readFork(id, value);
      if (isRefusal(fork)) return [];
      this.#known.set(id, fork);
      return [fork];
    });
  }

  #nowMs(): number {
    return (this.#options.monotonicMs ?? performance.now.bind(performance))();
  }
}

/** Reads kept evidence, and judges it again. */
export function readFork(id: string, text: string): KeptFork | Refusal {
  const evidence = parseEvidence(text);
  if (isRefusal(evidence)) return evidence;
  const fork = judgeEvidence(evidence);
  if (isRefusal(fork)) return fork;
  return evidenceId(fork.origin) === id
    ? { ...fork, id, text }
    : { refused: `it is about ${logName(fork.origin)}, and kept for another log` };
}

const nameCharactersMax = 120;

/** The name of a foreign log for people: bounded, and without characters that deceive or cannot be seen. */
export function logName(origin: string): string {
  const characters = Array.from(origin.slice(0, 2 * nameCharactersMax));
  const shown = characters
    .slice(0, nameCharactersMax)
    .map((each) => (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(each) ? each : `<${codePoint(each)}>`))
    .join('');
  return characters.length > nameCharactersMax ? `${shown}…` : shown;
}
