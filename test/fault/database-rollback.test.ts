/**
 * A PostgreSQL database restored to an older state behind running nodes, seen through the front door (contract §6):
 * writes, readiness and the log are refused, reads show what is there, and the next start is refused too.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compose, operations } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { dump, restore } from '../support/postgres-dump.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { allLogged } from '../support/stores.ts';

describe.skipIf(!hasPostgres)('a database restored behind running nodes', () => {
  let postgres: TestDatabases;
  let url: string;
  let nodes: TestServer[] = [];
  let lost = '';
  const folders = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'colophon-restored-')));
  const environment = (folder: string | undefined): Record<string, string> => ({
    DATABASE_URL: url,
    COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef',
    COLOPHON_TERMINAL_KEY: terminalKey,
    COLOPHON_BASE_URL: 'http://colophon.test',
    COLOPHON_DATA: folder as string,
  });
  const problemAt = async (node: TestServer, path: string, init?: RequestInit): Promise<string> => {
    const response = await node.fetch(path, init);
    expect([path, response.status]).toEqual([path, 503]);
    return response.text();
  };
  const write = (node: TestServer, markdown: string): Promise<Response> =>
    node.fetch('/api/protocol/voxel-batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify({ document: { markdown } }),
    });

  beforeAll(async () => {
    postgres = await sharedPostgres();
    url = await postgres.database();
    nodes = await Promise.all(folders.slice(0, 2).map((folder) => startServer(environment(folder))));
    const [a, b] = nodes as [TestServer, TestServer];
    const slug = await a.article('# Kept\n\nAs it was.');
    await allLogged(a.deployment.service.store);
    await dump(url);
    await b.article('# Lost\n\nWritten after the dump.');
    await a.owner('/api/protocol/voxel-batch', {
      document: { slug, markdown: '# Kept\n\nAs it was.\n\nAnd what is lost.' },
    });
    await allLogged(a.deployment.service.store);
    for (const node of nodes) {
      // Served once, so that it is cached.
      expect(await (await node.fetch('/api/articles/kept')).text()).toContain('what is lost');
      lost = await (await node.fetch('/checkpoint')).text();
    }
    await restore(url, 'drop');
  }, 90_000);
  afterAll(async () => {
    await postgres.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('rejects writes on every node, and no node is ready', async () => {
    const [a, b] = nodes as [TestServer, TestServer];
    const refused = await write(a, '# New\n\nAfter the restore.');
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('the database was set back behind this node');
    for (const node of [a, b]) {
      await vi.waitFor(() => expect(node.deployment.service.store.rollback).toBeDefined(), 10_000);
      expect(await problemAt(node, '/readyz')).toContain('the database was set back behind this node');
      expect(await problemAt(node, '/checkpoint')).toContain('the database was set back behind this node');
      expect((await write(node, '# New\n\nAgain.')).status).toBe(503);
      expect(node.deployment.service.store.rollback?.checkpoint).toBe(lost);
      const metrics = await node.fetch('/metrics', { headers: { 'x-terminal-key': terminalKey } });
      expect(await metrics.text()).toMatch(/^colophon_ledger_rolled_back 1$/m);
    }
  });

  it('is read as it is, without caches', async () => {
    for (const node of nodes) {
      const kept = await node.fetch('/api/articles/kept');
      expect(await kept.text()).not.toContain('what is lost');
      expect((await node.fetch('/api/articles/lost')).status).toBe(404);
    }
  });

  it('is refused at the next start by the lost checkpoint, even without the separate copy', async () => {
    for (const node of nodes) {
      expect(readFileSync(node.deployment.config.checkpointPath, 'utf8')).toBe(lost);
      await node.stop().catch(() => undefined);
    }
    await expect(compose(readConfig(environment(folders[2])))).rejects.toThrow(
      /^A running node found that the database was set back: .+ --accept-rollback/,
    );
  });

  it('begins a new log with a new key under --accept-rollback, whose first entry commits to the lost one', async () => {
    const config = readConfig(environment(folders[2]));
    const deployment = await compose(config, { acceptRollback: true });
    const { store, secrets } = deployment.service;
    expect(secrets.signer.key.name).not.toBe(lost.split('\n')[0]);
    const [first] = await store.read.entries(0, 1);
    expect(JSON.parse(first?.text ?? '')).toMatchObject({
      action: 'accept_rollback',
      checkpoint_hash: sha256Hex(lost),
    });
    await deployment.close();
    const again = await compose(config);
    expect(again.service.store.rollback).toBeUndefined();
    expect((await again.service.store.read.checkpoint())?.note).toContain(secrets.signer.key.name);
    await again.close();
    const report = await operations.audit(config, { ledgerOnly: false, progress: () => undefined });
    expect(report.problems).toEqual([]);
  });
});
