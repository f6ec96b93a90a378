/**
 * One simulation: a cluster on a shared database, an embedded node, witnesses, clients and a log that lies, disturbed by
 * whatever the seed decides for a while and then left alone. After each event the laws are compared; in the end everything
 * that was acknowledged must be integrated and cosigned.
 */
import { parseAddCheckpoint } from '../../src/ledger/witness.ts';
import { openCheckpoint } from '../../src/ledger/checkpoint.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { Client, targets } from './clients.ts';
import { Cluster, type ClusterSabotage } from './cluster.ts';
import { EmbeddedNode, type EmbeddedSabotage } from './embedded.ts';
import { inVirtualTime } from './environment.ts';
import { Forger } from './forger.ts';
import { lawTexts, Verdict, type Broken } from './laws.ts';
import { Nemesis } from './nemesis.ts';
import { Network } from './network.ts';
import { newActor, Scheduler } from './scheduler.ts';
import { Witnesses, type WitnessSabotage } from './witnesses.ts';

export type Sabotage = WitnessSabotage & EmbeddedSabotage & ClusterSabotage;

export interface Outcome {
  readonly seed: number;
  readonly steps: number;
  /** Virtual time, in seconds. */
  readonly seconds: number;
  readonly trace: string;
  readonly acknowledged: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly broken: Broken | undefined;
  readonly recent: readonly string[];
}

const disturbedMs = 20_000;
/**
 * Within this time after the last fault everything is integrated and cosigned. A query to a server that is gone without a
 * word is given up after a minute.
 */
const settleMs = 90_000;

export function simulate(seed: number, sabotage: Sabotage = {}): Promise<Outcome> {
  const scheduler = new Scheduler(seed);
  return inVirtualTime(scheduler, () => run(seed, scheduler, sabotage));
}

async function run(seed: number, scheduler: Scheduler, sabotage: Sabotage): Promise<Outcome> {
  const verdict = new Verdict();
  const network = new Network(scheduler);
  const forger = new Forger(scheduler, verdict);
  const cluster = new Cluster(scheduler, verdict, 3, (...asked) => witnesses.post(...asked), sabotage);
  const logs = [cluster.signer.key, forger.log.signer.key];
  const witnesses = new Witnesses(
    scheduler,
    network,
    logs,
    (key, body) => {
      const request = parseAddCheckpoint(Buffer.from(body));
      if (isRefusal(request)) return;
      const checkpoint = openCheckpoint(request.note, logs);
      if (isRefusal(checkpoint)) return;
      const { origin, size, root } = checkpoint;
      if (origin === forger.log.signer.key.name) forger.cosigned(key.text, size, root);
      else if (!cluster.laws.isPublished(size, root))
        verdict.breaks(lawTexts.witness, `${key.name} cosigned ${size} entries that are not of the log`);
    },
    sabotage,
  );
  cluster.policy = witnesses.policy();
  forger.start(witnesses);
  for (const node of cluster.nodes) node.start();
  const embedded = new EmbeddedNode(scheduler, verdict, sabotage);
  embedded.start();
  const pauseMs = scheduler.pick([60, 250, 800]);
  const clients = [
    ...Array.from(
      { length: 5 },
      (_, i) =>
        new Client(`client-${i + 1}`, scheduler, network, cluster.nodes, { ...targets('shared'), pauseMs }),
    ),
    ...Array.from(
      { length: 4 },
      (_, i) =>
        new Client(`visitor-${i + 1}`, scheduler, network, [embedded], { ...targets('embedded'), pauseMs }),
    ),
  ];
  const nemesis = new Nemesis(scheduler, { cluster, network, witnesses, embedded, untilMs: disturbedMs });
  nemesis.start();
  const afterEach = (): void => cluster.check();
  const isBroken = (): boolean => verdict.broken !== undefined;
  await scheduler.run(disturbedMs, afterEach, isBroken);
  if (!isBroken()) {
    scheduler.after(0, newActor('operator'), 'end of faults', () => {
      nemesis.heal();
      forger.isStopped = true;
      for (const client of clients) client.stop();
    });
    const isSettled = (): boolean =>
      nemesis.isHealed && cluster.isSettled && clients.every(({ isWaiting }) => !isWaiting);
    // The first event ends the faults.
    await scheduler.run(scheduler.nowMs, afterEach, isBroken);
    await scheduler.run(disturbedMs + settleMs, afterEach, () => isBroken() || isSettled());
    if (!isBroken() && !isSettled()) {
      const waiting = clients.filter(({ isWaiting }) => isWaiting).length;
      verdict.breaks(lawTexts.live, `${cluster.state}, ${waiting} clients wait`);
    }
  }
  embedded.close();
  return {
    seed,
    steps: scheduler.steps,
    seconds: scheduler.nowMs / 1000,
    trace: scheduler.traceHash(),
    acknowledged: cluster.laws.acknowledgedCount + embedded.laws.acknowledgedCount,
    faults: scheduler.faults,
    broken: verdict.broken,
    recent: scheduler.recent,
  };
}
