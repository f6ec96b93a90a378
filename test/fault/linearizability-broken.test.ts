/**
 * That the check of recorded histories notices builds in which nodes do not agree: each is the built command with one
 * check removed, and two nodes of it serve some clients for a moment. Nobody is killed.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { breakBuild, type BrokenBuild } from '../support/broken-build.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { newOwnerKey, removeFolders } from '../support/process-server.ts';
import { prepareWorld, runClient } from './histories.ts';
import { answersMore, startNodes, type KillableNode } from './history-nodes.ts';
import { violations } from './history-verdicts.ts';
import { seededRandom } from './random.ts';

const builds = [
  {
    name: 'compares no hash',
    file: 'src/domain/articles/edit-div.ts',
    from: 'div.vx_hash !== expectedHash',
    to: 'false',
    noticed: /^text of d\d: not linearizable/m,
  },
  {
    name: 'counts no budget',
    file: 'src/domain/capabilities/gates.ts',
    from: 'link.uses >= link.record.max_uses',
    to: 'false',
    noticed: /^budgets of cap_\w+: not linearizable/m,
  },
  {
    name: 'decides upon what the node has in memory',
    file: 'src/store/postgres/state-loader.ts',
    from: 'cached !== undefined && cached.stamp === stamp',
    to: 'cached !== undefined',
    noticed: /^text of d\d: not linearizable/m,
  },
  {
    name: 'counts the uses of a cut for the cut alone',
    file: 'src/domain/capabilities/gates.ts',
    from: 'credential.chain.filter((link) => link.record.max_uses > 0)',
    to: 'credential.chain.slice(0, 1)',
    noticed: /^budgets of cap_\w+: not linearizable/m,
  },
  {
    name: 'answers reads from memory without asking the database',
    file: 'src/doors/http/cached-bytes.ts',
    from: 'found === undefined || found.stamp !== stamp',
    to: 'found === undefined',
    noticed: /^text of d\d: not linearizable/m,
  },
  {
    name: 'does a repeated request again',
    file: 'src/app/pipeline/authorize.ts',
    from: 'known === undefined || call.nowMs',
    to: 'true || call.nowMs',
    noticed: /^op-\d+ was done twice under one idempotency key/m,
  },
] as const;
/** The long form tries all. */
const tried = process.env['COLOPHON_LINEARIZABILITY_ROUNDS'] === undefined ? builds.slice(0, 3) : builds;

describe.skipIf(!hasPostgres)('histories of a broken build', () => {
  let databases: TestDatabases;
  let build: BrokenBuild | undefined;
  let nodes: KillableNode[] = [];

  beforeAll(async () => {
    databases = await sharedPostgres();
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.end();
    build?.remove();
  });
  afterAll(async () => {
    await databases.stop();
    removeFolders();
  });

  it.each(tried)(
    'are not linearizable where it $name',
    { timeout: 120_000 },
    async ({ file, from, to, noticed }) => {
      build = breakBuild(file, from, to);
      const terminalKey = newOwnerKey();
      nodes = await startNodes(await databases.database(), terminalKey, 2, build.command);
      const world = await prepareWorld(nodes, terminalKey, seededRandom(7), 4);
      const clients = Array.from({ length: 8 }, () => runClient(world));
      try {
        await answersMore(world, 350);
      } finally {
        world.stopped = true;
        await Promise.allSettled(clients);
      }
      const found = [...world.history.contradictions, ...violations(world)].join('\n');
      expect(found).toMatch(noticed);
    },
  );
});
