/** `colophon import` of many files (src/doors/cli/import.ts), beside a running server. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
const folder = temporaryFolder();

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

const run = (...args: readonly string[]) => runCommandBeside(server.folder, ['import', ...args]);

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('colophon import', () => {
  it('imports many files at once and reports each result in order', async () => {
    mkdirSync(folder, { recursive: true });
    const long = Array.from({ length: 2000 }, (_, i) => `Paragraph ${i}.`).join('\n\n');
    const files = [
      file('a.md', `# Twin\n\n${long}\n`),
      file('b.md', '# Other\n\nOf another name.\n'),
      file('twin.md', 'No title of its own, so its file has to do.\n'),
      file('d.md', '# Twin\n\nThe third.\n'),
      file('empty.md', '\n'),
      ...Array.from({ length: 12 }, (_, i) => file(`n${i}.md`, `# Note ${i}\n\nText ${i}.\n`)),
    ];
    const { status, stdout } = await run('--json', ...files);
    expect(status).toBe(1);
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; ok: boolean; slug?: string; error?: string });
    expect(said.map((each) => each.file)).toEqual(files);
    expect(said.map(({ slug, error }) => slug ?? error)).toEqual([
      'twin',
      'other',
      'twin-2',
      'twin-3',
      'body_mismatch',
      ...Array.from({ length: 12 }, (_, i) => `note-${i}`),
    ]);
    const read = await send(server.base, { path: '/api/articles/twin-2?format=markdown&raw=1' });
    expect(read.body).toBe('No title of its own, so its file has to do.\n');
  });

  it('names the secrets that were redacted from a file', async () => {
    const path = file(
      'secret.md',
      `# Secret\n\nIt is ${['ghp_a1B2c3D4e5F6g7H8i9J0', 'k1L2m3N4o5P6q7R8'].join('')}.\n`,
    );
    const { status, stdout } = await run('--json', path);
    expect([status, JSON.parse(stdout)]).toMatchObject([
      0,
      { scrubbed: [{ path: '/document/markdown', kind: 'github', count: 1 }] },
    ]);
    expect((await run(path)).stdout).toContain('/document/markdown: scrubbed github ×1');
  });

  it('reports why a file cannot be read and imports the others', async () => {
    const { status, stdout, stderr } = await run(
      join(folder, 'nothing.md'),
      folder,
      file('last.md', '# Last\n\nOf all.\n'),
    );
    expect(status).toBe(1);
    expect(stderr).toContain('nothing.md: cannot be read');
    expect(stderr).toMatch(/: is a folder\. .*--vault\./);
    expect(stdout).toContain('/a/last (2 DIVs)');
    expect(stdout).toContain('Imported 1 of 3 files.');
  });

  it('refuses to import a bundle as a draft, and publishes no draft', async () => {
    const out = async (slug: string): Promise<string> => {
      const path = join(folder, `${slug}.bundle.json`);
      expect(await runCommandBeside(server.folder, ['export', slug, '--out', path])).toMatchObject({
        status: 0,
      });
      return path;
    };
    const statusOf = async (slug: string): Promise<number> =>
      (await send(server.base, { path: `/api/articles/${slug}` })).status;

    await run(file('public.md', '# Public\n\nA word.\n'));
    await run('--draft', file('hidden.md', '# Hidden\n\nA word.\n'));
    const [open, draft] = [await out('public'), await out('hidden')];
    expect(await run('--draft', '--slug', 'kept-back', open)).toMatchObject({ status: 0 });
    expect(await run('--slug', 'still-hidden', draft)).toMatchObject({ status: 0 });
    expect(await run('--category', 'zoology', '--slug', 'sorted', open)).toMatchObject({ status: 0 });

    expect(await statusOf('kept-back')).toBe(404);
    expect(await statusOf('still-hidden')).toBe(404);
    const sorted = await send(server.base, { path: '/api/articles/sorted' });
    expect(JSON.parse(sorted.body)).toMatchObject({ status: 'published', category: 'zoology' });
  });

  it('names the place at which a bundle fails verification', async () => {
    const path = join(folder, 'public.bundle.json');
    const forged = file('forged.json', readFileSync(path, 'utf8').replaceAll('A word.', 'A w0rd.'));
    const { status, stderr } = await run('--slug', 'forged', forged);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /forged\.json: The bundle does not hold up in \d+ places?\..*\n {4}\/chains\/art_[a-z2-7]{16}\.d2\/0: The content of text_sha does not match its commitment\./,
    );
  });

  it('creates no article from a malformed bundle', async () => {
    const whole = readFileSync(join(folder, 'public.bundle.json'), 'utf8');
    const cut = whole.slice(0, whole.length - 20);
    const { status, stdout, stderr } = await run(
      file('cut.bundle.json', cut),
      file('cut-bundle', cut),
      file('other.json', '{"name":"limpet"}'),
      file('braces.md', '{% include "top" %}\n\nA template.\n'),
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/cut\.bundle\.json: is no bundle\. .*Get the bundle again from its origin\./);
    expect(stderr).toMatch(/cut-bundle: is no bundle\. /);
    expect(stderr).toContain('other.json: is no bundle: it has no bundle_version.');
    expect(stdout).toContain('/a/braces (2 DIVs)');
    expect(stdout).toContain('Imported 1 of 4 files.');
  });
});
