import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import {
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

let server: RunningServer;
const elsewhere = temporaryFolder();

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

const run = (...args: readonly string[]) => runCommandBeside(server.folder, args);

describe('colophon key', () => {
  it('mints a key that works at once on the running server, lists it, and revokes it', async () => {
    const minted = await run('key', 'mint', '--scope', 'act', '--purpose', 'a script', '--json');
    expect(minted.status).toBe(0);
    const { key, result } = JSON.parse(minted.stdout) as { key: string; result: { fingerprint: string } };
    const tree = () =>
      send(server.base, {
        path: '/api/dispatch',
        headers: { authorization: `Bearer ${key}` },
        body: { key: 'OIP_TREE' },
      });
    expect((await tree()).status).toBe(200);
    const listed = await run('key', 'list');
    expect(listed.stdout).toContain(`${result.fingerprint}  valid  act  a script`);
    expect(listed.stdout).not.toContain(key);
    expect((await run('key', 'revoke', result.fingerprint)).status).toBe(0);
    expect((await tree()).status).toBe(401);
    expect((await run('key', 'revoke', result.fingerprint)).status).toBe(1);
  });

  it('works on a deployment elsewhere with --url, as the owner whose key is in the environment', async () => {
    const remote = (key: string, ...args: readonly string[]) =>
      runCommandBeside(elsewhere, [...args, '--url', server.base], { COLOPHON_TERMINAL_KEY: key });
    const minted = await remote(
      server.terminalKey,
      'key',
      'mint',
      '--scope',
      'read',
      '--purpose',
      'far away',
    );
    expect([minted.status, minted.stderr]).toEqual([0, '']);
    expect((await remote(server.terminalKey, 'key', 'list')).stdout).toContain('valid  read  far away');
    const file = join(elsewhere, 'far.md');
    writeFileSync(file, '# Far\n\nAway.\n');
    expect((await remote(server.terminalKey, 'import', file)).status).toBe(0);
    const exported = await remote(server.terminalKey, 'export', 'far', '--out', '-');
    expect(JSON.parse(exported.stdout)).toMatchObject({ bundle_version: 1 });
    const refused = await remote('tk_another', 'cap', 'mint', '--key', 'MIRROR_FEED');
    expect([refused.status, refused.stderr.includes('credential')]).toEqual([1, true]);
  });

  it('names the variable that lacks the owner key, and says without more that nobody answers', async () => {
    const setTheKey = `Set COLOPHON_TERMINAL_KEY to the owner key of ${server.base}.\n`;
    const listedWith = async (key: string) =>
      runCommandBeside(elsewhere, ['key', 'list', '--url', server.base], { COLOPHON_TERMINAL_KEY: key });
    for (const key of ['', 'tk_another']) {
      const { status, stderr } = await listedWith(key);
      expect([key, status, stderr.slice(-setTheKey.length)]).toEqual([key, 1, setTheKey]);
    }
    const minted = await runCommandBeside(
      elsewhere,
      ['cap', 'mint', '--key', 'MIRROR_FEED', '--url', server.base],
      { COLOPHON_TERMINAL_KEY: '' },
    );
    expect([minted.status, minted.stderr]).toEqual([
      1,
      `owner_only: CAP_MINT is the owner's alone. ${setTheKey}`,
    ]);
    const absent = await runCommandBeside(elsewhere, ['key', 'list', '--url', 'http://127.0.0.1:9']);
    expect([absent.status, absent.stderr]).toEqual([
      2,
      'colophon: GET http://127.0.0.1:9/api/keys was not answered: bad port.\n',
    ]);
  });

  it('prints its usage', async () => {
    expect((await run('key')).status).toBe(2);
    expect((await run('key', '--bogus')).stderr).toBe(
      "colophon key: Unknown option '--bogus'. Run colophon key --help.\n",
    );
    const refused = await run('key', 'mint', '--scope', 'everything');
    expect([refused.status, refused.stderr.includes('body_mismatch')]).toEqual([1, true]);
  });
});

describe('colophon cap', () => {
  it('mints a share whose every call awaits approval by the owner', async () => {
    const minted = await run('cap', 'mint', '--key', 'OBJECTION_LOG', '--owner-gate', '--json');
    const { share } = JSON.parse(minted.stdout) as { share: string };
    const { status, body } = await send(server.base, {
      path: '/api/dispatch',
      body: { key: 'OBJECTION_LOG', body: 'claims-and-tiers|It waits.', share },
    });
    expect([status, (JSON.parse(body) as { invocation: { status: string } }).invocation.status]).toEqual([
      202,
      'proposed',
    ]);
  });
});

describe('colophon drop', () => {
  it('renders a drop that passes the drop check, and a drop with a command fails it', async () => {
    const { stdout } = await run('cap', 'mint', '--scope', 'row', '--key', 'MIRROR_FEED', '--json');
    const { share } = JSON.parse(stdout) as { share: string };
    const rendered = await run('drop', 'render', share, '--url', server.base);
    expect(rendered.status).toBe(0);
    expect(rendered.stdout.split('\n')[0]).toBe(`${server.base}/protocol`);
    // The environment of this command knows nothing of where the server listens.
    expect((await run('drop', 'render', share)).stdout).toBe(rendered.stdout);
    expect(rendered.stdout).toContain('Scope: row MIRROR_FEED');
    const good = join(elsewhere, 'good.txt');
    const bad = join(elsewhere, 'bad.txt');
    writeFileSync(good, rendered.stdout);
    writeFileSync(bad, `${rendered.stdout}Open the link above.\n`);
    expect((await run('drop', 'check', good)).status).toBe(0);
    const judged = await run('drop', 'check', bad);
    expect(judged.status).toBe(1);
    expect(judged.stdout).toMatch(/bad\.txt:\d+: rule 6d: /);
    expect(judged.stdout).toContain('score 75 of 100, failed.');
    expect(JSON.parse((await run('drop', 'check', bad, '--json')).stdout)).toMatchObject({
      ok: false,
      score: 75,
    });
    expect((await run('drop', 'render', 'sh.nothing')).status).toBe(1);
    expect((await run('drop', 'check', join(elsewhere, 'absent.txt'))).status).toBe(2);
  });

  it('is not rendered of a share that is revoked', async () => {
    const { stdout } = await run('cap', 'mint', '--scope', 'row', '--key', 'MIRROR_FEED', '--json');
    const { share, result } = JSON.parse(stdout) as { share: string; result: { fingerprint: string } };
    expect((await run('cap', 'revoke', result.fingerprint)).status).toBe(0);
    for (const at of [[], ['--url', server.base]]) {
      const refused = await run('drop', 'render', share, ...at);
      expect([refused.status, refused.stdout, refused.stderr]).toEqual([
        1,
        '',
        `${result.fingerprint} is revoked: mint another share with colophon cap mint.\n`,
      ]);
    }
  });
});
