import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

/** What a module says of itself where it got through, or the code with which Node refused it. */
const attempt = (code: string): string => `
  export default async ({ text }) => {
    try { return { got: await (async () => { ${code} })() }; }
    catch (error) { return { refused: error.code ?? error.cause?.code ?? error.message }; }
  };`;

describe('the module of an fn row', () => {
  const modules = mkdtempSync(join(tmpdir(), 'colophon-modules-'));
  let server: TestServer;
  let listener: Server;
  let connections = 0;
  let port = 0;

  beforeAll(async () => {
    listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready));
    port = (listener.address() as { port: number }).port;
    server = await startServer({ COLOPHON_FN_FOLDER: modules });
  });

  afterAll(async () => {
    expect(server.errors).toEqual([]);
    await server.stop();
    await new Promise((closed) => listener.close(closed));
    rmSync(modules, { recursive: true });
  });

  const send = async (method: string, path: string, body: object): Promise<Answer> => {
    const response = await server.fetch(path, {
      method,
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify(body),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  };
  let made = 0;
  /** Makes a row of that module and calls it. */
  const run = async (source: string, text = 'x', timeoutMs = 10_000): Promise<Answer> => {
    const name = `m${++made}`;
    writeFileSync(join(modules, `${name}.mjs`), source);
    const put = await send('PUT', `/api/directory/FN_${name.toUpperCase()}`, {
      type: 'fn',
      module: `${name}.mjs`,
      args: [{ name: 'text', rest: true }],
      what: 'Tries something.',
      when: 'In tests.',
      example: 'x',
      risk: 'low',
      timeout_ms: timeoutMs,
    });
    expect(put['http']).toBe(200);
    return send('POST', '/api/dispatch', { key: `FN_${name.toUpperCase()}`, body: text });
  };

  it.each([
    [
      'read a file',
      "return (await import('node:fs')).readFileSync('/etc/hostname', 'utf8')",
      'ERR_ACCESS_DENIED',
    ],
    ['write a file', "(await import('node:fs')).writeFileSync('/tmp/colophon-fn', 'x')", 'ERR_ACCESS_DENIED'],
    ['import a file', "return await import('file:///etc/hostname')", 'ERR_ACCESS_DENIED'],
    [
      'look up a name',
      "return await (await import('node:dns/promises')).lookup('localhost')",
      'ERR_ACCESS_DENIED',
    ],
    [
      'start a process',
      "return String((await import('node:child_process')).execSync('id'))",
      'ERR_ACCESS_DENIED',
    ],
    [
      'start a thread',
      "new (await import('node:worker_threads')).Worker('1', { eval: true })",
      'ERR_ACCESS_DENIED',
    ],
    ['load an addon', "process.dlopen({ exports: {} }, '/tmp/x.node')", 'ERR_DLOPEN_DISABLED'],
    ['become another program', "process.execve('/bin/true', ['true'], {})", 'ERR_ACCESS_DENIED'],
    [
      'open a database',
      "new (await import('node:sqlite')).DatabaseSync('/tmp/colophon-fn.db')",
      'ERR_UNKNOWN_BUILTIN_MODULE',
    ],
    ['call foreign code', "(await import('node:ffi')).dlopen('libc.so.6')", 'ERR_UNKNOWN_BUILTIN_MODULE'],
    ['signal the server', 'return process.kill(process.ppid, 0)', 'process.kill is not a function'],
  ])('cannot %s', async (_what, code, refused) => {
    expect((await run(attempt(code)))['result']).toEqual({ refused });
  });

  it('cannot open a socket through any API', async () => {
    const answer = await run(
      `import net from 'node:net';
       const tried = (work) => work.then(() => 'through', (error) => error.cause?.code ?? error.code);
       export default async ({ text: port }) => ({
         fetch: await tried(fetch('http://127.0.0.1:' + port)),
         tcp: await tried(new Promise((done, no) => net.connect(Number(port), '127.0.0.1', done).on('error', no))),
       });`,
      String(port),
    );
    expect(answer['result']).toEqual({ fetch: 'ERR_ACCESS_DENIED', tcp: 'ERR_ACCESS_DENIED' });
    expect(connections).toBe(0);
  });

  it('sees neither the environment nor the folder of the server', async () => {
    const answer = await run('export default () => ({ env: Object.keys(process.env), cwd: process.cwd() });');
    expect(answer['result']).toEqual({ env: [], cwd: '/' });
  });

  it('is stopped at its time limit in an endless loop or an endless wait', async () => {
    for (const source of [
      'export default () => { for (;;); };',
      'export default () => new Promise(() => setInterval(() => undefined, 1000));',
    ]) {
      const before = Date.now();
      const answer = await run(source, 'x', 500);
      expect([answer['http'], answer['error']]).toEqual([504, 'runner_timeout']);
      expect(Date.now() - before).toBeLessThan(5000);
    }
  });

  it('is stopped when it exhausts memory inside or outside the heap', async () => {
    const answers = await Promise.all([
      run("export default () => { const all = []; for (;;) all.push('x'.repeat(1000) + all.length); };"),
      run('export default () => { const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1)); };'),
    ]);
    for (const answer of answers) expect([answer['http'], answer['error']]).toEqual([502, 'runner_failed']);
  });

  it('is not loaded for a call that the gates refuse', async () => {
    expect((await run('export default () => ({ text: "ran" });'))['result_text']).toBe('ran');
    const key = `FN_M${made}`;
    const path = join(modules, `m${made}.mjs`);
    const other = await send('POST', '/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'row', key: 'MIRROR_FEED' },
    });
    // Whoever reads it waits for ever.
    rmSync(path);
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', path]);
    const call = async (more: object): Promise<[number, Answer]> => {
      const response = await server.fetch('/api/dispatch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key, body: 'x', ...more }),
        signal: AbortSignal.timeout(3000),
      });
      return [response.status, (await response.json()) as Answer];
    };
    const [status, denied] = await call({ share: String(other['share']) });
    expect([status, denied['error'], denied['gate']]).toEqual([403, 'scope_denied', 'scope']);
    const [, shaped] = await call({ shape: true });
    expect(shaped['would_run']).toBe(false);
    rmSync(path);
  });

  it('may write to stdout and stderr without changing its result', async () => {
    const answer = await run(
      `export default () => { console.log('{"answer":"{}"}'); process.stderr.write('noise'); return { real: true }; };`,
    );
    expect(answer['result']).toEqual({ real: true });
  });

  it.each([
    ['a text', "export default () => 'words';", 'answered with no JSON object'],
    ['nothing', 'export default () => undefined;', 'answered with no JSON object'],
    ['a circular object', 'export default () => { const a = {}; a.a = a; return a; };', 'circular structure'],
    [
      'a text over the limit',
      "export default () => ({ text: 'x'.repeat(300_000) });",
      'at most 262144 characters',
    ],
    [
      'more than is read',
      "export default () => ({ text: 'x'.repeat(9_000_000) });",
      'answered with too much',
    ],
    ['process.exit', 'export default () => process.exit(0);', 'ended without an answer'],
    [
      'invalid JSON',
      "import fs from 'node:fs'; export default () => { fs.writeSync(3, '<html>'); process.exit(); };",
      'ended without an answer',
    ],
    ['no function', 'export default 5;', 'no default export that is a function'],
    ['no module', 'this is no code', 'it threw'],
  ])('that answers with %s fails with the reason', async (_what, source, why) => {
    const answer = await run(source);
    expect([answer['http'], answer['error']]).toEqual([502, 'runner_failed']);
    expect(answer['detail']).toContain(why);
  });
});
