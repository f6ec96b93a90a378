/** Definitions of owner rows (contract §3): validated with every violation at once, then parsed. */
import type { Fault } from '../../kernel/fault.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Authority, Risk } from '../capabilities/row.ts';
import { outputSchemaProblem } from './output-schema.ts';
import type { FnTarget, HttpTarget, RowArgument, RowDefinition } from './tables.ts';
import { placeholderProblem, secretNames, templateProblem } from './url-template.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface DefinitionInput {
  readonly type: 'http' | 'fn';
  readonly method?: (typeof methods)[number] | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: JsonObject | undefined;
  readonly module?: string | undefined;
  readonly module_sha256?: string | undefined;
  readonly args?: readonly ArgumentInput[] | undefined;
  readonly category?: string | undefined;
  readonly auth?: Authority | undefined;
  readonly risk?: Risk | undefined;
  readonly requires_approval?: boolean | undefined;
  readonly timeout_ms?: number | undefined;
  readonly output_schema?: JsonObject | undefined;
}

export interface ArgumentInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly type?: RowArgument['type'] | undefined;
  readonly required?: boolean | undefined;
  readonly rest?: boolean | undefined;
}

export type GivenDefinition = PartialInput<DefinitionInput>;

const secretName = /^[A-Z][A-Z0-9_]{0,39}$/;

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

const wrong = (at: string, problem: string): Violation =>
  violation('malformed', at, `${problem}.`, 'Correct what is named.');

export function definitionRules(given: GivenDefinition): Violation[] {
  const { args, output_schema: schema } = given;
  const schemaProblem = schema == null ? undefined : outputSchemaProblem(schema);
  return [
    ...argumentRules(args ?? []),
    ...(given.type === 'http' ? httpRules(given, args?.length ?? 0) : []),
    ...(given.type === 'fn' ? fnRules(given) : []),
    ...(schemaProblem === undefined ? [] : [wrong('/output_schema', schemaProblem)]),
    // A scrubbed body has lost what it held, and would be kept as a row that can never work.
    ...(JSON.stringify(given).includes('[redacted:')
      ? [wrong('', 'it holds a secret; headers name secrets as {secret:NAME}, set apart from the row')]
      : []),
  ];
}

function argumentRules(args: readonly (PartialInput<ArgumentInput> | null)[]): Violation[] {
  const names = args.map((arg) => arg?.name).filter((name) => typeof name === 'string');
  const optional = args.findIndex((arg) => arg?.required === false);
  return [
    ...args.flatMap((arg, i) =>
      typeof arg?.name !== 'string' || /^[a-z][a-z0-9_]{0,39}$/.test(arg.name)
        ? []
        : [wrong(`/args/${i}/name`, `"${arg.name.slice(0, 40)}" is no name of an argument (a-z, 0-9 and _)`)],
    ),
    ...(new Set(names).size < names.length ? [wrong('/args', 'two arguments have one name')] : []),
    ...(args.slice(0, -1).some((arg) => arg?.rest === true)
      ? [wrong('/args', 'rest stands at the last argument only')]
      : []),
    ...(optional >= 0 && args.slice(optional).some((arg) => arg !== null && (arg.required ?? true))
      ? [wrong('/args', 'a required argument stands behind an optional one')]
      : []),
  ];
}

function httpRules(given: GivenDefinition, args: number): Violation[] {
  const { method, url, body } = given;
  const urlProblem = url === null ? undefined : templateProblem(url ?? '', args);
  const bodyProblem = body == null ? undefined : placeholderProblem(JSON.stringify(body), args, 'body');
  const sendsNone = method === undefined || method === 'GET' || method === 'DELETE';
  return [
    ...(given.module === undefined && given.module_sha256 === undefined
      ? []
      : [wrong('/module', 'an http row has no module')]),
    ...(urlProblem === undefined ? [] : [wrong('/url', urlProblem)]),
    ...headerRules((given.headers ?? {}) as Readonly<Record<string, string | null>>),
    ...(body != null && sendsNone ? [wrong('/body', `${method ?? 'GET'} sends no body`)] : []),
    ...(bodyProblem === undefined ? [] : [wrong('/body', bodyProblem)]),
    // Elsewhere the placeholder itself would be sent, while its author expects the secret.
    ...Object.entries({ url, body })
      .filter(([, part]) => JSON.stringify(part ?? null).includes('{secret:'))
      .map(([name]) => wrong(`/${name}`, `${name} names a secret, which only a header may`)),
  ];
}

function headerRules(headers: Readonly<Record<string, string | null>>): Violation[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const header = `the header ${name.slice(0, 60)}`;
    const problems = [
      ...(!/^[A-Za-z0-9-]{1,60}$/.test(name) || ownHeaders.has(name.toLowerCase())
        ? [`${header} cannot be set`]
        : []),
      ...(value !== null && !/^[\x20-\x7e]*$/.test(value) ? [`${header} holds an odd character`] : []),
      ...(value !== null && /\$[1-9]/.test(value) ? [`${header} holds a placeholder`] : []),
      ...secretNames(value ?? '')
        .filter((secret) => !secretName.test(secret))
        .map((secret) => `"${secret.slice(0, 40)}" is no name of a secret (A-Z, 0-9 and _)`),
    ];
    return problems.map((problem) => wrong(`/headers/${name.slice(0, 60)}`, problem));
  });
}

function fnRules(given: GivenDefinition): Violation[] {
  const { module, module_sha256: sha256, url, method, headers, body } = given;
  return [
    ...(module !== null && !/^[a-z0-9][a-z0-9-]{0,79}\.(?:js|mjs)$/.test(module ?? '')
      ? [wrong('/module', 'module is no file name such as word-count.js')]
      : []),
    ...(sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256 ?? '')
      ? [wrong('/module_sha256', 'module_sha256 is not the hex SHA-256 of the file')]
      : []),
    ...([url, method, headers, body].some((member) => member !== undefined)
      ? [wrong('/type', 'an fn row has no url, method, headers or body')]
      : []),
  ];
}

/** Secrets named by the headers, each once. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(headers).flatMap(secretNames))];
}

export function parseDefinition(input: DefinitionInput): RowDefinition | Fault {
  const bad = refusalOf(
    definitionRules(input),
    'The row',
    'Correct what is named and send the whole definition again.',
  );
  if (bad !== undefined) return bad;
  return {
    target: input.type === 'http' ? httpTarget(input) : fnTarget(input),
    args: (input.args ?? []).map(readArgument),
    category: input.category ?? 'owner',
    auth: input.auth ?? 'share',
    risk: input.risk ?? 'high',
    requires_approval: input.requires_approval ?? false,
    timeout_ms: input.timeout_ms ?? 15_000,
    ...(input.output_schema === undefined ? {} : { output_schema: input.output_schema }),
  };
}

function readArgument(arg: ArgumentInput): RowArgument {
  return {
    name: arg.name,
    description: arg.description ?? '',
    type: arg.type ?? 'string',
    required: arg.required ?? true,
    rest: arg.rest ?? false,
  };
}

function httpTarget(input: DefinitionInput): HttpTarget {
  const { method = 'GET', url = '', headers = {}, body = null } = input;
  return { type: 'http', method, url, headers, body };
}

function fnTarget({ module = '', module_sha256: sha256 = '' }: DefinitionInput): FnTarget {
  return { type: 'fn', module, sha256 };
}
