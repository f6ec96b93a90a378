/**
 * Ports to everything outside the store. An effect names the ports that it needs and gets only those. Nothing here connects;
 * `app/outside` implements the ports behind the egress guard.
 */
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Result } from '../context.ts';
import type { Creative } from '../creative/run.ts';
import type { Usage } from '../yield.ts';
import type { Fetch, FetchMethod, FetchText, JudgeUrl, ReadPage } from './fetch.ts';

export interface Outside {
  /** Requests to hosts that a caller named, behind the egress guard. */
  readonly fetch: Fetch;
  readonly judgeUrl: JudgeUrl;
  readonly fetchText: FetchText;
  readonly readPage: ReadPage;
  readonly callHttp: CallHttp;
  readonly httpLacks: HttpLacks;
  readonly runModule: RunModule;
  readonly moduleLacks: ModuleLacks;
  readonly readRepository: ReadRepository;
  readonly repositoryLacks: RepositoryLacks;
  readonly creative: Creative;
  /** Undefined where none is configured. */
  readonly model: Model | undefined;
}

// Language models

export interface WritingTask {
  /** What the service wants; the only instruction that the model is given. */
  readonly system: string;
  /** The question and the passages, marked as data. */
  readonly prompt: string;
  readonly tokensOutMax: number;
}

/** What a model wrote, unchecked. */
export interface Writing {
  readonly text: string;
  readonly usage: Usage;
}

export interface Model {
  /** `provider:model`, as receipts name it. */
  readonly name: string;
  /** Sent once, never again by itself. */
  write(task: WritingTask, signal: AbortSignal): Promise<Writing | Fault>;
}

// Owner rows: HTTP requests with secrets that the ledger never sees, and functions

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

// REPO_TAIL (spec §2.6.1): repository metadata, root listing and the latest commits

/** Types and not interfaces, so that they count as JSON. */
export type RepositoryEntry = {
  readonly name: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  /** Bytes of a file; null for a folder. */
  readonly size: number | null;
};

export type RepositoryCommit = {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly ts: string;
  readonly subject: string;
};

export type RepositoryTail = {
  readonly name: string;
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  readonly head: string;
  readonly object_format: string;
  readonly root: readonly RepositoryEntry[];
  /** Whether the root has more entries than are listed. */
  readonly root_truncated: boolean;
  /** Newest first. */
  readonly commits: readonly RepositoryCommit[];
};

/** What is missing for it to be read, where that is known at once. */
export type RepositoryLacks = () => Fault | undefined;
export type ReadRepository = (signal: AbortSignal) => Promise<RepositoryTail | Fault>;
