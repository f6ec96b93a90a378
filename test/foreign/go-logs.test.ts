/** A running server's log read by the packages of Go, a log of Go read by the verifier, and a witness asked by Go. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { leafHash } from '../../src/ledger/entry.ts';
import { parseProof } from '../../src/ledger/proof.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { parseLogPath } from '../../src/ledger/tiles.ts';
import { main } from '../../verify/cli.ts';
import { verifyLogAt } from '../../verify/index.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { failuresOf, ledgerTexts, logFiles } from '../unit/verify/support.ts';
import { leafOf, oracleConsistency, oraclePath, oracleRoot } from '../unit/ledger/support.ts';
import { GoProgram, hasGo } from './go.ts';

const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');
const seedOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const growing = { name: 'go.example/growing', seed: 40 };
const forked = { name: 'go.example/forked', seed: 41 };

describe.skipIf(!hasGo)('the packages of Go and a running server', () => {
  let go: GoProgram;
  let server: TestServer;
  let folder: string;

  beforeAll(async () => {
    go = new GoProgram();
    folder = mkdtempSync(join(tmpdir(), 'colophon-foreign-'));
    const logs = join(folder, 'logs');
    const keys = [growing, forked].map(
      ({ name, seed }) => signerFromSeed(name, Buffer.alloc(32, seed)).key.text,
    );
    writeFileSync(logs, `${keys.join('\n')}\n`);
    server = await startServer({ COLOPHON_WITNESS_LOGS: logs });
  });

  afterAll(async () => {
    await server.stop();
    go.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('agree on every root, entry and proof of its log', async () => {
    const markdown = Array.from({ length: 280 }, (_, i) => `Paragraph ${i} of the tides.`).join('\n\n');
    const { receipt: called } = await server.owner('/api/protocol/voxel-batch', {
      document: { markdown: `# Tides\n\n${markdown}\n` },
    });
    const receipt = await server.read(`/api/dispatch?confirm=${String(called['id'])}`);
    const key = (await (await server.fetch('/.well-known/colophon-key')).text()).trim();
    const size = (await verifyLogAt(server.base, { verifierKey: key })).checks.find(
      ({ id }) => id === 'signature',
    );
    const entries = Number(/of (\d+) entries/.exec(size?.detail ?? '')?.[1]);
    // Two tiles of leaves and one above them.
    expect(entries).toBeGreaterThan(257);
    const sizes = [1, 2, 3, 255, 256, 257, entries - 1, entries];
    const read = await go.did({ do: 'read', url: server.base, keys: [key], sizes });
    expect([read.size, read.leaves?.length]).toEqual([entries, entries]);

    // What Go computed from the tiles is what follows from the definition of RFC 6962.
    const leaves = (read.leaves as string[]).map((leaf) => Buffer.from(leaf, 'base64'));
    expect(read.root).toBe(base64(oracleRoot(leaves)));
    for (let index = 0; index < entries; index += 37)
      expect([index, read.inclusion?.[index]]).toEqual([index, oraclePath(index, leaves).map(base64)]);
    for (const { size: older, root, proof } of read.trees ?? [])
      expect([older, root, proof]).toEqual([
        older,
        base64(oracleRoot(leaves.slice(0, older))),
        older === entries ? [] : oracleConsistency(older, leaves).map(base64),
      ]);

    // The proof that the server gave beside its answer, of a smaller or the same tree.
    const given = parseProof(String(receipt['proof']['tlog_proof']));
    if (isRefusal(given)) throw new Error(given.refused);
    const { text } = await go.did({ do: 'open', note: given.checkpoint, keys: [key] });
    const [, treeSize = '', root] = (text as string).split('\n');
    const proof = given.hashes.map(base64);
    const common = { do: 'record', proof, tree: Number(treeSize), root, index: given.index };
    const leaf = Buffer.from(String(receipt['proof']['entry_hash']), 'hex').toString('base64');
    expect(await go.did({ ...common, leaf })).toEqual({});
    const [refused] = await go.ask([{ ...common, leaf: base64(leafOf(1)) }]);
    expect(refused?.error).toBe('invalid transparency proof');
  });

  it('agree on cosignatures: the witness takes proofs of Go, and Go its signatures', async () => {
    const keys = (await operations.witnessKeys(server.deployment.config)).filter((key) => key.length < 200);
    expect(keys).toHaveLength(1);
    const [name, id] = (keys[0] as string).split('+') as [string, string];
    const before = Math.floor(Date.now() / 1000);
    const asked = await go.did({
      do: 'witness',
      url: `${server.base}/witness/add-checkpoint`,
      name: growing.name,
      seed: seedOf(growing.seed),
      sizes: [1, 2, 3, 3, 7, 8, 255, 256, 257, 600],
      keys,
    });
    for (const step of asked.steps ?? []) {
      expect([step.size, step.status, step.signed?.map(({ key }) => key)]).toEqual([
        step.size,
        200,
        [expect.stringMatching(/^go\.example\/growing\+/) as string, `${name}+${id}`],
      ]);
      const time = step.signed?.[1]?.time as number;
      expect([time >= before, time <= Date.now() / 1000 + 1]).toEqual([true, true]);
    }
    expect(asked.steps).toHaveLength(10);
  });

  it('agree on refusals: a conflict names the size, and a fork is not cosigned', async () => {
    const witness = {
      do: 'witness',
      url: `${server.base}/witness/add-checkpoint`,
      name: forked.name,
      seed: seedOf(forked.seed),
      keys: (await operations.witnessKeys(server.deployment.config)).filter((key) => key.length < 200),
    };
    const statuses = async (more: object): Promise<unknown[]> =>
      ((await go.did({ ...witness, ...more })).steps ?? []).map(({ status, type, body }) => [
        status,
        type.startsWith('text/x.tlog.size') ? body : '',
      ]);
    expect(await statuses({ sizes: [300] })).toEqual([[200, '']]);
    // From another size than the witness knows; a smaller tree; from its size, of a tree that was forked before it.
    expect(await statuses({ sizes: [400], index: 200 })).toEqual([[409, '300\n']]);
    expect(await statuses({ sizes: [200], index: 200 })).toEqual([[409, '300\n']]);
    expect(await statuses({ sizes: [400], index: 300, fork: 299 })).toEqual([[422, '']]);
    expect(await statuses({ sizes: [300], index: 300, fork: 299 })).toEqual([[409, '300\n']]);
    expect(await statuses({ sizes: [200], index: 300 })).toEqual([[400, '']]);
    // A log that is not witnessed, and a stranger's key under the name of one that is.
    expect(await statuses({ name: 'go.example/unknown', sizes: [5] })).toEqual([[404, '']]);
    expect(await statuses({ seed: seedOf(99), sizes: [5] })).toEqual([[403, '']]);
    expect(await statuses({ sizes: [400], index: 300 })).toEqual([[200, '']]);
  });
});

describe.skipIf(!hasGo)('a log of Colophon entries written and signed by Go', () => {
  let go: GoProgram;
  let files: Server;
  let base: string;
  let folder: string;
  const texts = ledgerTexts(600);

  beforeAll(async () => {
    go = new GoProgram();
    folder = mkdtempSync(join(tmpdir(), 'colophon-foreign-'));
    mkdirSync(join(folder, 'log'));
    files = createServer((request, response) => {
      try {
        response.end(readFileSync(join(folder, 'log', normalize(request.url as string))));
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((done) => files.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    files.close();
    go.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is accepted by the verifier, over HTTP and from its files, byte for byte as the product writes it', async () => {
    const written = await go.did({
      do: 'write',
      name: 'ledger.example/colophon',
      seed: seedOf(5),
      entries: texts,
      folder: join(folder, 'log'),
    });
    const report = await verifyLogAt(base, { verifierKey: written.key as string });
    expect([failuresOf(report), report.ok]).toEqual([[], true]);
    for (const [path, bytes] of logFiles(texts))
      expect([path, readFileSync(join(folder, 'log', path)).equals(bytes)]).toEqual([path, true]);
  });

  it('is held against a policy by the command, with cosignatures of Go', async () => {
    const file = join(folder, 'log', 'checkpoint');
    const kept = readFileSync(file, 'utf8');
    const text = kept.slice(0, kept.indexOf('\n\n') + 1);
    const cosigned = await go.ask(
      [61, 62].map((seed) => ({
        do: 'sign',
        name: `w${seed}.example`,
        seed: seedOf(seed),
        text,
        time: 1_790_000_000,
      })),
    );
    const witnesses = cosigned.map(({ key }, i) => `witness w${i} ${key as string}\n`).join('');
    const { text: logKey } = signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 5)).key;
    const policy = join(folder, 'policy');
    writeFileSync(policy, `log ${logKey}\n${witnesses}group g all w0 w1\nquorum g\n`);
    const verified = async (count: number): Promise<[status: number, quorum: string | undefined]> => {
      const lines = cosigned.slice(0, count).map(({ note }) => (note as string).slice(text.length + 1));
      writeFileSync(file, kept + lines.join(''));
      const printed: string[] = [];
      const status = await main([base, '--policy', policy], (line) => printed.push(line));
      return [status, printed.find((line) => line.includes('quorum:'))];
    };
    expect(await verified(2)).toEqual([
      0,
      'ok   quorum: cosigned by w0 at 2026-09-21T14:13:20Z, w1 at 2026-09-21T14:13:20Z: the quorum g (2 of w0, w1) is met',
    ]);
    expect(await verified(1)).toEqual([
      1,
      'FAIL quorum: cosigned by w0 at 2026-09-21T14:13:20Z: the quorum g (2 of w0, w1) is not met',
    ]);
    writeFileSync(file, kept);
  });

  it('is refused with one bit of any of its files changed', async () => {
    const verifierKey = signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 5)).key.text;
    const paths = [...logFiles(texts).keys()].filter((path) => path === 'checkpoint' || parseLogPath(path));
    expect(paths.length).toBe(8);
    const accepted: string[] = [];
    for (const path of paths) {
      const file = join(folder, 'log', path);
      const bytes = readFileSync(file);
      for (const at of [0, 3, bytes.length >> 1, bytes.length - 2]) {
        const bent = Buffer.from(bytes);
        bent[at] = (bent[at] as number) ^ 1;
        writeFileSync(file, bent);
        if ((await verifyLogAt(base, { verifierKey })).ok) accepted.push(`${path} at ${at}`);
      }
      writeFileSync(file, bytes);
    }
    expect(accepted).toEqual([]);
    expect((await verifyLogAt(base, { verifierKey })).ok).toBe(true);
  });

  it('is refused where Go signs a root that its entries do not have', async () => {
    const root = oracleRoot(texts.slice(0, 599).map((text) => leafHash(text)));
    const text = `ledger.example/colophon\n600\n${base64(root)}\n`;
    const signed = await go.did({ do: 'sign', name: 'ledger.example/colophon', seed: seedOf(5), text });
    const file = join(folder, 'log', 'checkpoint');
    const kept = readFileSync(file);
    writeFileSync(file, signed.note as string);
    const report = await verifyLogAt(base, { verifierKey: signed.key as string });
    writeFileSync(file, kept);
    expect([report.ok, report.checks.find(({ id }) => id === 'signature')?.ok]).toEqual([false, true]);
  });
});
