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

describe('colophon import --article', () => {
  const file = (name: string, content: string): string => {
    write({ [name]: content });
    return join(folder, name);
  };
  const bib = [
    '@article{a, title={On dances}, url={https://example.org/a}, author={Frisch, Karl}, year={1967}, quote={They dance.}}',
    '@misc{b, title={No words}, url={https://example.org/b}}',
    '@book{c, title={No address}, quote={They rest.}}',
  ].join('\n');

  beforeAll(async () => {
    await request('/api/protocol/voxel-batch', {
      document: {
        slug: 'cited',
        title: 'Cited',
        markdown: '# Cited\n\nThey *dance* at noon.\n\nThey rest.\n',
      },
    });
  });

  it('shows what a bibliography would write, writes it, and writes nothing twice', async () => {
    const path = file('refs.bib', bib);
    const dry = await runCommandBeside(server.folder, ['import', path, '--article', 'cited', '--dry-run']);
    expect([dry.status, dry.stdout]).toEqual([
      1,
      'On dances: would be written\nNo words: would not be written\n    It has no exact quote.\nNo address: would not be written\n    It has no http(s) address and no DOI.\nDry run: 1 of 3 entries would be written to cited.\n',
    ]);
    expect((await article('cited'))['sources']).toEqual([]);
    const { status, lines } = await run(path, '--article', 'cited');
    expect([status, lines.map(({ done }) => done)]).toEqual([
      1,
      ['written as s1', 'not written', 'not written'],
    ]);
    expect(lines[0]?.receipts.length).toBe(1);
    expect((await article('cited'))['sources']).toMatchObject([
      {
        url: 'https://example.org/a',
        title: 'On dances',
        quote: 'They dance.',
        summary: 'Frisch, Karl (1967)',
      },
    ]);
    const again = await run(file('one.bib', bib.split('\n')[0] as string), '--article', 'cited');
    expect([again.status, again.lines[0]?.done]).toEqual([0, 'already here: s1 of the article']);
    expect(((await article('cited'))['sources'] as unknown[]).length).toBe(1);
  });

  it('reads RIS and CSL-JSON alike', async () => {
    const ris = file(
      'refs.ris',
      'TY  - JOUR\nTI  - On rest\nUR  - https://example.org/r\nN1  - quote: They rest.\nER  - \n',
    );
    const csl = file(
      'refs.json',
      '[{"id":"x","type":"book","title":"On noon","DOI":"10.1000/noon","quote":"At noon."}]',
    );
    const { status, lines } = await run(ris, csl, '--article', 'cited');
    expect([status, lines.map(({ done }) => done)]).toEqual([0, ['written as s2', 'written as s3']]);
    expect(((await article('cited'))['sources'] as Json[]).map(({ url }) => String(url)).slice(1)).toEqual([
      'https://example.org/r',
      'https://doi.org/10.1000/noon',
    ]);
  });

  it('writes annotations as what --as says, reports those that fit nowhere, and writes nothing twice', async () => {
    const note = (exact: string, value: string) => ({
      type: 'Annotation',
      creator: { name: 'Ada' },
      body: { type: 'TextualBody', value },
      target: { source: 'https://x.example', selector: { type: 'TextQuoteSelector', exact } },
    });
    const path = file(
      'notes.jsonld',
      JSON.stringify([note('dance at noon', 'Not in the rain.'), note('They sing.', 'Never.')]),
    );
    const dry = await run(path, '--article', 'cited', '--as', 'objection', '--dry-run');
    expect([dry.status, dry.lines.map(({ done }) => done)]).toEqual([
      1,
      ['would be written at d2', 'would be left out'],
    ]);
    const unsaid = await runCommandBeside(server.folder, ['import', path, '--article', 'cited']);
    expect([unsaid.status, unsaid.stderr]).toEqual([
      2,
      expect.stringContaining('say which with --as objection'),
    ]);
    const { status, lines } = await run(path, '--article', 'cited', '--as', 'objection');
    expect([status, lines.map(({ done, problems }) => [done, problems])]).toEqual([
      1,
      [
        ['written as objection', []],
        ['left out', ['No block of the article holds the quoted words.']],
      ],
    ]);
    const again = await run(path, '--article', 'cited', '--as', 'objection');
    expect(again.lines.map(({ done }) => done)).toEqual(['already here', 'left out']);
    const { entries } = await read('/api/articles/cited/discourse');
    expect((entries as Json[]).map(({ target, actor }) => [target, actor])).toEqual([['d2', 'Ada']]);
  });

  it.each([
    [['refs.bib'], 2, 'name it with --article SLUG'],
    [['refs.bib', '--article', 'no-such'], 1, 'there is no no-such'],
    [['notes.jsonld', '--article', 'cited', '--as', 'joke'], 2, '--as takes objection, challenge'],
    [['missing.bib', '--article', 'cited'], 1, 'cannot be read'],
    [['vault/Bees.md', '--article', 'cited'], 1, 'neither a bibliography nor annotations'],
  ])('%j ends with %i', async ([name = '', ...args], status, why) => {
    const result = await runCommandBeside(server.folder, ['import', join(folder, name), ...args]);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(why)]);
  });
});

describe('colophon import of an HTML file', () => {
  it('writes it as an article, after a dry run that writes nothing', async () => {
    write({
      'page.html':
        '<!doctype html><title>Old page</title><main><p>They <b>hum</b>.</p><script>x()</script></main>',
    });
    const path = join(folder, 'page.html');
    const dry = await run(path, '--dry-run');
    expect(dry.lines).toMatchObject([
      { slug: 'old-page', standing: 'new', problems: ['Left out: scripts (<script>) ×1.'] },
    ]);
    expect((await article('old-page'))['error']).toBe('not_found');
    const { status, lines } = await run(path);
    expect([status, lines.map(({ done }) => done)]).toEqual([0, ['written as published']]);
    expect(await article('old-page')).toMatchObject({ title: 'Old page', body: 'They **hum**.\n' });
  });
});

describe('colophon import --dry-run of files', () => {
  it('says what each would become, and writes nothing', async () => {
    write({ 'new.md': '# Never written\n\nText.\n', 'empty.md': ' \n' });
    const { status, stdout, stderr } = await runCommandBeside(server.folder, [
      'import',
      '--dry-run',
      join(folder, 'new.md'),
      join(folder, 'empty.md'),
    ]);
    expect([status, stdout, stderr]).toEqual([
      1,
      expect.stringContaining('would become “Never written” at /a/never-written'),
      expect.stringContaining('empty.md'),
    ]);
    expect(stdout).toContain('Dry run: 1 of 2 files would be imported.');
    expect((await article('never-written'))['error']).toBe('not_found');
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
