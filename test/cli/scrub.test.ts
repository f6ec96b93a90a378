import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import {
  removeFolders,
  runCommand,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';
import { openDeployment } from '../support/deployment.ts';

const secret = 'correct-horse-battery';
/** In two parts, so that no scanner takes this file for a leak. */
const token = ['ghp_a1B2c3D4e5F6g7H8i9J0', 'k1L2m3N4o5P6q7R8'].join('');
const elsewhere = temporaryFolder();
const file = join(elsewhere, 'secret.txt');

let server: RunningServer;

beforeAll(async () => {
  writeFileSync(file, `${secret}\n`);
  server = await startServer();
  for (const slug of ['held', 'other'])
    await post('/api/protocol/voxel-batch', {
      document: { slug, markdown: `# ${slug}\n\nIt is ${secret} and stays so.\n` },
    });
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

async function post(path: string, body: object): Promise<void> {
  const headers = { 'x-terminal-key': server.terminalKey };
  expect((await send(server.base, { path, body, headers })).status).toBe(200);
}

function bytesOf(folder: string): Buffer {
  const parts: Buffer[] = [];
  for (const name of readdirSync(folder, { recursive: true }) as string[])
    if (statSync(join(folder, name)).isFile()) parts.push(readFileSync(join(folder, name)));
  return Buffer.concat(parts);
}

describe('colophon scrub', () => {
  it('previews the matches with status 1, and refuses a secret on the command line', async () => {
    const dry = await runCommandBeside(server.folder, ['scrub', '--file', file, '--dry-run']);
    expect([dry.status, dry.stdout.includes('Would scrub 4 occurrences in 4 stored contents')]).toEqual([
      1,
      true,
    ]);
    const spoken = await runCommandBeside(server.folder, ['scrub', secret]);
    expect([spoken.status, spoken.stderr.includes('not accepted as arguments')]).toEqual([2, true]);
    expect((await runCommandBeside(server.folder, ['scrub', '--auto', '--file', file])).status).toBe(2);
    expect(
      (await runCommandBeside(server.folder, ['scrub', '--file', join(elsewhere, 'absent')])).status,
    ).toBe(2);
    expect(bytesOf(server.folder).includes(secret)).toBe(true);
  });

  it('scrubs through the running server, first one article and then all', async () => {
    const one = await runCommandBeside(server.folder, ['scrub', '--file', file, '--slug', 'held', '--json']);
    expect(one.status).toBe(0);
    expect(JSON.parse(one.stdout)).toMatchObject({
      ok: true,
      result: { scope: 'held', contents: 2, occurrences: 2 },
    });
    const read = await send(server.base, { path: '/api/articles/held' });
    expect(JSON.parse(read.body)).toMatchObject({
      body: '# held\n\nIt is [redacted:secret] and stays so.\n',
    });
    expect((await runCommandBeside(server.folder, ['scrub', '--file', file])).status).toBe(0);
    expect(bytesOf(server.folder).includes(secret)).toBe(false);
    const verified = await runCommandBeside(server.folder, ['verify']);
    expect([verified.status, verified.stdout.includes('(4 scrubbed)')]).toEqual([0, true]);
    const overHttp = await runCommandBeside(server.folder, ['verify', '--url', server.base]);
    expect([overHttp.status, overHttp.stdout]).toEqual([0, overHttp.stdout]);
    expect((await runCommandBeside(server.folder, ['rebuild', '--check'])).status).toBe(0);
    expect(server.output()).not.toContain(secret);
  });

  it('opens the store itself when no server runs, and finds older secrets by the current rules', async () => {
    expect(await server.stop()).toBe(0);
    const before = await openDeployment({ folder: server.folder });
    await before.service.store.run({
      name: 'before the rule',
      keys: [],
      decide: (tx) =>
        tx.append({
          draft: {
            chain: 'inv_aaaaaaaaaaaaaaaa',
            ts: '2026-01-01T00:00:00.000Z',
            actor: 'anonymous',
            action: 'success',
            key: 'OBJECTION_LOG',
            tenant: 'main',
          },
          head: null,
          contents: [{ field: 'request_sha', value: `{"slug":"held","objection":"It says ${token}."}` }],
        }),
    });
    await before.close();
    expect(bytesOf(server.folder).includes(token)).toBe(true);
    const scrubbed = runCommand(server.folder, ['scrub', '--auto', '--json']);
    expect([scrubbed.status, scrubbed.stderr]).toEqual([0, '']);
    expect(JSON.parse(scrubbed.stdout)).toMatchObject({
      result: {
        contents: 1,
        kinds: { github: 1 },
        places: [{ chain: 'inv_aaaaaaaaaaaaaaaa', n: 0, field: 'request_sha' }],
      },
    });
    expect(bytesOf(server.folder).includes(token)).toBe(false);
    expect(runCommand(server.folder, ['rebuild', '--check']).status).toBe(0);
  });

  it('is detected by verify when a replacement was altered or content removed without a record', () => {
    const alter = (sql: string): string => {
      const db = new DatabaseSync(join(server.folder, 'colophon.db'));
      db.exec('BEGIN');
      db.exec(sql);
      db.exec('COMMIT');
      db.close();
      const { status, stdout } = runCommand(server.folder, ['verify', '--ledger-only']);
      expect(status).toBe(1);
      return stdout;
    };
    expect(
      alter("UPDATE content SET replacement = 'It is fine.' WHERE replacement LIKE 'It is %'"),
    ).toContain('what replaces the content of text_sha is not what a scrub entry of scrub_');
    expect(
      alter(
        `INSERT INTO content (id, field) SELECT seq * 8, 'text_sha' FROM entry WHERE packed LIKE '# other%';
         UPDATE entry SET fields = NULL, packed = NULL WHERE packed LIKE '# other%'`,
      ),
    ).toContain('the content of text_sha is gone, and no scrub entry says why');
  });

  it('prints help', () => {
    const { status, stdout } = runCommand(elsewhere, ['scrub', '--help']);
    expect([status, stdout.includes('--dry-run')]).toEqual([0, true]);
  });
});
