/** The dependencies of every call and read; made once, in `deployment/start.ts`. */
import { capabilityTable } from '../domain/capabilities/tables.ts';
import type { MacKey } from '../domain/capabilities/share-codec.ts';
import type { Outside } from '../domain/outside/outside.ts';
import { writes } from '../engine/act.ts';
import type { Store } from '../engine/store.ts';
import { fault, isFault, type Fault } from '../kernel/fault.ts';
import type { SizeLimits } from '../kernel/size-limits.ts';
import type { NoteSigner } from '../ledger/note.ts';
import type { DirectoryContext, SearchContext } from './read-context.ts';
import type { LogAlarms } from './log-alarms.ts';
import type { Witness } from './witness.ts';

export interface ServiceLimits extends SizeLimits {
  /** Open assignments that free credentials may hold from one client address. */
  readonly openLeasesPerClientMax: number;
}

/** Keys derived from the secret of the deployment (`credentials/secrets.ts`). */
export interface Secrets {
  /** Newest first: the first signs, all verify. */
  readonly macKeys: readonly [MacKey, ...MacKey[]];
  readonly signer: NoteSigner;
  /** SHA-256 of the terminal key, 32 bytes. */
  readonly terminalHash: Uint8Array;
  /** Seals what the keyring keeps for rows, 32 bytes. */
  readonly sealingKey: Uint8Array;
  /** The key behind an article's webhook secret, by the id that is on the ledger. 32 bytes. */
  webhookSecret(id: string): Uint8Array;
  /** Shows that a token of a session was issued here. 16 bytes. */
  sessionMac(token: string): Uint8Array;
  /** A stable pseudonym of a client address, for idempotency scopes of callers without a credential. */
  clientScope(address: string): string;
}

/** Secrets of the owner's rows (`credentials/secrets.ts`). */
export interface RowSecrets {
  read(tenant: string, key: string, name: string): Promise<string | undefined>;
  /** Every secret of every row, whichever workspace has it. */
  all(): Promise<readonly string[]>;
  /** An empty value forgets the secret. */
  write(tenant: string, key: string, name: string, value: string): Promise<void>;
}

/** What the background pass over the ledger has found (`background/integrity.ts`). */
export interface IntegrityReport {
  /** Entries judged by the pass that is under way, or by the last one. */
  readonly judged: number;
  readonly findings: readonly string[];
  readonly finishedAt: Date | undefined;
}

/** A call that has a receipt, for the log: it leads from the receipt to the request and to its trace. */
export interface CallReport {
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly inv: string;
  /** The receipt of the call that made this one. */
  readonly root: string | undefined;
  readonly key: string;
  readonly channel: string;
  readonly status: string;
  /** The code of a refusal or failure. */
  readonly error: string | undefined;
  /** The receipt is of an earlier, equal call. */
  readonly repeated: boolean;
  readonly durationMs: number;
}

export interface Service extends DirectoryContext, SearchContext {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly limits: ServiceLimits;
  /** Shown on no public surface (spec §1). */
  readonly ownerName: string | undefined;
  /** Counts refusals that are no longer recorded one by one. */
  readonly denials: Denials;
  /** Work that outlasts its request. */
  readonly jobs: Jobs;
  readonly integrity: IntegrityReport;
  /** Counts how calls ended, for metrics. */
  readonly calls: CallCounter;
  /** Called for each call that has a receipt. */
  readonly onCall: (call: CallReport) => void;
  readonly rowSecrets: RowSecrets;
  /** Folder of fn row modules; undefined if none may run. */
  readonly moduleFolder: string | undefined;
  /** Adapters of the outside world, by name. */
  readonly outside: Outside;
  /** The policy that the deployment's own witnesses are named in, as the bytes of its file; undefined without one. */
  readonly policyFile?: Uint8Array | undefined;
  /** Cosigns the checkpoints of other logs. */
  readonly witness: Pick<Witness, 'addCheckpoint'>;
  /** What is wrong with logs; other parts add what they find (`watch`). */
  readonly logAlarms: LogAlarms;
  /** When the newest verified backup was made; 0 if none is known. */
  readonly backedUpAtMs: () => Promise<number>;
  /** Counts how often the clock of the machine jumped. */
  readonly clock: { readonly jumps: number };
}

/** Counts how calls ended, for metrics (contract §7). */
export class CallCounter {
  readonly #ended = new Map<string, number>();

  /** By the status of the receipt; `dry_run` and `unrecorded` leave none. */
  count(
    answer: { readonly kind: 'shape' } | { readonly kind: 'called'; readonly status: string } | Fault,
  ): void {
    const how = isFault(answer) ? 'unrecorded' : answer.kind === 'shape' ? 'dry_run' : answer.status;
    this.#ended.set(how, (this.#ended.get(how) ?? 0) + 1);
  }

  ended(): ReadonlyMap<string, number> {
    return this.#ended;
  }
}

/** Work that outlasts its request: awaited and aborted on shutdown. */
export class Jobs {
  readonly #running = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();

  /** Aborted on shutdown; unfinished work stays open on the ledger. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Number of running jobs. */
  get open(): number {
    return this.#running.size;
  }

  add(work: Promise<unknown>): void {
    const done = work
      .catch((error: Error) => {
        if (!this.signal.aborted) process.emitWarning(`a job was not recorded: ${error.message}`);
      })
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the process ends'));
    await Promise.all(this.#running);
  }
}

/**
 * Refusals of a token after the first 25, recorded as one summary each minute (contract §3), so that a loop with a
 * refused token cannot fill the ledger.
 */
export class Denials {
  readonly #counts = new Map<string, number>();

  count(fingerprint: string): void {
    this.#counts.set(fingerprint, (this.#counts.get(fingerprint) ?? 0) + 1);
  }

  /** Records the counts; counts that could not be recorded are kept. */
  async flush(service: Pick<Service, 'store' | 'now'>): Promise<void> {
    for (const [fingerprint, count] of Array.from(this.#counts)) {
      this.#counts.delete(fingerprint);
      const ts = new Date(service.now()).toISOString();
      const done = await service.store.run({
        name: 'summarise denials',
        keys: [writes(capabilityTable.name, fingerprint)],
        decide(tx) {
          const row = tx.row(capabilityTable, fingerprint);
          if (row === undefined)
            return fault('not_found', `There is no capability ${fingerprint}.`, 'Nothing to do.');
          return tx.append({
            draft: { chain: fingerprint, ts, actor: 'system', action: 'denials', count },
            head: row.head,
          });
        },
      });
      if (isFault(done)) this.#counts.set(fingerprint, (this.#counts.get(fingerprint) ?? 0) + count);
    }
  }
}
