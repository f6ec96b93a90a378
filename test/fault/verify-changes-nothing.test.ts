/**
 * `verify` and `rebuild --check` read one moment and write nothing (contract §6): beside load, on what a crash left, on
 * a copy that nobody may write, and for a role that may only read. A sound ledger is always called sound, and a broken
 * one by the place.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { databaseName } from '../../src/store/sqlite/ddl.ts';
import { alter, query } from './ledger.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';

const command = fileURLToPath(new URL('../../bin/colophon.js', import.meta.url));
const isRoot = process.getuid?.() === 0;

/** Every file below a folder with its hash, size and time of change. */
function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => [name, lstatSync(join(folder, name))] as const)
      .filter(([, stats]) => stats.isFile() || stats.isDirectory())
      .map(
        ([name, stats]) =>
          [
            name,
            `${stats.mtimeMs} ${stats.isFile() ? sha256Hex(readFileSync(join(folder, name))) : 'folder'}`,
          ] as const,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Nobody may write there; the tests may run as root, whom rights do not hold back. */
function takeRights(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
  }
  chmodSync(folder, 0o555);
}

function asAnybody(folder: string, args: readonly string[]): { status: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir(), COLOPHON_DATA: folder },
    encoding: 'utf8',
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  return { status, out: stdout + stderr };
}

describe('a read-only copy of a data folder', () => {
  const copies: string[] = [];
  let server: TestServer;

  const copied = (): string => {
    const copy = mkdtempSync(join(tmpdir(), 'colophon-copy-'));
    cpSync(server.deployment.config.dataFolder, copy, {
      recursive: true,
      filter: (path) => !path.endsWith('.sock'),
    });
    copies.push(copy);
    return copy;
  };

  beforeAll(async () => {
    server = await startServer({ COLOPHON_SECRET_KEY: '' });
    for (let i = 0; i < 4; i++) await server.article(`# Article ${i}\n\nOne.\n\nTwo.`);
    await new Promise((wait) => setTimeout(wait, 500));
    // As a crash leaves it, with its write-ahead log; the other as a stop leaves it.
    copied();
    const { dataFolder } = server.deployment.config;
    const kept = mkdtempSync(join(tmpdir(), 'colophon-copy-'));
    await server.deployment.close();
    cpSync(dataFolder, kept, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    copies.push(kept);
    await server.stop().catch(() => undefined);
  }, 60_000);
  afterAll(() => {
    for (const copy of copies) {
      chmodSync(copy, 0o755);
      rmSync(copy, { recursive: true, force: true });
    }
  });

  it.each([
    ['with the write-ahead log that a crash left', 0],
    ['of a server that was stopped', 1],
  ])('verifies as sound without a changed byte (%s)', (_, i) => {
    const copy = copies[i] as string;
    expect(statSync(join(copy, `${databaseName}-wal`), { throwIfNoEntry: false })?.size ?? 0).toSatisfy(
      (bytes: number) => (i === 0 ? bytes > 0 : bytes === 0),
    );
    takeRights(copy);
    const before = filesOf(copy);
    const verified = asAnybody(copy, ['verify']);
    expect([verified.status, verified.out]).toEqual([0, expect.stringMatching(/^Sound/)]);
    const checked = asAnybody(copy, ['rebuild', '--check']);
    expect([checked.status, checked.out]).toEqual([0, expect.any(String)]);
    expect(filesOf(copy)).toEqual(before);
  });

  it('fails verification when an entry was altered', () => {
    const copy = mkdtempSync(join(tmpdir(), 'colophon-copy-'));
    copies.push(copy);
    cpSync(copies[1] as string, copy, { recursive: true });
    chmodSync(copy, 0o755);
    for (const name of readdirSync(copy))
      if (!statSync(join(copy, name)).isDirectory()) chmodSync(join(copy, name), 0o644);
    const [entry] = query(copy, "SELECT seq, chain FROM entry WHERE chain LIKE 'inv_%' LIMIT 1");
    alter(copy, "UPDATE entry SET text = replace(text, 'success', 'succeed') WHERE seq = ?", [
      entry?.['seq'] as number,
    ]);
    for (const end of ['-wal', '-shm']) rmSync(join(copy, databaseName + end), { force: true });
    takeRights(copy);
    const before = filesOf(copy);
    const { status, out } = asAnybody(copy, ['verify']);
    expect([status, out]).toEqual([
      1,
      expect.stringContaining(`entry ${String(entry?.['seq'])}: ${String(entry?.['chain'])}`),
    ]);
    expect(filesOf(copy)).toEqual(before);
  });
});

describe.skipIf(!hasPostgres)('a database under load', () => {
  let postgres: TestPostgres;
  let url: string;
  let server: TestServer;
  const folder = mkdtempSync(join(tmpdir(), 'colophon-audit-'));
  const options = { ledgerOnly: false, progress: () => undefined };
  const configOf = (databaseUrl: string) =>
    readConfig({
      COLOPHON_DATA: folder,
      DATABASE_URL: databaseUrl,
      COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef',
      COLOPHON_BASE_URL: server.base,
    });

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    server = await startServer({ DATABASE_URL: url });
    await server.article('# One\n\nText.');
    await postgres.query("CREATE ROLE auditor LOGIN PASSWORD 'reads'", [], url);
    await postgres.query(
      'GRANT USAGE ON SCHEMA public TO auditor; GRANT SELECT ON ALL TABLES IN SCHEMA public TO auditor; GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO auditor',
      [],
      url,
    );
  }, 60_000);
  afterAll(async () => {
    await server.stop().catch(() => undefined);
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('verifies as sound with a read-only role during writes', async () => {
    const auditor = new URL(url);
    [auditor.username, auditor.password] = ['auditor', 'reads'];
    const state = { stopped: false, written: 0 };
    const writing = Promise.all(
      Array.from({ length: 4 }, async (_, i) => {
        for (let n = 0; !state.stopped; n++) {
          await server.article(`# Load ${i} ${n}\n\nA paragraph.\n\nAnother.`);
          state.written++;
          // So that the ledger does not grow faster than it is audited.
          await new Promise((wait) => setTimeout(wait, 20));
        }
      }),
    );
    let pending = 0;
    try {
      for (let i = 0; i < 20 && (i < 3 || pending === 0); i++) {
        const report = await operations.audit(configOf(auditor.href), options);
        expect(report.problems).toEqual([]);
        pending += report.pending;
        if (i < 2)
          expect((await operations.check(configOf(auditor.href), () => undefined)).differences).toEqual([]);
      }
    } finally {
      state.stopped = true;
      await writing;
    }
    expect(state.written).toBeGreaterThan(10);
    expect(pending).toBeGreaterThan(0);
    // Not even a key was made in the folder.
    expect(readdirSync(folder)).toEqual([]);
  }, 120_000);

  it('verifies entries that await integration, also in a restored dump, and names the broken ones', async () => {
    const blocker = new pg.Client(url);
    await blocker.connect();
    await blocker.query('BEGIN; SELECT FROM log_head FOR UPDATE');
    await server.article('# Waits\n\nFor its place.');
    const { base } = server;
    await server.stop();
    // The session that waits for the log would go on once it may.
    await postgres.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'colophon %'",
    );
    await blocker.query('ROLLBACK');
    await blocker.end();
    const source = new URL(url).pathname.slice(1);
    const copy = new URL(url);
    copy.pathname = `/${source}_copy`;
    await postgres.query(`CREATE DATABASE ${source}_copy TEMPLATE ${source}`);
    const audit = () => operations.audit({ ...configOf(copy.href), baseUrl: base }, options);
    const report = await audit();
    expect([report.problems, report.pending > 0]).toEqual([[], true]);
    expect((await audit()).pending).toBe(report.pending);
    const [entry] = await postgres.query<{ seq: string; chain: string; n: number }>(
      'SELECT e.seq, e.chain, e.n FROM pending p JOIN entry e ON e.seq = p.first LIMIT 1',
      [],
      copy.href,
    );
    const named = `${entry?.chain}#${entry?.n}`;
    const altered = await postgres.query(
      "UPDATE content SET body = body || ' ' WHERE seq = $1 RETURNING seq",
      [entry?.seq],
      copy.href,
    );
    expect(altered).not.toEqual([]);
    expect((await audit()).problems).toContainEqual(
      expect.stringMatching(new RegExp(`^${named}: the content of \\w+ does not match its commitment$`)),
    );
    await postgres.query('DELETE FROM pending', [], copy.href);
    expect((await audit()).problems).toContain(
      `${named}: entry number ${entry?.seq} has no place in the log and waits for none`,
    );
  }, 60_000);
});
