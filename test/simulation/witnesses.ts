/**
 * Witnesses, each on a machine of its own: the product's `Witness` over a simulated keyring and copy, both of which take
 * time and survive a crash as far as they were written. A machine can be restored from a backup, with its copy or without:
 * without, it begins with new keys, as `deployment/witness.ts` decides from files.
 */
import type { Keyring } from '../../src/engine/store.ts';
import { Witness, type WitnessCopy } from '../../src/app/witness.ts';
import type { WitnessAnswer } from '../../src/app/background/witness-request.ts';
import { cosignerFromSeed, type Cosigner, type CosignerKey } from '../../src/ledger/cosignature.ts';
import type { VerifierKey } from '../../src/ledger/note.ts';
import { parsePolicy, type Policy } from '../../src/ledger/policy.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import type { WitnessRecord } from '../../src/ledger/witness.ts';
import type { Network } from './network.ts';
import { newActor, type Actor, type Scheduler } from './scheduler.ts';

export type PostToWitness = (
  from: Actor,
  url: string,
  body: string,
  signal: AbortSignal,
) => Promise<WitnessAnswer>;

/** What a broken build of the simulated parts does; the product's own are broken in its source (`broken.ts`). */
export interface WitnessSabotage {
  /** The keyring sets without comparing. */
  readonly setsWithoutComparing?: boolean;
  /** The copy says that it is written before it is. */
  readonly answersBeforeCopy?: boolean;
  /** A restored machine without its copy keeps its keys. */
  readonly keepsKeys?: boolean;
}

/** Told of every cosignature that leaves a witness, whether or not its answer arrives. */
type OnCosigned = (key: CosignerKey, body: string) => void;

export const witnessCount = 3;
export const quorumOf = 2;

export class Witnesses {
  readonly machines: readonly WitnessMachine[];
  readonly #network: Network;

  constructor(
    scheduler: Scheduler,
    network: Network,
    logs: readonly VerifierKey[],
    onCosigned: OnCosigned,
    sabotage: WitnessSabotage,
  ) {
    this.#network = network;
    this.machines = Array.from(
      { length: witnessCount },
      (_, i) => new WitnessMachine(scheduler, `witness-${i + 1}`, logs, onCosigned, sabotage),
    );
    for (const machine of this.machines) machine.start();
  }

  policy(): Policy {
    const lines = this.machines.map(
      ({ name, cosigner }) => `witness ${name} ${cosigner.key.text} http://${name}\n`,
    );
    const names = this.machines.map(({ name }) => name).join(' ');
    const policy = parsePolicy(`${lines.join('')}group all ${quorumOf} ${names}\nquorum all\n`);
    if (isRefusal(policy)) throw new Error(policy.refused);
    return policy;
  }

  /** Sends a request over the network; resolves with the first answer that arrives, and rejects when the signal aborts. */
  post: PostToWitness = (from, url, body, signal) =>
    new Promise((resolve, reject) => {
      const machine = this.machines.find(({ name }) => url.startsWith(`http://${name}/`));
      if (machine === undefined) return reject(new Error(`no witness at ${url}`));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.ask(from, machine, body, resolve);
    });

  ask(from: Actor, machine: WitnessMachine, body: string, answered: (answer: WitnessAnswer) => void): void {
    const what = `${from.name} asks ${machine.name}`;
    // A process that restarts has another actor; what is sent to a machine goes to whichever runs there.
    this.#network.send(from, machine.machine, 'request', what, () =>
      machine.serve(body, (answer) => {
        const sent = this.#network.alters(machine.machine) ? altered(answer) : answer;
        this.#network.send(machine.machine, from, 'answer', `${machine.name} answers ${answer.status}`, () =>
          answered(sent),
        );
      }),
    );
  }
}

/** Another digit, or another letter of the signature. */
function altered({ status, text }: WitnessAnswer): WitnessAnswer {
  const at = Math.max(0, text.length - 20);
  const other = text[at] === 'A' ? 'B' : status === 200 ? 'A' : '7';
  return { status, text: text.slice(0, at) + other + text.slice(at + 1) };
}

export class WitnessMachine {
  readonly name: string;
  /** The machine, which a crash of the process leaves alive. */
  readonly machine: Actor;
  /** How often a step crashes the process; 0 for never. */
  crashes = 0;
  cosigner: Cosigner;
  readonly #scheduler: Scheduler;
  readonly #logs: readonly VerifierKey[];
  readonly #onCosigned: OnCosigned;
  readonly #sabotage: WitnessSabotage;
  #process: Actor;
  #witness: Witness | undefined;
  #keyring = new Map<string, string>();
  /** Backups of the keyring, oldest first. */
  readonly #backups: (readonly (readonly [string, string])[])[] = [];
  #copy = new Map<string, WitnessRecord>();
  #label = 0;

  constructor(
    scheduler: Scheduler,
    name: string,
    logs: readonly VerifierKey[],
    onCosigned: OnCosigned,
    sabotage: WitnessSabotage,
  ) {
    this.#scheduler = scheduler;
    this.name = name;
    this.machine = newActor(name);
    this.#process = newActor(name);
    this.#logs = logs;
    this.#onCosigned = onCosigned;
    this.#sabotage = sabotage;
    this.cosigner = this.#newCosigner();
  }

  #newCosigner(): Cosigner {
    const seed = Buffer.alloc(32, `${this.name} ${this.#label}`);
    return cosignerFromSeed(`${this.name}.test`, 'ed25519', seed);
  }

  /** The process starts and reads its copy. */
  start(): void {
    this.#process = newActor(this.name);
    const { clockOffsetMs } = this.machine;
    this.#process.clockOffsetMs = clockOffsetMs;
    const process = this.#process;
    this.#witness = new Witness({
      logs: this.#logs,
      cosigners: [this.cosigner],
      keyring: this.#newKeyring(process),
      copy: this.#newCopy(process),
      now: () => this.#scheduler.clock(this.machine),
      keepEvidence: async ({ checkpoints: [first] }) =>
        this.#scheduler.note(this.name, `two histories of ${first.split('\n', 1)[0]}`),
      onTwoKeys: (origin) => this.#scheduler.note(this.name, `two keys of ${origin}`),
    });
  }

  serve(body: string, reply: (answer: WitnessAnswer) => void): void {
    const witness = this.#witness;
    const process = this.#process;
    const { cosigner } = this;
    if (witness === undefined) return;
    this.#scheduler.after(0, process, 'add-checkpoint', () => {
      witness.addCheckpoint(Buffer.from(body)).then(
        (answer) => {
          if (answer.status === 200) this.#onCosigned(cosigner.key, body);
          if (this.#crashesAt('answer', process)) return;
          reply(answer);
        },
        (error: unknown) => {
          this.#scheduler.note(this.name, `failed: ${(error as Error).message}`);
          reply({ status: 503, text: '' });
        },
      );
    });
  }

  /** Whether the process ends at this step. */
  #crashesAt(step: string, process: Actor): boolean {
    if (!process.alive || !this.#scheduler.chance(this.crashes)) return !process.alive;
    this.#scheduler.fault(`witness crashes at ${step}`, this.name);
    this.crash();
    const isRestored = this.#scheduler.chance(0.3);
    this.#scheduler.after(this.#scheduler.between(50, 2000), this.machine, 'restart', () => {
      if (isRestored) this.restore(true);
      else this.start();
    });
    return true;
  }

  crash(): void {
    this.#process.alive = false;
    this.#witness = undefined;
  }

  /** A backup of the keyring, to be restored later. */
  backUp(): void {
    this.#backups.push([...this.#keyring]);
  }

  /** The machine comes back with an older keyring; without its copy it takes new keys. */
  restore(withCopy: boolean): void {
    this.#scheduler.fault(
      withCopy ? 'witness set back, copy kept' : 'witness set back with its copy',
      this.name,
    );
    this.crash();
    const backup = this.#scheduler.pick([[], ...this.#backups]);
    this.#keyring = new Map(backup);
    if (!withCopy) {
      this.#copy = new Map();
      if (this.#sabotage.keepsKeys !== true) {
        this.#label++;
        this.cosigner = this.#newCosigner();
      }
    }
    this.start();
  }

  #newKeyring(process: Actor): Keyring {
    const scheduler = this.#scheduler;
    const pass = (what: string): Promise<void> => scheduler.sleep(scheduler.between(0.2, 3), process, what);
    const set = async (name: string, value: string): Promise<void> => {
      await pass('set record');
      this.#keyring.set(name, value);
    };
    const unused = (): never => {
      throw new Error('a witness asks its keyring for nothing else');
    };
    return {
      get: async (name) => {
        await pass('read record');
        return this.#keyring.get(name);
      },
      compareAndSet: async (name, expected, value) => {
        await pass('compare and set record');
        if (this.#crashesAt('record', process)) return new Promise(() => undefined);
        if (this.#sabotage.setsWithoutComparing !== true && this.#keyring.get(name) !== expected)
          return false;
        this.#keyring.set(name, value);
        await pass('record is set');
        return this.#crashesAt('recorded', process) ? new Promise(() => undefined) : true;
      },
      under: unused,
      claim: unused,
      set,
    };
  }

  /** As the file of the deployment: what is put is known at once, and durable when it resolves. */
  #newCopy(process: Actor): WitnessCopy {
    const scheduler = this.#scheduler;
    const known = new Map(this.#copy);
    return {
      get: (origin) => known.get(origin),
      put: async (origin, record) => {
        if ((known.get(origin)?.size ?? -1) < record.size) known.set(origin, record);
        const write = async (): Promise<void> => {
          await scheduler.sleep(scheduler.between(1, 8), process, 'write copy');
          if (this.#crashesAt('copy', process)) return new Promise(() => undefined);
          const largest = known.get(origin) as WitnessRecord;
          if ((this.#copy.get(origin)?.size ?? -1) < largest.size) this.#copy.set(origin, largest);
        };
        if (this.#sabotage.answersBeforeCopy === true) void write();
        else await write();
      },
    };
  }
}
