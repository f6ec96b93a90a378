/** A folder of verified backups, its pruning and the drill (contract §0, ADR 70), from outside, on both stores. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../http/client.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import {
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  sharedSecretKey,
  startServer,
  temporaryFolder,
  type CommandResult,
  type RunningServer,
} from '../support/process-server.ts';

const terminalKey = newOwnerKey();
const namePattern = /^colophon-\d{8}T\d{9}Z$/;
const imageBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

afterAll(removeFolders);

async function write(server: RunningServer, path: string, body: object): Promise<void> {
  const { status } = await send(server.base, { path, body, headers: { 'x-terminal-key': terminalKey } });
  expect(status).toBe(200);
}

const article = (slug: string) => ({ document: { slug, markdown: `# ${slug}\n\nA text.\n` } });
const text = async (server: RunningServer, path: string): Promise<string> =>
  (await send(server.base, { path, headers: { 'x-terminal-key': terminalKey } })).body;

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('a folder of backups on %s', (store) => {
  const set = temporaryFolder();
  let postgres: TestDatabases | undefined;
  let env: Record<string, string> = {};
  let server: RunningServer;
  const run = (args: readonly string[], more: Record<string, string> = {}): Promise<CommandResult> =>
    runCommandBeside(server.folder, args, { ...env, PORT: String(server.port), ...more });

  beforeAll(async () => {
    if (store === 'PostgreSQL') {
      postgres = await sharedPostgres();
      env = { DATABASE_URL: await postgres.database() };
    }
    server = await startServer({ terminalKey, env });
    await write(server, '/api/protocol/voxel-batch', article('first'));
    await write(server, '/api/protocol/image', { data: imageBase64, alt: 'A dot' });
  });
  afterAll(async () => {
    await server.stop();
    await postgres?.stop();
  });

  it('is missing at first, which doctor says, and is not made by the command', async () => {
    const doctor = await run(['doctor']);
    expect([doctor.status, doctor.stdout]).toEqual([
      0,
      expect.stringMatching(/^warn {2}backups: no verified one is known\n {6}Run colophon backup --into /m),
    ]);
    expect(await text(server, '/metrics')).toContain('\ncolophon_backup_verified_timestamp_seconds 0\n');
    const missing = await run(['backup', '--into', join(set, 'unmounted')]);
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('mount the disk')]);
    expect(existsSync(join(set, 'unmounted'))).toBe(false);
  });

  it('receives a verified backup during writes, and doctor and metrics know it', async () => {
    const writing = new AbortController();
    const writer = (async () => {
      for (let i = 0; !writing.signal.aborted; i++)
        await write(server, '/api/protocol/voxel-batch', article(`while-${i}`));
    })();
    const done = await run(['backup', '--into', set, '--json']);
    writing.abort();
    await writer;
    expect([done.status, done.stderr]).toEqual([0, '']);
    const [name = ''] = readdirSync(set);
    expect(name).toMatch(namePattern);
    const report = JSON.parse(done.stdout) as { added: { entries: number; folder: string } };
    expect(report).toMatchObject({ ok: true, backups: [name], pruned: [], left_alone: [], problems: [] });
    expect(report.added).toMatchObject({ folder: join(set, name), store: store.toLowerCase().slice(0, 8) });
    expect(readdirSync(join(set, name)).sort()).toEqual([
      'blobs',
      'checkpoint',
      'colophon.db',
      'manifest.json',
      ...(store === 'SQLite' ? ['secret.key'] : []),
      'verified.json',
    ]);
    const doctor = await run(['doctor']);
    expect(doctor.stdout).toContain(
      `ok    backups: the newest verified one is 0 hours old, ${report.added.entries} entries, in ${join(set, name)}; no drill yet`,
    );
    const [, seconds] =
      /\ncolophon_backup_verified_timestamp_seconds (\S+)\n/.exec(await text(server, '/metrics')) ?? [];
    expect(Math.abs(Date.now() / 1000 - Number(seconds))).toBeLessThan(600);
  });

  it('shows in a drill that its newest backup serves articles and receipts, and what would be lost', async () => {
    await write(server, '/api/protocol/voxel-batch', article('after'));
    const drill = await run(['restore', '--drill', set, '--json']);
    expect([drill.status, drill.stderr]).toEqual([0, '']);
    const report = JSON.parse(drill.stdout) as {
      steps: { step: string; detail: string }[];
      loss: { entries: number };
    };
    expect(report).toMatchObject({ ok: true, problems: [], loss: { minutes: 0, compared: 'ledger' } });
    expect(report.loss.entries).toBeGreaterThan(0);
    expect(report.steps.map(({ step }) => step)).toEqual([
      'restore and verify',
      'open',
      'serve',
      'read an article',
      'read a receipt',
    ]);
    expect(report.steps[3]?.detail).toMatch(/^(?:first|while-\d+), \d+ bytes$/);
    expect(report.steps[4]?.detail).toMatch(/^inv_[a-z2-7]+, which verifies with the key of the log$/);
    expect((await run(['doctor'])).stdout).toMatch(/^ok {4}backups: .*; last drill 20\S+Z$/m);
  });

  it('can be restored into a data folder, where the same articles, receipts and images are served', async () => {
    const [name = ''] = readdirSync(set);
    const folder = join(temporaryFolder(), 'restored');
    const secret: Record<string, string> =
      env['DATABASE_URL'] === undefined ? {} : { COLOPHON_SECRET_KEY: sharedSecretKey };
    const restored = await runCommandBeside(folder, ['restore', join(set, name)], secret);
    expect([restored.status, restored.stderr]).toEqual([0, '']);
    const copy = await startServer({ folder, terminalKey, env: secret });
    const [blob = ''] = readdirSync(join(folder, 'blobs')).flatMap((shelf) =>
      readdirSync(join(folder, 'blobs', shelf)),
    );
    expect((await send(copy.base, { path: `/blobs/${blob}` })).status).toBe(200);
    const read = async (from: RunningServer) =>
      (JSON.parse(await text(from, '/api/articles/first')) as { content_hash: string }).content_hash;
    expect(await read(copy)).toBe(await read(server));
    expect(await text(copy, '/.well-known/colophon-key')).toBe(
      await text(server, '/.well-known/colophon-key'),
    );
    await write(copy, '/api/protocol/voxel-batch', article('restored'));
    await copy.stop();
    expect((await runCommandBeside(folder, ['verify'], secret)).stdout).toMatch(/^Sound/);
    if (postgres === undefined) return;
    const to = await postgres.database();
    const moved = await runCommandBeside(folder, ['transfer', '--to', to], secret);
    expect([moved.status, moved.stderr]).toEqual([0, '']);
    const back = await runCommandBeside(temporaryFolder(), ['verify'], { DATABASE_URL: to });
    expect([back.status, back.stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
  });
});

describe('a folder of backups', () => {
  const set = temporaryFolder();
  let server: RunningServer;
  const run = (args: readonly string[]): Promise<CommandResult> => runCommandBeside(server.folder, args);
  const names = (): string[] => readdirSync(set).sort();

  beforeAll(async () => {
    server = await startServer({ terminalKey });
    await write(server, '/api/protocol/voxel-batch', article('first'));
    await server.stop();
    expect((await run(['backup', '--into', set])).status).toBe(0);
  });

  /** A copy of a backup with another time, as an earlier run would have left it. */
  function earlier(
    time: string,
    change: (manifest: Record<string, unknown>, folder: string) => void = () => undefined,
  ) {
    const [newest = ''] = names()
      .filter((name) => namePattern.test(name))
      .slice(-1);
    const name = `colophon-${new Date(time).toISOString().replaceAll(/[-:.]/g, '')}`;
    const folder = join(set, name);
    cpSync(join(set, newest), folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    manifest['made_at'] = new Date(time).toISOString();
    change(manifest, folder);
    const bytes = JSON.stringify(manifest);
    writeFileSync(join(folder, 'manifest.json'), bytes);
    const manifest_sha256 = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(
      join(folder, 'verified.json'),
      JSON.stringify({ verified_at: time, entries: 1, manifest_sha256 }),
    );
    return name;
  }

  it('loses only verified backups of this deployment with nothing else in them', async () => {
    const own = [earlier('2026-01-01T00:00Z'), earlier('2026-01-02T00:00Z')];
    const future = earlier('2098-01-01T00:00Z');
    const outside = join(temporaryFolder(), 'precious');
    mkdirSync(join(outside, 'blobs'), { recursive: true });
    writeFileSync(join(outside, 'blobs', 'note'), 'mine');
    const left = {
      [earlier('2026-01-03T00:00Z', (manifest) => (manifest['origin'] = 'another.example'))]:
        'it is a backup of another.example',
      [earlier('2026-01-04T00:00Z', (_, folder) => writeFileSync(join(folder, 'notes.txt'), 'mine'))]:
        'it holds notes.txt, which is not part of the backup',
      [earlier('2026-01-05T00:00Z', (_, folder) => rmSync(join(folder, 'colophon.db')))]:
        'it has lost colophon.db',
      [earlier('2026-01-06T00:00Z', (_, folder) => truncateSync(join(folder, 'colophon.db'), 100))]:
        'colophon.db is not complete',
      [earlier('2026-01-07T00:00Z', (_, folder) =>
        symlinkSync(join(outside, 'blobs'), join(folder, 'blobs')),
      )]: 'blobs is not a file',
      [earlier('2026-01-08T00:00Z', (manifest) => (manifest['made_at'] = 'yesterday'))]:
        'its manifest has no time',
      'colophon-20260109T000000000Z': 'it is not a folder',
      'colophon-20260110T000000000Z': expect.stringContaining('is no finished backup'),
      [earlier('2026-01-11T00:00Z')]: 'it was not verified',
      [earlier('2026-01-12T00:00Z')]: 'its manifest is not the one that was verified',
      'by-hand': 'its name is not that of a backup',
      'readme.txt': 'its name is not that of a backup',
    };
    symlinkSync(outside, join(set, 'colophon-20260109T000000000Z'));
    mkdirSync(join(set, 'colophon-20260110T000000000Z'));
    rmSync(join(set, 'colophon-20260111T000000000Z', 'verified.json'));
    appendFileSync(join(set, 'colophon-20260112T000000000Z', 'manifest.json'), ' ');
    cpSync(join(set, own[0] as string), join(set, 'by-hand'), { recursive: true });
    writeFileSync(join(set, 'readme.txt'), 'mine');
    const newest = names().find((name) => name > 'colophon-20260113' && name < future);

    const done = await run(['backup', '--into', set, '--keep-last', '2', '--json']);
    expect(done.status).toBe(0);
    const report = JSON.parse(done.stdout) as {
      pruned: string[];
      left_alone: { name: string; why: string }[];
    };
    expect(report.pruned.sort()).toEqual(own);
    expect(Object.fromEntries(report.left_alone.map(({ name, why }) => [name, why]))).toEqual(left);
    const kept = names();
    expect(kept).toEqual(expect.arrayContaining([newest, future, ...Object.keys(left)]));
    expect(kept.length).toBe(Object.keys(left).length + 3);
    expect(readFileSync(join(outside, 'blobs', 'note'), 'utf8')).toBe('mine');
    for (const name of [future, ...Object.keys(left)])
      rmSync(join(set, name), { recursive: true, force: true });
  });

  it('keeps every backup while none of the options names how many', async () => {
    const before = names();
    expect((await run(['backup', '--into', set])).status).toBe(0);
    expect(names().slice(0, -1)).toEqual(before);
    for (const args of [
      ['--keep-last', '0'],
      ['--keep-daily', 'many'],
    ]) {
      const refused = await run(['backup', '--into', set, ...args]);
      expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining(args[0] as string)]);
    }
    expect((await run(['backup', join(set, 'one'), '--keep-last', '1'])).status).toBe(2);
    const inside = await run(['backup', '--into', server.folder]);
    expect([inside.status, inside.stderr]).toEqual([2, expect.stringContaining('is in the data folder')]);
    expect(names().length).toBe(before.length + 1);
  });

  it('never shows a partial backup, also when the command is killed while it copies or removes', async () => {
    // A backup of many files takes a while to remove.
    const many = earlier('2026-01-01T00:00Z', (manifest, folder) => {
      const files = manifest['files'] as object[];
      for (let i = 0; i < 3000; i++) {
        const sha256 = createHash('sha256').update(String(i)).digest('hex');
        const path = `blobs/${sha256.slice(0, 2)}/${sha256}`;
        mkdirSync(join(folder, path, '..'), { recursive: true });
        writeFileSync(join(folder, path), String(i));
        files.push({ path, bytes: String(i).length, sha256 });
      }
    });
    const hidden = (): string[] => names().filter((name) => name.startsWith('.'));
    const killWhen = async (isTime: () => boolean): Promise<void> => {
      const child = spawn(process.execPath, [bin, 'backup', '--into', set, '--keep-last', '1'], {
        env: { PATH: process.env['PATH'], COLOPHON_DATA: server.folder, TMPDIR: process.env['TMPDIR'] },
        stdio: 'ignore',
      });
      const gone = new Promise((done) => child.once('exit', done));
      while (!isTime() && child.exitCode === null) await sleep(1);
      child.kill('SIGKILL');
      await gone;
    };
    const before = names();
    await killWhen(() => hidden().some((name) => existsSync(join(set, name, 'backup'))));
    expect(names().filter((name) => !name.startsWith('.'))).toEqual(before);
    await killWhen(() => !existsSync(join(set, many)));
    for (const name of names().filter((each) => !each.startsWith('.')))
      expect([name, existsSync(join(set, name, 'verified.json'))]).toEqual([name, true]);

    const elsewhere = `.colophon-partial-another-host-1-${randomUUID()}`;
    const living = `.colophon-partial-${hostname()}-${process.pid}-${randomUUID()}`;
    for (const name of [elsewhere, living]) mkdirSync(join(set, name));
    expect((await run(['backup', '--into', set, '--keep-last', '1'])).status).toBe(0);
    expect(hidden().sort()).toEqual([elsewhere, living].sort());
    expect(names().filter((name) => namePattern.test(name)).length).toBe(1);
    for (const name of hidden()) rmSync(join(set, name), { recursive: true });
  });

  it('is left as it is by a backup that does not verify, which doctor tells', async () => {
    const before = names();
    const folder = temporaryFolder();
    cpSync(server.folder, folder, { recursive: true });
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(join(folder, 'colophon.db'));
    db.exec('UPDATE entry SET text = replace(text, \'"owner"\', \'"other"\') WHERE seq = 1');
    db.close();
    const done = await runCommandBeside(folder, ['backup', '--into', set, '--keep-last', '1']);
    expect([done.status, done.stderr]).toEqual([
      1,
      expect.stringContaining('did not verify and is not kept'),
    ]);
    expect(names()).toEqual(before);
    const doctor = await runCommandBeside(folder, ['doctor']);
    expect(doctor.stdout).toMatch(/^warn {2}backups: the last one failed: /m);
  });

  it('fails a drill whose backup the deployment does not continue, or that was damaged', async () => {
    const folder = temporaryFolder();
    rmSync(folder, { recursive: true });
    const [name = ''] = names();
    expect((await runCommandBeside(folder, ['restore', join(set, name)])).status).toBe(0);
    const forked = await startServer({ folder, terminalKey });
    await write(forked, '/api/protocol/voxel-batch', article('one-more'));
    await forked.stop();
    const newer = temporaryFolder();
    expect((await runCommandBeside(folder, ['backup', '--into', newer])).status).toBe(0);
    const behind = await run(['restore', '--drill', newer]);
    expect([behind.status, behind.stderr]).toEqual([1, expect.stringContaining('of the backup has seen')]);
    const [taken = ''] = readdirSync(newer);
    const bytes = readFileSync(join(newer, taken, 'colophon.db'));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(join(newer, taken, 'colophon.db'), bytes);
    const damaged = await run(['restore', '--drill', newer]);
    expect([damaged.status, damaged.stderr]).toEqual([2, expect.stringContaining('altered or damaged')]);
    // The machine of the deployment is gone: what is kept elsewhere still says what is lost.
    renameSync(join(newer, taken), join(newer, 'gone'));
    const kept = await runCommandBeside(join(folder, 'nothing'), ['restore', '--drill', set], {
      COLOPHON_CHECKPOINT: join(folder, 'checkpoint'),
    });
    expect([kept.status, kept.stdout]).toEqual([
      0,
      expect.stringMatching(
        /A disaster now would lose \d+ entries; .* \(compared with the checkpoint kept apart\)\.\nThe backup can be restored\.\n$/,
      ),
    ]);
  });

  const small = temporaryFolder();
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', small]).status === 0;
  if (!isMounted) console.warn('No file system can be mounted here; a full disk is not tried.');

  it.runIf(isMounted)('is left as it is by a backup that the disk has no room for', async () => {
    try {
      const done = await run(['backup', '--into', small, '--keep-last', '1']);
      expect([done.status, done.stderr]).toEqual([
        2,
        expect.stringContaining(`The disk of ${small} is full. The backup was not made`),
      ]);
      expect(readdirSync(small)).toEqual([]);
    } finally {
      spawnSync('umount', [small]);
    }
  });
});

const bin = process.env['COLOPHON_BIN'] ?? fileURLToPath(new URL('../../bin/colophon.js', import.meta.url));
