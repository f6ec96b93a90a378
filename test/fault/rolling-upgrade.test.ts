/**
 * The nodes of a deployment are replaced one by one by those of the next version, while writers and readers go on
 * (contract §6). The next version is a copy of the built server that projects, stores and indexes under raised numbers.
 */
import { cpSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import {
  newOwnerKey,
  removeFolders,
  sharedSecretKey,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';

const root = resolve(import.meta.dirname, '../..');

/** Numbers that a release raises, in the built server. */
const raised = [
  ['src/domain/schema.js', 'version: 1,', 'version: 2,'],
  ['src/store/search-choice.js', 'termsVersion = 5', 'termsVersion = 6'],
  ['src/engine/ledger-version.js', 'schema: 1, readableFrom: 1', 'schema: 2, readableFrom: 1'],
] as const;

/** Answers with the command of the next version. */
function nextVersion(): string {
  const folder = temporaryFolder();
  for (const name of readdirSync(root))
    if (name === 'bin' || name === 'dist') cpSync(join(root, name), join(folder, name), { recursive: true });
    else if (!name.startsWith('.')) symlinkSync(join(root, name), join(folder, name));
  for (const [path, from, to] of raised) {
    const file = join(folder, 'dist', path);
    const text = readFileSync(file, 'utf8');
    expect([path, text.split(from).length]).toEqual([path, 2]);
    writeFileSync(file, text.replace(from, to));
  }
  return join(folder, 'bin/colophon.js');
}

describe.skipIf(!hasPostgres)('nodes replaced one by one under load', { timeout: 120_000 }, () => {
  let postgres: TestDatabases;
  let running: RunningServer[] = [];

  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterAll(async () => {
    await Promise.all(running.map((node) => node.stop()));
    await postgres.stop();
    removeFolders();
  });

  it('answer rightly in both versions, lose no acknowledged write and double none', async () => {
    const url = await postgres.database();
    const terminalKey = newOwnerKey();
    const node = async (command?: string): Promise<RunningServer> => {
      const server = await startServer({
        terminalKey,
        env: { DATABASE_URL: url, COLOPHON_SECRET_KEY: sharedSecretKey },
        ...(command === undefined ? {} : { command }),
      });
      running.push(server);
      return server;
    };
    const old = await node();
    let serving = [old];
    const load = new AbortController();
    const acknowledged: string[] = [];
    const wrong: string[] = [];

    const get = async (server: RunningServer, path: string): Promise<{ status: number; text: string }> => {
      const answer = await fetch(server.base + path);
      return { status: answer.status, text: await answer.text() };
    };
    const expectRead = async (server: RunningServer, path: string, word: string): Promise<void> => {
      const { status, text } = await get(server, path);
      if (status !== 200 || !text.includes(word)) wrong.push(`GET ${path}: ${status} ${text.slice(0, 200)}`);
    };
    const writer = async (n: number): Promise<void> => {
      for (let i = 0; !load.signal.aborted; i++) {
        const slug = `article-${n}-${i}`;
        const [by, reader] = [serving[i % serving.length], serving[(i + 1) % serving.length]];
        const answer = await fetch(`${(by as RunningServer).base}/api/protocol/voxel-batch`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
          body: JSON.stringify({ document: { slug, markdown: `# Title\n\nThe possum${n}x${i} sleeps.\n` } }),
        });
        const text = await answer.text();
        if (answer.status === 200) acknowledged.push(slug);
        else wrong.push(`POST ${slug}: ${answer.status} ${text.slice(0, 200)}`);
        await expectRead(reader as RunningServer, `/api/articles/${slug}`, `possum${n}x${i}`);
        await expectRead(by as RunningServer, '/api/search?q=sleeps', 'results');
      }
    };
    const writers = [writer(0), writer(1)];
    const more = async (): Promise<void> => {
      const before = acknowledged.length;
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 12), 30_000);
    };
    await more();
    const fresh = await node(nextVersion());
    serving = [old, fresh];
    await more();
    for (const server of serving) {
      expect((await get(server, '/readyz')).status).toBe(200);
      // Each has an index of its own making, which follows the writes of both.
      const newest = acknowledged.at(-1) as string;
      const word = newest.replace('article-', 'possum').replace('-', 'x');
      await vi.waitFor(
        async () => expect((await get(server, `/api/search?q=${word}`)).text).toContain(newest),
        {
          timeout: 15_000,
          interval: 200,
        },
      );
    }
    serving = [fresh];
    running = [fresh];
    await more();
    expect(await old.stop()).toBe(0);
    await more();
    load.abort();
    await Promise.all(writers);

    expect(wrong).toEqual([]);
    for (const slug of acknowledged) await expectRead(fresh, `/api/articles/${slug}`, 'Title');
    expect(wrong).toEqual([]);
    expect(
      await postgres.query(
        "SELECT count(DISTINCT left(chain, 20))::int AS articles FROM entry WHERE chain LIKE 'art\\_%'",
        [],
        url,
      ),
    ).toEqual([{ articles: acknowledged.length }]);
    // The unused set of projections is removed, and the new one takes its place.
    await vi.waitFor(
      async () =>
        expect(
          await postgres.query("SELECT place FROM projection_set WHERE stamp LIKE '2-%' AND ready", [], url),
        ).toEqual([{ place: '' }]),
      { timeout: 20_000, interval: 200 },
    );
    expect(await fresh.stop()).toBe(0);
    running = [];
  });
});
