/** The rounds of the monitor and what it keeps, within this process. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toLine, type MonitorEvent } from '../../src/doors/cli/monitoring/events.ts';
import { follow, lookOnce } from '../../src/doors/cli/monitoring/follow.ts';
import { SqliteKeptLog, type TakenNews } from '../../src/doors/cli/monitoring/kept-log.ts';
import { Monitoring, type Round } from '../../src/doors/cli/monitoring/round.ts';
import { RoundChanges } from '../../src/doors/cli/monitoring/round-changes.ts';
import { StateFolder } from '../../src/doors/cli/monitoring/state-folder.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { signerFromSeed, type NoteSigner } from '../../src/ledger/note.ts';
import { parseVerifierKey } from '../../verify/note.ts';
import { historyTexts } from '../support/monitored-log.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { removeFolders, temporaryFolder } from '../support/process-server.ts';
import { logFiles, signer } from '../unit/verify/support.ts';

type Files = Map<string, Uint8Array>;

/** The same tree as a log of another key. */
function signedBy(by: NoteSigner, files: Files): Files {
  const [, size, root = ''] = Buffer.from(files.get('checkpoint') as Uint8Array)
    .toString()
    .split('\n');
  const note = signCheckpoint(by, Number(size), Buffer.from(root, 'base64'));
  return new Map([
    ...files,
    ['checkpoint', Buffer.from(note)],
    ['.well-known/colophon-key', Buffer.from(by.key.text)],
  ]);
}

let folder: string;
let monitoring: Monitoring;
const peers: Peer[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  const settings = { keys: [], policy: undefined, watched: [] };
  monitoring = new Monitoring(new StateFolder(folder), settings, new AbortController().signal);
});
afterEach(async () => {
  monitoring.close();
  for (const peer of peers.splice(0)) await peer.stop();
});
afterAll(removeFolders);

/** A server of whatever files `files` has by then. */
async function serveFiles(files: () => Files): Promise<string> {
  const peer = await startPeer((request, reply) => {
    const body = files().get((request.url as string).slice(1));
    reply.writeHead(body === undefined ? 404 : 200).end(body);
  });
  peers.push(peer);
  return `${peer.base}/`;
}

async function printedRound(url: string, isPeer: boolean): Promise<readonly MonitorEvent[]> {
  const { events, printed } = await monitoring.round(url, isPeer);
  printed();
  return events;
}

const kinds = (events: readonly MonitorEvent[]): string[] =>
  events.map((each) => (each.event === 'problem' ? `${each.check}: ${each.detail}` : each.event));

describe('a round', () => {
  it('does not follow a redirect, not even to the same log', async () => {
    const log = await serveFiles(() => logFiles(historyTexts(3)));
    const redirecting = await startPeer((request, reply) =>
      reply.writeHead(307, { location: log + (request.url as string).slice(1) }).end(),
    );
    peers.push(redirecting);
    expect(kinds(await printedRound(`${redirecting.base}/`, false))).toEqual(['unreadable']);
    expect(readdirSync(join(folder, 'logs'))).toEqual([]);
  });

  it('takes no second key for one name, and no key from a peer', async () => {
    const log = await serveFiles(() => logFiles(historyTexts(3)));
    const forger = signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 6));
    const forged = logFiles(historyTexts(3));
    forged.set('.well-known/colophon-key', Buffer.from(forger.key.text));
    forged.set('checkpoint', Buffer.from(signCheckpoint(forger, 3, Buffer.alloc(32, 1))));
    const other = await serveFiles(() => forged);
    expect(kinds(await printedRound(log, true))).toEqual([
      'key: no key is known of the log "ledger.example/colophon"',
    ]);
    expect(kinds(await printedRound(log, false))).toEqual(['key', 'grown']);
    expect(kinds(await printedRound(other, false))).toEqual([
      expect.stringContaining('key: it names another key of ledger.example/colophon than'),
    ]);
    expect(kinds(await printedRound(log, true))).toEqual(['unchanged']);
  });

  it('keeps one history at many addresses, also where they are read at the same time', async () => {
    const faces = [logFiles(historyTexts(30)), logFiles(historyTexts(30, 9)), logFiles(historyTexts(20))];
    const urls = await Promise.all(faces.map((files) => serveFiles(() => files)));
    const events = (await Promise.all(urls.map((url) => printedRound(url, false)))).flat();
    expect(events.filter(({ event }) => event === 'fork').length).toBeGreaterThan(0);
    expect(readdirSync(join(folder, 'evidence')).length).toBeGreaterThan(0);
    // And after a new start.
    monitoring.close();
    monitoring = new Monitoring(
      new StateFolder(folder),
      { keys: [], policy: undefined, watched: [] },
      new AbortController().signal,
    );
    for (const url of urls) expect(kinds(await printedRound(url, false))).toContain('fork');
  });

  it('is unreadable where another process has locked what is kept of its log, and of no other', async () => {
    let files = logFiles(historyTexts(30));
    const locked = await serveFiles(() => files);
    const other = signerFromSeed('other.example', Buffer.alloc(32, 3));
    const free = await serveFiles(() => signedBy(other, logFiles(historyTexts(3))));
    const inUse = [
      expect.stringMatching(/^another monitor is using .*sqlite; give this one another folder with --state$/),
    ];
    const unread = (events: readonly MonitorEvent[]): string[] =>
      events.flatMap((each) => (each.event === 'unreadable' ? [each.detail] : []));
    await printedRound(locked, false);
    const [name = ''] = readdirSync(join(folder, 'logs'));
    const lock = new DatabaseSync(join(folder, 'logs', name));
    // A writer, and one whose update is so large that nobody may read.
    for (const [begin, size] of [
      ['BEGIN IMMEDIATE', 40],
      ['BEGIN EXCLUSIVE', 50],
    ] as const) {
      files = logFiles(historyTexts(size));
      lock.exec(begin);
      expect(unread(await printedRound(locked, false))).toEqual(inUse);
      expect(kinds(await printedRound(free, false))).toContain(size === 40 ? 'grown' : 'unchanged');
      lock.exec('ROLLBACK');
      expect(kinds(await printedRound(locked, false))).toEqual(['grown']);
    }
    // Also where it has not been opened yet.
    monitoring.close();
    const settings = { keys: [], policy: undefined, watched: [] };
    monitoring = new Monitoring(new StateFolder(folder), settings, new AbortController().signal);
    lock.exec('BEGIN EXCLUSIVE');
    expect(unread(await printedRound(locked, false))).toEqual(inUse);
    lock.exec('ROLLBACK');
    expect(kinds(await printedRound(locked, false))).toEqual(['unchanged']);
    lock.close();
  });

  it('shows watched entries until they were printed, at one of the addresses of a log', async () => {
    const start = (): void => {
      const settings = { keys: [], policy: undefined, watched: ['inv_3'] };
      monitoring = new Monitoring(new StateFolder(folder), settings, new AbortController().signal);
    };
    monitoring.close();
    start();
    const urls = await Promise.all([0, 1].map(() => serveFiles(() => logFiles(historyTexts(10)))));
    const both = async (): Promise<readonly Round[]> =>
      Promise.all(urls.map((url) => monitoring.round(url, false)));
    const entries = (rounds: readonly Round[]): number[] =>
      rounds.flatMap(({ events }) => events.flatMap((each) => (each.event === 'entry' ? [each.index] : [])));
    expect(entries(await both())).toEqual([3, 4, 5]);
    expect(entries(await both())).toEqual([]);
    // This process was killed before it printed.
    monitoring.close();
    start();
    const rounds = await both();
    expect(entries(rounds)).toEqual([3, 4, 5]);
    for (const { printed } of rounds) printed();
    monitoring.close();
    start();
    expect(entries(await both())).toEqual([]);
  });

  it('fills no disk with evidence', async () => {
    let files = logFiles(historyTexts(30));
    const url = await serveFiles(() => files);
    await printedRound(url, false);
    for (let size = 10; size < 30; size++) {
      files = logFiles(historyTexts(size, 9));
      expect(kinds(await printedRound(url, false))).toContain('fork');
    }
    expect(readdirSync(join(folder, 'evidence'))).toHaveLength(16);
  });
});

describe('what is kept of a log', () => {
  it('is as it was where an update fails, also for who opens the file later', async () => {
    const key = { key: await parseVerifierKey(signer.key.text), text: signer.key.text };
    const state = new StateFolder(folder);
    const kept = state.openLog(key);
    await kept.update(async () => {
      kept.putNote('old');
      kept.putHead('a', { n: 0, index: 0, ts: 't' });
    });
    const failed = kept.update(async () => {
      kept.putNote('new');
      kept.putHead('a', { n: 1, index: 9, ts: 't' });
      kept.putTile(1, 2, Buffer.alloc(32));
      kept.putProblem('x');
      throw new Error('the step failed');
    });
    await expect(failed).rejects.toThrow('the step failed');
    kept.close();
    const again = state.openLog(key);
    expect([again.note(), again.head('a'), again.tile(1, 2), again.problems()]).toEqual([
      'old',
      { n: 0, index: 0, ts: 't' },
      undefined,
      [],
    ]);
    again.close();
  });

  it('is used by one monitor at a time', async () => {
    const path = join(folder, 'a.sqlite');
    const [one, two] = [new SqliteKeptLog(path), new SqliteKeptLog(path)];
    await one.update(async () => {
      await expect(two.update(async () => undefined)).rejects.toThrow('another monitor is using');
    });
    await two.update(async () => undefined);
    one.close();
    two.close();
  });

  it('has news until they are deleted, takes them once in a process, and counts what is too much', async () => {
    const path = join(folder, 'a.sqlite');
    let kept = new SqliteKeptLog(path);
    const put = (index: number): void =>
      kept.putNews({ index, ts: '', chain: 'a', n: index, verb: 'x', actor: 'owner' });
    const take = (): readonly [TakenNews, readonly number[], number] => {
      const taken = kept.takeNews(3);
      return [taken, taken.news.map(({ index }) => index), taken.unlisted];
    };
    for (let index = 0; index < 5; index++) put(index);
    const [first, ...listed] = take();
    expect(listed).toEqual([[0, 1, 2], 2]);
    expect(take().slice(1)).toEqual([[], 0]);
    put(9);
    const [second, ...next] = take();
    expect(next).toEqual([[9], 0]);
    kept.deleteNews(second);
    kept.close();
    kept = new SqliteKeptLog(path);
    const [again, ...repeated] = take();
    expect([repeated, [again.after, again.upTo]]).toEqual([
      [[0, 1, 2], 2],
      [first.after, first.upTo],
    ]);
    kept.deleteNews(again);
    put(10);
    expect(take().slice(1)).toEqual([[10], 0]);
    kept.close();
    kept = new SqliteKeptLog(path);
    expect(take().slice(1)).toEqual([[10], 0]);
    kept.close();
  });
});

describe('a problem', () => {
  const problem = (check: string): MonitorEvent => ({
    event: 'problem',
    url: 'http://x/',
    log: 'x',
    check,
    detail: 'd',
  });
  const unchanged: MonitorEvent = { event: 'unchanged', url: 'http://x/', log: 'x', size: 3 };
  const unread: MonitorEvent = { event: 'unreadable', url: 'http://x/', detail: 'd' };
  const fork: MonitorEvent = { event: 'fork', url: 'http://x/', log: 'x', sizes: [1, 2], file: 'f' };

  /** Kinds and checks of what is printed of each round; a round with something unreadable is not whole. */
  function printed(...rounds: readonly (readonly MonitorEvent[])[]): string[][] {
    const changes = new RoundChanges();
    return rounds.map((events) =>
      changes
        .next(events, !events.includes(unread))
        .map((each) => ('check' in each ? `${each.event} ${each.check}` : each.event)),
    );
  }

  it('is printed once, and once more when it is over', () => {
    const found = [problem('quorum'), problem('chain')];
    expect(printed(found, found, [problem('chain')], [problem('chain')], found)).toEqual([
      ['problem quorum', 'problem chain'],
      [],
      ['ended quorum'],
      [],
      ['problem quorum'],
    ]);
  });

  it('is over for a round that was read to its end', () => {
    expect(printed([problem('root')], [unread], [unchanged], [unchanged])).toEqual([
      ['problem root'],
      ['unreadable'],
      ['unchanged', 'ended root'],
      [],
    ]);
  });

  it('is not over while another one hides whether it is, nor beside an alarm', () => {
    expect(printed([problem('root')], [problem('signature')], [unchanged])).toEqual([
      ['problem root'],
      ['problem signature'],
      ['ended root', 'ended signature'],
    ]);
    expect(printed([problem('tile')], [fork])).toEqual([['problem tile'], ['fork']]);
  });

  it('is over in plain words', () => {
    const changes = new RoundChanges();
    changes.next([problem('fetch')], true);
    const ended = changes.next([unchanged], true);
    expect(ended.map((each) => toLine(each, false))).toEqual([
      'ended    x: fetch: the problem is over (http://x/)',
    ]);
  });

  it('that ended a round before its end leaves others open', async () => {
    const files = logFiles(historyTexts(3));
    const url = await serveFiles(() => files);
    expect((await monitoring.round(url, false)).isWhole).toBe(true);
    files.set('checkpoint', Buffer.alloc(70_000, 'x'));
    const { events, isWhole } = await monitoring.round(url, false);
    expect([events.map(({ event }) => event), isWhole]).toEqual([['problem'], false]);
  });
});

describe('rounds', () => {
  const entry = {
    event: 'entry',
    url: 'http://x/',
    log: 'x',
    index: 7,
    ts: '',
    chain: 'a',
    n: 0,
    verb: 'x',
    actor: 'y',
  } as const;

  it('print what was found while they were stopped', async () => {
    const stop = new AbortController();
    const done: string[] = [];
    const round = async (): Promise<Round> => {
      stop.abort();
      const events: MonitorEvent[] = [
        entry,
        { event: 'unreadable', url: 'http://x/', detail: 'This operation was aborted' },
      ];
      return { events, isWhole: false, printed: () => done.push('printed') };
    };
    const status = await follow({ round }, ['http://x/'], [], 1000, stop.signal, ({ event }) =>
      done.push(event),
    );
    expect([status, done]).toEqual([0, ['entry', 'printed']]);
  });

  it('say once that a problem is over, and not after a round that was cut short', async () => {
    const stop = new AbortController();
    const problem: MonitorEvent = { event: 'problem', url: 'a', log: 'x', check: 'quorum', detail: '' };
    const rounds: Round[] = [[problem], [], [], []].map((events, i) => ({
      events,
      isWhole: i !== 1,
      printed: () => undefined,
    }));
    const done: (readonly [number, string])[] = [];
    const round = async (): Promise<Round> => {
      if (rounds.length === 1) stop.abort();
      return rounds.shift() as Round;
    };
    const status = await follow({ round }, ['a'], [], 1, stop.signal, ({ event }) =>
      done.push([rounds.length, event]),
    );
    expect([status, done]).toEqual([
      0,
      [
        [3, 'problem'],
        [1, 'ended'],
      ],
    ]);
  });

  it('say that events were printed once they were', async () => {
    const done: string[] = [];
    const round = async (url: string): Promise<Round> => ({
      events: [{ ...entry, url }],
      isWhole: true,
      printed: () => done.push(`${url} printed`),
    });
    await lookOnce({ round }, ['a', 'b'], ['c'], (event) =>
      done.push(`${event.event === 'entry' ? event.url : ''} entry`),
    );
    expect(done).toEqual(['a', 'b', 'c'].flatMap((url) => [`${url} entry`, `${url} printed`]));
  });
});

it('prints nothing that a terminal acts upon', () => {
  const event: MonitorEvent = {
    event: 'entry',
    url: 'http://x/',
    log: 'x',
    index: 0,
    ts: '\u001b[2J',
    chain: '\u009b31m\n',
    n: 0,
    verb: '\u202e\u2028',
    actor: 'a'.repeat(5000),
  };
  for (const line of [toLine(event, false), toLine(event, true)]) {
    // eslint-disable-next-line no-control-regex
    expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e\u2028]|\\u001b/);
    expect(line.length).toBeLessThan(1300);
  }
});
