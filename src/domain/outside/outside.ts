/**
 * Ports to everything outside the store. An effect names the ports that it needs and gets only those. Nothing here connects;
 * `app/outside` implements the ports behind the egress guard.
 */
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Result } from '../context.ts';
import type { Creative } from '../creative/run.ts';
import type { Images } from '../images/store-image.ts';
import type { Usage } from '../yield.ts';
import type { RepositoryTail } from '../../model/outside.ts';
import type { Job } from '../job.ts';

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
  readonly images: Images;
  /** Undefined where none is configured. */
  readonly model: Model | undefined;
  readonly sendMail: SendMail;
  /** Why no mail can be sent, where none is configured. */
  readonly mailLacks: () => Fault | undefined;
}

// Mail

export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same on every attempt. */
  readonly messageId: string;
}

/** The SMTP status, or a Fault with `details.status`. */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<number | Fault>;

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
/** What a call lacks in this deployment, as far as that is known before it fires; undefined where it may try. */
export type HttpLacks = (
  call: Pick<HttpCall, 'tenant' | 'key' | 'url' | 'headers'>,
) => Promise<Fault | undefined>;
export type ModuleLacks = (call: Pick<ModuleCall, 'module' | 'sha256'>) => Promise<Fault | undefined>;
export type RunModule = (call: ModuleCall) => Promise<Result | Fault>;

// REPO_TAIL (spec §2.6.1): repository metadata, root listing and the latest commits

/** What is missing for it to be read, where that is known at once. */
export type RepositoryLacks = () => Fault | undefined;
export type ReadRepository = (signal: AbortSignal) => Promise<RepositoryTail | Fault>;

// Fetching: implemented behind the egress guard

export type FetchMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface FetchRequest {
  readonly url: string;
  readonly method?: FetchMethod;
  /** Beside those that the fetcher sets itself; sent to the first host only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How many redirects are followed; 5 when left out. Only GET and HEAD follow any. */
  readonly redirectsMax?: number;
  /** Bytes of the decoded body; 2 MiB when left out. More is a refusal, never a cut text. */
  readonly bytesMax?: number;
  /** Milliseconds from the first look-up to the last byte; 15,000 when left out. */
  readonly timeoutMs?: number;
  /** Media types that are read, such as `text/`; a body of any other is refused unread. All when left out. */
  readonly types?: readonly string[];
  /** The body is not read. */
  readonly statusOnly?: boolean;
  readonly signal?: AbortSignal;
}

export interface Fetched {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly finalUrl: string;
  /** Lower-case names; repeated headers joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Media type in lower case without parameters; '' where the answer names none. */
  readonly type: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

/** A status of 400 and above is an answer like any other; a Fault says that there was none. */
export type Fetch = (request: FetchRequest) => Promise<Fetched | Fault>;

/** What is wrong with a URL, as far as that is known without a request. */
export type JudgeUrl = (url: string) => Fault | undefined;

/** A page's readable text, for those who only want to know what it says. */
export type FetchText = (
  url: string,
) => Promise<{ readonly status: number; readonly finalUrl: string; readonly text: string } | Fault>;

/** A page as it is recorded. A type and not an interface, so that it counts as JSON. */
export type Page = {
  readonly final_url: string;
  readonly status: number;
  readonly content_type: string;
  readonly last_modified: string | null;
  /** Bytes of the decoded body, and their SHA-256. */
  readonly bytes: number;
  readonly sha256: string;
  readonly title: string;
  readonly text: string;
  readonly truncated: boolean;
};

/** Fetches a page and reads its text; HEAD leaves the text empty. */
export type ReadPage = (method: 'GET' | 'HEAD', url: string) => Promise<Page | Fault>;

// Effects of rows: work that reaches outside the store, as a plan names it (contract §3)

/** What reaches outside the store: recorded before it fires, given exactly what it names (law 5). */
export interface Effect {
  readonly do: 'effect';
  readonly needs?: readonly (keyof Outside)[];
  readonly timeoutMs: number;
  /** Work that may outlast a request: after so many milliseconds the caller gets `running`. */
  readonly answerWithinMs?: number;
  /** What this deployment cannot do as it is asked: refused with the arguments, before a use is taken or anything begun. */
  check?(outside: Outside): Fault | undefined | Promise<Fault | undefined>;
  run(signal: AbortSignal, outside: Outside, job: Job): Promise<Result | Fault>;
  /** Takes up what was submitted by a process that has gone; without it, such work ends as interrupted. */
  resume?(submitted: JsonObject, signal: AbortSignal, outside: Outside, job: Job): Promise<Result | Fault>;
}

/** An effect that sees no more of the outside than it names. */
export function effect<N extends keyof Outside>(
  needs: readonly N[],
  timeoutMs: number,
  run: (signal: AbortSignal, outside: Pick<Outside, N>, job: Job) => Promise<Result | Fault>,
): Effect {
  return { do: 'effect', needs, timeoutMs, run };
}
