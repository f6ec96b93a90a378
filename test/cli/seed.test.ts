/** The starter articles of an empty ledger, as `colophon serve` writes them. */
import { describe, expect, it } from 'vitest';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import { newOwnerKey, startServer } from '../support/process-server.ts';

async function started(
  limits: string,
  said: string,
): Promise<{ readonly output: string; readonly answers: number }> {
  const server = await startServer({ seeds: true, env: { COLOPHON_LIMITS: limits } });
  try {
    while (!server.output().includes(said)) await new Promise((later) => setTimeout(later, 20));
    const { status } = await fetch(`${server.base}/api/articles`);
    return { output: server.output(), answers: status };
  } finally {
    await server.stop();
  }
}

describe.runIf(hasPostgres)('the first start of several nodes', () => {
  it('writes the starter articles exactly once, all by one node', async () => {
    const postgres = await sharedPostgres();
    const shared = {
      DATABASE_URL: await postgres.database(),
      COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef',
      COLOPHON_TERMINAL_KEY: newOwnerKey(),
      COLOPHON_LOG: 'info',
    };
    const nodes = await Promise.all([1, 2, 3].map(() => startServer({ seeds: true, env: shared })));
    try {
      await expect
        .poll(() => nodes.every((node) => node.output().includes('"msg":"ready"')), { timeout: 30_000 })
        .toBe(true);
      const said = nodes.map((node) => /^Seeded .*$|^colophon: .*$/m.exec(node.output())?.[0] ?? 'nothing');
      expect(said.toSorted()).toEqual(['Seeded 8 starter articles.', 'nothing', 'nothing']);
      // Its calls do not bury the address and the key.
      expect(nodes.filter((node) => node.output().includes('"msg":"call"'))).toEqual([]);
      const [node] = nodes;
      const { count } = (await (await fetch(`${node?.base}/api/articles`)).json()) as { count: number };
      expect(count).toBe(8);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await postgres.stop();
    }
  }, 60_000);
});

describe('the first start', () => {
  it('is alive at once, and ready when all starter articles exist, sound but for one open objection', async () => {
    const server = await startServer({ seeds: true });
    try {
      const healthy = await fetch(`${server.base}/healthz`);
      const early = await fetch(`${server.base}/readyz`);
      expect([healthy.status, early.status]).toEqual([200, 503]);
      expect(await early.json()).toMatchObject({
        error: 'overloaded',
        retryable: true,
        detail: 'The deployment is starting: the starter articles are being written.',
        fix: 'Ask again in a second.',
      });
      await expect
        .poll(async () => (await fetch(`${server.base}/readyz`)).status, { timeout: 20_000 })
        .toBe(200);
      const { count } = (await (await fetch(`${server.base}/api/articles`)).json()) as { count: number };
      expect(count).toBe(8);
      const health = await Promise.all(
        [
          'what-the-ledger-is',
          'claims-and-tiers',
          'voxels',
          'receipts-and-proofs',
          'shares',
          'the-mirror',
          'constitution-slots',
          'url-only-protocol',
        ].map(async (slug) => {
          const answer = await fetch(`${server.base}/api/articles/${slug}/health`);
          const { score, checks } = (await answer.json()) as { score: number; checks: { ok: boolean }[] };
          return [score, checks.filter((check) => !check.ok)];
        }),
      );
      const [contested, ...others] = health;
      expect(contested).toEqual([
        95,
        [expect.objectContaining({ id: 'discourse', detail: '1 entry asks for an answer.' })],
      ]);
      expect(others).toEqual(Array.from({ length: 7 }, () => [100, []]));
      const masthead = await fetch(`${server.base}/api/articles/what-the-ledger-is/masthead`);
      const { standing_objections: standing } = (await masthead.json()) as {
        standing_objections: { target: string; kind: string; status: string }[];
      };
      expect(standing.map(({ target, kind, status }) => [target, kind, status])).toEqual([
        ['c3', 'objection', 'open'],
      ]);
    } finally {
      await server.stop();
    }
  });

  it('continues when the limits refuse a starter article, and logs which and why', async () => {
    const { output, answers } = await started('article_bytes=1500', 'stopped');
    expect([output.includes('Seeded 0 starter articles.\n'), answers]).toEqual([true, 200]);
    expect(output).toMatch(
      /colophon: seeding stopped at what-the-ledger-is, voxel-batch: The document has \d+ bytes; an article has at most 1500\.\n/,
    );
  });
});
