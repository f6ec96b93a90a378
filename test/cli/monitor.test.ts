/** `colophon monitor` beside real servers: growth, watched entries, policies, and logs that show two histories. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { send } from '../http/client.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { historyTexts } from '../support/monitored-log.ts';
import {
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type CommandResult,
  type RunningServer,
} from '../support/process-server.ts';
import { logFiles } from '../unit/verify/support.ts';

const terminalKey = newOwnerKey();
const folder = temporaryFolder();

afterAll(removeFolders);

async function write(server: RunningServer, slug: string): Promise<void> {
  const { status } = await send(server.base, {
    path: '/api/protocol/voxel-batch',
    body: { document: { slug, markdown: `# ${slug}\n\nA text.\n` } },
    headers: { 'x-terminal-key': terminalKey },
  });
  expect(status).toBe(200);
}

const textAt = async (server: RunningServer, path: string): Promise<string> =>
  (await send(server.base, { path })).body;

/** Looks once; lines are without padding between the kind and the rest. */
async function look(
  ...args: readonly string[]
): Promise<{ status: number; lines: string[]; stderr: string }> {
  const { status, stdout, stderr }: CommandResult = await runCommandBeside(folder, [
    'monitor',
    ...args,
    '--once',
  ]);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { status, lines: lines.map((line) => line.replace(/^(\w+) +/, '$1 ')), stderr };
}

const kinds = (lines: readonly string[]): string[] => lines.map((line) => line.split(' ')[0] as string);

let states = 0;
const newState = (): string => join(folder, `state-${states++}`);

describe('a log that grows', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ terminalKey });
    await write(server, 'alpha');
  });
  afterAll(() => server.kill());

  it('is followed from the first entry, and then from where it was', async () => {
    const state = newState();
    const key = (await textAt(server, '/.well-known/colophon-key')).trim();
    const first = await look(server.base, '--state', state);
    expect([first.status, kinds(first.lines)]).toEqual([0, ['key', 'grown']]);
    expect(first.lines[0]).toContain(`itself names its key, which is pinned from now on: ${key}`);
    expect(readFileSync(join(state, 'keys'), 'utf8')).toBe(`${server.base}/ ${key}\n`);
    expect(await look(server.base, '--state', state)).toMatchObject({
      status: 0,
      lines: [expect.stringMatching(/^same .*: \d+ entries as before/)],
    });
    await write(server, 'beta');
    const grown = await look(server.base, '--state', state);
    expect([grown.status, kinds(grown.lines)]).toEqual([0, ['grown']]);
    expect(grown.lines[0]).toMatch(/: from \d+ to \d+ entries, consistent with root [0-9a-f]{64}/);
  });

  it('reports the entries of watched articles and fingerprints', async () => {
    const state = newState();
    const first = await look(server.base, '--state', state, '--watch', 'alpha');
    const resolved = first.lines.find((line) => line.startsWith('watch '));
    expect(resolved).toMatch(/^watch alpha is art_\w+, by the word of http:/);
    const id = /art_\w+/.exec(resolved ?? '')?.[0] as string;
    const entries = first.lines.filter((line) => line.startsWith('entry '));
    expect(entries.length).toBeGreaterThan(1);
    // Its chains, and the call that wrote to it.
    for (const line of entries) expect(line).toMatch(new RegExp(` of chain (?:${id}\\.\\w+|inv_\\w+)$`));
    expect(entries.filter((line) => line.includes(' of chain inv_'))).toHaveLength(1);
    expect(entries.join('\n')).toMatch(
      new RegExp(
        String.raw`^entry \S+Z \S+ entry \d+: write by owner, entry 0 of chain ${id}\.provenance$`,
        'm',
      ),
    );
    await write(server, 'gamma');
    const none = await look(server.base, '--state', state, '--watch', id);
    expect([none.status, kinds(none.lines)]).toEqual([0, ['grown']]);
    const json = await look(server.base, '--state', newState(), '--watch', id, '--json');
    const events = json.lines.map((line) => JSON.parse(line) as { event: string; chain?: string });
    expect(events.filter(({ event }) => event === 'entry')).toHaveLength(entries.length);
    expect(events.find(({ event }) => event === 'entry')).toMatchObject({
      url: `${server.base}/`,
      actor: 'owner',
      n: 0,
    });
  });

  it('says which article it cannot watch', async () => {
    const { status, lines } = await look(server.base, '--state', newState(), '--watch', 'no-such-article');
    expect([status, lines.filter((line) => line.startsWith('unread'))]).toEqual([
      2,
      [`unread ${server.base}/: it knows no article "no-such-article" to watch`],
    ]);
  });

  it('demands the quorum of a policy', async () => {
    const key = (await textAt(server, '/.well-known/colophon-key')).trim();
    const witness = cosignerFromSeed('witness.example', 'ed25519', Buffer.alloc(32, 1));
    const policy = join(folder, 'policy');
    writeFileSync(policy, `log ${key}\nwitness w1 ${witness.key.text}\nquorum w1\n`);
    const state = newState();
    const lacking = await look(server.base, '--state', state, '--policy', policy);
    expect([lacking.status, kinds(lacking.lines)]).toEqual([1, ['grown', 'PROBLEM']]);
    expect(lacking.lines[1]).toContain(
      'quorum: cosigned by no witness of the policy: the quorum w1 is not met',
    );
    // The same log behind an address that shows a cosigned checkpoint.
    const cosigned = await startPeer((request, reply) => {
      void (async () => {
        const answer = await fetch(server.base + (request.url as string));
        const bytes = Buffer.from(await answer.arrayBuffer());
        const line = request.url === '/checkpoint' ? cosign(bytes.toString()) : '';
        reply.writeHead(answer.status).end(Buffer.concat([bytes, Buffer.from(line)]));
      })();
    });
    const cosign = (note: string): string =>
      witness.cosign(note.slice(0, note.lastIndexOf('\n\n') + 1), 1_790_000_000) as string;
    const met = await look(cosigned.base, '--state', state, '--policy', policy);
    expect([met.status, kinds(met.lines)]).toEqual([0, ['same', 'quorum']]);
    await cosigned.stop();
  });

  it('is not taken for another log', async () => {
    const state = newState();
    const other = signerFromSeed('other.example', Buffer.alloc(32, 3)).key.text;
    expect(await look(server.base, '--state', state, '--key', other)).toMatchObject({
      status: 1,
      lines: [expect.stringContaining('key: none of the given keys is of the log')],
    });
    expect(await look(server.base, '--state', state, '--key', 'x+y')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--key: the verifier key is not name+hash+key') as string,
    });
    const same = signerFromSeed(new URL(server.base).host, Buffer.alloc(32, 3)).key.text;
    expect(await look(server.base, '--state', state, '--key', same)).toMatchObject({
      status: 1,
      lines: [expect.stringContaining('signature: the note is not signed by')],
    });
  });

  it('is unreadable while another monitor has locked its state', async () => {
    const state = newState();
    await look(server.base, '--state', state);
    const [name = ''] = readdirSync(join(state, 'logs'));
    const path = join(state, 'logs', name);
    const lock = new DatabaseSync(path);
    lock.exec('BEGIN EXCLUSIVE');
    expect(await look(server.base, '--state', state)).toEqual({
      status: 2,
      lines: [
        `unread ${server.base}/: another monitor is using ${path}; give this one another folder with --state`,
      ],
      stderr: '',
    });
    lock.close();
    expect((await look(server.base, '--state', state)).status).toBe(0);
  });

  it('is polled until a signal, and only news is printed', async () => {
    const state = newState();
    const child = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('../../bin/colophon.js', import.meta.url)),
        'monitor',
        server.base,
        '--state',
        state,
        '--every',
        '1',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(output)) await sleep(50);
    };
    await until(/^grown /m);
    await write(server, 'delta');
    await until(/^grown .*: from /m);
    await sleep(1500);
    child.kill('SIGTERM');
    const [status] = (await once(child, 'exit')) as [number];
    expect([status, kinds(output.trim().split('\n'))]).toEqual([0, ['key', 'grown', 'grown']]);
  });
});

describe('a deployment that was set back and forked by its operator', () => {
  const state = newState();
  const copy = join(folder, 'copy');
  let server: RunningServer;

  /** Starts on the data as it was, without what would refuse that. */
  async function setBack(): Promise<void> {
    await server.stop();
    rmSync(server.folder, { recursive: true });
    cpSync(copy, server.folder, { recursive: true });
    rmSync(join(server.folder, 'checkpoint'), { force: true });
    server = await startServer({ folder: server.folder, port: server.port, terminalKey });
  }

  beforeAll(async () => {
    server = await startServer({ terminalKey });
    await write(server, 'survives');
    await server.stop();
    cpSync(server.folder, copy, { recursive: true });
    server = await startServer({ folder: server.folder, port: server.port, terminalKey });
    await write(server, 'a-one');
    await write(server, 'a-two');
  }, 60_000);
  afterAll(() => server.kill());

  const evidenceFiles = (): string[] =>
    readdirSync(join(state, 'evidence')).map((name) => join(state, 'evidence', name));
  const sizeOf = async (): Promise<number> => Number((await textAt(server, '/checkpoint')).split('\n')[1]);

  it('is convicted by a smaller history', async () => {
    expect((await look(server.base, '--state', state)).status).toBe(0);
    const seen = await sizeOf();
    await setBack();
    expect(kinds((await look(server.base, '--state', state)).lines)).toEqual(['behind']);
    await write(server, 'b-one');
    const size = await sizeOf();
    expect(size).toBeLessThan(seen);
    const { status, lines } = await look(server.base, '--state', state);
    const [file = ''] = evidenceFiles();
    expect([status, lines]).toEqual([
      1,
      [
        `ALARM ${new URL(server.base).host} signed two histories, of ${size} and ${seen} entries (${server.base}/). Evidence: ${file}; judge it with colophon verify.`,
      ],
    ]);
    const judged = await runCommandBeside(folder, ['verify', file]);
    expect([judged.status, judged.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          String.raw`^ok   key: the file itself names the key of .*\nok   signature: .*\nok   fork: the key of \S+ signed two histories: ${size} entries with root [0-9a-f]{64}, and ${seen} entries with root [0-9a-f]{64}\n$`,
        ),
      ),
    ]);
    const key = (await textAt(server, '/.well-known/colophon-key')).trim();
    expect((await runCommandBeside(folder, ['verify', file, '--key', key])).status).toBe(0);
    const other = signerFromSeed(new URL(server.base).host, Buffer.alloc(32, 3)).key.text;
    expect(await runCommandBeside(folder, ['verify', file, '--key', other])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('FAIL key: the evidence is about another key') as string,
    });
  }, 60_000);

  it('is convicted by a larger history, and stays convicted', async () => {
    for (const slug of ['b-two', 'b-three', 'b-four']) await write(server, slug);
    const { status, lines } = await look(server.base, '--state', state);
    expect([status, kinds(lines), evidenceFiles().length]).toEqual([1, ['ALARM', 'ALARM'], 2]);
    for (const file of evidenceFiles())
      expect((await runCommandBeside(folder, ['verify', file])).status).toBe(0);
    await server.stop();
    const gone = await look(server.base, '--state', state);
    expect([gone.status, kinds(gone.lines)]).toEqual([2, ['unread']]);
    server = await startServer({ folder: server.folder, port: server.port, terminalKey });
    expect((await look(server.base, '--state', state)).status).toBe(1);
  }, 60_000);

  it('is convicted by its two faces at two addresses', async () => {
    const face = await startServer({
      folder: (() => {
        const at = temporaryFolder();
        cpSync(copy, at, { recursive: true });
        rmSync(join(at, 'checkpoint'), { force: true });
        return at;
      })(),
      terminalKey,
      env: { COLOPHON_BASE_URL: server.base },
    });
    await write(face, 'c-one');
    const peers = newState();
    const found = await look(server.base, '--peer', face.base, '--state', peers);
    expect([found.status, kinds(found.lines)]).toEqual([1, ['key', 'grown', 'ALARM']]);
    expect(found.lines[2]).toContain(`(${face.base}/)`);
    await face.kill();
  }, 60_000);
});

describe('a hostile server', () => {
  const signer = signerFromSeed('log.example', Buffer.alloc(32, 5));
  let peer: Peer;
  let files = new Map<string, Uint8Array>();
  let answer:
    ((path: string) => { status: number; headers?: Record<string, string>; body?: Uint8Array }) | undefined;
  let stall: ((path: string) => boolean) | undefined;

  beforeAll(async () => {
    peer = await startPeer((request, reply) => {
      const path = (request.url as string).slice(1);
      if (stall?.(path) === true) return;
      const given = answer?.(path);
      const body = given?.body ?? files.get(path);
      reply.writeHead(given?.status ?? (body === undefined ? 404 : 200), given?.headers).end(body);
    });
  });
  afterAll(() => peer.stop());

  it('leads the monitor nowhere else', async () => {
    answer = () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/checkpoint' } });
    expect(await look(peer.base, '--state', newState())).toMatchObject({
      status: 2,
      lines: [
        `unread ${peer.base}/: checkpoint is redirected to http://127.0.0.1:1/checkpoint, which is not followed`,
      ],
    });
    answer = undefined;
  });

  it('is read no further than a checkpoint goes', async () => {
    answer = () => ({ status: 200, body: Buffer.alloc(70_000, 'x') });
    expect(await look(peer.base, '--state', newState())).toMatchObject({
      status: 1,
      lines: [`PROBLEM ${peer.base}/: fetch: checkpoint is larger than 65536 bytes`],
    });
    answer = undefined;
  });

  it('writes no escapes to the terminal', async () => {
    const texts = historyTexts(3).with(2, '{"chain":"\u009b2J\u202e"}');
    files = logFiles(texts);
    const { status, lines } = await look(peer.base, '--state', newState());
    expect([status, kinds(lines)]).toEqual([1, ['key', 'grown', 'PROBLEM']]);
    answer = () => ({ status: 302, headers: { location: 'http://x/\u009b31mred' } });
    const redirected = await look(peer.base, '--state', newState());
    // eslint-disable-next-line no-control-regex
    expect(redirected.lines.join('')).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
    answer = undefined;
  });

  it('is not followed to entries that do not fit, and keeps what was seen', async () => {
    const state = newState();
    const texts = historyTexts(20);
    files = logFiles(texts.slice(0, 10));
    expect((await look(peer.base, '--state', state)).status).toBe(0);
    files = new Map(logFiles(texts));
    files.set('checkpoint', Buffer.from(signCheckpoint(signer, 20, Buffer.alloc(32, 1))));
    // The key of these files is another one.
    expect((await look(peer.base, '--state', state)).lines.join('\n')).toContain(
      'signature: the note is not signed by ledger.example/colophon',
    );
    files = new Map(logFiles(texts));
    files.delete('tile/entries/000.p/20');
    expect((await look(peer.base, '--state', state)).lines).toEqual([
      expect.stringContaining('fetch: tile/entries/000 is missing'),
    ]);
    files = logFiles(texts);
    expect((await look(peer.base, '--state', state)).lines).toEqual([
      expect.stringContaining('from 10 to 20 entries'),
    ]);
  });

  it('does not spoil the state where the monitor is killed while it waits', async () => {
    const state = newState();
    const texts = historyTexts(700);
    files = logFiles(texts.slice(0, 300));
    expect((await look(peer.base, '--state', state)).status).toBe(0);
    files = logFiles(texts);
    stall = (path) => path === 'tile/entries/002.p/188';
    const child = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('../../bin/colophon.js', import.meta.url)),
        'monitor',
        peer.base,
        '--state',
        state,
        '--once',
      ],
      { stdio: 'ignore' },
    );
    while (!peer.asked.includes('GET /tile/entries/002.p/188')) await sleep(20);
    // The page before is within the transaction by now.
    await sleep(200);
    const second = await look(peer.base, '--state', state);
    expect([second.status, second.lines]).toEqual([
      2,
      expect.arrayContaining([expect.stringContaining('another monitor is using')]),
    ]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(state, 'keys'))).toBe(true);
    stall = undefined;
    expect((await look(peer.base, '--state', state)).lines).toEqual([
      expect.stringContaining('from 300 to 700 entries'),
    ]);
  });

  it('cannot pass for a log whose key another address showed first', async () => {
    const state = newState();
    files = logFiles(historyTexts(3));
    expect((await look(peer.base, '--state', state)).status).toBe(0);
    const forger = signerFromSeed('ledger.example/colophon', Buffer.alloc(32, 6));
    const forged = new Map(files);
    forged.set('.well-known/colophon-key', Buffer.from(forger.key.text));
    forged.set('checkpoint', Buffer.from(signCheckpoint(forger, 3, Buffer.alloc(32, 1))));
    const other = await startPeer((request, reply) => {
      const body = forged.get((request.url as string).slice(1));
      reply.writeHead(body === undefined ? 404 : 200).end(body);
    });
    expect(await look(other.base, '--state', state)).toMatchObject({
      status: 1,
      lines: [expect.stringContaining('it names another key of ledger.example/colophon than')],
    });
    expect(await look(peer.base, '--peer', other.base, '--state', state)).toMatchObject({
      status: 1,
      lines: [
        expect.stringMatching(/^same /),
        expect.stringContaining('signature: the note is not signed by ledger.example/colophon'),
        expect.stringContaining('PROBLEM'),
      ],
    });
    await other.stop();
  });
});

it('refuses what is no address, watch or number', async () => {
  mkdirSync(join(folder, 'x'), { recursive: true });
  for (const [args, why] of [
    [[], 'it takes the address of a log'],
    [['ftp://x'], '"ftp://x" is not the address of a log'],
    [['http://u:p@x'], 'is not the address of a log'],
    [['http://x', '--watch', 'A B'], '--watch takes an article'],
    [['http://x', '--every', '0'], '--every takes a number from 1 to 86400, not 0'],
    [['http://x', '--policy', folder], '--policy takes a file that can be read'],
  ] as const)
    expect(await look(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(why) as string });
});
