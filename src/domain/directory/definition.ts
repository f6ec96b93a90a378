/** What an owner's row may be (contract §3): every problem of a definition at once, before anything is written. */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Authority, Risk } from '../capabilities/row.ts';
import {
  argumentTypes,
  type FnTarget,
  type HttpTarget,
  type RowArgument,
  type RowDefinition,
} from './tables.ts';
import { outputSchemaProblem } from './output-schema.ts';
import { placeholderProblem, templateProblem } from './url-template.ts';

export interface DefinitionInput {
  readonly type: string;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: JsonObject | undefined;
  readonly module?: string | undefined;
  readonly module_sha256?: string | undefined;
  readonly args?: readonly ArgumentInput[] | undefined;
  readonly category?: string | undefined;
  readonly auth?: string | undefined;
  readonly risk?: string | undefined;
  readonly requires_approval?: boolean | undefined;
  readonly timeout_ms?: number | undefined;
  readonly output_schema?: JsonObject | undefined;
}

interface ArgumentInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly type?: string | undefined;
  readonly required?: boolean | undefined;
  readonly rest?: boolean | undefined;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const authorities: ReadonlySet<string> = new Set(['none', 'share', 'owner']);
const argumentsMax = 9;
const secretName = /^[A-Z][A-Z0-9_]{0,39}$/;
const secretPlaceholder = /\{secret:([^}]*)\}/g;

/** Headers that belong to the connection, or that would speak for another host. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'expect',
]);

/** Secrets named by the headers, each once. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  const names = Object.values(headers).flatMap((value) =>
    Array.from(value.matchAll(secretPlaceholder), ([, name]) => name as string),
  );
  return [...new Set(names)];
}

export function readDefinition(input: DefinitionInput): RowDefinition | Fault {
  const problems: string[] = [];
  const args = (input.args ?? []).map((arg) => readArgument(arg, problems));
  if (args.length > argumentsMax) problems.push(`more than ${argumentsMax} arguments`);
  if (new Set(args.map(({ name }) => name)).size < args.length) problems.push('two arguments of one name');
  if (args.slice(0, -1).some(({ rest }) => rest)) problems.push('rest stands at the last argument only');
  const firstOptional = args.findIndex(({ required }) => !required);
  if (firstOptional >= 0 && args.slice(firstOptional).some(({ required }) => required))
    problems.push('a required argument stands behind an optional one');
  const target =
    input.type === 'http'
      ? readHttp(input, args.length, problems)
      : input.type === 'fn'
        ? readFn(input, problems)
        : undefined;
  if (target === undefined) problems.push('type is neither http nor fn');
  const auth = input.auth ?? 'share';
  if (!authorities.has(auth)) problems.push('auth is none of none, share, owner');
  const risk = input.risk ?? 'high';
  if (risk !== 'low' && risk !== 'high') problems.push('risk is neither low nor high');
  const wrongOutput =
    input.output_schema === undefined ? undefined : outputSchemaProblem(input.output_schema);
  if (wrongOutput !== undefined) problems.push(wrongOutput);
  // A scrubbed body has lost what it held, and would be kept as a row that can never work.
  if (JSON.stringify(input).includes('[redacted:'))
    problems.push('it holds a secret; headers name secrets as {secret:NAME}, set apart from the row');
  if (problems.length > 0 || target === undefined) return wrong(problems);
  return {
    target,
    args,
    category: input.category ?? 'owner',
    auth: auth as Authority,
    risk: risk as Risk,
    requires_approval: input.requires_approval ?? false,
    timeout_ms: input.timeout_ms ?? 15_000,
    ...(input.output_schema === undefined ? {} : { output_schema: input.output_schema }),
  };
}

function readArgument(arg: ArgumentInput, problems: string[]): RowArgument {
  const type = arg.type ?? 'string';
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(arg.name))
    problems.push(`"${arg.name.slice(0, 40)}" is no name of an argument (a-z, 0-9 and _)`);
  if (!(argumentTypes as readonly string[]).includes(type))
    problems.push(`the type of ${arg.name.slice(0, 40)} is none of ${argumentTypes.join(', ')}`);
  return {
    name: arg.name,
    description: arg.description ?? '',
    type: type as RowArgument['type'],
    required: arg.required ?? true,
    rest: arg.rest ?? false,
  };
}

function readHttp(input: DefinitionInput, args: number, problems: string[]): HttpTarget {
  const method = input.method ?? 'GET';
  if (!(methods as readonly string[]).includes(method))
    problems.push(`method is none of ${methods.join(', ')}`);
  if (input.module !== undefined || input.module_sha256 !== undefined)
    problems.push('an http row has no module');
  const url = input.url ?? '';
  const wrongUrl = templateProblem(url, args);
  if (wrongUrl !== undefined) problems.push(wrongUrl);
  const headers = input.headers ?? {};
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9-]{1,60}$/.test(name) || ownHeaders.has(name.toLowerCase()))
      problems.push(`the header ${name.slice(0, 60)} cannot be set`);
    if (!/^[\x20-\x7e]*$/.test(value))
      problems.push(`the header ${name.slice(0, 60)} holds an odd character`);
    if (/\$[1-9]/.test(value)) problems.push(`the header ${name.slice(0, 60)} holds a placeholder`);
  }
  for (const name of secretsOf(headers))
    if (!secretName.test(name))
      problems.push(`"${name.slice(0, 40)}" is no name of a secret (A-Z, 0-9 and _)`);
  if (input.body !== undefined) {
    if (method === 'GET' || method === 'DELETE') problems.push(`${method} sends no body`);
    const wrongBody = placeholderProblem(JSON.stringify(input.body), args, 'body');
    if (wrongBody !== undefined) problems.push(wrongBody);
  }
  return { type: 'http', method: method as HttpTarget['method'], url, headers, body: input.body ?? null };
}

function readFn(input: DefinitionInput, problems: string[]): FnTarget {
  const module = input.module ?? '';
  if (!/^[a-z0-9][a-z0-9-]{0,79}\.(?:js|mjs)$/.test(module))
    problems.push('module is no file name such as word-count.js');
  const sha256 = input.module_sha256 ?? '';
  if (!/^[0-9a-f]{64}$/.test(sha256)) problems.push('module_sha256 is not the hex SHA-256 of the file');
  if ([input.url, input.method, input.headers, input.body].some((member) => member !== undefined))
    problems.push('an fn row has no url, method, headers or body');
  return { type: 'fn', module, sha256 };
}

function wrong(problems: readonly string[]): Fault {
  return fault(
    'body_mismatch',
    `The row cannot be made: ${problems.join('; ')}.`,
    'Correct what is named and send the whole definition again.',
    { problems },
  );
}
