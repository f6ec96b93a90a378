/**
 * Nodes on one simulated PostgreSQL database. Each node runs the product's whole store: act queue, writer and its session,
 * state cache, sequencer, rollback guard, keyring, reader; and the collector of cosignatures. Machines of nodes keep what a
 * restart keeps: the clock, and the copy of the cosigned checkpoint. The start of a store, with its migrations, is left out.
 */
import { cosignedRecords, storedNote } from '../../src/app/background/cosigning-records.ts';
import { CosignatureCollector } from '../../src/app/background/cosigning.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { signerFromSeed, type NoteSigner } from '../../src/ledger/note.ts';
import type { Policy } from '../../src/ledger/policy.ts';
import { Sockets } from '../../src/store/postgres/connection.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { actOf, simulationSchema, type ActSabotage, type Answer, type Request } from './acts.ts';
import { clientOf, type Line, type SimulatedClient } from './database/client.ts';
import { Database, type Query } from './database/server.ts';
import type { Change } from './database/tables.ts';
import { lawTexts, LedgerLaws, type SeenEntry, type Verdict } from './laws.ts';
import { newActor, type Actor, type Scheduler } from './scheduler.ts';
import { readServed } from './served.ts';
import { quorumOf, type PostToWitness } from './witnesses.ts';

const logName = 'log.test';
const patienceMs = 4000;
const collectorTimes = { requestMs: 3000, retryMaxMs: 4000 };

export type Reply =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly isUnknown: boolean };

/** How often lines and nodes break at a statement; 0 for none. */
export interface StatementFaults {
  readonly lineBreaks: number;
  readonly nodeCrashes: number;
}

/** What a broken build of the simulated parts does. */
export interface ClusterSabotage {
  /** Nodes count the uses of budgets themselves, outside of the transaction. */
  readonly countsOutside?: boolean;
  /** A commit is confirmed before the standby has it. */
  readonly commitsWithoutStandby?: boolean;
  /** The log is extended whatever its head, and its tables have no keys. */
  readonly integratesUnfenced?: boolean;
}

interface Acknowledged {
  readonly request: string;
  readonly entries: readonly SeenEntry[];
  readonly node: ClusterNode;
  readonly actor: Actor;
}

export class Cluster {
  readonly scheduler: Scheduler;
  readonly verdict: Verdict;
  readonly laws: LedgerLaws;
  readonly database: Database;
  readonly nodes: readonly ClusterNode[];
  readonly signer: NoteSigner;
  readonly post: PostToWitness;
  policy: Policy | undefined;
  statementFaults: StatementFaults = { lineBreaks: 0, nodeCrashes: 0 };
  readonly acknowledged: Acknowledged[] = [];
  /** While the database is set back: what an operator brings the newer one back with. */
  #newer: { bringBack(): void; readonly before: number } | undefined;
  #cosignedSize = 0;
  #isComplete = true;

  constructor(
    scheduler: Scheduler,
    verdict: Verdict,
    nodes: number,
    post: PostToWitness,
    sabotage: ClusterSabotage = {},
  ) {
    this.scheduler = scheduler;
    this.verdict = verdict;
    this.post = post;
    this.laws = new LedgerLaws('database', verdict);
    this.signer = signerFromSeed(logName, Buffer.alloc(32, 7));
    this.database = new Database(scheduler, simulationSchema, {
      visible: (changes) => this.#visible(changes),
      replaced: () => this.#replaced(),
    });
    this.database.confirmsAtOnce = sabotage.commitsWithoutStandby === true;
    this.database.isUnfenced = sabotage.integratesUnfenced === true;
    this.nodes = Array.from(
      { length: nodes },
      (_, i) => new ClusterNode(this, `node-${i + 1}`, sabotage.countsOutside === true),
    );
  }

  get isSetBack(): boolean {
    return this.#newer !== undefined;
  }

  // Laws

  #entry(seq: number): SeenEntry {
    const { text } = this.database.tables.entries.get(seq) ?? { text: '' };
    return { seq, text };
  }

  #visible(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === 'batch') this.laws.visible(change.entries);
      if (change.kind === 'integrate') {
        for (const { at, first, count } of change.taken)
          this.laws.integrated(
            at,
            Array.from({ length: count }, (_, i) => this.#entry(first + i)),
          );
        this.laws.publish(change.size, change.root);
      }
      if (change.kind === 'keyring' && change.name === cosignedRecords + logName) {
        const size = this.judgeCosigned(storedNote(change.value));
        if (size < this.#cosignedSize)
          this.verdict.breaks(lawTexts.grows, `the record goes from ${this.#cosignedSize} to ${size}`);
        this.#cosignedSize = size;
      }
    }
  }

  #replaced(): void {
    const { tables } = this.database;
    const log = tables.log.map(({ seq }) => this.#entry(seq));
    this.laws.replace(tables.chains.values(), log, this.#isComplete);
    // A server that crashed has what it wrote, also what the standby had not confirmed then.
    if (tables.head.root !== null) this.laws.publish(tables.head.size, tables.head.root);
    this.#cosignedSize = this.judgeCosigned(storedNote(tables.keyring.get(cosignedRecords + logName)));
  }

  /** The size of what is stored or served as cosigned; 0 for nothing. */
  judgeCosigned(note: string | undefined): number {
    if (note === undefined || this.policy === undefined) return 0;
    const { size, root, by } = readServed(
      note,
      this.policy.witnesses.map(({ key }) => key),
    );
    if (by.size < quorumOf)
      this.verdict.breaks(lawTexts.cosigned, `${size} entries are cosigned by ${by.size}`);
    if (!this.laws.isPublished(size, root))
      this.verdict.breaks(lawTexts.cosigned, `the cosigned checkpoint of ${size} entries is not of the log`);
    return size;
  }

  acknowledge(node: ClusterNode, actor: Actor, request: Request, entries: readonly SeenEntry[]): void {
    if (this.#newer !== undefined) {
      const { before } = this.#newer;
      // Committed before the restore, and answered after it.
      if (entries.some((entry) => !this.laws.has(entry))) return;
      const saw = this.acknowledged.slice(0, before).filter((each) => each.actor === actor);
      if (saw.some((each) => each.entries.some((entry) => !this.laws.has(entry))))
        this.verdict.breaks(lawTexts.refuses, `${node.name} acknowledged ${request.id}`);
    }
    this.laws.acknowledge(request.id, entries);
    this.acknowledged.push({ request: request.id, entries, node, actor });
  }

  /** What nodes serve as cosigned is judged whenever it changes. */
  check(): void {
    for (const node of this.nodes) node.check();
  }

  // Operators

  /**
   * Restores a backup that lacks something which a living node acknowledged. Answers with false where nothing does. All
   * nodes must be sound: only one that saw more can tell.
   */
  setBack(operator: Actor): boolean {
    const living = new Set(this.nodes.map(({ actor }) => actor));
    if (!this.acknowledged.some(({ actor }) => living.has(actor))) return false;
    this.#isComplete = false;
    const back = this.scheduler.between(0.3, 0.9);
    const bringBack = this.database.setBack(operator, Math.floor(this.database.walLength * back), 300);
    this.#newer = { bringBack, before: this.acknowledged.length };
    return true;
  }

  /** Whether each node that acknowledged something that is gone has stopped. */
  get rollbackIsFound(): boolean {
    return this.acknowledged.every(
      ({ entries, node, actor }) =>
        node.actor !== actor ||
        node.store?.rollback !== undefined ||
        entries.every((entry) => this.laws.has(entry)),
    );
  }

  /** Brings the newer database back and restarts all nodes. What was acknowledged in between is discarded. */
  bringBack(): void {
    if (this.#newer === undefined) return;
    const { bringBack, before } = this.#newer;
    for (const node of this.nodes) node.crash(0);
    this.laws.withdraw(this.acknowledged.splice(before).map(({ request }) => request));
    this.#newer = undefined;
    this.#isComplete = true;
    bringBack();
    for (const node of this.nodes) node.start();
  }

  /** Whether everything is in the log, and cosigned. */
  get isSettled(): boolean {
    const { tables } = this.database;
    return (
      tables.pending.size === 0 && (this.#cosignedSize === tables.head.size || this.policy === undefined)
    );
  }

  get state(): string {
    const { pending, head } = this.database.tables;
    return `${pending.size} batches pending, ${head.size} entries signed, ${this.#cosignedSize} cosigned`;
  }
}

export class ClusterNode implements Line {
  readonly name: string;
  actor: Actor;
  store: PostgresStore | undefined;
  collector: CosignatureCollector | undefined;
  silentUntilMs = 0;
  readonly clients = new Set<SimulatedClient>();
  readonly #cluster: Cluster;
  /** The copy of the cosigned checkpoint on the node's own disk. */
  #copy: string | undefined;
  #served = '';
  /** Of a broken build: what this node counted itself. */
  readonly #sabotage: ActSabotage;
  #servedSize = 0;

  constructor(cluster: Cluster, name: string, countsOutside: boolean) {
    this.#cluster = cluster;
    this.name = name;
    this.actor = newActor(name);
    this.#sabotage = countsOutside ? { countsOutside: new Map() } : {};
  }

  get node(): Actor {
    return this.actor;
  }

  get database(): Database {
    return this.#cluster.database;
  }

  get isUp(): boolean {
    return this.actor.alive && this.store !== undefined;
  }

  start(): void {
    const { scheduler } = this.#cluster;
    const { clockOffsetMs } = this.actor;
    this.actor = { ...newActor(this.name), clockOffsetMs };
    this.store = undefined;
    this.collector = undefined;
    this.#servedSize = 0;
    scheduler.after(0, this.actor, 'start', () => this.#open());
  }

  #open(): void {
    const { scheduler, signer, policy, post } = this.#cluster;
    const { actor } = this;
    const onTrouble = (error: unknown): void =>
      scheduler.note(this.name, `trouble: ${(error as Error).message}`);
    const connection = {
      url: 'postgres://simulated/',
      instance: `${this.name}-${scheduler.steps}`,
      sockets: new Sockets(),
      Client: clientOf(this),
    };
    const store = new PostgresStore(
      {
        url: connection.url,
        schema: simulationSchema,
        sign: (size, root) => signCheckpoint(signer, size, root),
        onTrouble,
        onRollback: ({ reason }) => scheduler.note(this.name, `refuses: ${reason}`),
      },
      connection,
      'simulated',
      patienceMs,
      false,
    );
    this.store = store;
    if (policy === undefined) return;
    this.collector = new CosignatureCollector({
      policy,
      logKey: signer.key,
      read: store.read,
      keyring: store.keyring,
      copy: {
        get: async () => this.#copy,
        put: async (note) => {
          await scheduler.sleep(scheduler.between(1, 5), actor, 'write copy');
          this.#copy = note;
        },
      },
      leads: () => store.leads && store.rollback === undefined,
      post: (url, body, signal) => post(actor, url, body, signal),
      now: () => scheduler.nowMs,
      random: scheduler.random,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve();
          const timer = scheduler.after(ms, actor, 'collector', resolve);
          signal.addEventListener('abort', () => {
            timer.cancel();
            resolve();
          });
        }),
      onTrouble,
      times: collectorTimes,
    });
    this.collector.start();
  }

  /** The process ends; its sessions end when the server hears of it. */
  crash(heardMs: number): void {
    this.actor.alive = false;
    this.store = undefined;
    for (const client of Array.from(this.clients)) client.abandon(heardMs);
  }

  /** Runs a request and answers through `reply`, unless the node dies before. */
  serve(request: Request, reply: (reply: Reply) => void): void {
    const { store, actor } = this;
    if (store === undefined) return;
    const ts = new Date(this.#cluster.scheduler.clock(actor)).toISOString();
    store.run(actOf(request, ts, this.#sabotage)).then(
      (outcome) => {
        if (isFault(outcome)) {
          reply({ kind: 'refused', isUnknown: outcome.details?.['outcome'] === 'unknown' });
          return;
        }
        const entries = outcome.entries.map(({ seq, sealed }) => ({ seq, text: sealed.text }));
        if (entries.length > 0) this.#cluster.acknowledge(this, actor, request, entries);
        reply({ kind: 'answer', answer: outcome.answer });
      },
      (error: unknown) => {
        this.#cluster.scheduler.note(this.name, `failed: ${(error as Error).message}`);
        reply({ kind: 'refused', isUnknown: true });
      },
    );
  }

  check(): void {
    const newest = this.collector?.newest;
    if (newest === undefined || newest.note === this.#served) return;
    this.#served = newest.note;
    const size = this.#cluster.judgeCosigned(newest.note);
    if (size < this.#servedSize)
      this.#cluster.verdict.breaks(lawTexts.grows, `${this.name} goes from ${this.#servedSize} to ${size}`);
    this.#servedSize = size;
  }

  disturb(query: Query): 'pass' | 'break before' | 'break after' {
    const { scheduler, statementFaults } = this.#cluster;
    const step = stepOf(query);
    if (step === undefined) return 'pass';
    // A commit without an answer is the hardest to settle.
    if (scheduler.chance(statementFaults.lineBreaks * (step === 'commit' ? 5 : 1))) {
      const when = scheduler.chance(0.5) ? 'before' : 'after';
      scheduler.fault(`line breaks ${when} ${step}`, this.name);
      if (step === 'commit' && scheduler.chance(0.5)) this.database.stopStandby(scheduler.between(5, 1500));
      return `break ${when}`;
    }
    if (scheduler.chance(statementFaults.nodeCrashes)) {
      const when = scheduler.chance(0.5) ? 'before' : 'after';
      scheduler.fault(`node crashes ${when} ${step}`, this.name);
      const { actor } = this;
      const end = (): void => {
        if (this.actor !== actor || !actor.alive) return;
        this.crash(scheduler.chance(0.5) ? 1 : 2000);
        scheduler.after(scheduler.between(200, 4000), newActor('operator'), `restart ${this.name}`, () => {
          if (!this.actor.alive) this.start();
        });
      };
      if (when === 'before') {
        end();
        return 'break before';
      }
      scheduler.after(scheduler.between(0.1, 3), newActor('operator'), `crash ${this.name}`, end);
    }
    return 'pass';
  }
}

/** The step of an act or an integration that a statement is; others are disturbed by what happens to lines and nodes. */
function stepOf({ name = '', text }: Query): string | undefined {
  if (name.startsWith('load_numbered')) return 'load';
  if (name.startsWith('write_')) return 'write';
  if (name === 'lock') return 'begin';
  if (name === 'integrate' || name === 'take') return name;
  if (text === 'COMMIT') return 'commit';
  if (text === 'ROLLBACK') return 'rollback';
  return undefined;
}
