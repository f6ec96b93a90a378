/**
 * A database that goes back behind running nodes (contract §6): restored in place, or failed over to a standby that
 * had not received everything. No write is acknowledged afterwards, and all checkpoints that were ever signed belong
 * to one history.
 */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { reads } from '../../src/engine/act.ts';
import type { ObservedRollback, Store } from '../../src/engine/store.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { leafHash } from '../../src/ledger/entry.ts';
import { verifyConsistency } from '../../src/ledger/merkle.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/store.ts';
import { oracleConsistency } from '../unit/ledger/support.ts';
import { dump, restore } from '../support/postgres-dump.ts';
import { Proxy } from '../support/postgres-proxy.ts';
import { hasPostgres, startPostgres, type TestPostgres, type TestStandby } from '../support/postgres.ts';
import { allLogged, logged, sign } from '../support/stores.ts';
import { act, committed, increment, say, tallySchema, tallyTable } from './tally.ts';

interface Signed {
  readonly size: number;
  readonly root: Uint8Array;
}

interface Node {
  readonly store: Store;
  readonly rollbacks: readonly ObservedRollback[];
}

describe.skipIf(!hasPostgres)('a database that was rolled back behind running nodes', () => {
  let server: TestPostgres;
  let open: Store[] = [];
  let signed: Signed[] = [];

  beforeAll(async () => {
    server = await startPostgres({ wal_keep_size: '256MB' });
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    await Promise.all(open.map((store) => store.close()));
    open = [];
    signed = [];
  });

  const node = async (url: string, more: Partial<PostgresOptions> = {}): Promise<Node> => {
    const rollbacks: ObservedRollback[] = [];
    const store = await openPostgres({
      url,
      schema: tallySchema,
      sign(size, root) {
        signed.push({ size, root });
        return sign(size, root);
      },
      onRollback: (rollback) => void rollbacks.push(rollback),
      ...more,
    });
    open.push(store);
    return { store, rollbacks };
  };

  /** Refuses reads of the head, writes, acts that only read, and readiness; keeps the checkpoint that it saw. */
  const expectRefuses = async ({ store, rollbacks }: Node, size: number): Promise<void> => {
    for (const asked of [
      increment('t1'),
      act([reads('tally', 't1')], (tx) => tx.row(tallyTable, 't1')?.value),
    ])
      expect(await store.run<unknown>(asked)).toMatchObject({
        fault: 'overloaded',
        message: expect.stringContaining('the database was set back behind this node'),
      });
    await expect(store.probe(1000)).rejects.toThrow('the database was set back behind this node');
    await expect(store.read.checkpoint()).rejects.toThrow('the database was set back behind this node');
    expect(rollbacks).toHaveLength(1);
    expect(store.rollback?.checkpoint).toContain(`\n${size}\n`);
  };

  const found = ({ rollbacks }: Node): Promise<void> =>
    vi.waitFor(() => expect(rollbacks).toHaveLength(1), { timeout: 10_000, interval: 20 });

  /** Each checkpoint is proven to continue the one before it, over the leaves of the history that was lost. */
  const expectOneHistory = (leaves: readonly Uint8Array[]): void => {
    const sizes = signed.filter(({ size }) => size <= leaves.length).sort((a, b) => a.size - b.size);
    // One may have been on its way to a server that was cut off: committed nowhere, and so shown to nobody.
    expect(signed.length - sizes.length).toBeLessThanOrEqual(1);
    for (const [i, { size, root }] of sizes.entries()) {
      const before = sizes[i - 1];
      if (before === undefined) continue;
      const proof = before.size === size ? [] : oracleConsistency(before.size, leaves.slice(0, size));
      expect(verifyConsistency(before.size, size, proof, before.root, root)).toBe(true);
    }
  };

  const leavesOf = async (url: string): Promise<Uint8Array[]> => {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ text: string }>(
      'SELECT e.text FROM log l JOIN entry e ON e.seq = l.seq ORDER BY l.idx',
    );
    await client.end();
    return rows.map(({ text }) => leafHash(text));
  };

  describe.each(['drop', 'truncate'] as const)('restored in place (%s)', (how) => {
    let url: string;
    let a: Node;
    let b: Node;
    let leaves: Uint8Array[];
    /** Number of the tenth entry. */
    let tenth: number;

    beforeEach(async () => {
      url = await server.database();
      [a, b] = [await node(url), await node(url)];
      for (let i = 0; i < 5; i++) await committed(a.store, increment('t1'));
      await logged(a.store, 5);
      await dump(url);
      for (let i = 0; i < 5; i++)
        tenth = (await committed(i % 2 === 0 ? a.store : b.store, increment('t1'))).entries[0]?.seq as number;
      await Promise.all([logged(a.store, 10), logged(b.store, 10)]);
      leaves = await leavesOf(url);
    });

    test('is refused by the next write on any node, and then by all nodes', async () => {
      await restore(url, how);
      await expectRefuses(a, 10);
      await expectRefuses(b, 10);
      // Nor does one go on that has seen nothing of it.
      const fresh = await node(url);
      await found(fresh);
      expect(isFault(await fresh.store.run(increment('t1')))).toBe(true);
      expect(fresh.store.rollback?.reason).toContain('another node found that the database was set back');
      expect(await leavesOf(url)).toHaveLength(5);
      expectOneHistory(leaves);
    });

    test('is signed by no node, even one that never read the lost entries', async () => {
      await restore(url, how);
      const fresh = await node(url);
      await fresh.store.run(increment('t1'));
      await found(fresh);
      await Promise.all([found(a), found(b)]);
      expect(await leavesOf(url)).toHaveLength(5);
      expectOneHistory(leaves);
    });

    test('is detected without a write, and reads return what the database holds', async () => {
      expect(await b.store.read.row(tallyTable, 't1')).toMatchObject({ value: 10 });
      const before = await b.store.read.stamp('tally', 't1');
      await restore(url, how);
      await Promise.all([found(a), found(b)]);
      expect(await b.store.read.row(tallyTable, 't1')).toMatchObject({ value: 5 });
      expect(await b.store.read.stamp('tally', 't1')).not.toBe(before);
      expectOneHistory(leaves);
    });

    test('is detected by the root when the log has regained its length', async () => {
      const proxy = await Proxy.to(server.port);
      const away = await node(proxy.url(url), { patienceMs: 100 });
      await logged(away.store, 10);
      await vi.waitFor(async () => expect((await away.store.read.checkpoint())?.size).toBe(10));
      expect(await away.store.read.row(tallyTable, 't1')).toMatchObject({ value: 10 });
      proxy.sever();
      await Promise.all([a, b].map(({ store }) => store.close()));
      await restore(url, how);
      // Somebody who knows nothing of the lost history goes on with another.
      const other = await openPostgres({ url, schema: tallySchema, sign });
      for (let i = 0; i < 4; i++) await committed(other, increment('t1'));
      // Its number, and so the stamp of the tally, is the one that the tenth batch had before.
      expect((await committed(other, say('t1', { value: 77 }))).answer).toBe(tenth);
      for (let i = 0; i < 3; i++) await committed(other, increment('t2'));
      await logged(other, 13);
      await other.close();
      proxy.restore();
      // Cached under the same stamp, of the other history.
      expect(await away.store.read.row(tallyTable, 't1')).toMatchObject({ value: 77 });
      await found(away);
      expect(away.rollbacks[0]?.reason).toBe(
        'the first 10 entries of the log are not those that this node has seen',
      );
      await expectRefuses(away, 10);
      await proxy.close();
      expectOneHistory(leaves);
    });

    test('is refused when only entries outside the log were lost', async () => {
      const late = await node(url, { sequencer: { pollMs: 20 } });
      const blocker = new pg.Client(url);
      await blocker.connect();
      await blocker.query('BEGIN; SELECT FROM log_head FOR UPDATE');
      await dump(url);
      await committed(late.store, increment('t1'));
      await blocker.query('ROLLBACK');
      await blocker.end();
      await restore(url, how);
      await found(late);
      expect(isFault(await late.store.run(increment('t1')))).toBe(true);
    });
  });

  describe('failed over to an asynchronous standby', () => {
    let primary: TestPostgres;
    let standby: TestStandby;
    let proxy: Proxy;
    let url: string;

    beforeEach(async () => {
      primary = await startPostgres({ wal_keep_size: '256MB' });
      const direct = await primary.database();
      proxy = await Proxy.to(primary.port);
      url = proxy.url(direct);
    }, 60_000);
    afterEach(async () => {
      await proxy.close();
      await standby.stop();
      await primary.stop();
    });

    const onPrimary = (): string => {
      const direct = new URL(url);
      direct.port = String(primary.port);
      return direct.href;
    };

    /** Writes until it is stopped; `acknowledged` counts. */
    const load = (stores: readonly Store[]) => {
      const state = { stopped: false, acknowledged: 0 };
      const done = Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          while (!state.stopped) {
            const ended = await (stores[i % stores.length] as Store).run(increment(`t${i % 3}`));
            if (!isFault(ended)) state.acknowledged++;
            else await new Promise((wait) => setTimeout(wait, 10));
          }
        }),
      );
      return {
        get acknowledged() {
          return state.acknowledged;
        },
        async stop() {
          state.stopped = true;
          await done;
        },
      };
    };

    test('without acknowledged writes makes the nodes stop acknowledging and signing', async () => {
      const [a, b] = [await node(url), await node(url)];
      standby = await primary.standby();
      const writing = load([a.store, b.store]);
      await vi.waitFor(() => expect(writing.acknowledged).toBeGreaterThan(200), { timeout: 20_000 });
      await standby.cutOff();
      const cut = writing.acknowledged;
      await vi.waitFor(() => expect(writing.acknowledged).toBeGreaterThan(cut + 100), { timeout: 20_000 });
      await standby.promote();
      // The old primary runs on where nobody reaches it: what it holds is the history that was acknowledged.
      proxy.sever();
      // What had been answered by then has arrived.
      await new Promise((wait) => setTimeout(wait, 200));
      const before = writing.acknowledged;
      proxy.leadTo(standby.port);
      await Promise.all([found(a), found(b)]);
      await new Promise((wait) => setTimeout(wait, 500));
      await writing.stop();
      expect(writing.acknowledged).toBe(before);
      for (const { store } of [a, b]) {
        expect(isFault(await store.run(increment('t1')))).toBe(true);
        await expect(store.probe(1000)).rejects.toThrow('set back behind this node');
      }
      expectOneHistory(await leavesOf(onPrimary()));
    }, 90_000);

    test('without any loss lets the nodes continue', async () => {
      const [a, b] = [await node(url), await node(url)];
      standby = await primary.standby();
      const writing = load([a.store, b.store]);
      await vi.waitFor(() => expect(writing.acknowledged).toBeGreaterThan(100), { timeout: 20_000 });
      await writing.stop();
      // What is committed gets its place in the log first: the standby is to lack nothing.
      await allLogged(a.store);
      await standby.catchUp();
      await standby.promote();
      proxy.leadTo(standby.port);
      const before = (await a.store.read.row(tallyTable, 't1'))?.value ?? 0;
      expect((await committed(b.store, increment('t1'))).answer).toBe(before);
      expect(await a.store.read.row(tallyTable, 't1')).toMatchObject({ value: before + 1 });
      await allLogged(a.store);
      const ahead = new URL(url);
      ahead.port = String(standby.port);
      expectOneHistory(await leavesOf(ahead.href));
      expect([...a.rollbacks, ...b.rollbacks]).toEqual([]);
    }, 90_000);
  });
});
