/**
 * Recorded histories of nodes that share a PostgreSQL database, while nodes are killed and started again at random
 * moments and the database fails over to its synchronous standby: edits under compare-and-set, reads of the texts, uses
 * of shares with budgets and reads of their counts are linearizable, on whichever node each was asked. The ledger says
 * the same as the histories. A node answers no read without asking the primary (ADR 69), so that reads belong to them.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { hasPostgres, startPostgres, type TestPostgres, type TestStandby } from '../support/postgres.ts';
import { newOwnerKey, removeFolders, runCommandBeside, temporaryFolder } from '../support/process-server.ts';
import { count, pause, prepareWorld, readDivs, runClient, type History, type World } from './histories.ts';
import { answersMore, secret, startNodes, unknownAnswer, type KillableNode } from './history-nodes.ts';
import { expectLedger, violations, type StoredEntry } from './history-verdicts.ts';
import { seededRandom } from './random.ts';

const rounds = Number(process.env['COLOPHON_LINEARIZABILITY_ROUNDS'] ?? '1');
const seed = Number(process.env['COLOPHON_SEED'] ?? '20261128');
const nodeCount = 3;
const clientCount = 14;
const killsBefore = 1;
const killsAfter = 1;
/** How long a node waits for the database before it answers that it cannot write. */
const nodePatienceMs = 4000;
/**
 * By rounds. The standby lacks what waits for its confirmation when it is promoted; or it confirmed late, and is
 * promoted at once; or it is promoted late.
 */
const failovers = ['standby behind', 'confirmed late', 'promoted late'] as const;
type Failover = (typeof failovers)[number];

/** Final reads on each node, which every order must end with. */
async function readAll(world: World): Promise<void> {
  for (const node of world.nodes) {
    const one = { ...world, nodes: [node] };
    expect(await readDivs(one, new Map())).toBe(true);
  }
  for (const family of world.history.budgets.keys())
    for (const { name } of family.links) expect(await count(world, family, name)).toBe(true);
}

/** Commits wait for these standbys from now on. */
async function confirmBy(primary: TestPostgres, names: string): Promise<void> {
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await primary.query('SELECT pg_reload_conf()');
}

/** One that every commit waits for from now on. */
async function synchronousStandby(primary: TestPostgres): Promise<TestStandby> {
  const standby = await primary.standby();
  await confirmBy(primary, '*');
  for (;;) {
    const [row] = await primary.query<{ state: string }>(
      'SELECT sync_state AS state FROM pg_stat_replication',
    );
    if (row?.state === 'sync') return standby;
    await pause(20);
  }
}

describe.skipIf(!hasPostgres)('histories of nodes on PostgreSQL', () => {
  const total = {
    operations: 0,
    unknown: 0,
    unwritten: 0,
    declined: 0,
    failed: 0,
    repeated: 0,
    replayed: 0,
    kills: 0,
  };

  afterAll(removeFolders);

  it(
    `are linearizable under kills of nodes and a failover of the database, over ${rounds} rounds`,
    { timeout: 60_000 + rounds * 120_000 },
    async () => {
      for (let round = 0; round < rounds; round++) {
        const failover = failovers[round % failovers.length] as Failover;
        console.log(`round ${round + 1} of ${rounds}: ${failover}, seed ${seed + round}`);
        const { count: seen } = await runRound(seededRandom(seed + round), failover);
        total.operations += seen.answered + seen.unknown;
        for (const name of ['unknown', 'unwritten', 'declined', 'failed', 'repeated', 'replayed'] as const)
          total[name] += seen[name];
      }
      expect(total.kills).toBeGreaterThanOrEqual(rounds * (killsBefore + killsAfter));
      console.log(
        `operations ${total.operations}, of which ${total.unknown} of unknown outcome; unwritten ${total.unwritten}; attempts answered with 503 and nothing written ${total.declined}, with another failure ${total.failed}; repeated ${total.repeated} of which ${total.replayed} replayed; nodes killed ${total.kills}, failovers ${rounds}`,
      );
    },
  );

  async function runRound(random: () => number, failover: Failover): Promise<History> {
    const primary = await startPostgres({ wal_keep_size: '256MB' });
    let standby: TestStandby | undefined;
    let nodes: KillableNode[] = [];
    let isPrimaryUp = true;
    try {
      const direct = await primary.database();
      const follower = await synchronousStandby(primary);
      standby = follower;
      const url = direct.replace(/@[^/]*/, `@127.0.0.1:${primary.port},127.0.0.1:${follower.port}`);
      const terminalKey = newOwnerKey();
      nodes = await startNodes(url, terminalKey, nodeCount);
      const world = await prepareWorld(nodes, terminalKey, random, 30);
      const disturb = async (): Promise<void> => {
        const anyNode = (): KillableNode => nodes[Math.floor(random() * nodes.length)] as KillableNode;
        /** Kills a node, and sometimes a second one with it. */
        const kill = async (): Promise<void> => {
          await answersMore(world, 60 + random() * 120);
          const dying = new Set([anyNode(), ...(random() < 0.5 ? [anyNode()] : [])]);
          await Promise.all([...dying].map((node) => node.kill()));
          total.kills += dying.size;
          await pause(random() * 400);
          await Promise.all([...dying].map((node) => node.startAgain()));
        };
        for (let i = 0; i < killsBefore; i++) await kill();
        await answersMore(world, 60);
        // Somewhere in a write; it goes on while others may have taken its place.
        await anyNode().stall(500 + random() * 2500);
        await answersMore(world, 60 + random() * 120);
        // Half of the time a node dies with the primary.
        const beside = random() < 0.5 ? anyNode() : undefined;
        if (failover === 'standby behind') {
          await follower.cutOff();
          await unknownAnswer(world);
          await pause(random() * 1000);
        }
        if (failover === 'confirmed late') {
          await confirmBy(primary, 'absent');
          await unknownAnswer(world);
          await pause(random() * 1000);
          await confirmBy(primary, '*');
          await answersMore(world, 100);
        }
        isPrimaryUp = false;
        await Promise.all([primary.kill(), beside?.kill()]);
        await pause(failover === 'promoted late' ? nodePatienceMs + random() * 3000 : random() * 1000);
        await follower.promote();
        if (beside !== undefined) {
          total.kills++;
          await beside.startAgain();
        }
        await answersMore(world, 100);
        for (let i = 0; i < killsAfter; i++) await kill();
        await answersMore(world, 100);
      };
      const clients = Array.from({ length: clientCount }, () => runClient(world));
      try {
        // A client that fails ends the round.
        await Promise.race([disturb(), Promise.all(clients)]);
      } finally {
        world.stopped = true;
        await Promise.allSettled(clients);
      }
      await Promise.all(clients);
      await readAll(world);
      expect(world.history.contradictions).toEqual([]);
      expect(violations(world)).toEqual([]);
      const rows = await primary.query<{ text: string }>(
        "SELECT text FROM entry WHERE chain LIKE 'inv_%' AND n = 0",
        [],
        direct.replace(/@[^/]*/, `@127.0.0.1:${follower.port}`),
      );
      const entries = rows.map(({ text }) => JSON.parse(text) as StoredEntry);
      await expectLedger(world, (nodes[0] as KillableNode).base, entries);
      const verified = await runCommandBeside(temporaryFolder(), ['verify'], {
        DATABASE_URL: url,
        COLOPHON_SECRET_KEY: secret,
      });
      expect([verified.status, verified.stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
      return world.history;
    } finally {
      for (const node of nodes) await node.end();
      await standby?.stop();
      if (isPrimaryUp) await primary.kill();
    }
  }
});
