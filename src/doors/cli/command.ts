/**
 * One verb of the command line, and the house it works on. The verbs know no store: what puts a deployment
 * together is handed in by `main.ts`.
 */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import type { ObservedRollback } from '../../engine/store.ts';
import type { ReplayReport } from '../../engine/check-projections.ts';
import type { Diagnosis } from '../../engine/diagnosis.ts';
import type { BackupTools } from '../../engine/store-kind.ts';

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
  /** Set when this start made the owner key: shown once, never stored. */
  readonly newTerminalKey: string | undefined;
  /** Whether the ledger was empty when it was opened, and it falls to this node to write what it begins with. */
  beginsLedger(): Promise<boolean>;
  http(onError?: (error: unknown, url: string) => void, notReady?: () => string | undefined): FastifyInstance;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly acceptRollback?: boolean;
  /** Whether a clock that cannot be right is only said. */
  readonly acceptClock?: boolean;
  /** Whether this is `colophon serve`, which alone upgrades a ledger of an older build and changes the owner key. */
  readonly serves?: boolean;
  /** Told of entries replayed where the projections are made again; undefined while another node does that. */
  readonly onReplay?: (done: number | undefined) => void;
  /** Told of failures that the store works around by itself, such as a lost connection. */
  readonly onTrouble?: (error: unknown) => void;
  /** Told of each place where the stored ledger was found altered, by the background pass or by who follows the log. */
  readonly onAltered?: (finding: string) => void;
  /** Told once, when the ledger turned out to be set back behind this node, which answers no write from then on. */
  readonly onRollback?: (rollback: ObservedRollback) => void;
}

export interface AuditReport {
  readonly entries: number;
  /** Entries that are committed and have no place in the log yet; they are judged, too. */
  readonly pending: number;
  readonly contents: number;
  /** Contents among them that were scrubbed, each with a scrub entry that says so. */
  readonly scrubbed: number;
  /** Projected rows compared with their replay; null where that was left out. */
  readonly rows: number | null;
  /** Base64, as the checkpoint has it. */
  readonly root: string;
  readonly problems: readonly string[];
  /** What was left out, and why. */
  readonly note?: string;
}

/** What is being done, how much of it, of how much. */
export type Progress = (what: string, done: number, of: number) => void;

export interface BackupReport {
  readonly folder: string;
  /** Name of the store kind. */
  readonly store: string;
  /** Where the secret key is: in the backup, or in the environment, to be kept by itself. */
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
  /** Entries that were verified; null where the ledger is not in the backup. */
  readonly entries: number | null;
  /** What verifying found; nothing was restored where there is any. */
  readonly problems: readonly string[];
}

export interface WithTools<R> {
  readonly report: R;
  readonly tools: BackupTools | undefined;
}

export interface CommandContext<S extends Settings = Settings> {
  readConfig(env: Readonly<Record<string, string | undefined>>): S;
  compose(config: S, options?: OpenOptions): Promise<OpenDeployment>;
  audit(
    config: S,
    options: { readonly ledgerOnly: boolean; readonly progress: (done: number, of: number) => void },
  ): Promise<AuditReport>;
  check(config: S, progress: (done: number) => void): Promise<ReplayReport>;
  rebuild(config: S, progress: (done: number) => void): Promise<ReplayReport>;
  /** `tools` are set where they have to back up, or restore, the ledger itself. */
  backup(config: S, folder: string, progress: Progress): Promise<WithTools<BackupReport>>;
  restore(
    config: S,
    folder: string,
    progress: Progress,
    acceptRollback: boolean,
  ): Promise<WithTools<RestoreReport>>;
  /** Looks at a deployment and changes nothing; `isServing` says whether a server answers for its folder. */
  examine(config: S, isServing: boolean): Promise<readonly Diagnosis[]>;
}

export interface Command {
  readonly name: string;
  readonly what: string;
  readonly usage: string;
  readonly options: readonly (readonly [string, string])[];
  /** Answers with the exit status: 0 done, 1 found something wrong, 2 usage. */
  run(argv: readonly string[], context: CommandContext): Promise<number>;
}
