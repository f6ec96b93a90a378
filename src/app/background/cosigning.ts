/**
 * Asks the witnesses of the deployment's policy to cosign its checkpoints (C2SP tlog-witness, contract §6). A round asks
 * all witnesses for one checkpoint, since only cosignatures of the same checkpoint make a quorum; the next round takes
 * the newest. No write waits for it. What a witness answers is hostile until its cosignature is verified.
 */
import type { SignedCheckpoint } from '../../engine/act.ts';
import type { Keyring, Reader } from '../../engine/store.ts';
import type { Cosignature } from '../../ledger/cosignature.ts';
import type { VerifierKey } from '../../ledger/note.ts';
import { judgeNote, meetsQuorum, type Policy, type PolicyWitness } from '../../ledger/policy.ts';
import { isRefusal } from '../../ledger/refusal.ts';
import { WitnessTrouble } from '../log-alarms.ts';
import {
  isAlarming,
  type Cosigned,
  type Cosigning,
  type WitnessState,
  type WitnessStatus,
} from '../read-context.ts';
import { CosigningRecords, type CosignedCopy } from './cosigning-records.ts';
import { requestCosignature, type WitnessAnswer } from './witness-request.ts';

export interface CosigningOptions {
  readonly policy: Policy;
  readonly logKey: VerifierKey;
  readonly read: Pick<Reader, 'checkpoint' | 'tile'>;
  readonly keyring: Keyring;
  readonly copy: CosignedCopy;
  /** Whether this node asks; the others serve what it has stored. */
  leads(): boolean;
  /** Sends a request. Throws where there is no answer of a bounded size. */
  post(url: string, body: string, signal: AbortSignal): Promise<WitnessAnswer>;
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Resolves after the time or, at once, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  onTrouble(error: unknown): void;
  readonly times?: Partial<CosigningTimes>;
}

export interface CosigningTimes {
  /** How often the log is looked at. */
  readonly pollMs: number;
  /** How often nodes that only serve look for what was stored. */
  readonly followMs: number;
  /** The least time from the beginning of one round to the next. */
  readonly paceMs: number;
  /** How long a quorum waits for further cosignatures before it is stored, so that a round is stored once. */
  readonly graceMs: number;
  /** How long a witness may take to answer, and the longest time of a round. */
  readonly requestMs: number;
  /** After the first failure; doubles with each further one. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
}

const defaultTimes: CosigningTimes = {
  pollMs: 100,
  followMs: 500,
  paceMs: 1000,
  graceMs: 200,
  requestMs: 10_000,
  retryMs: 1000,
  retryMaxMs: 5 * 60_000,
};

/** Witnesses of one address: one request asks all of their keys. */
interface WitnessEndpoint {
  readonly url: string;
  readonly members: readonly PolicyWitness[];
  size: number;
  isBusy: boolean;
  failures: number;
  failed: number;
  retryAtMs: number;
  state: Extract<WitnessState, 'failing' | 'ahead' | 'contradicts'> | undefined;
  problem: string | undefined;
}

interface Round {
  readonly checkpoint: SignedCheckpoint;
  /** What is cosigned: the note's text. */
  readonly text: string;
  readonly begunAtMs: number;
  readonly cosignatures: Map<VerifierKey, Cosignature>;
  /** Witnesses that are done with this round. */
  readonly done: Set<WitnessEndpoint>;
  hasQuorum: boolean;
  /** When the first cosignature came that is not stored yet. */
  unsavedSinceMs: number | undefined;
}

export class CosignatureCollector implements Cosigning {
  readonly #options: CosigningOptions;
  readonly #times: CosigningTimes;
  readonly #records: CosigningRecords;
  readonly #endpoints: readonly WitnessEndpoint[];
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  #running: Promise<void> | undefined;
  #isLeading = false;
  /** Whether every witness is asked once, also about a checkpoint that it has cosigned before. */
  #asksAll = true;
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  #round: Round | undefined;
  #newest: Cosigned | undefined;
  #troubled = '';
  /** Since when there are entries that no quorum has cosigned. */
  #waitsSinceMs: number | undefined;

  constructor(options: CosigningOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    const { keyring, copy, logKey, policy } = options;
    this.#records = new CosigningRecords({ keyring, copy, logKey, policy, onTrouble: options.onTrouble });
    const byUrl = Map.groupBy(
      policy.witnesses.filter(({ url }) => url !== undefined),
      ({ url }) => (url as string).replace(/\/+$/, ''),
    );
    this.#endpoints = Array.from(byUrl, ([url, members]) => ({
      url,
      members,
      size: 0,
      isBusy: false,
      failures: 0,
      failed: 0,
      retryAtMs: 0,
      state: undefined,
      problem: undefined,
    }));
  }

  get newest(): Cosigned | undefined {
    return this.#newest;
  }

  get waitMs(): number {
    return this.#waitsSinceMs === undefined ? 0 : this.#options.now() - this.#waitsSinceMs;
  }

  get policy(): Policy {
    return this.#options.policy;
  }

  status(): readonly WitnessStatus[] {
    const { policy } = this.#options;
    return policy.witnesses.map((witness): WitnessStatus => {
      const asked = this.#endpoints.find(({ members }) => members.includes(witness));
      const { name, url } = witness;
      const size = this.#records.sizeOf(witness.key);
      const counted = this.#newest?.cosigned.some(({ key }) => key === witness.key) === true;
      const state =
        asked?.state ?? (counted ? 'cosigned' : asked === undefined ? 'not asked' : ('behind' as const));
      return { name, url, size, state, problem: asked?.problem, failures: asked?.failed ?? 0 };
    });
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await Promise.all(this.#pending);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.tick();
        this.#troubled = '';
      } catch (error) {
        // The next tick tries again; one line for as long as it is the same.
        const { message } = error as Error;
        if (message !== this.#troubled && !signal.aborted) this.#options.onTrouble(error);
        this.#troubled = message;
      }
      await this.#options.sleep(this.#times.pollMs, signal);
    }
  }

  /** Looks at the log, begins a round where one is due, and asks the witnesses that are not busy. */
  async tick(): Promise<void> {
    const { read, now } = this.#options;
    const leads = this.#options.leads();
    if (!leads && !this.#isLeading && now() - this.#loadedAtMs < this.#times.followMs) return;
    const newest = await read.checkpoint();
    if (newest === null) return;
    if (!leads || !this.#isLeading) {
      await this.#reload(newest.size);
      this.#isLeading = leads;
      this.#asksAll = true;
      this.#round = undefined;
      this.#waitsSinceMs = undefined;
      if (!leads) {
        // Only the node that asks learns when a witness cosigns again.
        for (const witness of this.#endpoints)
          Object.assign(witness, { state: undefined, problem: undefined });
        return;
      }
    }
    if (this.#round !== undefined && this.#isToStore(this.#round)) await this.#store(this.#round);
    this.#waitsSinceMs = newest.size > (this.#newest?.size ?? 0) ? (this.#waitsSinceMs ?? now()) : undefined;
    const isDue = this.#round === undefined || this.#isOver(this.#round, newest.size);
    const round = this.#round === undefined || isDue ? this.#begin(newest) : this.#round;
    for (const witness of this.#endpoints)
      if (!witness.isBusy && !round.done.has(witness) && witness.retryAtMs <= now())
        this.#ask(witness, round);
  }

  /**
   * Asks every witness about the newest checkpoint, before this node signs anything: whether one has cosigned more of this
   * log, or another history of it. Waits for answers at most `withinMs`; afterwards `status` has alarms. Answers with the
   * names of those that have cosigned it now.
   */
  async probe(withinMs: number): Promise<readonly string[]> {
    const newest = await this.#options.read.checkpoint();
    if (newest === null) return [];
    await this.#reload(newest.size);
    const round = this.#begin(newest);
    for (const witness of this.#endpoints) this.#ask(witness, round);
    const answered = new AbortController();
    const waiting = this.#options.sleep(withinMs, AbortSignal.any([answered.signal, this.#closing.signal]));
    await Promise.race([Promise.all(this.#pending), waiting]);
    answered.abort();
    await waiting;
    this.#round = undefined;
    return [...round.done].flatMap(({ members }) => members.map(({ name }) => name));
  }

  /** Takes what is stored: after a start, a change of the leader, and on nodes that only serve. */
  async #reload(logSize: number): Promise<void> {
    await this.#records.load();
    this.#loadedAtMs = this.#options.now();
    const { newest } = this.#records;
    // A node of a database may read a cosignature before it reads the entries below.
    if (newest !== undefined && newest.size <= logSize && newest.note !== this.#newest?.note)
      this.#newest = newest;
    if (this.#isLeading) return;
    for (const witness of this.#endpoints)
      if (!witness.isBusy)
        witness.size = Math.min(...witness.members.map(({ key }) => this.#records.sizeOf(key)));
  }

  #isToStore({ unsavedSinceMs, done }: Round): boolean {
    if (unsavedSinceMs === undefined) return false;
    const isAwaited = this.#endpoints.some((witness) => witness.isBusy && !done.has(witness));
    return !isAwaited || this.#options.now() - unsavedSinceMs >= this.#times.graceMs;
  }

  #isOver(round: Round, size: number): boolean {
    const age = this.#options.now() - round.begunAtMs;
    if (size <= round.checkpoint.size || age < this.#times.paceMs || round.unsavedSinceMs !== undefined)
      return false;
    const isAsking = this.#endpoints.some((witness) => witness.isBusy && !round.done.has(witness));
    return round.hasQuorum || !isAsking || age > this.#times.requestMs;
  }

  #begin(checkpoint: SignedCheckpoint): Round {
    const round: Round = {
      checkpoint,
      text: checkpoint.note.slice(0, checkpoint.note.lastIndexOf('\n\n') + 1),
      begunAtMs: this.#options.now(),
      cosignatures: new Map(),
      done: new Set(),
      hasQuorum: false,
      unsavedSinceMs: undefined,
    };
    this.#round = round;
    const asksAll = this.#asksAll;
    this.#asksAll = false;
    const { newest } = this;
    if (newest?.size !== checkpoint.size) return round;
    for (const each of newest.cosigned) round.cosignatures.set(each.key, each);
    round.hasQuorum = true;
    for (const witness of this.#endpoints)
      if (!asksAll && witness.members.every(({ key }) => round.cosignatures.has(key)))
        round.done.add(witness);
    return round;
  }

  #ask(witness: WitnessEndpoint, round: Round): void {
    witness.isBusy = true;
    const asking = this.#request(witness, round)
      .catch((error: unknown) => this.#fail(witness, 'failing', (error as Error).message))
      .finally(() => {
        witness.isBusy = false;
        this.#pending.delete(asking);
      });
    this.#pending.add(asking);
  }

  async #request(witness: WitnessEndpoint, round: Round): Promise<void> {
    const { checkpoint, text } = round;
    const outcome = await requestCosignature({
      checkpoint,
      text,
      keys: witness.members.map(({ key }) => key),
      oldSize: witness.size,
      read: this.#options.read,
      post: (body) => this.#post(witness, body),
    });
    if (this.#closing.signal.aborted) return;
    switch (outcome.kind) {
      case 'cosigned':
        return this.#take(witness, round, outcome.cosignatures);
      case 'later':
        witness.size = outcome.size;
        round.done.add(witness);
        return;
      case 'alarm':
        witness.size = 0;
        return this.#fail(witness, outcome.state, outcome.problem);
    }
  }

  async #post({ url }: WitnessEndpoint, body: string): Promise<WitnessAnswer> {
    const { post } = this.#options;
    const answered = new AbortController();
    const timeout = new AbortController();
    const expire = async (): Promise<void> => {
      await this.#options.sleep(
        this.#times.requestMs,
        AbortSignal.any([answered.signal, this.#closing.signal]),
      );
      if (!answered.signal.aborted) timeout.abort(new Error(`no answer in ${this.#times.requestMs} ms`));
    };
    const expiring = expire();
    try {
      const signal = AbortSignal.any([timeout.signal, this.#closing.signal]);
      return await post(`${url}/add-checkpoint`, body, signal);
    } finally {
      answered.abort();
      await expiring;
    }
  }

  /** The answer of a witness that has cosigned. */
  #take(witness: WitnessEndpoint, round: Round, found: readonly Cosignature[]): void {
    for (const each of found) round.cosignatures.set(each.key, each);
    round.done.add(witness);
    Object.assign(witness, { size: round.checkpoint.size, failures: 0, retryAtMs: 0 });
    Object.assign(witness, { state: undefined, problem: undefined });
    for (const { key } of found) this.#records.setSize(key, round.checkpoint.size);
    round.hasQuorum ||= meetsQuorum(
      this.policy,
      this.policy.witnesses.filter(({ key }) => round.cosignatures.has(key)).map(({ name }) => name),
    );
    round.unsavedSinceMs ??= this.#options.now();
  }

  /** Stores what a round has come to; served from then on if it has a quorum and nothing newer is served. */
  async #store(round: Round): Promise<void> {
    const { policy, logKey } = this.#options;
    const stored = round.cosignatures.size;
    const lines = policy.witnesses.map(({ key }) => round.cosignatures.get(key)?.line ?? '').join('');
    const note = `${round.checkpoint.note}${lines}`;
    const judged = judgeNote(note, policy, [logKey]);
    if (isRefusal(judged)) throw new Error(`the cosigned checkpoint is refused: ${judged.refused}`);
    const { hasQuorum, cosigned } = judged;
    await this.#records.save(hasQuorum ? { ...round.checkpoint, note, cosigned } : undefined);
    const { newest } = this.#records;
    if (newest !== undefined && newest.size >= (this.#newest?.size ?? 0)) this.#newest = newest;
    // What this checkpoint does not cover was written after the round began.
    if (hasQuorum) this.#waitsSinceMs = round.begunAtMs;
    if (round.cosignatures.size === stored) round.unsavedSinceMs = undefined;
  }

  #fail(witness: WitnessEndpoint, state: NonNullable<WitnessEndpoint['state']>, problem: string): void {
    if (this.#closing.signal.aborted) return;
    const { retryMs, retryMaxMs } = this.#times;
    const waitMs = Math.min(retryMaxMs, retryMs * 2 ** Math.min(witness.failures, 20));
    witness.failures++;
    witness.failed++;
    witness.retryAtMs = this.#options.now() + waitMs * (0.5 + this.#options.random());
    // An alarm stays until the witness cosigns again.
    const isAlarmed = witness.state !== undefined && isAlarming(witness.state);
    if (isAlarmed && state === 'failing') return;
    // Reported once, until it cosigns again or something else is wrong.
    if (witness.state !== state) {
      const names = witness.members.map(({ name }) => name).join(', ');
      this.#options.onTrouble(
        new WitnessTrouble(`witness ${names} did not cosign: ${problem}`, isAlarming(state)),
      );
    }
    Object.assign(witness, { state, problem });
  }
}
