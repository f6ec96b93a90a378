/** What the owner's rows ask of the outside: a request whose secrets are filled in behind the ledger, or a function. */
import type { JsonObject } from '../../kernel/json.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Result } from '../context.ts';
import type { FetchMethod } from './fetch.ts';

export interface HttpCall {
  readonly tenant: string;
  readonly key: string;
  readonly method: FetchMethod;
  readonly url: string;
  /** `{secret:NAME}` is replaced by the row's secret at the last moment. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ModuleCall {
  /** File name in the configured folder. */
  readonly module: string;
  /** Hex SHA-256 that its bytes must have. */
  readonly sha256: string;
  readonly args: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type CallHttp = (call: HttpCall) => Promise<Result | Fault>;
/** What a call lacks in this deployment, as far as that can be told before it fires; nothing where it may try. */
export type HttpLacks = (
  call: Pick<HttpCall, 'tenant' | 'key' | 'url' | 'headers'>,
) => Promise<Fault | undefined>;
export type ModuleLacks = (call: Pick<ModuleCall, 'module' | 'sha256'>) => Promise<Fault | undefined>;
export type RunModule = (call: ModuleCall) => Promise<Result | Fault>;
