import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import { main } from '../../verify/cli.ts';
import { vectorJson } from '../unit/ledger/support.ts';
import { ledgerTexts, logFiles, signer } from '../unit/verify/support.ts';

const golden = vectorJson<{ verifier_key: string; receipt: Record<string, unknown> }>('ledger/receipt.json');
const notes = vectorJson<{ verifier_key: string; proofs: { text: string; proof: string }[] }>(
  'ledger/notes.json',
);

let folder: string;
let server: Server;
let base: string;

/** Where the served documents are; the log is at the root. */
const documents = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-verify-'));
  const files = logFiles(ledgerTexts(300));
  documents.set('/receipt', JSON.stringify({ ok: true, receipt: golden.receipt }));
  server = createServer((request, response) => {
    const url = request.url ?? '/';
    const body = documents.get(url) ?? files.get(url.slice(1));
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function run(...args: string[]): Promise<{ status: number; out: string }> {
  const printed: string[] = [];
  const status = await main(args, (text) => printed.push(text));
  return { status, out: printed.join('\n') };
}

describe('the verifier command', () => {
  test('judges evidence by its own key, also where another log serves it', async () => {
    const liar = signerFromSeed('liar.example', Buffer.alloc(32, 4));
    const checkpoints = [1, 2].map((root) => signCheckpoint(liar, 5, Buffer.alloc(32, root)));
    documents.set('/evidence', JSON.stringify({ evidence: 1, key: liar.key.text, checkpoints }));
    const { status, out } = await run(`${base}/evidence`);
    expect([status, out.split('\n').map((line) => line.slice(0, 75))]).toEqual([
      0,
      [
        'ok   key: the file itself names the key of liar.example',
        'ok   signature: the key of liar.example signed both checkpoints',
        'ok   fork: the key of liar.example signed two histories: 5 entries with roo',
      ],
    ]);
    expect(await run(`${base}/evidence`, '--key', signer.key.text)).toMatchObject({
      status: 1,
      out: expect.stringContaining('FAIL key: the evidence is about another key of liar.example') as string,
    });
    documents.set('/evidence', JSON.stringify({ evidence: 1, key: liar.key.text, checkpoints, proof: [] }));
    expect(await run(`${base}/evidence`)).toMatchObject({
      status: 1,
      out: expect.stringContaining('FAIL fork: it proves no fork: the sizes 5 and 5 need no proof') as string,
    });
  });

  test('runs standalone, as an auditor starts it', async () => {
    const cli = fileURLToPath(new URL('../../verify/cli.ts', import.meta.url));
    const receipt = file('alone.json', golden.receipt);
    const { status, out } = await new Promise<{ status: number; out: string }>((done) => {
      execFile(
        process.execPath,
        [cli, receipt, '--key', golden.verifier_key],
        { cwd: folder },
        (error, stdout) => {
          done({ status: error === null ? 0 : Number(error.code), out: stdout });
        },
      );
    });
    expect(status).toBe(0);
    expect(out).toContain('ok   inclusion: entry 258 of that log is this one');
  });

  test('verifies a receipt, and exits with 1 when it is altered', async () => {
    expect((await run(file('r.json', golden.receipt), '--key', golden.verifier_key)).status).toBe(0);
    const { status, out } = await run(
      file('bent.json', { ...golden.receipt, status: 'denied' }),
      '--key',
      golden.verifier_key,
    );
    expect(status).toBe(1);
    expect(out).toContain('FAIL status: the receipt says status denied, the entries say success');
  });

  test('reads the key from a file', async () => {
    const key = file('key.txt', `${golden.verifier_key}\n`);
    expect((await run(file('r2.json', golden.receipt), '--key', key)).status).toBe(0);
  });

  test('prints the report as JSON', async () => {
    const { out } = await run(file('r3.json', golden.receipt), '--key', golden.verifier_key, '--json');
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      checks: [{ id: 'chain', ok: true }, { id: 'id' }, {}, {}, {}, {}, {}],
    });
  });

  test('verifies a proof about an entry', async () => {
    const { text, proof } = notes.proofs[1] as { text: string; proof: string };
    const path = file('p.tlog-proof', proof);
    expect((await run(path, '--key', notes.verifier_key, '--entry', file('e.json', text))).status).toBe(0);
    expect((await run(path, '--key', notes.verifier_key, '--entry', file('e2.json', '{"i":1}'))).status).toBe(
      1,
    );
    expect(await run(path, '--key', notes.verifier_key)).toEqual({
      status: 2,
      out: 'A tlog-proof is about an entry: give its file with --entry.',
    });
  });

  test('verifies a list, and one page of a list', async () => {
    const entries = golden.receipt['entries'] as unknown[];
    expect((await run(file('l.json', { entries }))).status).toBe(0);
    expect((await run(file('l2.json', { entries: entries.slice(1) }))).status).toBe(1);
    expect((await run(file('l3.json', { entries: entries.slice(1) }), '--partial')).status).toBe(0);
  });

  test('verifies a whole log by its URL, with a key and a previously saved checkpoint', async () => {
    expect((await run(base)).status).toBe(0);
    expect((await run(base, '--key', signer.key.text)).status).toBe(0);
    expect((await run(base, '--key', golden.verifier_key)).status).toBe(1);
    const previous = file('previous', signCheckpoint(signer, 299, Buffer.alloc(32)));
    const { status, out } = await run(base, '--key', signer.key.text, '--previous', previous);
    expect(status).toBe(1);
    expect(out).toContain(
      'FAIL previous: the log does not begin with the 299 entries signed before: it was rewritten',
    );
  });

  test('verifies a document by its URL, and says where the key comes from', async () => {
    expect((await run(`${base}/receipt`, '--key', golden.verifier_key)).status).toBe(0);
    const { status, out } = await run(`${base}/receipt`);
    expect(status).toBe(1);
    expect(out).toContain('ok   key: the server itself names its key');
    expect(out).toContain('FAIL signature: the note is not signed by ledger.example/colophon');
  });

  test('names an option whose file cannot be read, and does not blame the subject', async () => {
    const absent = join(folder, 'absent');
    const receipt = file('r4.json', golden.receipt);
    for (const subject of [base, `${base}/receipt`, receipt])
      for (const option of ['policy', 'previous', 'key', 'entry']) {
        const { status, out } = await run(subject, `--${option}`, absent);
        expect([status, out.split('ENOENT')[0]]).toEqual([2, `--${option} takes a file that can be read: `]);
        expect(out).toContain(absent);
      }
  });

  test('exits with 2 when there is nothing to verify', async () => {
    expect((await run(join(folder, 'absent.json'))).out).toContain('could not be read: ENOENT');
    expect((await run(`${base}/absent`)).out).toContain('was answered with 404');
    expect((await run('http://127.0.0.1:1/')).status).toBe(2);
    expect((await run()).status).toBe(2);
    expect((await run('a', 'b')).status).toBe(2);
    expect((await run('--nonsense')).out).toContain("Unknown option '--nonsense'");
    expect(await run('--help')).toMatchObject({ status: 0 });
  });
});
