/**
 * Recorded histories of nodes that share a PostgreSQL database, while nodes are killed and started again at random
 * moments and the database fails over to its synchronous standby: edits under compare-and-set, reads of the texts, uses
 * of shares with budgets and reads of their counts are linearizable, on whichever node each was asked. The ledger says
 * the same as the histories. A node answers no read without asking the primary (ADR 69), so that reads belong to them.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { checkLinearizable, explainVerdict, type Verdict } from '../support/linearizability.ts';
import { budgetModel, divModel, type DivInput, type DivOutput } from '../support/linearizable-models.ts';
import { hasPostgres, startPostgres, type TestPostgres, type TestStandby } from '../support/postgres.ts';
import {
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';
import {
  count,
  pause,
  prepareWorld,
  readDivs,
  runClient,
  textsSlug,
  usesSlug,
  type Node,
  type Recorded,
  type World,
} from './histories.ts';
import { seededRandom } from './random.ts';
import { Client } from './writers.ts';

const rounds = Number(process.env['COLOPHON_LINEARIZABILITY_ROUNDS'] ?? '1');
const seed = Number(process.env['COLOPHON_SEED'] ?? '20261128');
const nodeCount = 3;
const clientCount = 9;
const killsBefore = 2;
const killsAfter = 1;
const secret = 'a-secret-of-the-nodes-whose-histories-are-recorded';

/** A node that may be killed and started again on its port. */
class KillableNode implements Node {
  client: Client;
  #server: RunningServer;
  readonly #start: (port: number, folder: string) => Promise<RunningServer>;

  constructor(server: RunningServer, start: (port: number, folder: string) => Promise<RunningServer>) {
    this.#server = server;
    this.#start = start;
    this.client = new Client(server.base);
  }

  get base(): string {
    return this.#server.base;
  }

  async kill(): Promise<void> {
    await this.#server.kill();
    this.client.close();
    this.client = new Client(this.base);
  }

  async startAgain(): Promise<void> {
    this.#server = await this.#start(this.#server.port, this.#server.folder);
  }

  async end(): Promise<void> {
    this.client.close();
    await this.#server.kill();
  }
}

async function startNodes(
  url: string,
  terminalKey: string,
  howMany: number,
  command?: string,
): Promise<KillableNode[]> {
  const start = (port?: number, folder = temporaryFolder()): Promise<RunningServer> =>
    startServer({
      folder,
      terminalKey,
      env: { DATABASE_URL: url, COLOPHON_SECRET_KEY: secret },
      ...(port === undefined ? {} : { port }),
      ...(command === undefined ? {} : { command }),
    });
  const nodes: KillableNode[] = [];
  for (let i = 0; i < howMany; i++) nodes.push(new KillableNode(await start(), start));
  return nodes;
}

/** Waits for some more answers. Throws where none come. */
async function answersMore(world: World, more: number): Promise<void> {
  const { count: seen } = world.history;
  const enough = seen.answered + more;
  for (let tries = 0; seen.answered < enough; tries++) {
    if (tries === 2400) throw new Error(`${enough - seen.answered} answers of ${more} did not come`);
    await pause(25);
  }
}

/** Final reads on each node, which every order must end with. */
async function readAll(world: World): Promise<void> {
  for (const node of world.nodes) {
    const one = { ...world, nodes: [node] };
    expect(await readDivs(one, new Map())).toBe(true);
  }
  for (const family of world.history.budgets.keys())
    for (const { name } of family.links) expect(await count(world, family, name)).toBe(true);
}

/** The histories that have no order; empty where all have one. */
function violations(world: World): readonly string[] {
  const divs = [...world.divs.keys()].map((div) => [div, judgeDiv(world, div)] as const);
  const budgets = [...world.history.budgets].map(
    ([{ links }, operations]) =>
      [JSON.stringify(links), checkLinearizable(budgetModel(links), operations)] as const,
  );
  return [...divs, ...budgets].flatMap(([object, verdict]) =>
    verdict.ok ? [] : [`${object}: ${explainVerdict(verdict)}`],
  );
}

function judgeDiv({ divs, history }: World, div: string): ReturnType<typeof checkDiv> {
  return checkDiv(divs.get(div) as string, history.divs.get(div) ?? []);
}

function checkDiv(
  text: string,
  operations: readonly Recorded<DivInput, DivOutput>[],
): Verdict<string, DivInput, DivOutput> {
  return checkLinearizable(divModel(text), operations);
}

interface StoredEntry {
  readonly chain: string;
  readonly action?: string;
  readonly charged?: readonly string[];
}

/** What the ledger holds is what the histories say: no acknowledged write is missing, and none was done that was not. */
async function expectLedger(world: World, base: string, entries: readonly StoredEntry[]): Promise<void> {
  const succeeded = new Map(
    entries.filter(({ action }) => action === 'success').map((entry) => [entry.chain, entry]),
  );
  await expectChains(world, base, succeeded);

  const { contributions } = await get<{ contributions: { body: string; receipt: string }[] }>(
    `${base}/api/articles/${usesSlug}/mirror`,
  );
  const done = new Map<string, string[]>();
  for (const { body, receipt } of contributions) {
    const id = /op-\d+/.exec(body)?.[0] ?? body;
    done.set(id, [...(done.get(id) ?? []), receipt]);
  }
  expect([...done].filter(([, receipts]) => receipts.length > 1)).toEqual([]);
  const uses = [...world.history.budgets.values()].flat().filter(({ input }) => input.do === 'use');
  const acknowledged = uses.filter(({ output }) => output !== undefined && 'used' in output);
  const missing = acknowledged.filter(
    ({ id, invocation }) => done.get(id)?.[0] !== invocation || !succeeded.has(invocation as string),
  );
  expect(missing).toEqual([]);
  const explained = new Set(
    uses.filter(({ output }) => output === undefined || 'used' in output).map(({ id }) => id),
  );
  expect([...done.keys()].filter((id) => !explained.has(id))).toEqual([]);

  const charges = entries.flatMap(({ chain, charged = [] }) => charged.map((name) => ({ chain, name })));
  expect(new Set(charges.map(({ chain }) => chain))).toEqual(new Set([...done.values()].flat()));
  for (const { links } of world.families)
    for (const { name, max } of links)
      expect(charges.filter((charge) => charge.name === name).length).toBeLessThanOrEqual(max);
}

/** Each DIV's chain holds the edits of its history, in the one order in which they can have taken effect. */
async function expectChains(
  world: World,
  base: string,
  succeeded: ReadonlyMap<string, StoredEntry>,
): Promise<void> {
  interface Div {
    readonly div_id: string;
    readonly chain: readonly { readonly text_sha: string; readonly inv: string }[];
  }
  const { divs, verification } = await get<{ divs: Div[]; verification: object }>(
    `${base}/api/articles/${textsSlug}/voxels`,
  );
  expect(verification).toMatchObject({ valid: true });
  expect(divs.map(({ div_id: div }) => div)).toEqual([...world.divs.keys()]);
  for (const { div_id: div, chain } of divs) {
    const { order } = judgeDiv(world, div);
    const edits = (order as readonly Recorded<DivInput, DivOutput>[]).filter(
      ({ input, output }) => input.do === 'edit' && (output === undefined || 'edited' in output),
    );
    const written = chain.slice(1);
    expect(written.map(({ text_sha: text }) => text)).toEqual(
      edits.map(({ input }) => (input.do === 'edit' ? input.text : '')),
    );
    const otherwise = edits.filter(
      ({ output, invocation }, i) => output !== undefined && invocation !== written[i]?.inv,
    );
    expect(otherwise).toEqual([]);
    expect(written.filter(({ inv }) => !succeeded.has(inv))).toEqual([]);
  }
}

async function get<T>(address: string): Promise<T> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

/** One that every commit waits for from now on. */
async function synchronousStandby(primary: TestPostgres): Promise<TestStandby> {
  const standby = await primary.standby();
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.query('SELECT pg_reload_conf()');
  for (;;) {
    const [row] = await primary.query<{ state: string }>(
      'SELECT sync_state AS state FROM pg_stat_replication',
    );
    if (row?.state === 'sync') return standby;
    await pause(20);
  }
}

describe.skipIf(!hasPostgres)('histories of nodes on PostgreSQL', () => {
  afterAll(removeFolders);

  it(
    `are linearizable under kills of nodes and a failover of the database, over ${rounds} rounds`,
    { timeout: 60_000 + rounds * 120_000 },
    async () => {
      const total = { operations: 0, unknown: 0, unwritten: 0, repeated: 0, replayed: 0, kills: 0 };
      for (let round = 0; round < rounds; round++) {
        console.log(`round ${round + 1} of ${rounds}, seed ${seed + round}`);
        const { history, kills } = await runRound(seededRandom(seed + round));
        total.operations += history.count.answered + history.count.unknown;
        for (const name of ['unknown', 'unwritten', 'repeated', 'replayed'] as const)
          total[name] += history.count[name];
        total.kills += kills;
      }
      expect(total.kills).toBeGreaterThanOrEqual(rounds * (killsBefore + killsAfter));
      console.log(
        `operations ${total.operations}, of which ${total.unknown} of unknown outcome; unwritten ${total.unwritten}, repeated ${total.repeated} of which ${total.replayed} replayed; nodes killed ${total.kills}, failovers ${rounds}`,
      );
    },
  );

  async function runRound(random: () => number): Promise<{ history: World['history']; kills: number }> {
    const primary = await startPostgres({ wal_keep_size: '256MB' });
    let standby: TestStandby | undefined;
    let nodes: KillableNode[] = [];
    let kills = 0;
    let isPrimaryUp = true;
    try {
      const direct = await primary.database();
      standby = await synchronousStandby(primary);
      const url = direct.replace(/@[^/]*/, `@127.0.0.1:${primary.port},127.0.0.1:${standby.port}`);
      const terminalKey = newOwnerKey();
      nodes = await startNodes(url, terminalKey, nodeCount);
      const world = await prepareWorld(nodes, terminalKey, random, 30);
      const disturb = async (): Promise<void> => {
        const anyNode = (): KillableNode => nodes[Math.floor(random() * nodes.length)] as KillableNode;
        const kill = async (): Promise<void> => {
          await answersMore(world, 100 + random() * 150);
          const node = anyNode();
          await node.kill();
          kills++;
          await pause(random() * 400);
          await node.startAgain();
        };
        for (let i = 0; i < killsBefore; i++) await kill();
        await answersMore(world, 100 + random() * 150);
        // Half of the time a node dies with the primary.
        const beside = random() < 0.5 ? anyNode() : undefined;
        isPrimaryUp = false;
        await Promise.all([primary.kill(), beside?.kill()]);
        await pause(random() * 1000);
        await standby.promote();
        if (beside !== undefined) {
          kills++;
          await beside.startAgain();
        }
        await answersMore(world, 150);
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
        direct.replace(/@[^/]*/, `@127.0.0.1:${standby.port}`),
      );
      const entries = rows.map(({ text }) => JSON.parse(text) as StoredEntry);
      await expectLedger(world, (nodes[0] as KillableNode).base, entries);
      const verified = await runCommandBeside(temporaryFolder(), ['verify'], {
        DATABASE_URL: url,
        COLOPHON_SECRET_KEY: secret,
      });
      expect([verified.status, verified.stdout.slice(0, 6)]).toEqual([0, 'Sound:']);
      return { history: world.history, kills };
    } finally {
      for (const node of nodes) await node.end();
      await standby?.stop();
      if (isPrimaryUp) await primary.kill();
    }
  }
});
