/** `colophon import --vault` and `--follow` beside a running server (src/doors/cli/import-notes.ts). */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import { png, pngChunk } from '../support/images.ts';
import {
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

let server: RunningServer;
const folder = temporaryFolder();
const picture = png(3, 2, [pngChunk('eXIf', Buffer.from('GPS 46.9480 N'))]);

beforeAll(async () => {
  server = await startServer({ seeds: true });
});
afterAll(async () => {
  await server.kill();
  removeFolders();
});

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

interface Line {
  readonly kind: string;
  readonly path: string;
  readonly slug: string;
  readonly standing: string;
  readonly done?: string;
  readonly why?: string;
  readonly here?: string;
  readonly file?: string;
  readonly problems: readonly string[];
  readonly receipts: readonly string[];
}

async function run(...args: readonly string[]): Promise<{ status: number | null; lines: readonly Line[] }> {
  const { status, stdout, stderr } = await runCommandBeside(server.folder, ['import', ...args, '--json']);
  expect(stderr).toBe('');
  const lines = stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  return { status, lines: lines.map((line) => JSON.parse(line) as Line) };
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into member by member
type Json = Record<string, any>;
const request = async (path: string, body?: object): Promise<{ status: number; json: Json }> => {
  const headers = { 'x-terminal-key': server.terminalKey };
  const { status, body: text } = await send(server.base, {
    path,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status, json: JSON.parse(text) as Json };
};
const read = async (path: string): Promise<Json> => (await request(path)).json;
const article = (slug: string): Promise<Json> => read(`/api/articles/${slug}`);

async function change(slug: string, from: string, to: string): Promise<void> {
  const { divs } = await read(`/api/articles/${slug}/voxels`);
  const div = (divs as Json[]).find(({ text }) => text === from) as Json;
  const body = {
    key: 'VOXEL_EDIT',
    body: { slug, div_id: div['div_id'], expected_hash: div['vx_hash'], text: to },
  };
  expect((await request('/api/dispatch', body)).status).toBe(200);
}

describe('colophon import --vault', () => {
  const vault = join(folder, 'vault');

  it('writes notes as drafts with their links, images and metadata, after a dry run that writes nothing', async () => {
    write({
      'vault/Bees.md':
        '---\ntags: [insects]\naliases: [Apis]\n---\n\n# Bees\n\nThey [[Dance#^turn|turn]].\n\n![[pic.png]]\n',
      'vault/sub/Dance.md': '---\nstatus: published\n---\n\nA dance.\n\nIt turns. ^turn\n\nOf [[Apis]].\n',
      'vault/pic.png': picture,
      'vault/.obsidian/app.json': '{}',
      'vault/notes.pdf': 'x',
    });
    const dry = await run('--vault', vault, '--dry-run');
    expect(dry.lines.map(({ path, standing }) => [path, standing])).toEqual([
      ['notes.pdf', undefined],
      ['Bees.md', 'new'],
      ['sub/Dance.md', 'new'],
    ]);
    expect((await article('bees'))['error']).toBe('not_found');
    const { status, lines } = await run('--vault', vault);
    expect([status, lines.map(({ done }) => done)]).toEqual([
      0,
      [undefined, 'written as a draft', 'written as published'],
    ]);
    const bees = await article('bees');
    expect(bees).toMatchObject({ title: 'Bees', status: 'draft', tags: ['insects'] });
    expect(bees['extra']['aliases']).toEqual(['Apis']);
    const [, blob = ''] = /!\[pic\]\(\/blobs\/([0-9a-f]{64})\)/.exec(String(bees['body'])) ?? [];
    expect(bees['body']).toContain('They [turn](/a/dance#d2).');
    const stored = await send(server.base, { path: `/blobs/${blob}` });
    expect([stored.status, stored.body.includes('GPS')]).toEqual([200, false]);
    expect((await article('dance'))['body']).toBe('A dance.\n\nIt turns.\n\nOf [Apis](/a/bees).\n');
  });

  it('changes nothing where nothing has changed', async () => {
    const before = await article('bees');
    const { status, lines } = await run('--vault', vault);
    expect([status, lines.slice(1).map(({ standing }) => standing)]).toEqual([0, ['unchanged', 'unchanged']]);
    expect((await article('bees'))['version']).toBe(before['version']);
  });

  it('updates what changed in the file, keeps what changed here, and reports what changed in both', async () => {
    write({
      'vault/sub/Dance.md':
        '---\nstatus: published\n---\n\nA dance.\n\nIt turns left. ^turn\n\nOf [[Apis]].\n',
    });
    await change('bees', '# Bees', '# Honey bees');
    const { status, lines } = await run('--vault', vault);
    expect([status, lines.slice(1).map(({ standing }) => standing)]).toEqual([0, ['kept', 'update']]);
    const dance = await read('/api/articles/dance/voxels');
    expect((dance['divs'] as Json[]).map(({ div_id, text }) => [div_id, text])).toEqual([
      ['d1', 'A dance.'],
      ['d2', 'It turns left.'],
      ['d3', 'Of [Apis](/a/bees).'],
    ]);
    await change('dance', 'A dance.', 'A round dance.');
    write({ 'vault/sub/Dance.md': 'A waggle dance.\n\nIt turns left. ^turn\n' });
    const both = await run('--vault', vault);
    expect(both.status).toBe(1);
    expect(both.lines.find(({ slug }) => slug === 'dance')).toMatchObject({
      standing: 'conflict',
      receipts: [],
      here: 'A round dance.\n\nIt turns left.\n\nOf [Apis](/a/bees).\n',
      file: 'A waggle dance.\n\nIt turns left.\n',
    });
    expect((await article('dance'))['body']).toContain('A round dance.');
  });

  it('leaves an article alone that did not come from the file', async () => {
    await request('/api/protocol/voxel-batch', {
      document: { slug: 'wasps', title: 'Wasps', markdown: 'Mine.\n' },
    });
    write({ 'taken/Wasps.md': 'Yours.\n' });
    const { status, lines } = await run('--vault', join(folder, 'taken'));
    expect([status, lines[0]?.standing]).toEqual([1, 'taken']);
    expect((await article('wasps'))['body']).toBe('Mine.\n');
  });

  it('reads back what the export wrote: the same articles here, and with claims and sources elsewhere', async () => {
    const slug = 'what-the-ledger-is';
    const zip = await fetch(`${server.base}/api/articles/obsidian-vault?slugs=${slug}&format=zip`);
    const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    write(Object.fromEntries(Object.entries(files).map(([path, bytes]) => [`export/${path}`, bytes])));
    const here = await run('--vault', join(folder, 'export'));
    expect(here.lines).toMatchObject([{ slug, standing: 'unchanged', receipts: [] }]);
    const before = await article(slug);
    rmSync(join(folder, 'export', 'unused'), { force: true });
    for (const each of ['export'])
      writeFileSync(
        join(folder, each, `Articles/${slug}.md`),
        readFileSync(join(folder, each, `Articles/${slug}.md`), 'utf8').replace(
          `slug: "${slug}"`,
          'slug: "copied"',
        ),
      );
    for (const path of Object.keys(files))
      if (/^(?:Claims|Sources)\//.test(path))
        renameSync(join(folder, 'export', path), join(folder, 'export', path.replace(slug, 'copied')));
    const copy = await run('--vault', join(folder, 'export'));
    expect(copy.lines).toMatchObject([{ slug: 'copied', standing: 'new', problems: [] }]);
    const after = await article('copied');
    const texts = (list: Json[]): string[] => list.map(({ text, quote }) => String(text ?? quote));
    expect(after['body'].trim()).toBe(before['body'].trim());
    expect(texts(after['sources'])).toEqual(texts(before['sources']));
    expect(texts(after['claims'])).toEqual(texts(before['claims']));
  });
});

describe('colophon import --follow', () => {
  const notes = join(folder, 'notes');
  const record = join(folder, '.notes.colophon.json');
  const follow = () => run('--follow', notes, '--once', '--publish');

  it('keeps articles in step with files, and its record beside the folder', async () => {
    write({ 'notes/Moths.md': '# Moths\n\nThey fly.\n', 'notes/Ants.md': '# Ants\n\nThey walk.\n' });
    expect((await follow()).lines.map(({ slug, standing }) => [slug, standing])).toEqual([
      ['ants', 'new'],
      ['moths', 'new'],
    ]);
    expect(existsSync(record)).toBe(true);
    expect((await article('moths'))['status']).toBe('published');
    write({ 'notes/Moths.md': '# Moths\n\nThey fly at night.\n' });
    expect((await follow()).lines.map(({ slug, standing }) => [slug, standing])).toEqual([
      ['ants', 'unchanged'],
      ['moths', 'update'],
    ]);
    expect((await article('moths'))['body']).toBe('# Moths\n\nThey fly at night.\n');
    expect((await article('moths'))['extra']['import']).toBeUndefined();
  });

  it('reports a deleted file and deletes nothing, and knows a renamed one', async () => {
    rmSync(join(notes, 'Ants.md'));
    renameSync(join(notes, 'Moths.md'), join(notes, 'Night moths.md'));
    const { lines } = await follow();
    expect(lines.map(({ kind, path, slug }) => [kind, path, slug])).toEqual([
      ['gone', 'Ants.md', 'ants'],
      ['article', 'Night moths.md', 'moths'],
    ]);
    expect((await article('ants'))['status']).toBe('published');
  });

  it('skips a conflict with both texts, and takes it up once they agree', async () => {
    await change('moths', 'They fly at night.', 'They fly at dusk.');
    write({ 'notes/Night moths.md': '# Moths\n\nThey fly at dawn.\n' });
    const { status, lines } = await follow();
    expect([status, lines.at(-1)]).toMatchObject([
      1,
      {
        standing: 'conflict',
        here: '# Moths\n\nThey fly at dusk.\n',
        file: '# Moths\n\nThey fly at dawn.\n',
      },
    ]);
    write({ 'notes/Night moths.md': '# Moths\n\nThey fly at dusk.\n' });
    expect((await follow()).lines.at(-1)).toMatchObject({ standing: 'unchanged' });
    write({ 'notes/Night moths.md': '# Moths\n\nThey fly at dusk and dawn.\n' });
    expect((await follow()).lines.at(-1)).toMatchObject({ standing: 'update' });
  });

  it('does not read a record that was broken', async () => {
    writeFileSync(record, '{');
    const { status, stderr } = await runCommandBeside(server.folder, ['import', '--follow', notes, '--once']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('cannot be read. Move it away')]);
  });
});
