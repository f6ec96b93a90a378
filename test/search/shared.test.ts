/** Nodes on one PostgreSQL, each seen from outside: they share one search index, whoever of them keeps it. */
import { searchTables } from '../../src/store/postgres/search-tables.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

/** What was written is found when the log has it. */
const patience = { timeout: 10_000 };

describe.skipIf(!hasPostgres)('search over nodes that share a database', () => {
  let postgres: TestDatabases;
  let url: string;
  const nodes: TestServer[] = [];

  beforeAll(async () => {
    postgres = await sharedPostgres();
    url = await postgres.database();
    for (let i = 0; i < 2; i++) await node();
  }, 60_000);
  afterAll(async () => {
    for (const each of nodes.splice(0)) await stop(each);
    await postgres.stop();
  });

  const node = async (): Promise<TestServer> => {
    const server = await startServer({ DATABASE_URL: url });
    nodes.push(server);
    return server;
  };
  const stop = async (server: TestServer): Promise<void> => {
    await server.stop();
    expect(server.errors).toEqual([]);
  };
  const make = async (server: TestServer, slug: string, text: string): Promise<void> => {
    await server.article(`# ${slug}\n\n${text}\n`, { slug });
  };
  const found = async (server: TestServer, q: string): Promise<string[]> => {
    let answer: Answer;
    do answer = await server.read(`/api/search?q=${q}`);
    while (answer['behind'] > 0);
    return answer['results'].map((each: Answer) => `${each['article']} ${each['kind']} ${each['id']}`);
  };
  const indexed = async (): Promise<{ size: string; documents: string }> => {
    const [state] = await postgres.query<{ size: string; documents: string }>(
      `SELECT size, (SELECT coalesce(sum(documents), 0) FROM ${searchTables.workspace}) AS documents FROM ${searchTables.state}`,
      [],
      url,
    );
    return state as { size: string; documents: string };
  };

  it('finds on each node what any of them wrote, without an index per node', async () => {
    const [a, b] = nodes as [TestServer, TestServer];
    await make(a, 'one', 'A quokka.');
    await make(b, 'two', 'A second quokka, by another node.');
    for (const server of [a, b]) {
      await expect.poll(() => found(server, 'quokka'), patience).toEqual(['one div d2', 'two div d2']);
      expect(existsSync(join(server.deployment.config.dataFolder, 'search.db'))).toBe(false);
    }
  });

  it('continues when the indexing node stops, and a new node needs no time to catch up', async () => {
    const [a, b] = nodes.splice(0) as [TestServer, TestServer];
    nodes.push(b);
    await stop(a);
    await make(b, 'three', 'A numbat.');
    await expect.poll(() => found(b, 'numbat'), patience).toEqual(['three div d2']);
    const before = await indexed();
    const c = await node();
    expect(await found(c, 'numbat')).toEqual(['three div d2']);
    expect(await indexed()).toEqual(before);
  });

  it('is verified by a check while nodes run', async () => {
    const [one] = nodes as [TestServer];
    const check = async (): Promise<string[]> =>
      (await operations.check(one.deployment.config, () => undefined)).differences.map(
        ({ table, key }) => `${table} ${key.replace(/^art_[^/]+/, 'art')}`,
      );
    expect(await check()).toEqual([]);
    const spoil = `UPDATE ${searchTables.document} SET counts[1] = 7 WHERE '1·numbat' = ANY (terms) RETURNING key`;
    expect(await postgres.query(spoil, [], url)).toHaveLength(1);
    expect(await check()).toEqual(['search index art/div/d2']);
  });

  it('is rebuilt automatically after a rebuild of the projections', async () => {
    const [one] = nodes as [TestServer];
    const { config } = one.deployment;
    const whole = await indexed();
    for (const each of nodes.splice(0)) await stop(each);
    await operations.rebuild(config, () => undefined);
    expect(await indexed()).toEqual({ size: '0', documents: '0' });
    const again = await node();
    await expect.poll(() => found(again, 'quokka'), patience).toEqual(['one div d2', 'two div d2']);
    expect(await indexed()).toEqual(whole);
  });
});
