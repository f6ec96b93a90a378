/**
 * Starts on PostgreSQL (contract §0, §6): what stops one, each in one line and before anything is written, and how a
 * database of another version is upgraded, refused, or has its projections made again.
 */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { ownVersion, projectionStamp, versionName } from '../../src/engine/ledger-version.ts';
import { buildVersion } from '../../src/kernel/build.ts';
import { searchTables } from '../../src/store/postgres/search-tables.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import {
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer as startNode,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';
import { storedDatabase, storedKeys } from '../support/stored-ledger.ts';
import { TransactionPooler } from '../support/transaction-pooler.ts';

type Env = Readonly<Record<string, string>>;

describe.skipIf(!hasPostgres)('a start on PostgreSQL', { timeout: 180_000 }, () => {
  let postgres: TestDatabases;
  let running: RunningServer[] = [];

  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterEach(async () => {
    await Promise.all(running.map((node) => node.stop()));
    running = [];
  });
  afterAll(async () => {
    await postgres.stop();
    removeFolders();
  });

  const node = async (url: string, env: Env = {}): Promise<RunningServer> => {
    const server = await startNode({
      env: { DATABASE_URL: url, COLOPHON_LOG: 'info', ...storedKeys, ...env },
    });
    running.push(server);
    await vi.waitFor(() => expect(server.output()).toContain('"ready"'), 10_000);
    // Its index makes its tables a moment later.
    await vi.waitFor(async () => {
      const made = `SELECT to_regclass('${searchTables.state}') IS NOT NULL AS made`;
      expect(await postgres.query(made, [], url)).toEqual([{ made: true }]);
    }, 10_000);
    return server;
  };
  const stop = async (server: RunningServer): Promise<void> => {
    running = running.filter((each) => each !== server);
    expect(await server.stop()).toBe(0);
  };
  const run = (url: string, args: readonly string[], env: Env = {}) =>
    runCommandBeside(temporaryFolder(), args, { DATABASE_URL: url, ...storedKeys, ...env });
  const serve = (url: string, env: Env = {}) => run(url, ['serve', '--no-seed', '--port', '0'], env);

  /** Every row of every table. */
  const stored = async (url: string): Promise<string> => {
    const tables = await postgres.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1",
      [],
      url,
    );
    // One statement: a connection for each of some sixty tables cost more than the starts under test.
    const rows = tables.map(({ name }) => `SELECT '${name}' AS name, t::text AS row FROM "${name}" t`);
    const found =
      rows.length === 0
        ? []
        : await postgres.query(`${rows.join(' UNION ALL ')} ORDER BY name, row`, [], url);
    return JSON.stringify([tables, found]);
  };
  const version = async (url: string): Promise<Record<string, unknown>> => {
    const [row] = await postgres.query<{ value: string }>(
      'SELECT value FROM keyring WHERE name = $1',
      [versionName],
      url,
    );
    return JSON.parse(row?.value ?? '{}') as Record<string, unknown>;
  };
  const bear = async (url: string, change: Record<string, unknown>): Promise<void> => {
    const text = JSON.stringify({ ...(await version(url)), ...change });
    await postgres.query('UPDATE keyring SET value = $1 WHERE name = $2', [text, versionName], url);
  };
  const begun = async (): Promise<string> => {
    const url = await postgres.database();
    await stop(await node(url));
    return url;
  };

  const expectRefused = async (
    url: string,
    env: Env,
    line: string | RegExp,
    args?: readonly string[],
  ): Promise<void> => {
    const before = await stored(url);
    const { status, stdout, stderr } = await (args === undefined ? serve(url, env) : run(url, args, env));
    expect([status, stdout, stderr]).toEqual([
      2,
      '',
      typeof line === 'string' ? `colophon: ${line}\n` : expect.stringMatching(line),
    ]);
    expect(await stored(url)).toBe(before);
  };

  describe('stops', () => {
    it('without COLOPHON_SECRET_KEY, which a node must not generate itself', async () => {
      await expectRefused(
        await postgres.database(),
        { COLOPHON_SECRET_KEY: '' },
        'COLOPHON_SECRET_KEY is not set; with DATABASE_URL it accepts the secret of at least 32 characters that all nodes of the database share.',
      );
    });

    it('under another secret key than the one that created the database', async () => {
      const other = { COLOPHON_SECRET_KEY: 'another-secret-key-0123456789-0123456789' };
      const line =
        'COLOPHON_SECRET_KEY is not the secret key of this database; it accepts the one that the database was begun with, which its other nodes have.';
      const url = await begun();
      await expectRefused(url, other, line);
      await expectRefused(url, other, line, ['key', 'list']);
      // One of 0.1.0 tells by the checkpoint that the key has signed, before the upgrade.
      await expectRefused(await storedDatabase(postgres), other, line);
    });

    it('under another owner key than the running nodes, and accepts it once they are stopped', async () => {
      const url = await postgres.database();
      const first = await node(url);
      const other = { COLOPHON_TERMINAL_KEY: newOwnerKey() };
      const line =
        'COLOPHON_TERMINAL_KEY is not the owner key of this database; it accepts the one that the other nodes have, or stays unset. To change the owner key, stop every node, then run colophon serve with the new one.';
      await expectRefused(url, other, line);
      const second = await node(url, { COLOPHON_TERMINAL_KEY: '' });
      expect(second.output()).not.toContain('Owner key');
      await stop(second);
      await stop(first);
      await expectRefused(url, other, line, ['key', 'list']);
      await node(url, other);
      await expectRefused(url, {}, line);
    });

    it('behind a transaction pooler', async () => {
      const url = await begun();
      const pooler = await TransactionPooler.to(postgres.port);
      try {
        const { status, stdout, stderr } = await serve(pooler.url(url));
        expect([status, stdout, stderr]).toEqual([
          2,
          '',
          'colophon: DATABASE_URL leads to a pooler that hands each transaction to another session; it accepts PostgreSQL itself, or a pooler that keeps one session for each connection (PgBouncer: pool_mode=session).\n',
        ]);
        const { stdout: found } = await run(pooler.url(url), ['doctor']);
        expect(found).toMatch(/^fail {2}sessions: DATABASE_URL leads to a pooler/m);
      } finally {
        await pooler.close();
      }
    });

    it('on a database that a newer version made read-only for this one', async () => {
      const url = await begun();
      await bear(url, { schema: 3, writableFrom: 2, build: '0.4.0' });
      await postgres.query('INSERT INTO migration (n) VALUES (98)', [], url);
      await expectRefused(
        url,
        {},
        `The ledger has schema 3; to write it takes a build of schema 2 or newer, and this is ${buildVersion} of schema 1. Start Colophon 0.4.0, which last wrote to it, or a newer version.`,
      );
      const backup = `${temporaryFolder()}/backup`;
      expect((await run(url, ['backup', backup])).status).toBe(0);
      await bear(url, { readableFrom: 2 });
      await expectRefused(url, {}, /^colophon: The ledger has schema 3; to read it takes .*\n$/, [
        'backup',
        `${backup}-2`,
      ]);
    });

    it('on a database that is not encoded in UTF-8', async () => {
      await postgres.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
      const url = new URL(await postgres.database());
      url.pathname = '/latin';
      await expectRefused(
        url.href,
        {},
        'DATABASE_URL leads to a database that is encoded in LATIN1; the database must be encoded in UTF8.',
      );
    });
  });

  it('continues beside a newer version that allows its writes, and leaves its version marks', async () => {
    const url = await begun();
    await bear(url, { schema: 2, build: '0.3.0' });
    await postgres.query('INSERT INTO migration (n) VALUES (98)', [], url);
    await node(url);
    expect(await version(url)).toMatchObject({ schema: 2, writableFrom: 1, build: buildVersion });
  });

  describe('on a database of version 0.1.0', () => {
    it('leaves it unchanged except through colophon serve, and does not report it as broken', async () => {
      const url = await storedDatabase(postgres);
      const line =
        'The ledger was written by Colophon 0.1.0 or older and has no schema version yet; make a backup, then run colophon serve, which upgrades it.';
      for (const args of [['verify'], ['rebuild'], ['rebuild', '--check'], ['key', 'list']])
        await expectRefused(url, {}, line, args);
      const { stdout } = await run(url, ['doctor']);
      expect(stdout).toMatch(/^warn {2}version: the ledger was written by Colophon 0\.1\.0 or older/m);
    });

    it('upgrades it without loss, and 0.1.0 refuses it afterwards', async () => {
      const url = await storedDatabase(postgres);
      const server = await node(url);
      expect(server.output()).toContain('making the projections again');
      expect(await (await fetch(`${server.base}/api/articles/harbour`)).json()).toMatchObject({
        title: 'Harbour',
      });
      await stop(server);
      expect(await version(url)).toEqual({ ...ownVersion, projections: projectionStamp(schema) });
      expect((await run(url, ['verify'])).stdout).toMatch(/^Sound: 18 entries.*projected rows/);
      // 0.1.0 knows seven steps, looks at this number before all else and ends where it is larger.
      const [row] = await postgres.query<{ n: number }>('SELECT max(n) AS n FROM migration', [], url);
      expect(row?.n).toBeGreaterThan(7);
    });

    it('does not upgrade it while a node of that version runs', async () => {
      const url = await storedDatabase(postgres);
      const old = new pg.Client({ connectionString: url, application_name: 'colophon log of-an-old-node' });
      await old.connect();
      try {
        await expectRefused(
          url,
          {},
          'The ledger was written by Colophon 0.1.0 or older and has no schema version yet, and nodes of that version use the database: stop them, then start this one, which upgrades it.',
        );
      } finally {
        await old.end();
      }
    });
  });

  describe('on projections of another projector version', () => {
    const stale = async (url: string): Promise<void> => {
      await bear(url, { projections: '0-0000000000000000' });
      await postgres.query("UPDATE article_index SET title = 'As an older projector wrote it'", [], url);
      await postgres.query('ALTER TABLE mirror ADD COLUMN former text', [], url);
    };

    it('has one node rebuild them while the other waits', async () => {
      const url = await storedDatabase(postgres);
      await stop(await node(url));
      await stale(url);
      const nodes = await Promise.all([node(url), node(url)]);
      expect(nodes.filter((each) => each.output().includes('making the projections again'))).toHaveLength(1);
      for (const { base } of nodes)
        expect(await (await fetch(`${base}/api/articles/harbour`)).json()).toMatchObject({
          title: 'Harbour',
        });
      for (const each of nodes) await stop(each);
      expect((await run(url, ['rebuild', '--check'])).stdout).toMatch(/ 0 differ\.\n$/);
    });

    it('stops while nodes of that version run', async () => {
      const url = await postgres.database();
      await node(url);
      await stale(url);
      await expectRefused(
        url,
        {},
        'The projections of the database are of another version, and nodes of that version use it: stop them, then start this one, which makes the projections again.',
      );
    });
  });
});
