/**
 * A ledger that was set back (contract §6), from outside: with the checkpoint kept on another disk the whole folder may
 * go back, or an older backup be restored, and it is noticed. Accepting it begins a new log, and what the old one has
 * signed still verifies with the old key.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import {
  newOwnerKey,
  removeFolders,
  runCommand,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

const terminalKey = newOwnerKey();

async function write(server: RunningServer, slug: string): Promise<string> {
  const { status, body } = await send(server.base, {
    path: '/api/protocol/voxel-batch',
    body: { document: { slug, markdown: `# ${slug}\n\nA text.\n` } },
    headers: { 'x-terminal-key': terminalKey },
  });
  expect(status).toBe(200);
  return (JSON.parse(body) as { receipt: { id: string } }).receipt.id;
}

const text = async (server: RunningServer, path: string): Promise<string> =>
  (await send(server.base, { path, headers: { 'x-terminal-key': terminalKey } })).body;
const keyOf = (server: RunningServer): Promise<string> => text(server, '/.well-known/colophon-key');
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n');

afterAll(removeFolders);

describe('a data folder that was rolled back as a whole', () => {
  const elsewhere = temporaryFolder();
  const kept = join(elsewhere, 'kept', 'checkpoint');
  const env = { COLOPHON_CHECKPOINT: kept };
  const backup = join(elsewhere, 'backup');
  let server: RunningServer;
  let oldKey: string;
  let lostNote: string;
  const oldReceipt = join(elsewhere, 'old.receipt');
  const start = (args: readonly string[] = []): Promise<RunningServer> =>
    startServer({ folder: server.folder, port: server.port, terminalKey, env, args });

  beforeAll(async () => {
    mkdirSync(dirname(kept));
    server = await startServer({ terminalKey, env });
    await write(server, 'survives');
    oldKey = (await keyOf(server)).trim();
    await server.stop();
    expect(runCommand(server.folder, ['backup', backup], env).status).toBe(0);
    cpSync(server.folder, join(elsewhere, 'set-back'), { recursive: true });
    server = await start();
    const receipt = await write(server, 'lost');
    writeFileSync(oldReceipt, await text(server, `/api/dispatch?receipt=${receipt}`));
    await server.stop();
    rmSync(server.folder, { recursive: true });
    cpSync(join(elsewhere, 'set-back'), server.folder, { recursive: true });
    lostNote = readFileSync(kept, 'utf8');
  }, 60_000);

  it('is refused by start, doctor and verify, each naming how many entries are missing', async () => {
    const size = Number(linesOf(kept)[1]);
    await expect(start()).rejects.toThrow(
      new RegExp(
        `status 2: colophon: The ledger has \\d+ entries; the checkpoint kept apart from it in ${kept} has seen ${size}\\. [^\\n]+--accept-rollback[^\\n]+\\n$`,
      ),
    );
    const doctor = runCommand(server.folder, ['doctor'], env);
    expect([doctor.status, doctor.stdout]).toEqual([1, expect.stringContaining(`has seen ${size}`)]);
    const verify = runCommand(server.folder, ['verify'], env);
    expect([verify.status, verify.stdout]).toEqual([
      1,
      expect.stringContaining(`the checkpoint kept apart covers ${size} entries`),
    ]);
    expect(readFileSync(kept, 'utf8')).toBe(lostNote);
  }, 60_000);

  it('prints no owner key when the start of an emptied folder is refused', () => {
    const folder = temporaryFolder();
    const { status, stdout, stderr } = runCommand(folder, ['serve'], { ...env, PORT: '0' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('was an older copy restored?');
  });

  it('cannot be replaced by an older backup without --accept-rollback', () => {
    const target = join(elsewhere, 'target');
    const { status, stderr } = runCommand(target, ['restore', backup], env);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/has seen \d+\. [^\n]+--accept-rollback/)]);
    expect(readdirSync(elsewhere)).not.toContain('target');
  });

  it('begins a new log with --accept-rollback, whose first entry commits to the lost checkpoint', async () => {
    const accepted = await start(['--accept-rollback']);
    const newKey = (await keyOf(accepted)).trim();
    const [origin = ''] = (await text(accepted, '/checkpoint')).split('\n');
    expect(newKey.split('+')[0]).toBe(origin);
    expect(origin).toMatch(new RegExp(`^127\\.0\\.0\\.1:${server.port}/log-[a-z2-7]{16}$`));
    expect(newKey.split('+')[2]).not.toBe(oldKey.split('+')[2]);
    const bundle = await fetch(`${accepted.base}/tile/entries/000.p/1`);
    const first = JSON.parse(Buffer.from(await bundle.arrayBuffer()).toString('utf8', 2)) as object;
    expect(first).toMatchObject({
      action: 'accept_rollback',
      actor: 'system',
      checkpoint_hash: createHash('sha256').update(lostNote).digest('hex'),
    });
    expect((await send(accepted.base, { path: '/api/articles/survives' })).status).toBe(200);
    expect((await send(accepted.base, { path: '/api/articles/lost' })).status).toBe(404);
    const receipt = await write(accepted, 'anew');
    const fresh = join(elsewhere, 'fresh.receipt');
    writeFileSync(fresh, await text(accepted, `/api/dispatch?receipt=${receipt}`));
    expect(runCommand(server.folder, ['verify', fresh, '--key', newKey]).status).toBe(0);
    expect(runCommand(server.folder, ['verify', '--url', accepted.base]).status).toBe(0);
    const page = await text(accepted, '/log');
    expect(page).toContain(oldKey);
    expect(await accepted.stop()).toBe(0);
    const verify = runCommand(server.folder, ['verify'], env);
    expect([verify.status, verify.stdout]).toEqual([0, expect.stringMatching(/^Sound/)]);
    expect(runCommand(server.folder, ['rebuild', '--check'], env).status).toBe(0);
    expect(readdirSync(dirname(kept)).filter((name) => name.startsWith('checkpoint.rejected-'))).toHaveLength(
      1,
    );
    expect(linesOf(kept)[0]).toBe(origin);
    const again = await start();
    expect((await keyOf(again)).trim()).toBe(newKey);
    await again.stop();
  }, 90_000);

  it('keeps receipts of the old log valid under the old key, and they name their log', () => {
    expect(runCommand(server.folder, ['verify', oldReceipt, '--key', oldKey]).status).toBe(0);
    const newKey = `${linesOf(kept)[0]}+00000000+AA==`;
    expect(runCommand(server.folder, ['verify', oldReceipt, '--key', newKey]).status).not.toBe(0);
  });

  it('is refused as an older copy under the checkpoint of the new log', async () => {
    const folder = join(elsewhere, 'again');
    cpSync(join(elsewhere, 'set-back'), folder, { recursive: true });
    await expect(startServer({ folder, terminalKey, env })).rejects.toThrow(
      /it is of the log \S+\/log-[a-z2-7]{16}, this ledger is of \S+: was an older copy restored\?/,
    );
  }, 60_000);

  it('can be replaced by an older backup with --accept-rollback, and starts from it', async () => {
    const target = join(elsewhere, 'target');
    const done = runCommand(target, ['restore', backup, '--accept-rollback'], { COLOPHON_CHECKPOINT: kept });
    expect([done.status, done.stderr]).toEqual([0, '']);
    const restored = await startServer({ folder: target, terminalKey, env });
    const [origin] = (await text(restored, '/checkpoint')).split('\n');
    expect(origin).toContain('/log-');
    await restored.stop();
    expect(runCommand(target, ['verify'], env).status).toBe(0);
  }, 60_000);

  it.each([
    [
      '',
      'COLOPHON_CHECKPOINT is empty; it accepts a file in a folder that exists. Leave it unset for the usual one.',
    ],
    ['/', 'COLOPHON_CHECKPOINT is "/"; it accepts a file in a folder that exists.'],
    [
      '/no/such/folder/checkpoint',
      'COLOPHON_CHECKPOINT is "/no/such/folder/checkpoint"; it accepts a file in a folder that exists.',
    ],
  ])('does not start with COLOPHON_CHECKPOINT=%s and says why in one line', (given, line) => {
    const { status, stderr } = runCommand(temporaryFolder(), ['serve'], {
      COLOPHON_CHECKPOINT: given,
      PORT: '0',
    });
    expect([status, stderr]).toEqual([2, `colophon: ${line}\n`]);
  });
});

describe('the separate checkpoint', () => {
  it('is updated within a second of a write, so that a lost write-ahead log is detected after a crash', async () => {
    let server = await startServer({ terminalKey });
    const { folder, port } = server;
    await server.stop();
    server = await startServer({ folder, port, terminalKey });
    const path = join(folder, 'checkpoint');
    for (let i = 0; i < 5; i++) {
      await write(server, `n-${i}`);
      const note = await text(server, '/checkpoint');
      const began = performance.now();
      while (!existsSync(path) || readFileSync(path, 'utf8') !== note) {
        expect(performance.now() - began).toBeLessThan(1000);
        await sleep(10);
      }
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await server.kill();
    rmSync(join(folder, 'colophon.db-wal'));
    await expect(startServer({ folder, port, terminalKey })).rejects.toThrow(
      /The ledger has \d+ entries; the checkpoint kept apart from it has seen \d+/,
    );
  }, 60_000);

  it('is never replaced by a smaller checkpoint', async () => {
    const first = await startServer({ terminalKey });
    const { folder, port } = first;
    await write(first, 'one');
    await first.stop();
    const path = join(folder, 'checkpoint');
    const altered = readFileSync(path, 'utf8').replace(/\n\d+\n/, '\n999999\n');
    const server = await startServer({ folder, port, terminalKey, env: { COLOPHON_LOG: 'warn' } });
    await sleep(500);
    writeFileSync(path, altered);
    await write(server, 'two');
    await sleep(700);
    expect(readFileSync(path, 'utf8')).toBe(altered);
    expect(server.output()).toContain('It is not replaced.');
    await server.kill();
  }, 60_000);
});

describe.runIf(hasPostgres)('a database that was rolled back', () => {
  it('is refused under the separate checkpoint, and begins a new log with --accept-rollback', async () => {
    const postgres = await sharedPostgres();
    try {
      const url = await postgres.database();
      const secret = { COLOPHON_SECRET_KEY: 'a secret of at least thirty-two characters' };
      const env = { ...secret, DATABASE_URL: url };
      let node = await startServer({ terminalKey, env });
      await write(node, 'survives');
      await node.stop();
      const copy = new URL(url);
      copy.pathname = `${copy.pathname}_copy`;
      await postgres.query(
        `CREATE DATABASE "${copy.pathname.slice(1)}" TEMPLATE "${new URL(url).pathname.slice(1)}"`,
      );
      node = await startServer({ folder: node.folder, port: node.port, terminalKey, env });
      await write(node, 'lost');
      const oldKey = await keyOf(node);
      await node.stop();
      const back = { ...secret, DATABASE_URL: copy.href };
      const options = { folder: node.folder, port: node.port, terminalKey, env: back };
      await expect(startServer(options)).rejects.toThrow(/has seen \d+\. Restore the newer ledger/);
      const doctor = await runCommandBeside(node.folder, ['doctor'], back);
      expect([doctor.status, doctor.stdout]).toEqual([
        1,
        expect.stringMatching(/checkpoint.+has seen \d+\./),
      ]);
      const accepted = await startServer({ ...options, args: ['--accept-rollback'] });
      await write(accepted, 'anew');
      expect(await keyOf(accepted)).not.toBe(oldKey);
      expect((await send(accepted.base, { path: '/api/articles/survives' })).status).toBe(200);
      await sleep(1000);
      const bundle = await fetch(`${accepted.base}/tile/entries/000.p/1`);
      expect(Buffer.from(await bundle.arrayBuffer()).toString('utf8', 2)).toContain(
        '"action":"accept_rollback"',
      );
      const log = await runCommandBeside(node.folder, ['verify', '--url', accepted.base]);
      expect([log.status, log.stdout]).toEqual([0, expect.stringContaining('ok')]);
      expect(await accepted.stop()).toBe(0);
      const verify = await runCommandBeside(node.folder, ['verify'], back);
      expect([verify.status, verify.stdout]).toEqual([0, expect.stringMatching(/^Sound/)]);
      await (await startServer(options)).stop();
    } finally {
      await postgres.stop();
    }
  }, 120_000);
});
