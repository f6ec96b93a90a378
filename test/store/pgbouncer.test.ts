/**
 * Nodes behind PgBouncer (contract §0): in session mode everything works, as advisory locks, notifications and prepared
 * statements belong to sessions; in the other modes a start is refused with one line that says what to do.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPgbouncer, startPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { removeFolders, runCommandBeside, temporaryFolder } from '../support/process-server.ts';
import { startServer, type TestServer } from '../support/server.ts';

const keys = { COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef' };

describe.skipIf(!hasPostgres || !hasPgbouncer)('behind PgBouncer', () => {
  let postgres: TestDatabases;
  let direct: string;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    direct = await postgres.database();
  });
  afterAll(async () => {
    await postgres.stop();
    removeFolders();
  });

  describe('in session mode', () => {
    let pgbouncer: Pgbouncer;
    let url: string;
    let nodes: TestServer[];

    beforeAll(async () => {
      pgbouncer = await startPgbouncer(direct, 'session');
      url = pgbouncer.url(direct);
      nodes = [await startServer({ DATABASE_URL: url }), await startServer({ DATABASE_URL: url })];
    }, 30_000);
    afterAll(async () => {
      for (const node of nodes ?? []) await node.stop();
      await pgbouncer.stop();
    });

    it('two nodes write, read what the other wrote, and keep one log with one leader', async () => {
      const [a, b] = nodes as [TestServer, TestServer];
      const slug = await a.article('# Pooled\n\nOne.\n');
      await Promise.all(
        Array.from({ length: 24 }, (_, i) =>
          (i % 2 === 0 ? a : b).anybody('/api/dispatch', {
            key: 'MIRROR_APPEND',
            body: { slug, claim_id: '', kind: 'question', actor: 'ada', body: `What of ${i}?` },
          }),
        ),
      );
      const feed = await b.read(`/api/articles/${slug}/mirror`);
      expect(feed['contributions']).toHaveLength(24);
      expect(nodes.map(({ deployment }) => deployment.service.store.leads).filter(Boolean)).toHaveLength(1);
      for (const node of nodes) expect((await node.fetch('/readyz')).status).toBe(200);
    });

    it('the other node is notified of what one wrote', async () => {
      const [a, b] = nodes as [TestServer, TestServer];
      const { store } = b.deployment.service;
      const from = (await store.read.checkpoint())?.size ?? 0;
      const followed = (async () => {
        for await (const { index } of store.follow(from, AbortSignal.timeout(10_000))) return index;
        return undefined;
      })();
      await a.article('# Told\n\nOne.\n');
      expect(await followed).toBe(from);
    });

    it('a rebuild sees the nodes and is refused; verify and doctor work', async () => {
      const env = { ...keys, DATABASE_URL: url };
      const rebuilt = await runCommandBeside(temporaryFolder(), ['rebuild'], env);
      expect([rebuilt.status, rebuilt.stderr]).toEqual([2, expect.stringContaining('stop them')]);
      const verified = await runCommandBeside(temporaryFolder(), ['verify'], env);
      expect([verified.status, verified.stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
      const examined = await runCommandBeside(temporaryFolder(), ['doctor'], env);
      expect(examined.stdout).toMatch(/^ok {4}sessions: each connection keeps its own$/m);
    });

    it('nodes go on when the pooler was restarted', async () => {
      await pgbouncer.stop(false);
      await pgbouncer.start();
      for (const node of nodes) {
        await vi.waitFor(async () => expect((await node.fetch('/readyz')).status).toBe(200), 10_000);
        await node.article('# Again\n\nOne.\n');
      }
    });
  });

  it.each(['transaction', 'statement'] as const)('refuses to start in %s mode', async (mode) => {
    const pgbouncer = await startPgbouncer(direct, mode);
    try {
      const env = { ...keys, DATABASE_URL: pgbouncer.url(direct) };
      const { status, stdout, stderr } = await runCommandBeside(
        temporaryFolder(),
        ['serve', '--no-seed'],
        env,
      );
      expect([status, stdout, stderr]).toEqual([
        2,
        '',
        'colophon: DATABASE_URL leads to a pooler that hands each transaction to another session; it accepts PostgreSQL itself, or a pooler that keeps one session for each connection (PgBouncer: pool_mode=session).\n',
      ]);
      const examined = await runCommandBeside(temporaryFolder(), ['doctor'], env);
      expect(examined.stdout).toMatch(/^fail {2}sessions: DATABASE_URL leads to a pooler/m);
    } finally {
      await pgbouncer.stop();
    }
  });
});
