/**
 * A command of the command line, and the operations on a deployment that `main.ts` passes to it. Commands do not
 * know the kind of store.
 */
import type { OnError } from '../http/replies.ts';
import type { FastifyInstance } from 'fastify';
import type { CallReport, Service } from '../../app/service.ts';
import type { ObservedRollback } from '../../engine/store.ts';
import type { ReplayReport } from '../../engine/check-projections.ts';
import type { Diagnosis } from '../../engine/store-kind.ts';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly dataFolder: string;
  readonly logLevel: string;
}

export interface OpenDeployment {
  readonly service: Service;
  /** Name of the store kind. */
  readonly storeName: string;
  /** Set when this start created the owner key: shown once, never stored. */
  readonly newTerminalKey: string | undefined;
  /** Whether the ledger was empty when it was opened, and this node is to seed it. */
  beginsLedger(): Promise<boolean>;
  http(onError?: OnError, notReady?: () => string | undefined): FastifyInstance;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly acceptRollback?: boolean;
  /** Whether an implausible clock is only reported. */
  readonly acceptClock?: boolean;
  /** Whether this is `colophon serve`, which alone upgrades older ledgers and changes the owner key. */
  readonly serves?: boolean;
  /** Whether this is a copy that is tried out: it sends nothing, and continues no work of the deployment it was copied from. */
  readonly isCopy?: boolean;
  /** Called with the number of replayed entries during a rebuild; undefined while another node rebuilds. */
  readonly onReplay?: (done: number | undefined) => void;
  /** Called with failures that the store recovers from, such as a lost connection. */
  readonly onTrouble?: (error: unknown) => void;
  /** Called for each alteration of the stored ledger that is found. */
  readonly onAltered?: (finding: string) => void;
  /** Called for each call that has a receipt. */
  readonly onCall?: (call: CallReport) => void;
  /** Called once when the ledger was rolled back behind this node, which stops accepting writes. */
  readonly onRollback?: (rollback: ObservedRollback) => void;
}

export interface AuditRequest {
  readonly ledgerOnly: boolean;
  /** A policy file: a checkpoint stored with the ledger must have its quorum. */
  readonly policy?: Uint8Array | undefined;
  /** A checkpoint kept from before, which the ledger must continue. */
  readonly previous?: string | undefined;
  readonly progress: (done: number, of: number) => void;
}

export interface AuditReport {
  readonly entries: number;
  /** Committed entries that are not in the log yet; also audited. */
  readonly pending: number;
  readonly contents: number;
  /** Scrubbed contents among them, each with a scrub entry. */
  readonly scrubbed: number;
  /** Projected rows that were compared with a replay; null if skipped. */
  readonly rows: number | null;
  /** Base64, as in the checkpoint. */
  readonly root: string;
  readonly problems: readonly string[];
  /** What was skipped, and why. */
  readonly note?: string;
}

/** The activity, and how much of it is done. */
export type Progress = (what: string, done: number, of: number) => void;

export interface BackupReport {
  readonly folder: string;
  /** Name of the store kind. */
  readonly store: string;
  /** Where the secret key is: in the backup, or in the environment, to be backed up separately. */
  readonly secret: 'file' | 'environment';
  readonly files: number;
  readonly bytes: number;
}

export interface RestoreReport {
  readonly folder: string;
  /** Name of the store kind. */
  readonly store: string;
  readonly made_at: string;
  readonly files: number;
  readonly bytes: number;
  /** Entries that were verified. */
  readonly entries: number;
  /** Problems that verification found; if any, nothing was restored. */
  readonly problems: readonly string[];
  /** What the operator has to do, if there is anything. */
  readonly note?: string;
}

export interface TransferReport {
  readonly from: string;
  readonly to: string;
  /** Name of the store kind of the target. */
  readonly store: string;
  /** Where the secret key was read: a data folder holds it, a database does not. */
  readonly secret: 'file' | 'environment';
  readonly entries: number;
  /** What was compared on the target beside the entries; null if an earlier run did. */
  readonly verified: {
    readonly contents: number;
    readonly scrubbed: number;
    readonly blobs: number;
    /** Rows of the keyring. */
    readonly keys: number;
    /** Operational records that are durable until they expire. */
    readonly held: number;
  } | null;
  /** The signed checkpoint over all entries, the same in both places. */
  readonly checkpoint: string | null;
}

/** What a folder of backups holds after one was added (ADR 70). */
export interface BackupSetReport {
  /** The new backup; null where it did not verify and is not kept. */
  readonly added: (BackupReport & { readonly made_at: string; readonly entries: number }) | null;
  /** Names of verified backups of this deployment, newest first. */
  readonly backups: readonly string[];
  /** Bytes of all of them. */
  readonly bytes: number;
  readonly pruned: readonly string[];
  /** What stands in the folder and was not touched, and why. */
  readonly left_alone: readonly { readonly name: string; readonly why: string }[];
  readonly problems: readonly string[];
  /** Why the nodes were not told of the outcome, if they were not. */
  readonly note?: string;
}

/** How many backups to keep: the newest ones, and the newest of each of so many days, weeks and months. */
export interface KeepOptions {
  readonly last: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

/** What a restore of the newest backup showed (ADR 70). */
export interface DrillReport {
  readonly backup: string;
  readonly made_at: string;
  readonly entries: number;
  /** In their order. */
  readonly steps: readonly { readonly step: string; readonly ms: number; readonly detail: string }[];
  /** What a disaster at this moment would lose; null where nothing newer could be read. */
  readonly loss: {
    readonly entries: number;
    readonly minutes: number;
    /** What the backup was compared with. */
    readonly compared: 'ledger' | 'kept checkpoint';
  } | null;
  readonly problems: readonly string[];
  readonly note?: string;
}

/** Lines of C2SP tlog-policy that name the deployment. */
export interface PolicyLines {
  /** For policies of those who read this log. */
  readonly log: string;
  /** For policies of logs that this deployment witnesses: one line for each of its keys. */
  readonly witnesses: readonly string[];
}

/** A log that the deployment cosigns. */
export interface WitnessedLog {
  readonly origin: string;
  /** Entries of the newest checkpoint that was cosigned; 0 before the first one. */
  readonly size: number;
  /** Whether COLOPHON_WITNESS_LOGS names it; other logs were cosigned before. */
  readonly configured: boolean;
  /** Id of the evidence that the log signed two histories; null if there is none. */
  readonly evidence: string | null;
}

export interface CommandContext<S extends Settings = Settings> {
  readConfig(env: Readonly<Record<string, string | undefined>>): S;
  compose(config: S, options?: OpenOptions): Promise<OpenDeployment>;
  audit(config: S, options: AuditRequest): Promise<AuditReport>;
  check(config: S, progress: (done: number) => void): Promise<ReplayReport>;
  rebuild(config: S, progress: (done: number) => void): Promise<ReplayReport>;
  backup(config: S, folder: string, progress: Progress): Promise<BackupReport>;
  /** Adds a verified backup to a folder of backups; `keep` prunes others afterwards. */
  backupInto(
    config: S,
    folder: string,
    keep: KeepOptions | undefined,
    progress: Progress,
  ): Promise<BackupSetReport>;
  restore(config: S, folder: string, progress: Progress, acceptRollback: boolean): Promise<RestoreReport>;
  /** Restores the newest backup of a folder, or the given one, to a temporary place and serves it there. */
  drill(config: S, folder: string, progress: Progress): Promise<DrillReport>;
  /** The verifier keys of the deployment's cosigners. */
  witnessKeys(config: S): Promise<readonly string[]>;
  policyLines(config: S): Promise<PolicyLines>;
  /** Configured logs in the order of the file, then those that were cosigned before. */
  witnessedLogs(config: S): Promise<readonly WitnessedLog[]>;
  /** Moves a stopped deployment to a database, or to a data folder. */
  transfer(
    config: S,
    to: { readonly databaseUrl: string } | { readonly dataFolder: string },
    progress: Progress,
  ): Promise<TransferReport>;
  /** Diagnoses a deployment without changes; `isServing`: a server answers for its folder. */
  examine(config: S, isServing: boolean): Promise<readonly Diagnosis[]>;
}

export interface Command {
  readonly name: string;
  readonly what: string;
  readonly usage: string;
  readonly options: readonly (readonly [string, string])[];
  /** Returns the exit status: 0 success, 1 problems found, 2 usage error. */
  run(argv: readonly string[], context: CommandContext): Promise<number>;
}

export class UsageError extends Error {}

export function readOptions<O extends ParseArgsOptionsConfig>(argv: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node adds a hint on positional arguments, which does not help with a misspelt option.
    const [what = ''] = (error as Error).message.split(/\. To specify a positional/);
    throw new UsageError(`${what.replace(/\.$/, '')}.`);
  }
}

/** An integer option; undefined if absent. */
export function numberOption(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,12}$/.test(given)) return Number(given);
  throw new UsageError(`--${name} takes a whole number, not "${given}".`);
}
