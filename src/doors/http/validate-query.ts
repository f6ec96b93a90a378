/**
 * Parameters of an address against the declaration of their route (contract §2): what is unknown, missing, sent twice
 * or of a wrong kind is told in one refusal. Judging a request that is in order costs a look at each parameter; the
 * refusal is gathered only where something is wrong.
 */
import type { TSchema } from 'typebox';
import { wholeNumberOf } from '../../app/reads/define-read.ts';
import { allWrong, violation } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { textProblem, type JsonObject } from '../../kernel/json.ts';
import type { Operation } from '../../represent/openapi/operation.ts';

/** What a route takes; without `query`, whatever comes. */
export type QueryDeclaration = Pick<Operation, 'query' | 'needed' | 'rules'>;

/** Parameters that every GET takes. */
const everywhere = ['soft', 'self'];

/** Everything that is wrong with a query; nothing where it is in order. */
export function validateQuery(
  query: Readonly<Record<string, unknown>>,
  taking: QueryDeclaration,
): Fault | undefined {
  const { query: taken, needed, rules } = taking;
  for (const name in query)
    if (!isTaken(name, taken) || wrongWith(name, query[name], taken?.[name]) !== undefined)
      return queryFaults(query, taking);
  if (needed?.some((name) => query[name] === undefined) === true) return queryFaults(query, taking);
  // Whatever else is told by them, the query is one of texts here.
  return rules === undefined ? undefined : allWrong('?', ...rules(query as Readonly<Record<string, string>>));
}

function isTaken(name: string, taken: QueryDeclaration['query']): boolean {
  return taken === undefined || Object.hasOwn(taken, name) || everywhere.includes(name);
}

function queryFaults(
  query: Readonly<Record<string, unknown>>,
  { query: taken, needed = [], rules }: QueryDeclaration,
): Fault | undefined {
  const names = Object.keys(query);
  const unknown = names.filter((name) => !isTaken(name, taken));
  const known = [...Object.keys(taken ?? {}), ...everywhere];
  const what = ['is no parameter here', 'are no parameters here'] as const;
  const faults: Fault[] = unknown.length === 0 ? [] : [unknownNames('?', unknown, what, known, { known })];
  const fits: Record<string, string> = {};
  for (const name of names) {
    // A key is to be replaced, whatever it was sent as.
    if (unknown.includes(name) && !isOwnKey(query[name])) continue;
    const wrong = wrongWith(name, query[name], taken?.[name]);
    if (wrong === undefined) fits[name] = query[name] as string;
    else faults.push(wrong);
  }
  for (const name of needed)
    if (query[name] === undefined)
      faults.push(
        wrongly(
          'missing',
          name,
          `${name} is missing.`,
          `Send it: ${taken?.[name]?.['description' as never]}.`,
        ),
      );
  const told = new Set(faults.map(({ details }) => details?.['parameter']));
  const more = (rules?.(fits) ?? []).filter(
    (each) => isFault(each) && !told.has(each.details?.['parameter'] ?? null),
  );
  return allWrong('?', ...faults, ...more);
}

function isOwnKey(value: unknown): boolean {
  return typeof value === 'string' && /^(?:ck|tk)_/.test(value);
}

interface Kind {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly maximum?: number;
}

function wrongWith(name: string, value: unknown, schema: TSchema | undefined): Fault | undefined {
  if (typeof value !== 'string')
    return wrongly('repeated', name, `"${name}" is given more than once.`, 'Send each parameter once.');
  if (isOwnKey(value))
    return wrongly(
      'key_in_address',
      name,
      'A key may not stand in a URL.',
      'Send it in the Authorization or x-terminal-key header, and replace it: URLs are kept in logs.',
    );
  const bad = textProblem(value);
  if (bad !== undefined)
    return wrongly(
      'malformed',
      name,
      `"${name}" cannot be read: ${bad}.`,
      'Send well-formed UTF-8 without NUL.',
    );
  const { type, enum: values, maximum } = (schema ?? {}) as Kind;
  if (values !== undefined && !values.includes(value))
    return wrongly(
      'not_one_of',
      name,
      `"${name}" is "${value.slice(0, 40)}" and must be one of ${values.join(', ')}.`,
      `Use one of ${values.join(', ')}, or leave it out.`,
    );
  if (type !== 'integer' || maximum === undefined) return undefined;
  const number = wholeNumberOf(value, name, 0, maximum);
  return isFault(number) ? wrongly('out_of_bounds', name, number.message, number.fix) : undefined;
}

function wrongly(code: string, name: string, message: string, fix: string): Fault {
  const violations = [violation(code, `?${name.slice(0, 60)}`, message, fix)];
  return fault('invalid_request', message, fix, { parameter: name, violations });
}

/** Names of one refusal; more of them help nobody. */
const namedMax = 20;

/** One refusal that names everything unknown; `what` is said of a single name. */
export function unknownNames(
  inside: '?' | '/',
  names: readonly string[],
  what: readonly [one: string, several: string],
  known: readonly string[],
  more: JsonObject = {},
): Fault {
  const shown = names.slice(0, namedMax).map((name) => name.slice(0, 60));
  const [first] = shown as [string];
  const fix = `Use only: ${known.join(', ')}.`;
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
