/**
 * Parses and validates the arguments of a call (contract §3): a JSON object names them; any other body is positional
 * (`positional.ts`). A GET may name each argument as text (`arg.<name>=`), which is parsed by the schema of the row.
 * Invalid arguments give a `body_mismatch` with every violation, the row's inputs and an example.
 */
import { Compile } from 'typebox/compile';
import type { TObject } from 'typebox';
import type { ArticleState } from '../articles/state.ts';
import type { Outside } from '../outside/outside.ts';
import { excludeDuplicatePaths, summarize, violation, type Violation } from '../violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, textProblem, parseJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { sizeLimits, type SizeLimits } from '../../kernel/size-limits.ts';
import { currentBodyRule, splitBody, type BodyRule } from './positional.ts';
import { collectSchemaErrors } from './schema-errors.ts';
import { isRequired, placedNames, type Row } from './row.ts';
import { excerptOf } from '../../kernel/text.ts';

type Validator = ReturnType<typeof Compile<TObject>>;
const validators = new WeakMap<Row, Validator>();

/** `rule`: the rule that the body was written under; a receipt's own for a replay. */
export function argumentsOf(
  row: Row,
  body: string,
  limits: SizeLimits = sizeLimits,
  rule: BodyRule = currentBodyRule,
): JsonObject | Fault {
  const bad = textProblem(body);
  if (bad !== undefined) return mismatch(row, [`the body cannot be read: ${bad}`]);
  const named = body.trimStart().startsWith('{') ? parseJson(body) : undefined;
  if (named !== undefined && !isFault(named))
    return checkArguments(row, named.value as JsonObject, limits, rule);
  // A body that starts like JSON but is not may still be positional text; if both fail, report the JSON error.
  const args = positional(row, body, rule);
  const checked = isFault(args) ? args : checkArguments(row, args, limits, rule);
  if (!isFault(checked) || named === undefined || !isFault(named)) return checked;
  return isUnfilled(checked) ? checked : mismatch(row, [named.message]);
}

/**
 * The body of a call whose arguments were given as texts by name (`arg.<name>=<text>`): the JSON object of them. A text
 * without a meaning for its type stays text and is refused as such; an empty text leaves an optional argument out.
 */
export function bodyOfTexts(row: Row, texts: Readonly<Record<string, string>>): string {
  const args = Object.entries(texts).flatMap(([name, text]): [string, JsonValue][] => {
    if (!Object.hasOwn(row.input.properties, name)) return [[name, text]];
    if (text === '' && !isRequired(row, name)) return [];
    return [[name, coerce(text, row.input.properties[name] as ArgumentSchema)]];
  });
  return canonicalJson(Object.fromEntries(args));
}

/** A refusal of arguments, with the valid ones, so that further rules can be checked. */
export interface ValidationFault extends Fault {
  /** Arguments with null in place of each invalid value. */
  readonly fits: JsonObject;
}

/** Checks arguments by name; used for bodies, for protocol routes and for the operations of a batch. */
export function checkArguments(
  row: Row,
  given: JsonObject,
  limits: SizeLimits = sizeLimits,
  rule: BodyRule = currentBodyRule,
): JsonObject | ValidationFault {
  const args = withSwitches(row, given);
  let validator = validators.get(row);
  if (validator === undefined) validators.set(row, (validator = Compile(row.input)));
  const unfilled = rule === 1 ? [] : placeholdersIn(row, args);
  const valid = validator.Check(args);
  if (valid && unfilled.length === 0) return args;
  const { violations, more, fits } = valid
    ? { violations: [], more: 0, fits: args }
    : collectSchemaErrors(row.input, args);
  const all = [
    ...unfilled.map(placeholderViolation),
    ...violations.filter(({ at }) => !unfilled.some((each) => at === each.at)),
  ];
  const shape = {
    violations: all,
    problems: problemsOf(row, args, all, more),
    fits: {
      ...(fits as JsonObject),
      ...Object.fromEntries(unfilled.map(({ at }) => [at.split('/')[1] as string, null])),
    },
  };
  return validationFault(row, shape, limits);
}

interface Placeholder {
  /** JSON pointer. */
  readonly at: string;
  readonly value: string;
}

/** Arguments, and declared members of objects and lists of them, whose value is still a placeholder of a template. */
function placeholdersIn(row: Row, args: JsonObject): readonly Placeholder[] {
  return Object.entries(args).flatMap(([name, value]) => {
    if (typeof value === 'string') {
      const isLeft = row.argNames.some((each) => value === `{${each}}`);
      return isLeft ? [{ at: `/${name}`, value }] : [];
    }
    const { properties, items } = (row.input.properties[name] ?? {}) as NestedSchema;
    if (Array.isArray(value))
      return value.flatMap((item, i) => placeholdersOf(items?.properties, item, `/${name}/${i}`));
    return placeholdersOf(properties, value, `/${name}`);
  });
}

interface NestedSchema {
  readonly properties?: object;
  readonly items?: { readonly properties?: object };
}

/** Members that hold their own name in braces. */
function placeholdersOf(declared: object = {}, value: unknown, at: string): Placeholder[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, text]) =>
    Object.hasOwn(declared, name) && text === `{${name}}`
      ? [{ at: `${at}/${name}`, value: String(text) }]
      : [],
  );
}

function isUnfilled({ details }: Fault): boolean {
  const violations = (details?.['violations'] ?? []) as readonly Violation[];
  return violations.some(({ code }) => code === 'placeholder');
}

function placeholderViolation({ at, value }: Placeholder): Violation {
  const name = at.slice(1).replaceAll('/', '.');
  return violation(
    'placeholder',
    at,
    `${name} is still the placeholder ${value}.`,
    `Put the value itself in place of ${value}, or leave ${name} out where it is optional.`,
  );
}

interface CheckedArguments {
  readonly violations: readonly Violation[];
  readonly problems: readonly string[];
  readonly fits: JsonObject;
}

/** Reports schema errors and violated rules together. */
function validationFault(
  row: Row,
  { violations, problems, fits }: CheckedArguments,
  limits: SizeLimits,
): ValidationFault {
  const broken = excludeDuplicatePaths(violations, row.rules?.(fits, undefined, limits) ?? []).filter(
    ({ severity }) => severity === 'error',
  );
  const allProblems = [...problems, ...broken.map(summarize)];
  const refusal = mismatch(row, allProblems, [...violations, ...broken]);
  return { ...refusal, fits };
}

/** All violations that the named arguments show by themselves. */
export function collectViolations(row: Row, given: JsonObject, limits: SizeLimits): readonly Violation[] {
  const args = checkArguments(row, given, limits);
  if (isFault(args)) return (args.details?.['violations'] ?? []) as readonly Violation[];
  return (row.rules?.(args, undefined, limits) ?? []).filter(({ severity }) => severity === 'error');
}

/** Adds the violations that depend on the article; only for callers who may read it. */
export function withArticleViolations(
  row: Row,
  refusal: Fault,
  article: ArticleState,
  limits: SizeLimits,
): Fault {
  return withFurtherViolations(row, refusal, (fits) => row.rules?.(fits, article, limits) ?? []);
}

/** Adds the violations that depend on this deployment. */
export function withDeploymentViolations(row: Row, refusal: Fault, outside: Outside): Fault {
  return withFurtherViolations(row, refusal, (fits) => row.rulesHere?.(fits, outside) ?? []);
}

function withFurtherViolations(
  row: Row,
  refusal: Fault,
  rules: (fits: JsonObject) => readonly Violation[],
): Fault {
  const { fits } = refusal as Partial<ValidationFault>;
  if (fits === undefined) return refusal;
  const reported = (refusal.details?.['violations'] ?? []) as readonly Violation[];
  const more = excludeDuplicatePaths(reported, rules(fits)).filter(({ severity }) => severity === 'error');
  if (more.length === 0) return refusal;
  const problems = [...((refusal.details?.['problems'] ?? []) as readonly string[]), ...more.map(summarize)];
  return { ...mismatch(row, problems, [...reported, ...more]), fits } as ValidationFault;
}

/** Converts 0 and 1 to booleans, as the specification writes switches (spec §2.6.1). */
function withSwitches(row: Row, given: JsonObject): JsonObject {
  const switched = Object.entries(given).filter(
    ([name, value]) =>
      (value === 0 || value === 1) &&
      Object.hasOwn(row.input.properties, name) &&
      (row.input.properties[name] as { readonly type?: string }).type === 'boolean',
  );
  if (switched.length === 0) return given;
  return { ...given, ...Object.fromEntries(switched.map(([name, value]) => [name, value === 1])) };
}

/** Summaries of the violations for one sentence; all unknown members in a single item. */
function problemsOf(
  row: Row,
  args: JsonObject,
  violations: readonly Violation[],
  more: number,
): readonly string[] {
  const strangers = Object.keys(args).filter((name) => !Object.hasOwn(row.input.properties, name));
  const isStranger = ({ code, at }: Violation): boolean =>
    code === 'unknown_argument' && at.lastIndexOf('/') === 0;
  const others = violations.filter((each) => !isStranger(each));
  const problems = [
    ...(others.length === violations.length ? [] : [`unknown: ${unknownNames(strangers)}`]),
    ...others.slice(0, problemsMax).map(summarize),
  ];
  const untold = Math.max(0, others.length - problemsMax) + (strangers.length > problemsMax ? 0 : more);
  if (untold > 0) problems.push(`and ${untold} more`);
  return problems.length > 0 ? problems : ['a member is unknown or has another type'];
}

const problemsMax = 20;

/** The first `problemsMax` names. */
function unknownNames(names: readonly string[]): string {
  const more = names.length - problemsMax;
  return `${names.slice(0, problemsMax).map(short).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function short(name: string): string {
  return excerptOf(name, 60);
}

export function mismatch(
  row: Row,
  problems: readonly string[],
  violations: readonly Violation[] = [],
  fix = 'Correct the body as inputs and example show, and send it as a repair of this invocation.',
): Fault {
  return fault('body_mismatch', `The body does not fit ${row.key}: ${problems.join('; ')}.`, fix, {
    ...inputsOf(row),
    problems,
    ...(violations.length === 0 ? {} : { violations }),
  });
}

/** Adds the row's inputs and example to a `body_mismatch` that a decision returned. */
export function withInputs(row: Row, refusal: Fault): Fault {
  if (refusal.fault !== 'body_mismatch' || refusal.details?.['inputs'] !== undefined) return refusal;
  return { ...refusal, details: { ...refusal.details, ...inputsOf(row) } };
}

function inputsOf(row: Row): { readonly inputs: JsonValue; readonly example: string } {
  return { inputs: JSON.parse(JSON.stringify(row.input)) as JsonValue, example: row.contract.example };
}

function positional(row: Row, body: string, rule: BodyRule): JsonObject | Fault {
  const names = placedNames(row);
  if (names.length === 0) return body.trim() === '' ? {} : mismatch(row, ['it takes no arguments']);
  const parts =
    body === ''
      ? []
      : splitBody(body, row.rest === undefined ? Number.POSITIVE_INFINITY : names.indexOf(row.rest), rule);
  if (parts.length > names.length)
    return mismatch(
      row,
      [`it takes ${names.length} arguments, ${parts.length} were given`],
      [],
      String.raw`Write a pipe inside a text as \|, or name the arguments: arg.<name>=<text> in an address, a JSON object in a body. Send it as a repair of this invocation.`,
    );
  const args: Record<string, JsonValue> = {};
  for (const [i, part] of parts.entries()) {
    const name = names[i] as string;
    const value = coerce(part, row.input.properties[name] as ArgumentSchema);
    if (part === '' && !isRequired(row, name)) continue;
    args[name] = value;
  }
  return args;
}

interface ArgumentSchema {
  readonly type?: string;
  readonly items?: { readonly type?: string };
}

/**
 * Converts a text to the type that the schema names: decimal numbers; 0, 1, true and false; objects as JSON; lists as
 * JSON, lists of texts also separated by commas. Text stays as it is, so that null cannot be given as a text.
 */
export function coerce(part: string, schema: ArgumentSchema): JsonValue {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(part.trim()) ? Number(part) : part;
    case 'boolean':
      return part === '1' || part === 'true' ? true : part === '0' || part === 'false' ? false : part;
    case 'array':
    case 'object': {
      const parsed = parseJson(part);
      if (!isFault(parsed)) return parsed.value;
      return schema.type === 'array' && schema.items?.type !== 'object'
        ? part
            .split(',')
            .map((item) => item.trim())
            .filter((item) => item !== '')
        : part;
    }
    default:
      return part;
  }
}
