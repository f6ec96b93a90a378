/**
 * What goes wrong: the seed chooses which classes of fault a run has, how often each is, and when. After the disturbed time
 * everything is healed, so that what remains is the product's to settle.
 */
import type { Cluster, ClusterNode } from './cluster.ts';
import type { EmbeddedNode } from './embedded.ts';
import { lawTexts } from './laws.ts';
import type { Network } from './network.ts';
import { newActor, type Scheduler } from './scheduler.ts';
import type { Witnesses } from './witnesses.ts';

export interface Disturbed {
  readonly cluster: Cluster;
  readonly network: Network;
  readonly witnesses: Witnesses;
  readonly embedded: EmbeddedNode;
  readonly untilMs: number;
}

interface Action {
  readonly everyMs: number;
  act(): void;
}

/** A restored database is found out within this time. */
const foundWithinMs = 8000;
/** All nodes are sound for so long before the database is set back: each has compared it with what it saw. */
const soundMs = 6000;

export class Nemesis {
  readonly #scheduler: Scheduler;
  readonly #disturbed: Disturbed;
  readonly #operator = newActor('operator');
  /** While it is true, nothing new goes wrong. */
  #isQuiet = false;
  #hasNewKeys = false;
  isHealed = false;

  constructor(scheduler: Scheduler, disturbed: Disturbed) {
    this.#scheduler = scheduler;
    this.#disturbed = disturbed;
  }

  start(): void {
    const scheduler = this.#scheduler;
    this.#disturb();
    for (const action of this.#actions()) {
      if (scheduler.chance(0.4)) continue;
      const next = (): void => {
        if (scheduler.nowMs >= this.#disturbed.untilMs) return;
        if (!this.#isQuiet) action.act();
        scheduler.after(action.everyMs * scheduler.between(0.3, 1.7), this.#operator, 'nemesis', next);
      };
      scheduler.after(action.everyMs * scheduler.between(0.1, 1.5), this.#operator, 'nemesis', next);
    }
    if (scheduler.chance(0.3))
      scheduler.after(scheduler.between(3000, 6000), this.#operator, 'set back', () => void this.#setBack());
  }

  /** The faults that happen to messages and statements. */
  #disturb(): void {
    const scheduler = this.#scheduler;
    const { cluster, network, witnesses } = this.#disturbed;
    const rate = (most: number): number => (scheduler.chance(0.4) ? 0 : scheduler.between(0, most));
    network.faults = {
      lost: rate(0.08),
      late: rate(0.05),
      doubled: rate(0.1),
      reordered: rate(0.2),
      altered: rate(0.2),
    };
    cluster.statementFaults = { lineBreaks: rate(0.01), nodeCrashes: rate(0.004) };
    for (const machine of witnesses.machines) machine.crashes = rate(0.03);
  }

  #actions(): readonly Action[] {
    const scheduler = this.#scheduler;
    const { cluster, network, witnesses, embedded } = this.#disturbed;
    const { database, nodes } = cluster;
    const living = (): ClusterNode | undefined => {
      const up = nodes.filter(({ isUp }) => isUp);
      return up.length === 0 ? undefined : scheduler.pick(up);
    };
    return [
      { everyMs: 5000, act: () => this.#crash(scheduler.pick(nodes)) },
      {
        everyMs: 4000,
        act() {
          const node = living();
          if (node === undefined) return;
          const ms = scheduler.pick([scheduler.between(20, 500), scheduler.between(1000, 5000)]);
          scheduler.fault('node pauses', node.name, `${ms.toFixed(0)} ms`);
          node.actor.pausedUntilMs = scheduler.nowMs + ms;
        },
      },
      {
        everyMs: 3000,
        act() {
          const node = living();
          if (node === undefined) return;
          const ms = scheduler.pick([scheduler.between(20, 900), scheduler.between(1500, 5000)]);
          scheduler.fault('line goes silent', node.name, `${ms.toFixed(0)} ms`);
          node.silentUntilMs = scheduler.nowMs + ms;
        },
      },
      {
        everyMs: 2000,
        act() {
          const actor = scheduler.pick([
            ...nodes.map((node) => node.actor),
            embedded.actor,
            ...witnesses.machines.map(({ machine }) => machine),
          ]);
          const ms = scheduler.between(1000, 4_000_000);
          const isBack = scheduler.chance(0.5);
          scheduler.fault(
            isBack ? 'clock jumps back' : 'clock jumps ahead',
            actor.name,
            `${ms.toFixed(0)} ms`,
          );
          actor.clockOffsetMs += isBack ? -ms : ms;
        },
      },
      {
        everyMs: 9000,
        act: () => {
          if (!database.isUp) return;
          const isSilent = scheduler.chance(0.4);
          scheduler.fault(isSilent ? 'silent failover' : 'failover', 'database');
          database.failOver(this.#operator, scheduler.between(100, 3000), isSilent);
        },
      },
      {
        everyMs: 11_000,
        act: () => {
          if (!database.isUp) return;
          scheduler.fault('database restarts', 'database');
          database.restart(this.#operator, scheduler.between(50, 2000));
        },
      },
      {
        everyMs: 5000,
        act() {
          database.stopStandby(scheduler.pick([scheduler.between(50, 900), scheduler.between(2000, 7000)]));
        },
      },
      {
        everyMs: 6000,
        act() {
          scheduler.fault('two nodes lead', 'database');
          database.electsAnyUntilMs = scheduler.nowMs + scheduler.between(500, 3000);
        },
      },
      {
        everyMs: 3000,
        act() {
          const node = scheduler.pick(nodes);
          const { machine } = scheduler.pick(witnesses.machines);
          network.partition(node.actor, machine, scheduler.between(500, 5000));
        },
      },
      {
        everyMs: 1500,
        act: () => {
          for (const machine of witnesses.machines) machine.backUp();
        },
      },
      {
        everyMs: 4000,
        act: () => {
          const isFirst = !this.#hasNewKeys;
          const withCopy = !isFirst || scheduler.chance(0.6);
          // A second machine with keys that the policy does not know would leave no quorum.
          const machine = withCopy ? scheduler.pick(witnesses.machines) : witnesses.machines[0];
          if (!withCopy) this.#hasNewKeys = true;
          machine?.restore(withCopy);
        },
      },
      {
        everyMs: 2500,
        act: () => {
          const wasBehind = embedded.isBehind;
          const lost = embedded.crash();
          scheduler.fault(
            wasBehind ? 'embedded node crashes while a batch is written' : 'embedded node crashes',
            'embedded',
          );
          if (lost > 0)
            scheduler.fault('signed checkpoint is lost before it is published', 'embedded', `${lost}`);
          scheduler.after(scheduler.between(50, 800), this.#operator, 'restart embedded', () =>
            embedded.start(),
          );
        },
      },
      {
        everyMs: 6000,
        act: () => {
          scheduler.fault('disk fails', 'embedded');
          embedded.diskFails = true;
        },
      },
      {
        everyMs: 3000,
        act() {
          scheduler.fault('disk stalls', 'embedded');
          embedded.diskStopsUntilMs = scheduler.nowMs + scheduler.between(20, 600);
        },
      },
    ];
  }

  #crash(node: ClusterNode): void {
    const scheduler = this.#scheduler;
    if (!node.isUp) return;
    scheduler.fault('node crashes', node.name);
    node.crash(scheduler.chance(0.5) ? 1 : 2000);
    scheduler.after(scheduler.between(100, 4000), this.#operator, `restart ${node.name}`, () => {
      if (!node.actor.alive) node.start();
    });
  }

  /** Restores an older backup of the database below sound nodes, and brings the newer one back once they refuse. */
  async #setBack(): Promise<void> {
    const scheduler = this.#scheduler;
    const { cluster } = this.#disturbed;
    const { verdict, database } = cluster;
    this.#calm();
    await scheduler.sleep(soundMs, this.#operator, 'all sound');
    if (!database.isUp || !cluster.setBack(this.#operator)) return this.#resume();
    scheduler.fault('database is set back', 'database');
    const until = scheduler.nowMs + foundWithinMs;
    await scheduler.sleep(1000, this.#operator, 'look');
    while (!cluster.rollbackIsFound && scheduler.nowMs < until)
      await scheduler.sleep(200, this.#operator, 'look');
    if (!cluster.rollbackIsFound)
      verdict.breaks(lawTexts.refuses, 'a node did not notice that the database was set back');
    await scheduler.sleep(scheduler.between(500, 3000), this.#operator, 'look on');
    cluster.bringBack();
    this.#resume();
  }

  #resume(): void {
    if (this.#scheduler.nowMs < this.#disturbed.untilMs) {
      this.#isQuiet = false;
      this.#disturb();
    } else this.isHealed = true;
  }

  /** Ends what goes wrong, and brings back what is down. */
  #calm(): void {
    this.#isQuiet = true;
    const { cluster, network, witnesses } = this.#disturbed;
    network.heal();
    cluster.statementFaults = { lineBreaks: 0, nodeCrashes: 0 };
    cluster.database.standbyStopsUntilMs = 0;
    cluster.database.electsAnyUntilMs = 0;
    for (const machine of witnesses.machines) machine.crashes = 0;
    for (const node of cluster.nodes) {
      node.silentUntilMs = 0;
      node.actor.pausedUntilMs = 0;
      if (!node.actor.alive) node.start();
    }
  }

  /** The end of faults; a database that is set back is brought back first. */
  heal(): void {
    this.#calm();
    if (!this.#disturbed.cluster.isSetBack) this.isHealed = true;
    const { embedded } = this.#disturbed;
    embedded.diskFails = false;
    this.#scheduler.after(2000, this.#operator, 'restart embedded', () => {
      if (!embedded.isUp) embedded.start();
    });
  }
}
