/** One round at one address: its checkpoints are read and judged beside what was seen of the log at every address. */
import { fromUtf8 } from '../../../../verify/bytes.ts';
import type { LogFetch } from '../../../../verify/files.ts';
import { isRecord, parse } from '../../../../verify/json.ts';
import { LogMonitor, type Finding, type MonitoredKey } from '../../../../verify/monitor.ts';
import { monitorFetch, Unreachable } from '../../../../verify/monitor-fetch.ts';
import { monitoredKey, readNotes, type KeyOrigin } from '../../../../verify/monitor-key.ts';
import { checkPolicy } from '../../../../verify/policy.ts';
import { InvalidEvidence } from '../../../../verify/report.ts';
import { plain, type MonitorEvent } from './events.ts';
import { KeptLogLocked, type SqliteKeptLog, type TakenNews } from './kept-log.ts';
import type { StateFolder } from './state-folder.ts';

export interface MonitorSettings {
  /** Verifier keys, `name+hash+key`. */
  readonly keys: readonly string[];
  readonly policy: Uint8Array | undefined;
  /** Ids and slugs. */
  readonly watched: readonly string[];
}

/** Watched entries that are listed in a round; others are counted. */
const listedMax = 1000;
/** A round that takes longer is given up, and nothing of it is kept. */
const roundMs = 60 * 60_000;

export interface Round {
  readonly events: readonly MonitorEvent[];
  /** Whether it went to its end: nothing was unreadable or refused as a whole. */
  readonly isWhole: boolean;
  /** Is called once the events are printed: watched entries come again after a new start until then. */
  readonly printed: () => void;
}

interface OpenLog {
  readonly kept: SqliteKeptLog;
  /** Ends when the rounds before have ended: the log is followed at one address at a time. */
  turn: Promise<unknown>;
}

export class Monitoring {
  readonly #state: StateFolder;
  readonly #settings: MonitorSettings;
  readonly #stop: AbortSignal;
  readonly #logs = new Map<string, OpenLog>();
  /** Ids of slugs, by address and slug. */
  readonly #resolved = new Map<string, string>();

  constructor(state: StateFolder, settings: MonitorSettings, stop: AbortSignal) {
    this.#state = state;
    this.#settings = settings;
    this.#stop = stop;
  }

  /** `isPeer`: the address must show a log that is known already; its own key is not taken. */
  async round(url: string, isPeer: boolean): Promise<Round> {
    const events: MonitorEvent[] = [];
    let isWhole = false;
    let printed = (): void => undefined;
    const read = monitorFetch(url, AbortSignal.any([this.#stop, AbortSignal.timeout(roundMs)]));
    let log: string | undefined;
    try {
      const { notes, failure } = await readNotes(read);
      if (failure !== undefined) events.push({ event: 'unreadable', url, detail: failure.message });
      const key = await this.#keyOf(read, url, notes[0], isPeer, events);
      log = key.key.name;
      const watched = await this.#resolve(read, url, events);
      await this.#inTurn(key, async (kept) => {
        const progress = showProgress(key.key.name);
        const findings = await new LogMonitor(kept, key).look(read, notes, { watched, progress });
        for (const finding of findings) events.push(this.#eventOf(finding, url, key));
        if (
          key.by === 'pinned' &&
          findings.some((each) => each.kind === 'problem' && each.id === 'signature')
        )
          events.push({
            event: 'problem',
            url,
            log: key.key.name,
            check: 'key',
            detail: `the key that it named at first use is pinned in ${this.#state.pinsPath}; a log that began anew has another name and key`,
          });
        const alarmed = new Set(events.map((each) => (each.event === 'fork' ? each.file : '')));
        for (const { path, sizes } of this.#state.evidence(key))
          if (!alarmed.has(path)) events.push({ event: 'fork', url, log: key.key.name, sizes, file: path });
        const taken = kept.takeNews(listedMax);
        printed = () => deletePrinted(kept, taken);
        for (const news of taken.news) events.push({ event: 'entry', url, log: key.key.name, ...news });
        if (taken.unlisted > 0)
          events.push({ event: 'more_entries', url, log: key.key.name, count: taken.unlisted });
      });
      for (const { ok, detail } of await checkPolicy(notes[0], key.key, { policy: this.#settings.policy }))
        events.push(
          ok
            ? { event: 'cosigned', url, log, detail }
            : { event: 'problem', url, log, check: 'quorum', detail },
        );
      isWhole = true;
    } catch (error) {
      // The state of this log alone is locked; other logs are followed meanwhile.
      if (error instanceof Unreachable || error instanceof KeptLogLocked)
        events.push({ event: 'unreadable', url, detail: error.message });
      else if (error instanceof InvalidEvidence)
        events.push({ event: 'problem', url, log, check: error.id, detail: error.message });
      else throw error;
    }
    return { events, isWhole, printed };
  }

  close(): void {
    for (const { kept } of this.#logs.values()) kept.close();
  }

  async #inTurn(key: MonitoredKey, work: (kept: SqliteKeptLog) => Promise<void>): Promise<void> {
    const log = this.#logs.get(key.text) ?? { kept: this.#state.openLog(key), turn: Promise.resolve() };
    this.#logs.set(key.text, log);
    const turn = log.turn.then(() => work(log.kept));
    log.turn = turn.catch(() => undefined);
    await turn;
  }

  /** The key that the log must be of; at first use it is pinned, unless another address showed another one. */
  async #keyOf(
    read: LogFetch,
    url: string,
    note: string,
    isPeer: boolean,
    events: MonitorEvent[],
  ): Promise<MonitoredKey & { readonly by: KeyOrigin }> {
    const { keys: given, policy } = this.#settings;
    const origin = note.split('\n', 1)[0] as string;
    const pinned = isPeer
      ? [...this.#state.pins().values()].find((text) => originOf(text) === origin)
      : this.#state.pins().get(url);
    const found = await monitoredKey(read, note, { given, policy, pinned });
    if (found.by !== 'first use') return found;
    if (isPeer) throw new InvalidEvidence('key', `no key is known of the log ${JSON.stringify(origin)}`);
    for (const [other, text] of this.#state.pins())
      if (originOf(text) === found.key.name && text !== found.text)
        throw new InvalidEvidence(
          'key',
          `it names another key of ${found.key.name} than ${other}, so that one of the two is not the log; give the right key with --key`,
        );
    this.#state.pin(url, found.text);
    events.push({ event: 'key', url, log: found.key.name, key: found.text });
    return found;
  }

  #eventOf(finding: Finding, url: string, key: MonitoredKey): MonitorEvent {
    const log = key.key.name;
    switch (finding.kind) {
      case 'problem':
        return { event: 'problem', url, log, check: finding.id, detail: finding.detail };
      case 'fork': {
        const { path, sizes } = this.#state.keepEvidence(key, finding.sizes, finding.evidence);
        return { event: 'fork', url, log, sizes, file: path };
      }
      default: {
        const { kind, ...details } = finding;
        return { event: kind, url, log, ...details } as MonitorEvent;
      }
    }
  }

  /** The watched ids; what a slug is, only the server can say. */
  async #resolve(read: LogFetch, url: string, events: MonitorEvent[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const watched of this.#settings.watched) {
      const place = `${url} ${watched}`;
      const id = isId(watched) ? watched : (this.#resolved.get(place) ?? (await articleId(read, watched)));
      if (id === undefined) {
        events.push({ event: 'unreadable', url, detail: `it knows no article "${watched}" to watch` });
        continue;
      }
      if (id !== watched && !this.#resolved.has(place))
        events.push({ event: 'resolved', url, slug: watched, id });
      this.#resolved.set(place, id);
      ids.push(id);
    }
    return ids;
  }
}

function deletePrinted(kept: SqliteKeptLog, taken: TakenNews): void {
  try {
    kept.deleteNews(taken);
  } catch (error) {
    // They are printed twice, where this process is started anew.
    if (!(error instanceof KeptLogLocked)) throw error;
  }
}

function originOf(verifierKey: string): string {
  return verifierKey.slice(0, verifierKey.indexOf('+'));
}

/** On a terminal, beside what is printed. */
function showProgress(log: string): ((done: number, of: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return (done, of) => {
    const end = done === of ? '\r\u001B[K' : '';
    process.stderr.write(`\r${plain(log)}: ${done} of ${of} entries${end}`);
  };
}

export function isId(watched: string): boolean {
  return /^(?:art|cap|inv)_[A-Za-z0-9_-]{1,100}$/.test(watched);
}

async function articleId(read: LogFetch, slug: string): Promise<string | undefined> {
  const text = fromUtf8((await read(`api/articles/${slug}`)) ?? new Uint8Array(0));
  try {
    const value = parse(text ?? '');
    const object = isRecord(value) && isRecord(value['object']) ? value['object'] : {};
    const { id } = isRecord(object['identity']) ? object['identity'] : {};
    return typeof id === 'string' && isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
