/** `colophon export --site`: the folder that it writes (src/doors/cli/site-folder.ts), beside a server and without one. */
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
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
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SiteFolder } from '../../src/doors/cli/site-folder.ts';
import {
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

let server: RunningServer;
const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  server = await startServer({ seeds: true });
  while (!server.output().includes('Seeded 8 starter articles.'))
    await new Promise((done) => setTimeout(done, 50));
  mkdirSync(folder, { recursive: true });
}, 60_000);

afterAll(async () => {
  await server.kill();
  removeFolders();
});

const run = (...args: readonly string[]) =>
  runCommandBeside(server.folder, ['export', ...args], { PORT: String(server.port) });

/** Every file below a folder, with the hash of its bytes. */
function tree(below: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(below, { recursive: true, encoding: 'utf8' }).sort())
    if (statSync(join(below, name)).isFile())
      files[name] = createHash('sha256')
        .update(readFileSync(join(below, name)))
        .digest('hex');
  return files;
}

/** What stands beside the sites and is none of them. */
const strangers = (): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('.'));

describe('colophon export --site', () => {
  it('writes the site beside a running server, lists each file with its hash, and says what was written', async () => {
    const { status, stdout } = await run('--site', at('beside'));
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^Wrote 8 articles, 23 tags, 1 series and 0 images to .*beside: \d+ files, \d\.\d MB, as of entry \d+ of the log\.\nOpen .*beside\/index\.html, or publish the folder on any static host\.\n$/,
    );
    const { SHA256SUMS: _own, ...files } = tree(at('beside'));
    expect(readFileSync(join(at('beside'), 'SHA256SUMS'), 'utf8')).toBe(
      Object.entries(files)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([file, sha256]) => `${sha256}  ${file}\n`)
        .join(''),
    );
    expect(strangers()).toEqual([]);
  });

  it('has bundles that colophon verify calls sound without the server', async () => {
    const key = readFileSync(join(at('beside'), 'log-key.txt'), 'utf8').trim();
    const bundle = join(at('beside'), 'a', 'shares.bundle.json');
    const verify = (file: string) => runCommandBeside(temporaryFolder(), ['verify', file, '--key', key]);
    expect((await verify(bundle)).status).toBe(0);
    writeFileSync(at('forged.json'), readFileSync(bundle, 'utf8').replace('capability', 'capabilitY'));
    expect((await verify(at('forged.json'))).status).toBe(1);
  });

  it('replaces an earlier site, with what others put into the folder kept', async () => {
    cpSync(at('beside'), at('kept'), { recursive: true });
    writeFileSync(join(at('kept'), 'CNAME'), 'press.example');
    mkdirSync(join(at('kept'), '.git', 'refs'), { recursive: true });
    writeFileSync(join(at('kept'), '.git', 'refs', 'main'), 'x');
    writeFileSync(join(at('kept'), 'a', 'mine.txt'), 'mine');
    writeFileSync(join(at('kept'), 'index.html'), 'changed by somebody');
    expect((await run('--site', at('kept'))).status).toBe(0);
    const { CNAME, '.git/refs/main': ref, 'a/mine.txt': mine, ...files } = tree(at('kept'));
    expect([CNAME, ref, mine].every((hash) => hash !== undefined)).toBe(true);
    expect(files).toEqual(tree(at('beside')));
    expect(strangers()).toEqual([]);
  });

  it('refuses a folder with anything else in it, a file, and arguments that do not go together', async () => {
    mkdirSync(at('full'));
    writeFileSync(join(at('full'), 'thesis.md'), 'mine');
    writeFileSync(at('file'), 'mine');
    for (const [args, said] of [
      [['--site', at('full')], /is not empty and holds no earlier export of a site, so nothing was written/],
      [['--site', at('file')], /is a file/],
      [['--site', at('new'), 'shares'], /--site writes all published articles/],
      [['--address', 'https://press.example', 'shares'], /--address goes with --site/],
      [['--site', at('new'), '--address', 'press.example'], /address is no http or https address/],
    ] as const) {
      const { status, stderr } = await run(...args);
      expect([status, said.test(stderr) ? 'said' : stderr]).toEqual([2, 'said']);
    }
    expect(tree(at('full'))).toEqual({ 'thesis.md': createHash('sha256').update('mine').digest('hex') });
    expect(existsSync(at('new'))).toBe(false);
    expect(strangers()).toEqual([]);
  });

  it('names the variable of the owner key where a deployment elsewhere refuses the export', async () => {
    const { status, stderr } = await run('--site', at('remote'), '--url', server.base);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`Set COLOPHON_TERMINAL_KEY to the owner key of ${server.base}.`),
    ]);
    expect(existsSync(at('remote'))).toBe(false);
  });

  it('leaves the earlier site as it was when it is killed, and the next export cleans up', async () => {
    cpSync(at('beside'), at('killed'), { recursive: true });
    const before = tree(at('killed'));
    const script = `
      const { SiteFolder } = await import(${JSON.stringify(new URL('../../dist/src/doors/cli/site-folder.js', import.meta.url).href)});
      const site = new SiteFolder(${JSON.stringify(at('killed'))});
      site.write('index.html', 'half a site');
      process.kill(process.pid, 'SIGKILL');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    await new Promise((done) => child.once('close', done));
    expect(child.signalCode).toBe('SIGKILL');
    expect(tree(at('killed'))).toEqual(before);
    expect(strangers()).toEqual([`.killed.new-${child.pid}`]);
    expect((await run('--site', at('killed'))).status).toBe(0);
    expect(strangers()).toEqual([]);
  });

  it('puts the earlier site back where an export ended between its two last steps', async () => {
    cpSync(at('beside'), at('.between.earlier'), { recursive: true });
    const site = new SiteFolder(at('between'));
    expect(tree(at('between'))).toEqual(tree(at('beside')));
    site.abandon();
    expect(strangers()).toEqual([]);
  });

  it.each(['../out.html', '/etc/x', 'a/../../x', '.git/hooks/x', 'a//b', ''])(
    'takes no file %j from a server',
    (file) => {
      const site = new SiteFolder(at('hostile'));
      expect(() => site.write(file, 'x')).toThrow('The site has a file of the name');
      site.abandon();
      expect(existsSync(at('hostile'))).toBe(false);
    },
  );

  it('writes the same bytes from the data folder when no server runs, and prints JSON', async () => {
    const before = tree(at('beside'));
    await server.stop();
    const { status, stdout } = await run('--site', at('alone'), '--json');
    expect([status, JSON.parse(stdout)]).toMatchObject([
      0,
      { ok: true, articles: 8, tags: 23, series: 1, images: 0 },
    ]);
    expect(tree(at('alone'))).toEqual(before);
    rmSync(at('alone'), { recursive: true });
  });
});
