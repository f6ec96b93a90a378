/** The typed client (contract §7): its types are current, the examples of its guide run, and its limits hold. */
import { spawnSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientTypes, type OpenApiDocument } from '../../client/generate.ts';
import { Client, Pending, Refusal, Unanswered, type GetOperations } from '../../client/index.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/client.md'), 'utf8');
const examples = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code as string);

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  await server.article('# Guide\n\nOne.\n', { slug: 'guide' });
  // A project of its own, which has this package installed.
  folder = mkdtempSync(join(tmpdir(), 'colophon-client-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/colophon'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        exactOptionalPropertyTypes: true,
        module: 'nodenext',
        target: 'es2024',
        lib: ['esnext', 'dom', 'dom.iterable'],
        types: ['node'],
        skipLibCheck: false,
      },
      include: ['*.ts'],
    }),
  );
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

function compile(): string {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', '.'], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** Runs an example; the server answers in this process meanwhile. */
function run(file: string): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const env = { ...process.env, COLOPHON_URL: server.base, COLOPHON_TERMINAL_KEY: terminalKey };
    const child = spawn(process.execPath, [join(folder, file)], { env });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => (stdout += String(text)));
    child.stderr.on('data', (text) => (stderr += String(text)));
    child.on('close', (status) => done({ status, stdout, stderr }));
  });
}

describe('the types of the client', () => {
  it('are those of the OpenAPI document: run npm run client where they are not', async () => {
    const document = (await server.read('/api/openapi.json')) as OpenApiDocument;
    const text = await clientTypes(document);
    await expect(text).toMatchFileSnapshot(join(root, 'client/types.ts'));
    expect(text).not.toMatch(/\b(?:unknown|never|any)\b(?!['_])/);
    expect(text).toContain("'/api/articles/{slug}/claims': {");
  });

  it('refuse a schema that they cannot express', async () => {
    const document = { paths: {}, components: { schemas: { odd: { type: 'date' } } } };
    await expect(clientTypes(document)).rejects.toThrow('the type date has no counterpart');
  });
});

describe('the guide', () => {
  it('has examples that compile with strict options, and a misspelt one does not', () => {
    for (const [i, code] of examples.entries()) writeFileSync(join(folder, `example-${i}.ts`), code);
    expect(compile()).toBe('');
    writeFileSync(
      join(folder, 'wrong.ts'),
      `import { Client } from 'colophon/client';
const colophon = new Client({ base: 'http://127.0.0.1' });
await colophon.get('/api/article');
await colophon.get('/api/articles/{slug}');
const { claimz } = await colophon.get('/api/articles/{slug}/claims', { path: { slug: 'x' } });
await colophon.post('/api/protocol/claim', { body: { slug: 'x' } });
console.log(claimz);
`,
    );
    const errors = compile();
    rmSync(join(folder, 'wrong.ts'));
    expect([...errors.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => line)).toEqual([
      '3',
      '4',
      '5',
      '6',
    ]);
  }, 60_000);

  it('has examples that run', async () => {
    expect(examples).toHaveLength(4);
    const told: string[] = [];
    for (const [i, code] of examples.entries()) {
      writeFileSync(join(folder, `example-${i}.ts`), code);
      const { status, stdout, stderr } = await run(`example-${i}.ts`);
      expect([i, status, status === 0 ? '' : stderr]).toEqual([i, 0, '']);
      told.push(stdout);
    }
    const [read, write, refusal, call] = told;
    expect(read).toMatch(/^guide Guide\n0 claims\n/);
    expect(write).toMatch(/^c1 was written: http/);
    expect(refusal).toContain('It reads now: # Guide');
    expect(call).toBe('OBJECTION_LOG success\n');
  }, 60_000);
});

describe('the client', () => {
  const colophon = (more: object = {}): Client => new Client({ base: server.base, ...more });
  const listening: Server[] = [];
  afterAll(() => {
    for (const each of listening) {
      each.closeAllConnections();
      each.close();
    }
  });
  /** A server that answers in its own way. */
  const answering = (answer: RequestListener): Promise<string> =>
    new Promise((done) => {
      const other = createServer(answer).listen(0, '127.0.0.1', () =>
        done(`http://127.0.0.1:${(other.address() as AddressInfo).port}`),
      );
      listening.push(other);
    });

  it('throws a refusal with its code, fix, next addresses and status', async () => {
    const caught = await colophon()
      .get('/api/articles/{slug}', { path: { slug: 'nothing-here' } })
      .catch((error: unknown) => error);
    expect(caught).toBeInstanceOf(Refusal);
    const { code, status, fix, next, retryable } = caught as Refusal;
    expect([code, status, retryable]).toEqual(['not_found', 404, false]);
    expect(fix).not.toBe('');
    expect(next.every((url) => url.startsWith('http'))).toBe(true);
  });

  it('encodes what a path and a query hold', async () => {
    const seen: string[] = [];
    const fetching: typeof fetch = (input) => {
      seen.push(String(input));
      return Promise.resolve(Response.json({ ok: true }));
    };
    const client = new Client({ base: 'http://ledger.test/at/', fetch: fetching });
    await client.get('/api/articles/{slug}', { path: { slug: 'a b?c' }, query: { format: 'json' } });
    await client.get('/api/dispatch', { query: { invoke: 'MIRROR_FEED', arg: { 'arg.slug': 'a|b' } } });
    expect(seen).toEqual([
      'http://ledger.test/at/api/articles/a%20b%3Fc?format=json',
      'http://ledger.test/at/api/dispatch?invoke=MIRROR_FEED&arg.slug=a%7Cb',
    ]);
  });

  it('repeats the first answer under an idempotency key', async () => {
    const write = () =>
      colophon({ ownerKey: terminalKey }).post('/api/articles/{slug}/objections', {
        path: { slug: 'guide' },
        body: { objection: 'Once.' },
        idempotencyKey: 'client-objection-1',
      });
    const first = await write();
    expect((await write()).receipt.id).toBe(first.receipt.id);
  });

  it('throws Pending with the receipt where a write waits for the owner', async () => {
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'row', keys: ['CLAIM_RETRACT'], owner_gate: true },
    });
    const caught = await colophon({ credential: minted['share'] as string })
      .post('/api/protocol/retract', { body: { slug: 'guide', claim_id: 'c1', reason: 'A test.' } })
      .catch((error: unknown) => error);
    expect(caught).toBeInstanceOf(Pending);
    expect((caught as Pending).answer.invocation.status).toBe('proposed');
  });

  it('ends a request after its timeout', async () => {
    const silent = await answering(() => undefined);
    const caught = await new Client({ base: silent, timeoutMs: 50 }).get('/healthz').catch(String);
    expect(caught).toMatch(/^Unanswered: GET http:\/\/127\.0\.0\.1:\d+\/healthz was not answered: .*timeout/);
  });

  it('refuses an answer that is too long, a redirect and an answer of another service', async () => {
    const long = await answering((_request, response) => response.end('x'.repeat(2000)));
    const away = await answering((_request, response) => response.writeHead(302, { location: long }).end());
    const other = await answering((_request, response) => response.writeHead(500).end('<p>'));
    const get = (base: string): Promise<unknown> =>
      new Client({ base, answerBytesMax: 1000 }).get('/healthz').catch((error: unknown) => error);
    for (const base of [long, away, other]) expect(await get(base)).toBeInstanceOf(Unanswered);
    expect(String(await get(long))).toContain('longer than 1000 bytes');
    expect(() => new Client({ base: 'ftp://x' })).toThrow('no http or https address');
  });

  it('shows its credential to its own service alone', async () => {
    const shown: unknown[] = [];
    const note: RequestListener = ({ headers }, response) => {
      shown.push([headers.authorization, headers['x-terminal-key']]);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    };
    const [own, foreign] = [await answering(note), await answering(note)];
    const client = new Client({ base: own, credential: 'sh.x', ownerKey: 'tk_x' });
    await client.get('/healthz');
    await client.follow<GetOperations['/healthz']['answer']>(`${foreign}/healthz`);
    expect(shown).toEqual([
      ['Bearer sh.x', 'tk_x'],
      [undefined, undefined],
    ]);
  });

  it('shows its credential to nothing else on the host of its service', async () => {
    const shown: unknown[] = [];
    const host = await answering(({ url, headers }, response) => {
      shown.push([url, headers.authorization]);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
    const client = new Client({ base: `${host}/ledger/`, credential: 'sh.x' });
    for (const path of [
      '/ledger',
      '/ledger/healthz',
      '/',
      '/ledgers',
      '/ledger/../wiki',
      '/ledger/%2e%2e/wiki',
    ])
      await client.follow<GetOperations['/healthz']['answer']>(`${host}${path}`);
    expect(shown).toEqual([
      ['/ledger', 'Bearer sh.x'],
      ['/ledger/healthz', 'Bearer sh.x'],
      ['/', undefined],
      ['/ledgers', undefined],
      ['/wiki', undefined],
      ['/wiki', undefined],
    ]);
  });
});
