/** The judgement of a monitor over logs in memory: honest growth, forks of every kind, and files that do not fit. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeBundle, entriesPath, tilePath } from '../../../src/ledger/tiles.ts';
import { verifyEvidence, type LogFetch } from '../../../verify/index.ts';
import { LogMonitor, type Finding } from '../../../verify/monitor.ts';
import { Unreachable } from '../../../verify/monitor-fetch.ts';
import { parseVerifierKey } from '../../../verify/note.ts';
import { historyTexts, MemoryKeptLog } from '../../support/monitored-log.ts';
import { flipBit } from '../ledger/support.ts';
import { logFiles, serve, signer } from './support.ts';

type Files = ReadonlyMap<string, Uint8Array>;

/** Sizes on both sides of full tiles, and powers of two. */
const sizes = [1, 2, 100, 255, 256, 257, 512, 700];

const noteOf = (files: Files): string => Buffer.from(files.get('checkpoint') as Uint8Array).toString();
const filesOf = (size: number, fork?: number): Map<string, Uint8Array> => logFiles(historyTexts(size, fork));

let kept: MemoryKeptLog;
let monitor: LogMonitor;

beforeEach(async () => {
  kept = new MemoryKeptLog();
  monitor = new LogMonitor(kept, { key: await parseVerifierKey(signer.key.text), text: signer.key.text });
});

async function look(files: Files, ...notes: readonly string[]): Promise<readonly Finding[]> {
  return monitor.look(serve(files), notes.length === 0 ? [noteOf(files)] : notes);
}

const kindsOf = (findings: readonly Finding[]): string[] =>
  findings.map((found) => (found.kind === 'problem' ? `${found.id}: ${found.detail}` : found.kind));

/** The sizes of the only finding, whose evidence proves a fork. */
async function convicted(findings: readonly Finding[]): Promise<readonly [number, number]> {
  expect(kindsOf(findings)).toEqual(['fork']);
  const [fork] = findings;
  if (fork?.kind !== 'fork') throw new Error('no fork');
  const report = await verifyEvidence(fork.evidence, signer.key.text);
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  return fork.sizes;
}

describe('a log that grows honestly', () => {
  test('is followed from any size to any other', async () => {
    for (const from of sizes)
      for (const to of sizes.filter((size) => size > from)) {
        kept = new MemoryKeptLog();
        monitor = new LogMonitor(kept, {
          key: await parseVerifierKey(signer.key.text),
          text: signer.key.text,
        });
        const found = [await look(filesOf(from)), await look(filesOf(to))].flat();
        expect(found.map((each) => (each.kind === 'grown' ? [each.from, each.size] : each))).toEqual([
          [0, from],
          [from, to],
        ]);
        expect(kept.note()).toBe(noteOf(filesOf(to)));
      }
  });

  test('is unchanged when nothing was written', async () => {
    await look(filesOf(300));
    expect(await look(filesOf(300))).toEqual([{ kind: 'unchanged', size: 300 }]);
  });

  test.each([200, 300, 400])(
    'is followed once where another process grows what is kept to %i',
    async (to) => {
      await look(filesOf(100));
      const before = structuredClone(kept.now);
      await look(filesOf(to));
      const grown = kept.now;
      kept.now = before;
      const update = kept.update.bind(kept);
      kept.update = async (work) => {
        kept.now = grown;
        kept.update = update;
        return update(work);
      };
      const found = await look(filesOf(300));
      expect(found).toMatchObject([
        to < 300
          ? { kind: 'grown', from: to, size: 300 }
          : to > 300
            ? { kind: 'behind' }
            : { kind: 'unchanged' },
      ]);
      expect(kept.problems()).toEqual([]);
      expect(kept.note()).toBe(noteOf(filesOf(Math.max(300, to))));
    },
  );

  test('is only behind where an earlier state is served', async () => {
    await look(filesOf(300));
    for (const size of [0, 1, 256, 299])
      expect(await look(filesOf(size))).toEqual([{ kind: 'behind', size, seen: 300 }]);
    expect(kept.note()).toBe(noteOf(filesOf(300)));
  });

  test('is followed to the newer of two checkpoints', async () => {
    expect(kindsOf(await look(filesOf(300), noteOf(filesOf(120)), noteOf(filesOf(300))))).toEqual(['grown']);
    expect(kept.note()).toBe(noteOf(filesOf(300)));
  });

  test('reads no entry again', async () => {
    await look(filesOf(512));
    const files = filesOf(700);
    const asked: string[] = [];
    const read: LogFetch = async (path) => {
      asked.push(path);
      return serve(files)(path);
    };
    await monitor.look(read, [noteOf(files)]);
    expect(asked.filter((path) => path.includes('entries'))).toEqual([entriesPath(2, 188)]);
  });

  test('reports the entries that touch what is watched', async () => {
    const watch = async (ids: readonly string[]): Promise<readonly number[]> => {
      const fresh = new MemoryKeptLog();
      const each = new LogMonitor(fresh, {
        key: await parseVerifierKey(signer.key.text),
        text: signer.key.text,
      });
      await each.look(serve(filesOf(12)), [noteOf(filesOf(12))], { watched: ids });
      return fresh.now.news.map(({ index }) => index);
    };
    expect(await watch([])).toEqual([]);
    expect(await watch(['art_0'])).toEqual([2, 4, 8, 10]);
    expect(await watch(['inv_3'])).toEqual([3, 4, 5]);
    expect(await watch(['owner'])).toHaveLength(12);
    expect(await watch(['art'])).toEqual([]);
  });
});

describe('a log that forked', () => {
  test.each([
    ['at the same size', 300, 300, 120],
    ['at the same size, from the first entry', 5, 5, 0],
    ['and then grew', 300, 700, 120],
    ['and then grew from a power of two', 256, 700, 255],
    ['and is smaller than what was seen', 700, 300, 120],
    ['and is smaller, a power of two', 700, 256, 255],
    ['and is of one entry', 700, 1, 0],
  ])('is convicted %s', async (_, first, second, fork) => {
    await look(filesOf(first));
    const found = await look(filesOf(second, fork));
    expect(await convicted(found)).toEqual([Math.min(first, second), Math.max(first, second)]);
    expect(kept.note()).toBe(noteOf(filesOf(first)));
    // And again at each later look.
    await convicted(await look(filesOf(second, fork)));
  });

  test('is convicted by two checkpoints of one look', async () => {
    const found = await look(filesOf(300), noteOf(filesOf(300)), noteOf(filesOf(200, 120)));
    expect(kindsOf(found)).toEqual(['grown', 'fork']);
  });

  test('is convicted when each address shows one of the histories', async () => {
    await look(filesOf(300));
    expect(await convicted(await look(filesOf(290, 280)))).toEqual([290, 300]);
    expect(kindsOf(await look(filesOf(310)))).toEqual(['grown']);
    expect(await convicted(await look(filesOf(400, 305)))).toEqual([310, 400]);
  });

  test('is not convicted by tiles of the history that was seen', async () => {
    await look(filesOf(300));
    const files = filesOf(700);
    files.set('checkpoint', filesOf(700, 120).get('checkpoint') as Uint8Array);
    expect(kindsOf(await look(files))).toEqual([
      'tile: the served tiles do not lead to the root that was signed for 700 entries, so that nothing shows how it continues the 300 entries seen',
    ]);
    expect(kept.note()).toBe(noteOf(filesOf(300)));
  });

  test('is convicted by a signed empty log with a root that is not empty', async () => {
    await look(filesOf(3));
    const { signCheckpoint } = await import('../../../src/ledger/checkpoint.ts');
    const found = await look(filesOf(3), signCheckpoint(signer, 0, Buffer.alloc(32, 9)));
    expect(await convicted(found)).toEqual([0, 3]);
  });
});

describe('a log that signs what it does not show', () => {
  const withheld = filesOf(300, 100);
  const hiding =
    (read: LogFetch, failure?: Error): LogFetch =>
    async (path) => {
      if (path.startsWith('tile/') && failure !== undefined) throw failure;
      return path.startsWith('tile/') ? undefined : read(path);
    };

  test.each([
    ['has no tiles of it', undefined],
    ['fails for its tiles', new Unreachable('it is overloaded', 503)],
  ])('is convicted once what was seen covers it, where it %s', async (_how, failure) => {
    await look(filesOf(200));
    const shown = monitor.look(hiding(serve(withheld), failure), [noteOf(withheld)]);
    if (failure === undefined) expect(kindsOf(await shown)[0]).toMatch(/^(?:fetch|tile): /);
    else await expect(shown).rejects.toThrow('it is overloaded');
    // It returns to the history that was seen, and is asked for the other one.
    expect(kindsOf(await look(filesOf(250)))).toEqual([
      'grown',
      'unfollowed: the log has signed 300 entries before, and does not show them any more',
    ]);
    const [grown, ...found] = await look(filesOf(400));
    expect(grown?.kind).toBe('grown');
    expect(await convicted(found)).toEqual([300, 400]);
    expect(kindsOf(await look(filesOf(400)))).toEqual(['unchanged']);
  });

  test('is not blamed for a failure that passed', async () => {
    await look(filesOf(200));
    await monitor.look(hiding(serve(filesOf(300))), [noteOf(filesOf(300))]);
    expect(kindsOf(await look(filesOf(300)))).toEqual(['grown']);
    expect(kept.unfollowed()).toEqual([]);
  });

  test('is remembered for sixteen checkpoints at most', async () => {
    await look(filesOf(100));
    for (let size = 101; size < 130; size++)
      await monitor.look(hiding(serve(filesOf(size, 50))), [noteOf(filesOf(size, 50))]);
    expect(kept.unfollowed()).toHaveLength(16);
  });
});

describe('files that do not fit the signed root', () => {
  const texts = historyTexts(700);
  let files: Map<string, Uint8Array>;
  beforeAll(() => void (files = logFiles(texts)));

  /** The findings over the log with one file changed, before and after 300 entries were seen; nothing of it is kept. */
  async function bent(path: string, bytes: Uint8Array | undefined): Promise<string[]> {
    await look(filesOf(300));
    const before = structuredClone(kept.now);
    const copy = new Map(files);
    if (bytes === undefined) copy.delete(path);
    else copy.set(path, bytes);
    const found = kindsOf(await look(copy));
    expect(kept.now).toEqual(before);
    return found;
  }

  test('an entry that was changed', async () => {
    const part = texts.slice(512).with(88, texts[600]?.replace('noted', 'hated') as string);
    expect(await bent(entriesPath(2, 188), encodeBundle(part))).toEqual([
      'entry: log entry 600: its bytes do not hash to its leaf in the log',
    ]);
  });

  test('an entry that was changed together with its leaf', async () => {
    const { leafHash } = await import('../../../src/ledger/entry.ts');
    const changed = texts.slice(512).with(88, texts[600]?.replace('noted', 'hated') as string);
    const copy = new Map(files);
    copy.set(entriesPath(2, 188), encodeBundle(changed));
    copy.set(tilePath({ level: 0, n: 2, width: 188 }), Buffer.concat(changed.map(leafHash)));
    // At first, so that no proof from an earlier tree finds it.
    expect(kindsOf(await look(copy))).toEqual(['root: the 700 entries do not lead to the signed root']);
    expect(kept.note()).toBe(undefined);
  });

  test('an entry that is left out', async () => {
    expect(await bent(entriesPath(2, 188), encodeBundle(texts.slice(513)))).toEqual([
      'fetch: tile/entries/002 does not hold 188 whole entries',
    ]);
  });

  test('a bundle that is withheld', async () => {
    expect(await bent(entriesPath(1, 256), undefined)).toEqual(['fetch: tile/entries/001 is missing']);
  });

  test('a leaf that was changed', async () => {
    const path = tilePath({ level: 0, n: 1, width: 256 });
    expect((await bent(path, flipBit(files.get(path) as Uint8Array, 9)))[0]).toMatch(
      /^tile: the served tiles/,
    );
  });

  test('a checkpoint with a wrong signature', async () => {
    await look(filesOf(300));
    const note = noteOf(filesOf(700)).replace('\n700\n', '\n701\n');
    expect(kindsOf(await look(filesOf(700), note))).toEqual([
      'signature: the signature of ledger.example/colophon is wrong',
    ]);
  });

  test('a size that nobody can follow', async () => {
    const { signCheckpoint } = await import('../../../src/ledger/checkpoint.ts');
    const note = signCheckpoint(signer, 2 ** 52, Buffer.alloc(32, 9));
    expect(kindsOf(await look(filesOf(3), note))[0]).toMatch(
      /^size: the log signed 4503599627370496 entries/,
    );
  });
});

describe('entries that break a rule', () => {
  const sound = historyTexts(20);
  const replaced = (index: number, from: string, to: string): Map<string, Uint8Array> =>
    logFiles(sound.with(index, (sound[index] as string).replace(from, to)));

  test.each<readonly [string, Map<string, Uint8Array>, readonly string[]]>([
    [
      'a place that was skipped',
      replaced(7, '"n":2', '"n":3'),
      [
        'chain: log entry 7, entry 3 of chain art_1.provenance: its place in the chain is 2',
        'chain: log entry 11, entry 3 of chain art_1.provenance: its place in the chain is 4',
      ],
    ],
    [
      'an entry whose predecessor is another one',
      logFiles(sound.toSpliced(7, 1)),
      ['chain: log entry 10, entry 3 of chain art_1.provenance: its place in the chain is 2'],
    ],
    [
      'a time before that of its predecessor',
      replaced(19, '2026-01-31', '2026-01-30'),
      ['chain: log entry 19, entry 6 of chain art_1.provenance: ts is before the entry before it'],
    ],
    [
      'text that is not canonical',
      replaced(19, '{"', '{ "'),
      ['chain: log entry 19 is not in canonical form'],
    ],
    [
      'no chain',
      replaced(19, '"chain"', '"chaim"'),
      ['chain: log entry 19: its chain is not a name of at most 200 characters'],
    ],
  ])('are named and stay named: %s', async (_, files, problems) => {
    const found = kindsOf(await look(files));
    expect([found[0], ...found.slice(1, 1 + problems.length)]).toEqual(['grown', ...problems]);
    expect(kindsOf(await look(files)).slice(1)).toEqual(found.slice(1));
  });

  test('a chain goes on from what was seen of it before', async () => {
    await look(logFiles(sound.slice(0, 10)));
    expect(kindsOf(await look(logFiles(sound)))).toEqual(['grown']);
    const other = historyTexts(30, 20).with(
      25,
      (historyTexts(30, 20)[25] as string).replace(/"prev":"./, '"prev":"x'),
    );
    const found = kindsOf(await look(logFiles(other)));
    expect(found[1]).toMatch(/^chain: log entry 25, .*: prev does not match the hash before it$/);
  });
});

describe('a step that fails', () => {
  test('leaves the kept log as it was, whichever request it was', async () => {
    await look(filesOf(300));
    const before = structuredClone(kept.now);
    const files = filesOf(700);
    for (let failing = 0; ; failing++) {
      let asked = 0;
      const read: LogFetch = async (path) => {
        if (asked++ === failing) throw new Error('the connection was lost');
        return serve(files)(path);
      };
      const failed = await monitor.look(read, [noteOf(files)]).then(
        () => false,
        () => true,
      );
      if (!failed) break;
      expect(kept.now).toEqual(before);
      expect(failing).toBeLessThan(20);
    }
    expect(kept.note()).toBe(noteOf(files));
  });
});
