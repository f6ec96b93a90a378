/**
 * Validates a query against the declaration of its route (contract §2): unknown, missing, repeated and malformed
 * parameters are reported in one refusal. A valid query costs one check per parameter.
 */
import type { TSchema } from 'typebox';
import { wholeNumberOf } from '../../app/reads/whole-number.ts';
import { mergeRefusals, violation } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { textProblem, type JsonObject } from '../../kernel/json.ts';
import type { Operation } from '../../represent/openapi/operation.ts';

/** The declared parameters; without `query`, any. */
export type QueryDeclaration = Pick<Operation, 'query' | 'needed' | 'rules'>;

/** Parameters of every GET. */
const commonParameters = ['soft', 'self'];

/** All faults of a query; undefined if it is valid. */
export function validateQuery(
  query: Readonly<Record<string, unknown>>,
  declaration: QueryDeclaration,
): Fault | undefined {
  const { query: declared, needed, rules } = declaration;
  for (const name in query)
    if (!isDeclared(name, declared) || parameterFault(name, query[name], declared?.[name]) !== undefined)
      return queryFaults(query, declaration);
  if (needed?.some((name) => query[name] === undefined) === true) return queryFaults(query, declaration);
  // All values are strings here.
  return rules === undefined
    ? undefined
    : mergeRefusals('?', ...rules(query as Readonly<Record<string, string>>));
}

function isDeclared(name: string, declared: QueryDeclaration['query']): boolean {
  if (declared === undefined || commonParameters.includes(name)) return true;
  const known = declaredName(name);
  // A parameter that stands for several is sent as its members alone.
  return Object.hasOwn(declared, known) && isNamed(declared[known]) === (known !== name);
}

/** The declared parameter that a name belongs to: `arg` for `arg.slug`. */
export function declaredName(name: string): string {
  const dot = name.indexOf('.');
  return dot > 0 && dot < name.length - 1 ? name.slice(0, dot) : name;
}

function isNamed(schema: Kind | undefined): boolean {
  return schema?.type === 'object';
}

function queryFaults(
  query: Readonly<Record<string, unknown>>,
  { query: declared, needed = [], rules }: QueryDeclaration,
): Fault | undefined {
  const names = Object.keys(query);
  const unknown = names.filter((name) => !isDeclared(name, declared));
  const known = [...Object.keys(declared ?? {}), ...commonParameters];
  const what = ['is no parameter here', 'are no parameters here'] as const;
  const faults: Fault[] =
    unknown.length === 0
      ? []
      : [unknownNamesFault('?', unknown, what, known, { known }, argumentHint(unknown, query, declared))];
  const valid: Record<string, string> = {};
  for (const name of names) {
    // Keys in URLs are always reported, so that they get replaced.
    if (unknown.includes(name) && !isOwnKey(query[name])) continue;
    const wrong = parameterFault(name, query[name], declared?.[name]);
    if (wrong === undefined) valid[name] = query[name] as string;
    else faults.push(wrong);
  }
  for (const name of needed)
    if (query[name] === undefined)
      faults.push(
        parameterViolation(
          'missing',
          name,
          `${name} is missing.`,
          `Send it: ${declared?.[name]?.['description' as never]}.`,
        ),
      );
  const reported = new Set(faults.map(({ details }) => details?.['parameter']));
  const more = (rules?.(valid) ?? []).filter(
    (each) => isFault(each) && !reported.has(each.details?.['parameter'] ?? null),
  );
  return mergeRefusals('?', ...faults, ...more);
}

/** Arguments of a row that are sent as parameters of the address. */
function argumentHint(
  unknown: readonly string[],
  query: Readonly<Record<string, unknown>>,
  declared: QueryDeclaration['query'],
): string {
  return isNamed(declared?.['arg']) && query['invoke'] !== undefined
    ? `Write an argument of the row as arg.<name>: ${unknown.map((name) => `arg.${name.slice(0, 60)}=…`).join('&')}. Else use only`
    : 'Use only';
}

function isOwnKey(value: unknown): boolean {
  return typeof value === 'string' && /^(?:ck|tk)_/.test(value);
}

interface Kind {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly maximum?: number;
}

function parameterFault(name: string, value: unknown, schema: TSchema | undefined): Fault | undefined {
  if (typeof value !== 'string')
    return parameterViolation(
      'repeated',
      name,
      `"${name}" is given more than once.`,
      'Send each parameter once.',
    );
  if (isOwnKey(value))
    return parameterViolation(
      'key_in_address',
      name,
      'A key may not stand in a URL.',
      'Send it in the Authorization or x-terminal-key header, and replace it: URLs are kept in logs.',
    );
  const bad = textProblem(value);
  if (bad !== undefined)
    return parameterViolation(
      'malformed',
      name,
      `"${name}" cannot be read: ${bad}.`,
      'Send well-formed UTF-8 without NUL.',
    );
  const { type, enum: values, maximum } = (schema ?? {}) as Kind;
  if (values !== undefined && !values.includes(value))
    return parameterViolation(
      'not_one_of',
      name,
      `"${name}" is "${value.slice(0, 40)}" and must be one of ${values.join(', ')}.`,
      `Use one of ${values.join(', ')}, or leave it out.`,
    );
  if (type !== 'integer' || maximum === undefined) return undefined;
  const number = wholeNumberOf(value, name, 0, maximum);
  return isFault(number) ? parameterViolation('out_of_bounds', name, number.message, number.fix) : undefined;
}

function parameterViolation(code: string, name: string, message: string, fix: string): Fault {
  const violations = [violation(code, `?${name.slice(0, 60)}`, message, fix)];
  return fault('invalid_request', message, fix, { parameter: name, violations });
}

/** Number of names in one refusal. */
const namedMax = 20;

/** One refusal that names all unknown parameters. */
export function unknownNamesFault(
  inside: '?' | '/',
  names: readonly string[],
  what: readonly [one: string, several: string],
  known: readonly string[],
  more: JsonObject = {},
  hint = 'Use only',
): Fault {
  const shown = names.slice(0, namedMax).map((name) => name.slice(0, 60));
  const [first] = shown as [string];
  const fix = `${hint}: ${known.join(', ')}.`;
  const violations = shown.map((name) =>
    violation('unknown_parameter', `${inside}${name}`, `"${name}" ${what[0]}.`, fix),
  );
  return fault(
    'invalid_request',
    `${shown.map((name) => `"${name}"`).join(', ')} ${shown.length === 1 ? what[0] : what[1]}.`,
    fix,
    {
      parameter: first,
      ...(shown.length === 1 ? {} : { parameters: shown }),
      ...more,
      violations,
    },
  );
}
