/** One search index for all nodes on a PostgreSQL database: who follows the log, and what a lost node leaves. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IndexCursor, SearchIndex, IndexStep } from '../../src/engine/search-index.ts';
import pg from 'pg';
import { openPostgresSearch } from '../../src/store/postgres/search-index.ts';
import { searchTables } from '../../src/store/postgres/search-tables.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { ask, document, searchDatabase, write } from '../support/search-indexes.ts';

const stepTo =
  (size: number, ...documents: ReturnType<typeof document>[]) =>
  async (): Promise<IndexStep> => ({
    documents,
    cursor: { size, head: `head of ${size}`, scrubsApplied: 0 },
  });

describe.skipIf(!hasPostgres)('nodes that share a search index', () => {
  let server: TestPostgres;
  let url: string;
  let nodes: SearchIndex[];

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await searchDatabase(server);
    nodes = [openPostgresSearch(url), openPostgresSearch(url), openPostgresSearch(url)];
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
  });
  const [a, b] = [(): SearchIndex => nodes[0] as SearchIndex, (): SearchIndex => nodes[1] as SearchIndex];

  it('find documents that any of them indexed', async () => {
    await write(a(), 2, document('x', 1, 'quokka'));
    await write(b(), 3, document('y', 2, 'quokka'));
    for (const node of nodes) {
      expect((await ask(node, 'quokka')).found.map(({ key }) => key)).toEqual(['y', 'x']);
      expect((await node.cursor()).size).toBe(3);
    }
  });

  it('index one step at a time: a concurrent node is told so and reads the previous state', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const slow = a().follow(async () => {
      begin();
      await held;
      return stepTo(5, document('x', 1, 'numbat'))();
    });
    await begun;
    let asked = false;
    const other = await b().follow(async () => {
      asked = true;
      return undefined;
    });
    expect([other, asked]).toEqual([undefined, false]);
    expect(await b().cursor()).toEqual({ size: 0, head: '', scrubsApplied: 0 });
    expect((await ask(b(), 'numbat')).found).toEqual([]);
    release();
    await slow;
    let from: IndexCursor | undefined;
    await b().follow(async (stands) => {
      from = stands;
      return undefined;
    });
    expect(from).toEqual({ size: 5, head: 'head of 5', scrubsApplied: 0 });
  });

  it('continue after a node that died in the middle of a step, of which nothing remains', async () => {
    await write(a(), 1, document('x', 1, 'bilby'));
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: held, resolve: wake } = Promise.withResolvers<void>();
    const stalled = a().follow(async () => {
      begin();
      await held;
      return stepTo(2, document('x', 2, 'stale'))();
    });
    await begun;
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'colophon search %'",
    );
    let came: IndexCursor | undefined;
    while (came === undefined) came = await b().follow(stepTo(3, document('x', 3, 'fresh')));
    expect(came.size).toBe(3);
    wake();
    await expect(stalled).rejects.toThrow('PostgreSQL does not answer');
    expect((await ask(b(), 'stale fresh')).frequencies).toEqual([0, 1]);
    await write(a(), 4, document('y', 4, 'again'));
    expect((await ask(b(), 'again')).found).toEqual([{ key: 'y', length: 1, counts: [1] }]);
  });

  it('neither lose nor duplicate documents when all of them index at once', async () => {
    const until = 60;
    const follow = async (node: SearchIndex): Promise<void> => {
      for (;;) {
        const came = await node.follow(async ({ size }) =>
          size >= until ? undefined : stepTo(size + 1, document(`k${size % 7}`, size, `every w${size}`))(),
        );
        if (came !== undefined && came.size >= until) return;
        if (came === undefined) await new Promise((again) => setTimeout(again, 1));
      }
    };
    await Promise.all(nodes.map(follow));
    const answer = await ask(b(), 'every w59 w52');
    expect(answer).toMatchObject({ documents: 7, length: 14, frequencies: [7, 1, 0] });
    expect(answer.found.map(({ key }) => key)).toEqual(['k3', 'k2', 'k1', 'k0', 'k6', 'k5', 'k4']);
  });

  it('leave the index of another terms version alone until no session uses it, and drop it then', async () => {
    await write(a(), 5, document('x', 1, 'possum'));
    const other = new pg.Client(url);
    await other.connect();
    const tables = async (): Promise<string[]> =>
      (
        await server.query<{ name: string }>(
          "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'search_%_9' ORDER BY 1",
          [],
          url,
        )
      ).map(({ name }) => name);
    await other.query("SELECT pg_advisory_lock_shared(hashtextextended('colophon search public 9', 0))");
    for (const name of ['document', 'state', 'term', 'workspace'])
      await other.query(`CREATE TABLE search_${name}_9 (x integer)`);
    await write(b(), 6, document('y', 2, 'possum'));
    expect(await tables()).toHaveLength(4);
    await other.end();
    const next = openPostgresSearch(url);
    nodes.push(next);
    await write(next, 7, document('z', 3, 'possum'));
    expect(await tables()).toEqual([]);
    expect((await ask(a(), 'possum')).found.map(({ key }) => key)).toEqual(['z', 'y', 'x']);
  });

  it('keep no term of a replaced wording or of scrubbed text', async () => {
    const words = async (): Promise<string[]> =>
      (
        await server.query<{ term: string }>(`SELECT term FROM ${searchTables.term} ORDER BY term`, [], url)
      ).map(({ term }) => term);
    await write(a(), 1, document('x', 1, 'secret word'));
    await write(a(), 2, document('x', 2, 'other word'));
    expect(await words()).toEqual(['1·other', '1·word']);
    await a().follow(async () => ({ reset: true, scrubsApplied: 2 }));
    expect(await words()).toEqual([]);
    const [sizes] = await server.query<{ bytes: string }>(
      `SELECT pg_relation_size('${searchTables.document}') + pg_relation_size('${searchTables.term}') + pg_relation_size('${searchTables.workspace}') AS bytes`,
      [],
      url,
    );
    expect(Number(sizes?.bytes)).toBe(0);
  });

  it('search again after the database server restarted', async () => {
    await write(a(), 1, document('x', 1, 'wombat'));
    await server.query('CHECKPOINT');
    await server.crash();
    expect((await ask(a(), 'wombat')).found.map(({ key }) => key)).toEqual(['x']);
    await a()
      .follow(async () => undefined)
      .catch(() => undefined);
    await write(a(), 2, document('y', 2, 'wombat'));
    expect((await ask(b(), 'wombat')).found.map(({ key }) => key)).toEqual(['y', 'x']);
  });
});
