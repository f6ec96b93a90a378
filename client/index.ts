/**
 * `colophon/client`: a typed client of the HTTP interface (contract §7). Paths, inputs and answers are those of
 * `/api/openapi.json`, from which `types.ts` is generated. A request has a timeout, an answer a size limit, and
 * redirects are not followed, so that a credential reaches no other host. It runs in Node and in browsers.
 */
import type {
  GetOperations,
  Json,
  PatchOperations,
  PostOperations,
  Problem,
  PutOperations,
  Written,
} from './types.ts';

export type * from './types.ts';

export interface ClientOptions {
  /** Where the service is, such as `https://ledger.example`. */
  readonly base: string;
  /** A share (sh.…) or an API key (ck_…). */
  readonly credential?: string | undefined;
  /** The key of the owner. */
  readonly ownerKey?: string | undefined;
  /** Default: 30 seconds. */
  readonly timeoutMs?: number;
  /** Default: 64 MiB, the size of the largest bundle. */
  readonly answerBytesMax?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What may stand beside the input of each operation. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Repeats the first answer for a day instead of writing again. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Input extends RequestOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface Operation {
  readonly input: object;
  readonly answer: unknown;
}
/** The input may be left out where all of it is optional. */
type Given<O extends Operation> = object extends O['input']
  ? [input?: O['input'] & RequestOptions]
  : [input: O['input'] & RequestOptions];

/** The service refused. Nothing was written; `fix` says what to do, `next` has addresses that help. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: Problem['error'];
  readonly status: number;
  readonly gate: Problem['gate'];
  readonly fix: string;
  readonly next: readonly string[];
  readonly retryable: boolean;
  /** All members, such as `current_hash` of `hash_stale`. */
  readonly problem: Problem & { readonly [name: string]: Json | undefined };

  constructor(problem: Refusal['problem']) {
    super(problem.detail);
    this.problem = problem;
    this.code = problem.error;
    this.status = problem.status;
    this.gate = problem.gate;
    this.fix = problem.fix;
    this.next = problem.next;
    this.retryable = problem.retryable;
  }
}

/** A write was accepted and waits for the owner, or is still running: its receipt says what became of it. */
export class Pending extends Error {
  override readonly name = 'Pending';
  readonly answer: Written;

  constructor(answer: Written) {
    super(`${answer.invocation.key} is ${answer.invocation.status} as ${answer.invocation.id}.`);
    this.answer = answer;
  }
}

/** No answer came in time, or one that is not of this service. A write may have happened all the same. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

export class Client {
  readonly #base: string;
  readonly #origin: string;
  /** Without a final slash. */
  readonly #path: string;
  readonly #credentials: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #answerBytesMax: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: ClientOptions) {
    const { base, credential, ownerKey, timeoutMs = 30_000, answerBytesMax = 64 * 1024 * 1024 } = options;
    const url = URL.parse(base);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new TypeError(`"${base}" is no http or https address.`);
    this.#base = base.replace(/\/+$/, '');
    this.#origin = url.origin;
    this.#path = url.pathname.replace(/\/+$/, '');
    this.#credentials = {
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(ownerKey === undefined ? {} : { 'x-terminal-key': ownerKey }),
    };
    this.#timeoutMs = timeoutMs;
    this.#answerBytesMax = answerBytesMax;
    this.#fetch = options.fetch ?? globalThis.fetch;
  }

  get<P extends keyof GetOperations>(
    path: P,
    ...[input]: Given<GetOperations[P]>
  ): Promise<GetOperations[P]['answer']> {
    return this.#call('GET', path, input);
  }

  post<P extends keyof PostOperations>(
    path: P,
    ...[input]: Given<PostOperations[P]>
  ): Promise<PostOperations[P]['answer']> {
    return this.#call('POST', path, input);
  }

  put<P extends keyof PutOperations>(
    path: P,
    ...[input]: Given<PutOperations[P]>
  ): Promise<PutOperations[P]['answer']> {
    return this.#call('PUT', path, input);
  }

  patch<P extends keyof PatchOperations>(
    path: P,
    ...[input]: Given<PatchOperations[P]>
  ): Promise<PatchOperations[P]['answer']> {
    return this.#call('PATCH', path, input);
  }

  /** Another form of a read, such as an article with `format: 'markdown'`. */
  async text<P extends keyof GetOperations>(path: P, ...[input]: Given<GetOperations[P]>): Promise<string> {
    return (await this.#send('GET', this.#address(path, input), input)).text;
  }

  /** Reads an address that an answer names, such as `next`. The type is the caller's to know. */
  async follow<A>(address: string, options?: RequestOptions): Promise<A> {
    return answerOf((await this.#send('GET', new URL(address), options)).text) as A;
  }

  /** An operation that is chosen at run time. The type is the caller's to know. */
  request<A>(method: Method, path: string, input?: Input): Promise<A> {
    return this.#call(method, path, input);
  }

  async #call<A>(method: Method, path: string, input: Input | undefined): Promise<A> {
    const { status, text, isJson } = await this.#send(method, this.#address(path, input), input);
    const answer = isJson ? answerOf(text) : text;
    // A call by /api/dispatch says so itself, by `ran`.
    if (status === 202 && typeof answer === 'object' && answer !== null && !('ran' in answer))
      throw new Pending(answer as Written);
    return answer as A;
  }

  #address(path: string, { path: places = {}, query = {} }: Input = {}): URL {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      (places[name] ?? '').split('/').map(encodeURIComponent).join('/'),
    );
    const url = new URL(this.#base + filled);
    for (const [name, value] of Object.entries(query)) {
      // Named arguments are parameters of their own.
      const members = typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value]];
      for (const [key, member] of members as [string, unknown][])
        if (member !== undefined) url.searchParams.set(key, String(member));
    }
    return url;
  }

  #isOwn({ origin, pathname }: URL): boolean {
    return origin === this.#origin && `${pathname}/`.startsWith(`${this.#path}/`);
  }

  async #send(
    method: Method,
    url: URL,
    { body, headers = {}, idempotencyKey, signal }: Input = {},
  ): Promise<{ readonly status: number; readonly text: string; readonly isJson: boolean }> {
    const at = `${method} ${url.origin}${url.pathname}`;
    const late = AbortSignal.timeout(this.#timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(url, {
        method,
        redirect: 'error',
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
        headers: {
          // Only this service is shown the credential, not what else its host has.
          ...(this.#isOwn(url) ? this.#credentials : {}),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await textWithin(response, this.#answerBytesMax);
    } catch (error) {
      throw new Unanswered(`${at} was not answered: ${reasonOf(error)}.`, { cause: error });
    }
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('application/problem+json')) throw new Refusal(answerOf(text) as Refusal['problem']);
    if (!response.ok)
      throw new Unanswered(`${at} was answered with status ${response.status} by no Colophon.`);
    return { status: response.status, text, isJson: type.startsWith('application/json') };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // `fetch` names the failure of the connection in the cause.
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function answerOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unanswered('The answer is no JSON.', { cause: error });
  }
}

async function textWithin(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  if (response.body === null) return text;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new Error(`the answer is longer than ${bytesMax} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
