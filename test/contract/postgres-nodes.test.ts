/**
 * Several nodes on one PostgreSQL database, and what happens to acknowledged writes when sessions, lines, nodes
 * and the server itself go down (ENGINE.md "Chains, log, tables"; QUALITY.md: lost 0, doubled 0).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { reads, writes, type Appended, type Committed } from '../../src/engine/act.ts';
import { stateName } from '../../src/engine/state.ts';
import type { LogEntry, Store } from '../../src/engine/store.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { verifyChain } from '../../src/ledger/chain.ts';
import { leafHash } from '../../src/ledger/entry.ts';
import { lockId, writerSettings } from '../../src/store/postgres/connection.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/store.ts';
import { oracleRoot } from '../unit/ledger/support.ts';
import { Proxy } from '../support/postgres-proxy.ts';
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { logged, sign } from '../support/stores.ts';
import {
  act,
  append,
  committed,
  increment,
  journalTable,
  nameTable,
  say,
  spend,
  tallySchema,
  tallyTable,
} from './tally.ts';

describe.skipIf(!hasPostgres)('nodes that share a database', () => {
  let server: TestPostgres;
  let url: string;
  let open: Store[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.database();
  });
  afterEach(async () => {
    await Promise.all(open.map((store) => store.close()));
    open = [];
  });

  const node = async (options: Partial<PostgresOptions> = {}): Promise<Store> => {
    const store = await openPostgres({ url, schema: tallySchema, sign, ...options });
    open.push(store);
    return store;
  };
  const nodes = (count: number, options: Partial<PostgresOptions> = {}): Promise<Store[]> =>
    Promise.all(Array.from({ length: count }, () => node(options)));

  /** Ends sessions of a kind, as an administrator or a failover would; answers how many there were. */
  const terminate = async (role: 'writer' | 'log' | 'reader'): Promise<number> => {
    const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1';
    return (await server.query(sql, [`colophon ${role} %`])).length;
  };

  /** Does so again and again, until it is stopped. */
  const harass = (role: 'writer' | 'log', pauseMs: number) => {
    const state = { ended: 0, stopped: false };
    const done = (async () => {
      while (!state.stopped) {
        state.ended += await terminate(role);
        await new Promise((wait) => setTimeout(wait, pauseMs));
      }
    })();
    return {
      get ended() {
        return state.ended;
      },
      async stop() {
        state.stopped = true;
        await done;
      },
    };
  };

  describe('writing at the same time', () => {
    test('neither lose nor duplicate updates of one tally', async () => {
      const stores = await nodes(4);
      const runs = stores.flatMap((store, s) =>
        Array.from({ length: 60 }, (_, i) =>
          committed(store, i % 2 === 0 ? increment('shared') : increment(`own-${s}`)),
        ),
      );
      const outcomes = await Promise.all(runs);
      const shared = outcomes
        .filter(({ entries }) => entries[0]?.sealed.entry.chain === 'shared')
        .map(({ answer }) => answer);
      expect(shared.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i));
      for (const store of stores)
        expect(await store.read.row(tallyTable, 'shared')).toMatchObject({ value: 120 });
      await expectWhole(stores[3] as Store, 240);
    });

    test('decide acts by the rows that other nodes committed, not by their caches', async () => {
      const [a, b] = (await nodes(2)) as [Store, Store];
      await committed(a, say('t1', { value: 1 }));
      expect(await a.read.row(tallyTable, 't1')).toMatchObject({ value: 1 });
      await committed(b, say('t1', { value: 41 }));
      expect((await committed(a, increment('t1'))).answer).toBe(41);
      expect(
        (
          await committed(
            b,
            act([reads('tally', 't1')], (tx) => tx.row(tallyTable, 't1')?.value),
          )
        ).answer,
      ).toBe(42);
      await committed(b, say('t1', { drop: true }));
      expect(await a.read.row(tallyTable, 't1')).toBeUndefined();
    });

    test('lock in one order, so that no act fails with a deadlock', async () => {
      const [a, b] = (await nodes(2)) as [Store, Store];
      await Promise.all(
        Array.from({ length: 80 }, (_, i) =>
          committed(i % 2 === 0 ? a : b, i % 2 === 0 ? both('x', 'y', i) : both('y', 'x', i)),
        ),
      );
      expect(await a.read.row(tallyTable, 'x')).toMatchObject({ value: 80 });
      expect(await b.read.row(tallyTable, 'y')).toMatchObject({ value: 80 });
      expect(await b.read.count(journalTable, 'o')).toBe(5);
      await expectWhole(a, 160);
    });

    test('never overdraw a shared budget', async () => {
      const stores = await nodes(4);
      const outcomes = await Promise.all(
        Array.from({ length: 240 }, (_, i) =>
          committed(stores[i % 4] as Store, spend('budget', 100, `c${i}`)),
        ),
      );
      expect(outcomes.filter(({ answer }) => answer)).toHaveLength(100);
      for (const store of stores)
        expect(await store.read.row(nameTable, 'budget')).toMatchObject({ rank: 100 });
      await expectWhole(stores[0] as Store, 100);
    });

    test('let only one node register a name that all claim', async () => {
      const stores = await nodes(3);
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, i) => committed(stores[i % 3] as Store, claim(`id-${i}`))),
      );
      expect(new Set(outcomes.map(({ answer }) => answer)).size).toBe(1);
      expect(outcomes.filter(({ entries }) => entries.length > 0)).toHaveLength(1);
    });

    test('keep the entries of one act adjacent in the log', async () => {
      const stores = await nodes(3);
      const large = act([writes('tally', 'x')], (tx) => {
        for (let i = 0; i < 4200; i++) append(tx, 'x', { value: i });
      });
      const runs: Promise<{ readonly entries: readonly Appended[] }>[] = [
        committed(stores[0] as Store, large),
      ];
      while (runs.length < 60)
        runs.push(committed(stores[runs.length % 3] as Store, say(`s${runs.length}`, {})));
      for (const { entries } of await Promise.all(runs)) {
        const first = entries[0]?.seq as number;
        expect(entries.every(({ seq }, i) => seq === first + i)).toBe(true);
      }
      await expectWhole(stores[2] as Store, 4259);
    });
  });

  describe('reading and writing', () => {
    test('load everything requested in one turn with one query, whatever its size', async () => {
      const proxy = await Proxy.to(server.port);
      try {
        const store = await node({ url: proxy.url(url) });
        for (const i of [1, 2, 3]) await committed(store, say(`t${i}`, { value: i }));
        proxy.runs.clear();
        const asked = Array.from({ length: 60 }, (_, i) => store.read.row(tallyTable, `t${(i % 4) + 1}`));
        const stamps = [store.read.stamp('tally', 't1'), store.read.stamp('name', 'none')];
        expect((await Promise.all(asked)).map((row) => row?.value)).toEqual(
          Array.from({ length: 60 }, (_, i) => [1, 2, 3, undefined][i % 4]),
        );
        await Promise.all(stamps);
        expect(proxy.runs.get('load')).toBe(1);
        await store.read.row(tallyTable, 't1');
        expect(proxy.runs.get('load')).toBe(2);
      } finally {
        await closeAll();
        await proxy.close();
      }
    });

    test('take up what arrived while they waited for another node as one batch', async () => {
      const proxy = await Proxy.to(server.port);
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      const holding = async (name: string, during: () => Promise<void>): Promise<void> => {
        const lock = [lockId(`colophon\0public\0${name}`)];
        await other.query('SELECT pg_advisory_lock($1)', lock);
        await during();
        // Until the node waits for it.
        await vi.waitFor(async () => {
          const [row] = await server.query<{ n: string }>(
            "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
          );
          expect(Number(row?.n)).toBe(1);
        });
        await other.query('SELECT pg_advisory_unlock($1)', lock);
      };
      try {
        const store = await node({ url: proxy.url(url) });
        await committed(store, increment('t1'));
        let met: Promise<unknown> = Promise.resolve();
        await holding('tally\0t1', async () => {
          met = committed(store, increment('t1'));
          await new Promise((later) => setTimeout(later, 10));
        });
        await met;
        proxy.runs.clear();
        const runs: Promise<unknown>[] = [];
        await holding('turn', async () => {
          for (let i = 0; i < 5; i++) {
            runs.push(committed(store, increment('t1')));
            await new Promise((later) => setTimeout(later, 5));
          }
        });
        await Promise.all(runs);
        expect([proxy.runs.get('lock'), proxy.runs.get('load_numbered')]).toEqual([2, 1]);
        expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 7 });
      } finally {
        await other.end();
        await closeAll();
        await proxy.close();
      }
    });

    test('write with two round trips per batch', async () => {
      const proxy = await Proxy.to(server.port);
      try {
        const store = await node({ url: proxy.url(url) });
        await committed(store, increment('t1'));
        proxy.runs.clear();
        await Promise.all(Array.from({ length: 64 }, (_, i) => committed(store, increment(`t${i % 9}`))));
        expect([proxy.runs.get('lock'), proxy.runs.get('load_numbered')]).toEqual([1, 1]);
      } finally {
        await closeAll();
        await proxy.close();
      }
    });
  });

  describe('keeping one log', () => {
    test('elect one node that integrates the log, and all can follow it', async () => {
      const stores = await nodes(3);
      expect(
        await server.query(
          "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = $1)",
          [new URL(url).pathname.slice(1)],
        ),
      ).toHaveLength(1);
      const following = stores.map(async (store) => {
        const seen: number[] = [];
        for await (const entry of store.follow(0, AbortSignal.timeout(10_000)))
          if (seen.push(entry.index) === 30) break;
        return seen;
      });
      for (let i = 0; i < 10; i++)
        await Promise.all(stores.map((store) => committed(store, increment('t1'))));
      for (const seen of await Promise.all(following))
        expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => i));
    });

    test('do not skip an entry with a lower number that is committed later', async () => {
      const store = await node();
      const slow = new pg.Client(url);
      await slow.connect();
      const text =
        '{"action":"say","actor":"system","chain":"slow","n":0,"prev":"genesis","ts":"2026-03-01T12:00:00.000Z"}';
      await slow.query("BEGIN; SELECT nextval('entry_unit')");
      const { rows } = await slow.query<{ seq: string }>(
        "SELECT (currval('entry_unit') * 4096)::text AS seq",
      );
      const seq = Number(rows[0]?.seq);
      await slow.query('INSERT INTO entry (seq, act, chain, n, text) VALUES ($1, $1, $2, 0, $3)', [
        seq,
        'slow',
        text,
      ]);
      await slow.query('INSERT INTO pending (first, count) VALUES ($1, 1)', [seq]);
      const later = await committed(store, say('quick', {}));
      expect(later.answer).toBeGreaterThan(seq);
      await logged(store, 1);
      await slow.query('COMMIT');
      await slow.end();
      await logged(store, 2);
      expect((await store.read.entries(0, 5)).map((entry) => entry.seq)).toEqual([later.answer, seq]);
      expect(await store.read.indexOf(seq)).toBe(1);
      await expectWhole(store, 2);
    });

    test('continue the log on another node whenever the session of the leader ends', async () => {
      const stores = await nodes(3, { sequencer: { electMs: 20 } });
      const harassing = harass('log', 30);
      let acts = 0;
      for (; harassing.ended < 8; acts += 24) {
        const runs = Array.from({ length: 24 }, (_, i) =>
          committed(stores[i % 3] as Store, increment(`t${i % 5}`)),
        );
        await Promise.all(runs);
      }
      await harassing.stop();
      await expectWhole(stores[1] as Store, acts);
    });

    test('keep the log safe from a stalled sequencer that was replaced', async () => {
      const store = await node();
      await committed(store, say('t1', { value: 1 }));
      await logged(store, 1);
      const rival = new pg.Client(url);
      await rival.connect();
      await rival.query('BEGIN; UPDATE log_head SET size = size + 1');
      const { answer } = await committed(store, say('t1', { value: 2 }));
      // The leader's integration now stands before the row that the rival holds.
      await vi.waitFor(async () => {
        const stuck = await server.query(
          "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'colophon log %' AND wait_event_type = 'Lock'",
        );
        expect(stuck).toHaveLength(1);
      }, 5000);
      const { rows } = await rival.query<{ text: string }>('SELECT text FROM entry ORDER BY seq');
      const root = oracleRoot(rows.map(({ text }) => leafHash(text)));
      await rival.query('INSERT INTO log (idx, seq, root) VALUES (1, $1, $2)', [answer, root]);
      await rival.query('UPDATE log_head SET root = $1, note = $2', [root, sign(2, root)]);
      await rival.query('DELETE FROM pending; COMMIT');
      await rival.end();
      await committed(store, say('t1', { value: 3 }));
      await logged(store, 3);
      await expectWhole(store, 3);
    });

    test('grow the log again once signing works', async () => {
      const troubles: unknown[] = [];
      let ready = false;
      const store = await node({
        sign: (size, root) => {
          if (!ready) throw new Error('no key yet');
          return sign(size, root);
        },
        sequencer: { electMs: 10 },
        onTrouble: (error) => void troubles.push(error),
      });
      await committed(store, increment('t1'));
      await vi.waitFor(() => expect(troubles).toContainEqual(new Error('no key yet')));
      expect(await store.read.checkpoint()).toBeNull();
      ready = true;
      await expectWhole(store, 1);
    });
  });

  describe('with lost connections', () => {
    test('lose no acknowledged write and apply none twice', async () => {
      const stores = await nodes(2);
      const harassing = harass('writer', 15);
      const outcomes = await hammer(stores, 24, () => harassing.ended >= 20);
      await harassing.stop();
      await expectKept(stores[0] as Store, outcomes);
    });

    test.each(['before-commit', 'after-commit'] as const)('%s: apply a write exactly once', async (cut) => {
      const proxy = await Proxy.to(server.port);
      try {
        const store = await node({ url: proxy.url(url) });
        await committed(store, increment('t1'));
        for (let i = 1; i <= 5; i++) {
          proxy.next = cut;
          const { answer, entries } = await committed(store, increment('t1'));
          expect(answer).toBe(i);
          expect((await store.read.chain('t1')).map((event) => event.text)).toContain(
            entries[0]?.sealed.text,
          );
        }
        expect(proxy.cuts).toBe(5);
        expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 6 });
        await expectWhole(store, 6);
      } finally {
        await closeAll();
        await proxy.close();
      }
    });

    // Under a name that the URL gives, the store cannot find its old session to end it, and has to wait for it.
    test.each(['', '?application_name=another'])(
      'apply a write exactly once while a COMMIT is slow %s',
      async (more) => {
        const proxy = await Proxy.to(server.port);
        try {
          const store = await node({ url: proxy.url(url) + more });
          await committed(store, increment('t1'));
          // Deferred triggers run as part of the commit, and nobody can stop this one.
          await server.query(
            `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN FOR i IN 1..30 LOOP BEGIN PERFORM pg_sleep(0.01); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; RETURN NULL; END $$;
           CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()`,
            [],
            url,
          );
          for (let i = 1; i <= 2; i++) {
            proxy.next = 'after-commit';
            expect((await committed(store, increment('t1'))).answer).toBe(i);
          }
          expect(proxy.cuts).toBe(2);
          await expectWhole(store, 3);
        } finally {
          await closeAll();
          await proxy.close();
        }
      },
    );

    test('refuse acts as overloaded after the retry time, and apply later ones', async () => {
      const proxy = await Proxy.to(server.port);
      try {
        const store = await node({ url: proxy.url(url), patienceMs: 150 });
        await committed(store, increment('t1'));
        proxy.sever();
        const refused = await Promise.all(Array.from({ length: 3 }, () => store.run(increment('t1'))));
        expect(refused.filter(isFault).map((each) => each.fault)).toEqual([
          'overloaded',
          'overloaded',
          'overloaded',
        ]);
        proxy.restore();
        // Refused as long as the connection is not made again.
        const later = (): Promise<Committed<number>> =>
          vi.waitFor(() => committed(store, increment('t1')), 5000);
        expect((await later()).answer).toBe(1);
        // Behind a COMMIT that the server got, the store cannot know; it must not say that nothing was recorded.
        proxy.next = 'after-commit';
        const unknown = store.run(increment('t1'));
        await vi.waitFor(() => expect(proxy.cuts).toBe(1), { interval: 1 });
        proxy.sever();
        expect(await unknown).toMatchObject({
          fault: 'overloaded',
          message: expect.stringContaining('whether it was recorded is unknown'),
        });
        proxy.restore();
        expect((await later()).answer).toBe(3);
        await expectWhole(store, 4);
      } finally {
        await closeAll();
        await proxy.close();
      }
    });

    test.each(['sever', 'silence'] as const)('can still close their store (%s)', async (how) => {
      const proxy = await Proxy.to(server.port);
      const store = await node({ url: proxy.url(url), patienceMs: 100 });
      await committed(store, increment('t1'));
      proxy[how]();
      await store.close();
      await proxy.close();
      expect(await store.run(increment('t1'))).toMatchObject({ fault: 'shutting_down' });
    });

    test('continue reads and followers', async () => {
      const store = await node({ sequencer: { electMs: 20 } });
      await committed(store, increment('t1'));
      const seen: number[] = [];
      const following = (async () => {
        for await (const entry of store.follow(0, AbortSignal.timeout(20_000)))
          if (seen.push(entry.index) === 6) break;
      })();
      for (let i = 0; i < 5; i++) {
        await terminate('reader');
        await terminate('log');
        expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: i + 1 });
        await committed(store, increment('t1'));
      }
      await following;
      expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
    });
  });

  describe('beside a session that does not go on', () => {
    /** A transaction that holds the lock of a tally, as a node that was frozen within a batch does. */
    const holdTally = async (id: string, settings: string): Promise<pg.Client> => {
      const holder = new pg.Client(url);
      holder.on('error', () => undefined);
      await holder.connect();
      await holder.query(`${settings}; BEGIN`);
      await holder.query('SELECT pg_advisory_xact_lock($1)', [
        lockId(`colophon\0public\0${stateName('tally', id)}`),
      ]);
      return holder;
    };

    test('apply an act once the session is ended for its idleness', async () => {
      const store = await node();
      const holder = await holdTally('held', writerSettings);
      expect((await committed(store, increment('held'))).answer).toBe(0);
      await expect(holder.query('COMMIT')).rejects.toThrow(/not queryable|idle-in-transaction|terminated/);
    });
  });

  describe('without their synchronous standby', () => {
    const standbys = async (names: string): Promise<void> => {
      await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
      await server.query('SELECT pg_reload_conf()');
      await vi.waitFor(async () => {
        const [row] = await server.query<{ names: string }>(
          "SELECT current_setting('synchronous_standby_names') AS names",
        );
        expect(row?.names).toBe(names);
      });
    };
    /** Resolves once commits wait: the setting is in force a moment after it can be read. */
    const commitsWait = async (): Promise<void> => {
      const writer = new pg.Client(url);
      writer.on('error', () => undefined);
      await writer.connect();
      const { rows } = await writer.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const isWaiting = (): Promise<void> =>
        vi.waitFor(async () => {
          const found = await server.query(
            "SELECT pid FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'",
            [rows[0]?.pid],
          );
          expect(found).toHaveLength(1);
        }, 5000);
      for (let state = 'confirmed'; state === 'confirmed';) {
        const written = writer.query("SELECT pg_logical_emit_message(true, 'test', '')");
        state = await Promise.race([
          written.then(
            () => 'confirmed',
            () => 'ended',
          ),
          isWaiting().then(() => 'waits'),
        ]);
      }
      await server.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    };
    afterEach(() => standbys(''));

    test('answer that a commit is unknown, refuse further acts, are not ready, and go on by themselves', async () => {
      const store = await node({ patienceMs: 300 });
      await committed(store, increment('t1'));
      await logged(store, 1);
      await standbys('absent');
      await commitsWait();
      expect(await store.run(increment('t1'))).toMatchObject({
        fault: 'overloaded',
        message: expect.stringContaining('whether it was recorded is unknown'),
        details: { outcome: 'unknown' },
      });
      expect(await store.run(increment('t2'))).toMatchObject({
        fault: 'overloaded',
        message: expect.stringContaining('nothing was recorded'),
      });
      expect(await store.read.row(tallyTable, 't1')).toMatchObject({ value: 1 });
      expect(store.load.unknown).toBe(1);
      expect(store.load.oldestMs).toBeGreaterThan(300);
      await expect(store.probe(1000)).rejects.toThrow('no synchronous standby answers');
      await expect(store.ephemeral.put('a', 'b', Number.MAX_SAFE_INTEGER)).rejects.toThrow(
        'PostgreSQL confirms no write',
      );
      await standbys('');
      await vi.waitFor(() => store.probe(1000), 10_000);
      expect((await committed(store, increment('t1'))).answer).toBe(2);
      expect(await store.read.row(tallyTable, 't2')).toBeUndefined();
      await expectWhole(store, 3);
    });

    test('never take a commit whose wait was ended for confirmed', async () => {
      const store = await node({ patienceMs: 300 });
      await committed(store, increment('t1'));
      await standbys('absent');
      await commitsWait();
      const unknown = store.run(increment('t1'));
      await vi.waitFor(async () => {
        const ended = await server.query(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'colophon writer %' AND wait_event = 'SyncRep'",
        );
        expect(ended).toHaveLength(1);
      }, 5000);
      expect(await unknown).toMatchObject({ details: { outcome: 'unknown' } });
      await standbys('');
    });
  });

  describe('when the server crashes', () => {
    test('lose no acknowledged write and apply none twice', async () => {
      const stores = await nodes(2);
      let crashes = 0;
      const hammering = hammer(stores, 20, () => crashes === 2);
      while (crashes < 2) {
        await new Promise((wait) => setTimeout(wait, 120));
        await server.crash();
        crashes++;
      }
      await expectKept(stores[0] as Store, await hammering);
    });
  });

  describe('with a node in its own process', () => {
    const children: ChildProcess[] = [];
    afterEach(() => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
    });

    const process = async (): Promise<{ child: ChildProcess; acknowledged: string[] }> => {
      const script = fileURLToPath(new URL('node-process.ts', import.meta.url));
      const child = spawn(globalThis.process.execPath, [script, url], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const acknowledged: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => void acknowledged.push(line));
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(0), {
        timeout: 20_000,
        interval: 20,
      });
      return { child, acknowledged };
    };

    test('keep its acknowledged writes after it is killed, and another node takes over the log', async () => {
      const leader = await process();
      const store = await node();
      let killed = false;
      const mine = hammer([store], 20, () => killed);
      await vi.waitFor(() => expect(leader.acknowledged.length).toBeGreaterThan(200), {
        timeout: 20_000,
        interval: 20,
      });
      leader.child.kill('SIGKILL');
      await once(leader.child, 'exit');
      killed = true;
      await expectKept(store, await mine, leader.acknowledged);
    });

    test('take over the log when it stalls, and it changes nothing when it resumes', async () => {
      const leader = await process();
      leader.child.kill('SIGSTOP');
      const store = await node();
      const { answer } = await committed(store, say('after', {}));
      expect(await store.read.indexOf(answer)).toBeNull();
      await vi.waitFor(async () => expect(await store.read.indexOf(answer)).not.toBeNull(), {
        timeout: 10_000,
        interval: 50,
      });
      const before = leader.acknowledged.length;
      leader.child.kill('SIGCONT');
      await vi.waitFor(() => expect(leader.acknowledged.length).toBeGreaterThan(before + 20), {
        timeout: 20_000,
        interval: 20,
      });
      leader.child.kill('SIGKILL');
      await once(leader.child, 'exit');
      await expectKept(store, [], leader.acknowledged);
    });
  });

  describe('refusing to open', () => {
    test('reject a database that a newer version made read-only for this one', async () => {
      await (await node()).close();
      await server.query('INSERT INTO migration (n) VALUES (1000)', [], url);
      await (await node()).close();
      await server.query(
        "UPDATE keyring SET value = replace(value, '\"writableFrom\":1', '\"writableFrom\":1000') WHERE name = 'ledger_version'",
        [],
        url,
      );
      await expect(node()).rejects.toThrow('to write it takes a build of schema 1000 or newer');
    });

    test('reject a wrong password at once, and an unreachable server after the retry time', async () => {
      const wrong = new URL(url);
      wrong.password = 'wrong';
      await expect(openPostgres({ url: wrong.href, schema: tallySchema, sign })).rejects.toThrow(
        'password authentication failed',
      );
      const nowhere = new URL(url);
      nowhere.port = '1';
      await expect(
        openPostgres({ url: nowhere.href, schema: tallySchema, sign, patienceMs: 60 }),
      ).rejects.toThrow('does not answer');
    });

    test('reject a database that is not encoded in UTF-8', async () => {
      await server.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
      const latin = new URL(url);
      latin.pathname = '/latin';
      await expect(openPostgres({ url: latin.href, schema: tallySchema, sign })).rejects.toThrow(
        'must be encoded in UTF8',
      );
    });
  });

  async function closeAll(): Promise<void> {
    await Promise.all(open.map((store) => store.close()));
    open = [];
  }
});

function both(first: string, second: string, i: number) {
  return act([writes('tally', first), writes('tally', second)], (tx) => {
    append(tx, first, {
      value: (tx.row(tallyTable, first)?.value ?? 0) + 1,
      journal: { object: 'o', word: `${i % 5}`, value: i },
    });
    append(tx, second, { value: (tx.row(tallyTable, second)?.value ?? 0) + 1 });
  });
}

/** Takes a name for a tally, or answers with whose it is. */
function claim(id: string) {
  return act([writes('name', 'the-one')], (tx) => {
    const holder = tx.row(nameTable, 'the-one')?.id;
    if (holder !== undefined) return holder;
    append(tx, id, { name: 'the-one' });
    return id;
  });
}

/** How an act ended: acknowledged, or refused with or without knowing whether it was recorded. */
interface Outcome {
  readonly chain: string;
  readonly ended: 'acknowledged' | 'refused' | 'unknown';
}

let made = 0;

/** Rounds of acts on all nodes. Each begins a chain of its own and adds to a tally that all share. */
async function hammer(stores: readonly Store[], acts: number, enough: () => boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (!enough()) {
    const runs = Array.from({ length: acts }, async (_, i): Promise<Outcome> => {
      const chain = `once-${made++}`;
      const ended = await (stores[i % stores.length] as Store).run(oncePlus(chain, `shared-${i % 3}`));
      if (!isFault(ended)) return { chain, ended: 'acknowledged' };
      return { chain, ended: ended.message.includes('nothing was recorded') ? 'refused' : 'unknown' };
    });
    outcomes.push(...(await Promise.all(runs)));
  }
  return outcomes;
}

function oncePlus(chain: string, shared: string) {
  return act([writes('tally', chain), writes('tally', shared)], (tx) => {
    append(tx, chain, { value: (tx.row(tallyTable, chain)?.value ?? 0) + 1 });
    append(tx, shared, { value: (tx.row(tallyTable, shared)?.value ?? 0) + 1 });
  });
}

/** Everything acknowledged is in the ledger once, nothing refused is, and the log is whole. */
async function expectKept(
  store: Store,
  outcomes: readonly Outcome[],
  alsoAcknowledged: readonly string[] = [],
): Promise<void> {
  const pending = await settledLog(store);
  const entries = await allEntries(store);
  const counts = new Map<string, number>();
  for (const { text } of entries) {
    const { chain } = JSON.parse(text) as { chain: string };
    counts.set(chain, (counts.get(chain) ?? 0) + 1);
  }
  expect(pending).toBe(entries.length);
  expect(alsoAcknowledged.filter((chain) => counts.get(chain) !== 1)).toEqual([]);
  const wrong = outcomes.filter(({ chain, ended }) => {
    const count = counts.get(chain) ?? 0;
    return ended === 'acknowledged' ? count !== 1 : ended === 'refused' ? count !== 0 : count > 1;
  });
  expect(wrong).toEqual([]);
  expect(outcomes.length + alsoAcknowledged.length).toBeGreaterThan(0);
  for (let i = 0; i < 3; i++) {
    expect((await store.read.row(tallyTable, `shared-${i}`))?.value ?? 0).toBe(
      counts.get(`shared-${i}`) ?? 0,
    );
  }
  await expectWhole(store, entries.length);
}

/** Waits until nothing more is integrated; answers with the size of the log. */
async function settledLog(store: Store): Promise<number> {
  for (let size = -1; ;) {
    const now = (await store.read.checkpoint())?.size ?? 0;
    if (now === size) return size;
    size = now;
    await new Promise((wait) => setTimeout(wait, 400));
  }
}

async function allEntries(store: Store): Promise<LogEntry[]> {
  const all: LogEntry[] = [];
  for (;;) {
    const more = await store.read.entries(all.length, 2000);
    if (more.length === 0) return all;
    all.push(...more);
  }
}

/** The log holds `size` entries, each once and without a gap, under its root; every chain is in order and verifies. */
async function expectWhole(store: Store, size: number): Promise<void> {
  await logged(store, size);
  const entries = await allEntries(store);
  expect(entries.map((entry) => entry.index)).toEqual(Array.from({ length: size }, (_, i) => i));
  expect(new Set(entries.map((entry) => entry.seq)).size).toBe(size);
  const checkpoint = await store.read.checkpoint();
  expect(checkpoint?.size).toBe(size);
  const leaves = entries.map((entry) => leafHash(entry.text));
  expect(Buffer.from(checkpoint?.root ?? []).equals(oracleRoot(leaves))).toBe(true);
  const chains = Map.groupBy(entries, (entry) => (JSON.parse(entry.text) as { chain: string }).chain);
  for (const [chain, events] of chains) {
    const links = events.map(({ text }) => ({
      entry: text,
      hash: Buffer.from(leafHash(text)).toString('hex'),
    }));
    expect(verifyChain(links, { chain })).toMatchObject({ valid: true, entries: links.length });
  }
  let last = -1;
  for (const entry of entries) {
    if (entry.act !== entry.seq) expect(entry.seq).toBe(last + 1);
    last = entry.seq;
  }
}
