/**
 * A node with an embedded store: the product's queue, commits, batch writer, disk and log over SQLite in memory. What stands
 * for the disk is the list of committed batches and how many of them are on it: a crash keeps those and, as an operating
 * system may, some of the others, in their order. Opening a file, its lock and its checkpoints are left out.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Key } from '../../src/engine/act.ts';
import { isChain } from '../../src/engine/keys.ts';
import { ActQueue } from '../../src/engine/queue.ts';
import {
  emptySnapshot,
  newStateCache,
  snapshotFrom,
  stateName,
  type AggregateSnapshot,
} from '../../src/engine/state.ts';
import { defaultStoreLimits } from '../../src/engine/store.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import { BatchWriter, type RowGroup } from '../../src/store/sqlite/batch-writer.ts';
import { Commits, type CommittedBatch } from '../../src/store/sqlite/commits.ts';
import { createTable, ledgerDdl } from '../../src/store/sqlite/ddl.ts';
import { Disk } from '../../src/store/sqlite/disk.ts';
import { restoreLog } from '../../src/store/sqlite/log-reader.ts';
import { RowReader } from '../../src/store/sqlite/row-reader.ts';
import { StatementCache } from '../../src/store/sqlite/statement-cache.ts';
import { actOf, simulationSchema, type Request } from './acts.ts';
import type { Reply } from './cluster.ts';
import type { Serving } from './clients.ts';
import { simulatedFile } from './environment.ts';
import { LedgerLaws, type SeenEntry, type Verdict } from './laws.ts';
import { newActor, type Actor, type Scheduler } from './scheduler.ts';

export interface EmbeddedSabotage {
  /** The disk says that it has what it does not have. */
  readonly diskLies?: boolean;
}

type Batch = readonly RowGroup[];

export class EmbeddedNode implements Serving {
  readonly laws: LedgerLaws;
  actor: Actor = newActor('embedded');
  readonly #scheduler: Scheduler;
  readonly #sabotage: EmbeddedSabotage;
  readonly #signer = signerFromSeed('embedded.test', Buffer.alloc(32, 9));
  /** Committed batches, in order; the first `#durable` of them are on disk. */
  #journal: Batch[] = [];
  #durable = 0;
  #db: DatabaseSync | undefined;
  #queue: ActQueue | undefined;
  /** Until when the disk answers nothing. */
  diskStopsUntilMs = 0;
  /** The next call fails; an operator restarts the node then. */
  diskFails = false;

  constructor(scheduler: Scheduler, verdict: Verdict, sabotage: EmbeddedSabotage) {
    this.#scheduler = scheduler;
    this.#sabotage = sabotage;
    this.laws = new LedgerLaws('embedded store', verdict);
  }

  get isUp(): boolean {
    return this.actor.alive && this.#queue !== undefined;
  }

  /** Whether a batch is committed that the disk may not have. */
  get isBehind(): boolean {
    return this.#durable < this.#journal.length;
  }

  start(): void {
    const { clockOffsetMs } = this.actor;
    this.actor = { ...newActor('embedded'), clockOffsetMs };
    this.#scheduler.after(0, this.actor, 'start', () => this.#open());
  }

  /** Answers with how many committed batches are lost. */
  crash(): number {
    this.actor.alive = false;
    this.#queue = undefined;
    this.#db?.close();
    this.#db = undefined;
    const behind = this.#journal.length - this.#durable;
    const lost = this.#scheduler.below(behind + 1);
    this.#journal.length -= lost;
    this.#durable = this.#journal.length;
    return lost;
  }

  close(): void {
    this.#db?.close();
  }

  #open(): void {
    const db = new DatabaseSync(':memory:');
    this.#db = db;
    db.exec(ledgerDdl);
    for (const table of simulationSchema.tables) db.exec(createTable(table));
    const guard = { check: () => undefined };
    const restoring = new BatchWriter(db, guard);
    for (const batch of this.#journal) restoring.write(batch);
    const statements = new StatementCache(db);
    const { log, checkpoint } = restoreLog(statements);
    this.#judgeRestored(db);
    if (checkpoint !== null) this.laws.publish(checkpoint.size, checkpoint.root);
    const cache = newStateCache(1024 * 1024);
    const rows = new RowReader(db, statements);
    let stamp = 0;
    const load = (key: Key): AggregateSnapshot => {
      if (isChain(key)) throw new Error('no act of the simulation loads a chain');
      const name = stateName(key.aggregate, key.id);
      const cached = cache.get(name);
      if (cached !== undefined) return cached;
      const tables = simulationSchema.tables.filter(({ aggregate }) => aggregate === key.aggregate);
      const found = tables.map((table) => [table, rows.select(table, key.id)] as const);
      return found.every(([, list]) => list.length === 0) ? emptySnapshot : snapshotFrom(++stamp, found);
    };
    const disk = new Disk(
      simulatedFile,
      () => queue.reschedule(),
      (_, done) => this.#sync(done),
    );
    const commits = new Commits({
      schema: simulationSchema,
      sign: (size, root) => signCheckpoint(this.#signer, size, root),
      log,
      load,
      writer: new JournalWriter(db, guard, this.#journal),
      disk,
      committed: ({ states }) => {
        for (const [name, working] of states)
          if (working.base.tables.size === 0) cache.delete(name);
          else cache.set(name, working.promoted(++stamp));
      },
      landed: (batch) => this.#landed(db, batch),
    });
    // As the store has it, but for batches that are large enough to go beside one under way.
    const mayRun = (waiting: readonly unknown[]): boolean => !disk.isBehind || waiting.length > 1;
    const queue = new ActQueue((batch) => commits.run(batch), defaultStoreLimits, mayRun);
    this.#queue = queue;
  }

  #sync(done: (error: Error | null) => void): void {
    const scheduler = this.#scheduler;
    const covered = this.#journal.length;
    const { diskFails } = this;
    this.diskFails = false;
    const ms = Math.max(0, this.diskStopsUntilMs - scheduler.nowMs) + scheduler.between(0.3, 6);
    scheduler.after(ms, this.actor, diskFails ? 'disk fails' : 'on disk', () => {
      if (diskFails) {
        scheduler.after(scheduler.between(200, 1500), newActor('operator'), 'restart embedded', () => {
          this.crash();
          this.start();
        });
        return done(new Error('EIO'));
      }
      if (this.#sabotage.diskLies !== true) this.#durable = Math.max(this.#durable, covered);
      done(null);
    });
  }

  #entries(db: DatabaseSync, from: number): SeenEntry[] {
    return db
      .prepare('SELECT seq, text FROM entry WHERE seq >= ? ORDER BY seq')
      .all(from) as unknown as SeenEntry[];
  }

  #judgeRestored(db: DatabaseSync): void {
    const entries = this.#entries(db, 0);
    this.laws.replace([entries], entries, true);
  }

  #landed(db: DatabaseSync, { size, checkpoint }: CommittedBatch): void {
    const from = this.laws.size;
    const entries = this.#entries(db, from).slice(0, size - from);
    this.laws.visible(entries);
    this.laws.integrated(from, entries);
    if (checkpoint !== null) this.laws.publish(checkpoint.size, checkpoint.root);
  }

  serve(request: Request, reply: (reply: Reply) => void): void {
    const queue = this.#queue;
    if (queue === undefined) return;
    const ts = new Date(this.#scheduler.clock(this.actor)).toISOString();
    queue.push(actOf(request, ts)).then(
      (outcome) => {
        if (isFault(outcome)) return reply({ kind: 'refused', isUnknown: false });
        const entries = outcome.entries.map(({ seq, sealed }) => ({ seq, text: sealed.text }));
        if (entries.length > 0) this.laws.acknowledge(request.id, entries);
        reply({ kind: 'answer', answer: outcome.answer });
      },
      () => reply({ kind: 'refused', isUnknown: true }),
    );
  }
}

/** Writes a batch, and keeps it for the next start. */
class JournalWriter extends BatchWriter {
  readonly #journal: Batch[];

  constructor(db: DatabaseSync, guard: { check(): undefined }, journal: Batch[]) {
    super(db, guard);
    this.#journal = journal;
  }

  override write(groups: Batch): void {
    super.write(groups);
    // Packed contents lie in memory that the next batch uses again.
    this.#journal.push(
      groups.map(({ statement, values }) => ({
        statement,
        values: values.map((value) => (value instanceof Uint8Array ? value.slice() : value)),
      })),
    );
  }
}
