/** `colophon import --follow`, watching a folder beside a running server (src/doors/cli/import-notes.ts). */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import {
  removeFolders,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

const command =
  process.env['COLOPHON_BIN'] ?? fileURLToPath(new URL('../../bin/colophon.js', import.meta.url));
const folder = temporaryFolder();
const notes = join(folder, 'notes');
let server: RunningServer;
let following: Following | undefined;

interface Following {
  readonly child: ChildProcess;
  output(): string;
  readonly ended: Promise<number | null>;
}

/** Runs the command, which goes on until it is interrupted. */
function follow(): Following {
  const child = spawn(process.execPath, [command, 'import', '--follow', notes, '--publish'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      COLOPHON_DATA: server.folder,
      COLOPHON_LOG: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ended = new Promise<number | null>((done) => child.once('close', done));
  following = { child, output: () => text, ended };
  return following;
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 20));
};
const says = (followed: Following, part: string): Promise<void> =>
  until(() => followed.output().includes(part));
const note = (name: string, text: string): void => writeFileSync(join(notes, name), text);

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into member by member
type Json = Record<string, any>;
const request = async (path: string, body?: object): Promise<Json> => {
  const headers = { 'x-terminal-key': server.terminalKey };
  const answer = await send(server.base, { path, headers, ...(body === undefined ? {} : { body }) });
  return JSON.parse(answer.body) as Json;
};
const bodyOf = async (slug: string): Promise<string> =>
  String((await request(`/api/articles/${slug}`))['body']);
const reads = (slug: string, text: string): Promise<void> => until(async () => (await bodyOf(slug)) === text);

beforeAll(async () => {
  mkdirSync(notes);
  server = await startServer();
});
afterEach(async () => {
  following?.child.kill('SIGKILL');
  await following?.ended;
});
afterAll(async () => {
  await server.kill();
  removeFolders();
});

it('follows edits, renames and deletions, keeps what was changed here, and ends at an interrupt', async () => {
  note('Moths.md', '# Moths\n\nThey fly.\n');
  note('Ants.md', '# Ants\n\nThey walk.\n');
  symlinkSync('/etc/hostname', join(notes, 'Outside.md'));
  const followed = follow();
  await says(followed, 'Following ');
  expect(followed.output()).toContain(
    'Outside.md: not imported. It is a link to elsewhere, which is not followed.',
  );
  expect(await bodyOf('moths')).toBe('# Moths\n\nThey fly.\n');

  // As editors save: written beside under a hidden name, and renamed over the old file.
  note('.Moths.md.swp', '# Moths\n\nThey fly at');
  note('.Moths.md.swp', '# Moths\n\nThey fly at night.\n');
  renameSync(join(notes, '.Moths.md.swp'), join(notes, 'Moths.md'));
  await reads('moths', '# Moths\n\nThey fly at night.\n');

  renameSync(join(notes, 'Moths.md'), join(notes, 'Night moths.md'));
  note('Night moths.md', '# Moths\n\nThey fly at night.\n');
  rmSync(join(notes, 'Ants.md'));
  await says(followed, 'Ants.md: the file is gone. The article ants stays');
  expect((await request('/api/articles/ants'))['status']).toBe('published');
  note('Night moths.md', '# Moths\n\nThey fly at night, by the moon.\n');
  await reads('moths', '# Moths\n\nThey fly at night, by the moon.\n');

  // Changed here and in the file: told with both texts, and nobody's words are overwritten.
  const { divs } = await request('/api/articles/moths/voxels');
  const div = (divs as Json[])[1] as Json;
  const edit = {
    slug: 'moths',
    div_id: div['div_id'],
    expected_hash: div['vx_hash'],
    text: 'They fly at dusk.',
  };
  expect((await request('/api/dispatch', { key: 'VOXEL_EDIT', body: edit }))['ok']).toBe(true);
  note('Night moths.md', '# Moths\n\nThey fly at dawn.\n');
  await says(followed, 'Night moths.md -> moths: conflict');
  for (const text of ['    They fly at dusk.', '    They fly at dawn.'])
    expect(followed.output()).toContain(text);
  expect(await bodyOf('moths')).toBe('# Moths\n\nThey fly at dusk.\n');
  expect(readFileSync(join(notes, 'Night moths.md'), 'utf8')).toBe('# Moths\n\nThey fly at dawn.\n');

  // Agreed in the file, and followed again.
  note('Night moths.md', '# Moths\n\nThey fly at dusk.\n');
  note('Flies.md', '# Flies\n\nThey buzz.\n');
  await reads('flies', '# Flies\n\nThey buzz.\n');
  note('Night moths.md', '# Moths\n\nThey fly at dusk and dawn.\n');
  await reads('moths', '# Moths\n\nThey fly at dusk and dawn.\n');

  followed.child.kill('SIGINT');
  expect(await followed.ended).toBe(0);
}, 60_000);

it('waits for a server that is away, and carries on with what has changed', async () => {
  const followed = follow();
  await says(followed, 'Following ');
  await server.kill();
  note('Wasps.md', '# Wasps\n\nThey sting.\n');
  await says(followed, 'Trying again in 1 s.');
  const { folder: data, port, terminalKey } = server;
  server = await startServer({ folder: data, port, terminalKey });
  await reads('wasps', '# Wasps\n\nThey sting.\n');
  followed.child.kill('SIGTERM');
  expect(await followed.ended).toBe(0);
}, 60_000);

it('completes after a kill what it had begun, and makes nothing twice', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `gnat-${i}`);
  for (const name of names) note(`${name}.md`, `# ${name}\n\nA gnat. See [[gnat-0]].\n`);
  const killed = follow();
  await says(killed, 'gnat-3.md -> gnat-3: written');
  killed.child.kill('SIGKILL');
  await killed.ended;
  const followed = follow();
  await says(followed, 'Following ');
  for (const name of names) {
    const article = await request(`/api/articles/${name}`);
    expect([article['status'], article['body']]).toEqual([
      'published',
      `# ${name}\n\nA gnat. See [gnat-0](/a/gnat-0).\n`,
    ]);
  }
  expect(followed.output()).not.toMatch(/conflict|address taken/);
  followed.child.kill('SIGINT');
  expect(await followed.ended).toBe(0);
}, 60_000);
