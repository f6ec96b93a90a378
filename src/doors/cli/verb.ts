/**
 * One verb of the command line, and the house it works on. The verbs know no store: what puts a deployment
 * together is handed in by `main.ts`.
 */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  readonly logLevel: string;
}

export interface OpenDeployment {
  readonly service: Service;
  /** Set when this start made the owner key. */
  readonly newTerminalKey: string | undefined;
  readonly empty: boolean;
  http(onError?: (error: unknown, url: string) => void): FastifyInstance;
  close(): Promise<void>;
}

export interface ReplayReport {
  readonly entries: number;
  readonly tables: number;
  readonly rows: number;
  readonly differences: readonly {
    readonly table: string;
    readonly key: string;
    readonly replayed: unknown;
    readonly live: unknown;
  }[];
}

export interface AuditReport {
  readonly entries: number;
  readonly contents: number;
  /** Contents among them that were scrubbed, each with a scrub entry that says so. */
  readonly scrubbed: number;
  /** Projected rows compared with their replay; null where that was left out. */
  readonly rows: number | null;
  /** Base64, as the checkpoint has it. */
  readonly root: string;
  readonly problems: readonly string[];
}

export interface House<S extends Settings = Settings> {
  readConfig(env: Readonly<Record<string, string | undefined>>): S;
  compose(
    config: S,
    options?: { readonly acceptRollback?: boolean; readonly onTrouble?: (error: unknown) => void },
  ): Promise<OpenDeployment>;
  audit(
    config: S,
    options: { readonly ledgerOnly: boolean; readonly progress: (done: number, of: number) => void },
  ): Promise<AuditReport>;
  check(config: S, progress: (done: number) => void): Promise<ReplayReport>;
  rebuild(config: S, progress: (done: number) => void): Promise<ReplayReport>;
}

export interface Verb {
  readonly name: string;
  readonly what: string;
  readonly usage: string;
  readonly options: readonly (readonly [string, string])[];
  /** Answers with the exit status: 0 done, 1 found something wrong, 2 usage, 3 not built. */
  run(argv: readonly string[], house: House): Promise<number>;
}
