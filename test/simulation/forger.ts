/**
 * A log that lies: it signs two histories that part after some entries, and asks the witnesses for both at once, with proofs
 * that are right within each. A witness key whose cosignatures fit no one history of the two has broken its promise.
 */
import { history, WitnessedLog } from '../support/witnessed-log.ts';
import { hexOf, lawTexts, type Verdict } from './laws.ts';
import { parseCheckpoint } from '../../src/ledger/checkpoint.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { newActor, type Scheduler } from './scheduler.ts';
import type { WitnessMachine, Witnesses } from './witnesses.ts';

const forkAt = 4;
const entriesMax = 24;

export class Forger {
  readonly log = new WitnessedLog('forged.test', 3);
  readonly #scheduler: Scheduler;
  readonly #verdict: Verdict;
  readonly #actor = newActor('forger');
  /** Roots of both histories by size. */
  readonly #roots: readonly (readonly string[])[];
  /** By witness key: the histories that all its cosignatures fit. */
  readonly #fits = new Map<string, Set<number>>();
  /** By witness: the size that it named last. */
  readonly #sizes = new Map<WitnessMachine, number>();
  readonly #histories = [1, 2].map((branch) => history(entriesMax, forkAt, branch));
  #size = 1;
  isStopped = false;

  constructor(scheduler: Scheduler, verdict: Verdict) {
    this.#scheduler = scheduler;
    this.#verdict = verdict;
    this.#roots = this.#histories.map((leaves) =>
      Array.from({ length: entriesMax + 1 }, (_, size) => rootIn(this.log.checkpoint(leaves.slice(0, size)))),
    );
  }

  start(witnesses: Witnesses): void {
    const scheduler = this.#scheduler;
    const next = (): void => {
      if (this.isStopped) return;
      if (scheduler.chance(0.3) && this.#size < entriesMax) this.#size++;
      const machine = scheduler.pick(witnesses.machines);
      const both = scheduler.chance(0.5) ? [0, 1] : [scheduler.below(2)];
      for (const branch of both) this.#ask(witnesses, machine, branch);
      scheduler.after(scheduler.between(20, 600), this.#actor, 'next forgery', next);
    };
    scheduler.after(scheduler.between(0, 500), this.#actor, 'first forgery', next);
  }

  #ask(witnesses: Witnesses, machine: WitnessMachine, branch: number): void {
    const known = this.#sizes.get(machine) ?? 0;
    const size = Math.max(this.#size - this.#scheduler.below(3), 1);
    const leaves = (this.#histories[branch] as number[]).slice(0, size);
    const body = this.log.request(leaves, Math.min(known, size));
    witnesses.ask(this.#actor, machine, body, ({ status, text }) => {
      if (status === 409) this.#sizes.set(machine, Number(text));
      if (status === 200) this.#sizes.set(machine, size);
    });
  }

  /** Judges a cosignature on one of the forged checkpoints. */
  cosigned(key: string, size: number, root: Uint8Array): void {
    const fits = this.#fits.get(key) ?? new Set([0, 1]);
    this.#fits.set(key, fits);
    for (const branch of Array.from(fits))
      if (this.#roots[branch]?.[size] !== hexOf(root)) fits.delete(branch);
    if (fits.size === 0)
      this.#verdict.breaks(lawTexts.witness, `${key} cosigned ${size} entries of another history`);
  }
}

function rootIn(note: string): string {
  const checkpoint = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));
  if (isRefusal(checkpoint)) throw new Error(checkpoint.refused);
  return hexOf(checkpoint.root);
}
