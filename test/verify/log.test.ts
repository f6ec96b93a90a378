import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint, signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { leafHash } from '../../src/ledger/entry.ts';
import { rootOf } from '../../src/ledger/merkle.ts';
import { encodeBundle, entriesPath, tilePath } from '../../src/ledger/tiles.ts';
import { verifyLogAt, type LogFetch } from '../../verify/index.ts';
import { flipBit, vectorBytes } from '../unit/ledger/support.ts';
import { failuresOf, ledgerTexts, logFiles, serve, signer, sound } from '../unit/verify/support.ts';

const verifierKey = signer.key.text;
const texts = ledgerTexts(600);
const files = logFiles(texts);

function bent(path: string, bytes: (was: Uint8Array) => Uint8Array): LogFetch {
  const copy = new Map(files);
  copy.set(path, bytes(copy.get(path) as Uint8Array));
  return serve(copy);
}

/** The log's files with one entry's text replaced in its bundle, and nothing else. */
function withEntry(index: number, text: string): LogFetch {
  const n = Math.floor(index / 256);
  const part = texts.with(index, text).slice(n * 256, (n + 1) * 256);
  return bent(entriesPath(n, part.length), () => encodeBundle(part));
}

const tessera: LogFetch = async (path) => {
  try {
    return vectorBytes(`tlog/log/${path}`);
  } catch {
    return undefined;
  }
};

const tile = (n: number, width: number) => tilePath({ level: 0, n, width });
const rootAt = (size: number) => rootOf(texts.slice(0, size).map(leafHash));

describe('verifyLogAt', () => {
  test.each([0, 1, 255, 256, 257, 512, 600])('accepts a sound log of %i entries', async (size) => {
    const report = await verifyLogAt(serve(logFiles(ledgerTexts(size))), { verifierKey });
    expect(failuresOf(report)).toEqual([]);
    expect(report.checks.map(({ id }) => id)).toEqual(['key', 'signature', 'root', 'entry', 'chain']);
  });

  test(
    'accepts a log of more than one level-one tile, and reports its progress',
    { timeout: 120_000 },
    async () => {
      const size = 65_536 + 300;
      const steps: number[] = [];
      const report = await verifyLogAt(serve(logFiles(ledgerTexts(size, 50))), {
        verifierKey,
        progress: (done) => steps.push(done),
      });
      expect(failuresOf(report)).toEqual([]);
      expect([steps.length, steps[0], steps.at(-1)]).toEqual([258, 256, size]);
    },
  );

  test('takes the key from the log when none was given, and says so', async () => {
    expect((await verifyLogAt(serve(files))).checks[0]?.detail).toBe(
      'the server itself names the key of ledger.example/colophon',
    );
    expect((await verifyLogAt(serve(files), { verifierKey })).checks[0]?.detail).toBe(
      'the key of ledger.example/colophon was given',
    );
  });

  test('reads a full tile when the partial one is gone', async () => {
    const grown = new Map(logFiles(ledgerTexts(700)));
    const old = logFiles(ledgerTexts(500));
    for (const path of ['checkpoint', tilePath({ level: 1, n: 0, width: 1 })])
      grown.set(path, old.get(path) as Uint8Array);
    expect(grown.has(tile(1, 244))).toBe(false);
    expect(sound(await verifyLogAt(serve(grown), { verifierKey }))).toBe(true);
  });

  describe('where the log has signed more than /checkpoint shows', () => {
    const newest = 'checkpoint?newest=1';
    const shown = signCheckpoint(signer, 400, rootAt(400));
    const withNewest = (first: string, second = files.get('checkpoint') as Uint8Array): LogFetch =>
      serve(new Map(files).set('checkpoint', Buffer.from(first)).set(newest, second));

    test('verifies all of it, and says how much waits', async () => {
      const report = await verifyLogAt(withNewest(shown), { verifierKey });
      expect(failuresOf(report)).toEqual([]);
      expect(report.checks.map(({ id }) => id)).toEqual([
        'key',
        'signature',
        'newest',
        'cosigned',
        'root',
        'entry',
        'chain',
      ]);
      expect(report.checks[2]?.detail).toMatch(
        /^the log has signed 600 entries with root [0-9a-f]{64}; 200 of them are not in \/checkpoint yet$/,
      );
    });

    test('names a checkpoint that the newest one does not continue', async () => {
      const other = signCheckpoint(signer, 400, rootAt(399));
      expect(failuresOf(await verifyLogAt(withNewest(other), { verifierKey }))).toEqual([
        'cosigned: the log does not begin with the 400 entries of /checkpoint: it was rewritten',
      ]);
    });

    test('refuses a newest checkpoint that the log has not signed', async () => {
      const altered = Buffer.from(
        (files.get('checkpoint') as Buffer).toString().replace('\n600\n', '\n601\n'),
      );
      expect(failuresOf(await verifyLogAt(withNewest(shown, altered), { verifierKey }))).toEqual([
        'signature: the signature of ledger.example/colophon is wrong',
      ]);
    });
  });

  test('works over HTTP', async () => {
    const server = createServer((request, response) => {
      const body = files.get((request.url ?? '/').slice('/log/'.length));
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    try {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`;
      expect(sound(await verifyLogAt(base, { verifierKey }))).toBe(true);
      expect(sound(await verifyLogAt(`${base}/`))).toBe(true);
      expect(failuresOf(await verifyLogAt(`${base}/nothing`, { verifierKey }))).toEqual([
        'fetch: checkpoint is missing',
      ]);
    } finally {
      server.close();
    }
  });

  const entry300 = 'log entry 300, entry 42 of chain inv_6';

  test('stops reading when a server sends without end', async () => {
    const page = Buffer.alloc(1024 * 1024);
    const server = createServer((_request, response) => {
      const more = (): void => {
        while (response.write(page));
      };
      response.on('drain', more);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const report = await verifyLogAt(`http://127.0.0.1:${port}`, { verifierKey: signer.key.text });
      expect(failuresOf(report)).toEqual(['fetch: checkpoint is larger than any file of a log']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('names the altered entry, and not the one after it', async () => {
    const altered = (texts[300] as string).replace('"at":300', '"at":301');
    expect(failuresOf(await verifyLogAt(withEntry(300, altered), { verifierKey }))).toEqual([
      'root: the leaf hashes lead to the signed root, so the entries that differ from them were altered',
      `entry: ${entry300}: its bytes do not hash to its leaf in the log`,
    ]);
  });

  test('names the entry that is no longer canonical JSON', async () => {
    const [was = ''] = texts.slice(300);
    const altered =
      'root: the leaf hashes lead to the signed root, so the entries that differ from them were altered';
    for (const [text, why] of [
      [was.replace(',', ', '), 'is not in canonical form'],
      [was.replace('{', '{"at":1,'), 'is not JSON: the key "at" stands twice (at character 45)'],
      ['[]', 'is not a JSON object'],
      ['', 'is not JSON: a value is missing (at character 0)'],
    ] as const) {
      expect(failuresOf(await verifyLogAt(withEntry(300, text), { verifierKey }))).toEqual([
        altered,
        `entry: log entry 300 ${why}`,
      ]);
    }
  });

  test('distinguishes a wrong leaf hash from a wrong entry', async () => {
    const read = bent(tile(1, 256), (was) => flipBit(was, 44 * 256));
    expect(failuresOf(await verifyLogAt(read, { verifierKey }))).toEqual([
      'root: the entries lead to the signed root, so the leaf hashes that differ from them are wrong',
      `entry: ${entry300}: its bytes do not hash to its leaf in the log`,
      // The next entry of that chain points to the true hash, which the served leaf is not.
      'chain: log entry 307, entry 43 of chain inv_6: prev does not match the hash before it',
    ]);
  });

  test('detects a wrong hash in higher tiles', async () => {
    const read = bent(tilePath({ level: 1, n: 0, width: 2 }), (was) => flipBit(was, 300));
    expect(failuresOf(await verifyLogAt(read, { verifierKey }))).toEqual([
      'tile: tile/1/000: hash 1 does not follow from the tile below',
    ]);
  });

  test.each<[string, string[], string]>([
    [
      'an entry taken out of its chain',
      texts.toSpliced(300, 1),
      'chain: log entry 306, entry 43 of chain inv_6: its place in the chain is 42',
    ],
    [
      'two entries of a chain exchanged',
      texts.with(300, texts[307] as string).with(307, texts[300] as string),
      'chain: log entry 300, entry 43 of chain inv_6: its place in the chain is 42',
    ],
    [
      'an entry twice',
      texts.toSpliced(301, 0, texts[300] as string),
      'chain: log entry 301, entry 42 of chain inv_6: its place in the chain is 43',
    ],
    [
      'an entry rewritten so that it hashes right',
      texts.with(300, (texts[300] as string).replace('"at":300', '"at":7')),
      'chain: log entry 307, entry 43 of chain inv_6: prev does not match the hash before it',
    ],
  ])('detects, in a log that is signed as it stands, %s', async (_title, forged, why) => {
    expect(failuresOf(await verifyLogAt(serve(logFiles(forged)), { verifierKey }))).toEqual([why]);
  });

  test('detects a checkpoint of other entries', async () => {
    const note = Buffer.from(signCheckpoint(signer, 600, Buffer.alloc(32, 1)));
    const found = failuresOf(
      await verifyLogAt(
        bent('checkpoint', () => note),
        { verifierKey },
      ),
    );
    expect(found).toEqual([
      `root: the entries lead to root ${Buffer.from(rootAt(600)).toString('hex')}, not to the signed one`,
    ]);
  });

  test.each<[string, string, (was: Uint8Array) => Uint8Array, string]>([
    [
      'a checkpoint with a flipped bit',
      'checkpoint',
      (was) => flipBit(was, 8 * 30),
      'signature: the signature of ledger.example/colophon is wrong',
    ],
    [
      'a checkpoint of another log',
      'checkpoint',
      () => Buffer.from(signer.sign(formatCheckpoint('ledger.example/other', 1, Buffer.alloc(32)))),
      'signature: the checkpoint is of ledger.example/other, the key is of ledger.example/colophon',
    ],
    [
      'a checkpoint that is none',
      'checkpoint',
      () => Buffer.from(signer.sign('ledger.example/colophon\n')),
      'checkpoint: the checkpoint is malformed',
    ],
    [
      'a tile that is too short',
      tile(0, 256),
      (was) => was.subarray(1),
      'fetch: tile/0/000 holds fewer than 256 hashes',
    ],
    [
      'a bundle that ends early',
      entriesPath(1, 256),
      (was) => was.subarray(0, -1),
      'fetch: tile/entries/001 does not hold 256 whole entries',
    ],
  ])('refuses %s', async (_title, path, change, why) => {
    expect(failuresOf(await verifyLogAt(bent(path, change), { verifierKey }))).toEqual([why]);
  });

  test('names a missing file', async () => {
    const copy = new Map(files);
    copy.delete(entriesPath(2, 88));
    expect(failuresOf(await verifyLogAt(serve(copy), { verifierKey }))).toEqual([
      'fetch: tile/entries/002 is missing',
    ]);
  });

  test('lists twenty problems and counts the rest', async () => {
    const wrong = encodeBundle(texts.slice(0, 256).map((text) => text.replace('owner', 'Owner')));
    const found = failuresOf(
      await verifyLogAt(
        bent(entriesPath(0, 256), () => wrong),
        { verifierKey },
      ),
    );
    expect([found.length, found.at(-1)]).toEqual([22, 'entry: 236 further problems are not listed']);
  });

  test('compares the log with a previously saved checkpoint', async () => {
    for (const size of [0, 1, 255, 256, 300, 599, 600]) {
      const previous = signCheckpoint(signer, size, rootAt(size));
      const report = await verifyLogAt(serve(files), { verifierKey, previous });
      expect(failuresOf(report)).toEqual([]);
      expect(report.checks.map(({ detail }) => detail)).toContain(
        `the log begins with the ${size} entries signed before`,
      );
    }
    const rolledBack = signCheckpoint(signer, 601, rootAt(600));
    expect(failuresOf(await verifyLogAt(serve(files), { verifierKey, previous: rolledBack }))).toEqual([
      'previous: the log has 600 entries, 601 were signed before: it was rolled back',
    ]);
    const rewritten = signCheckpoint(signer, 300, rootAt(301));
    expect(failuresOf(await verifyLogAt(serve(files), { verifierKey, previous: rewritten }))).toEqual([
      'previous: the log does not begin with the 300 entries signed before: it was rewritten',
    ]);
    expect(failuresOf(await verifyLogAt(serve(files), { verifierKey, previous: 'nonsense' }))).toEqual([
      'signature: the signed note is malformed',
    ]);
  });

  test("verifies Tessera's log up to its signed root, and says that its entries have another format", async () => {
    const report = await verifyLogAt(tessera, {
      verifierKey: 'example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx',
    });
    expect(report.checks.slice(0, 3).map(({ id, ok }) => [id, ok])).toEqual([
      ['key', true],
      ['signature', true],
      ['root', true],
    ]);
    expect(failuresOf(report)).toHaveLength(15);
    expect(failuresOf(report)[0]).toBe('entry: log entry 0 is not JSON: a value is missing (at character 0)');
  });
});
