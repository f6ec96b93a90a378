/**
 * From a call's body to a row's arguments (contract §3): a JSON object is arguments by name; anything else is
 * split on `|`, and a `$N+` argument takes the rest with its pipes. What does not fit is a `body_mismatch`
 * that shows the inputs and a working example.
 */
import { Compile } from 'typebox/compile';
import type { TObject } from 'typebox';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { badText, parseJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Row } from './row.ts';

type Validator = ReturnType<typeof Compile<TObject>>;
const validators = new WeakMap<Row, Validator>();

export function argumentsOf(row: Row, body: string): JsonObject | Fault {
  const bad = badText(body);
  if (bad !== undefined) return mismatch(row, [`the body cannot be read: ${bad}`]);
  const named = body.trimStart().startsWith('{') ? parseJson(body) : undefined;
  if (named !== undefined && !isFault(named)) return checkArguments(row, named.value as JsonObject);
  // A body that opens like JSON but is none may still be a text for a positional row; one that fails both says so.
  const args = positional(row, body);
  const checked = isFault(args) ? args : checkArguments(row, args);
  return isFault(checked) && named !== undefined && isFault(named) ? mismatch(row, [named.message]) : checked;
}

/** Checks arguments by name; used for bodies, for protocol routes and for the operations of a batch. */
export function checkArguments(row: Row, given: JsonObject): JsonObject | Fault {
  const args = withSwitches(row, given);
  let validator = validators.get(row);
  if (validator === undefined) validators.set(row, (validator = Compile(row.input)));
  if (validator.Check(args)) return args;
  return mismatch(row, problemsOf(row, validator, args));
}

/** The specification writes switches as 0 and 1 (spec §2.6.1); by name they may stand as such, too. */
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

function problemsOf(row: Row, validator: Validator, args: JsonObject): string[] {
  const problems = new Set<string>();
  // The validator gives up after a few errors, one for each unknown member; they must not hide their own names.
  const strangers = Object.keys(args).filter((name) => !Object.hasOwn(row.input.properties, name));
  if (
    strangers.length > 0 &&
    (row.input as { readonly additionalProperties?: unknown }).additionalProperties === false
  )
    problems.add(`unknown: ${unknownNames(strangers)}`);
  // What one place could be is told in one line, not in one for each alternative.
  const kinds = new Map<string, string[]>();
  for (const error of validator.Errors(args)) {
    if (error.keyword === 'boolean' || (error.keyword === 'anyOf' && kinds.has(error.instancePath))) continue;
    const where = short(error.instancePath.slice(1));
    if (error.keyword === 'type') {
      const told = kinds.get(error.instancePath);
      const types = [
        ...(told ?? []),
        ...[(error.params as { readonly type: string | string[] }).type].flat(),
      ];
      if (told !== undefined) problems.delete(mustBe(where, told));
      problems.add(mustBe(where, types));
      kinds.set(error.instancePath, types);
      continue;
    }
    const unknown = (error.params as { readonly additionalProperties?: readonly string[] })
      .additionalProperties;
    problems.add(
      unknown === undefined
        ? `${where === '' ? 'the body' : where} ${error.message}`
        : `unknown: ${unknownNames(unknown)}`,
    );
    if (problems.size === problemsMax) break;
  }
  if (problems.size === 0) problems.add('a member is unknown or has another type');
  return [...problems];
}

const problemsMax = 20;

function mustBe(where: string, types: readonly string[]): string {
  const named = types.map((type) => (type === 'boolean' ? 'true or false (1 or 0)' : type));
  return `${where === '' ? 'the body' : where} must be ${named.join(' or ')}`;
}

/** Whoever sends a thousand unknown members is told of the first few. */
function unknownNames(names: readonly string[]): string {
  const more = names.length - problemsMax;
  return `${names.slice(0, problemsMax).map(short).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function short(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name;
}

export function mismatch(row: Row, problems: readonly string[]): Fault {
  return fault(
    'body_mismatch',
    `The body does not fit ${row.key}: ${problems.join('; ')}.`,
    'Correct the body as inputs and example show, and send it as a repair of this invocation.',
    { ...inputsOf(row), problems },
  );
}

/** A decision that finds the body wrong knows no row: what the row takes is shown with it all the same. */
export function showingInputs(row: Row, refusal: Fault): Fault {
  if (refusal.fault !== 'body_mismatch' || refusal.details?.['inputs'] !== undefined) return refusal;
  return { ...refusal, details: { ...refusal.details, ...inputsOf(row) } };
}

function inputsOf(row: Row): { readonly inputs: JsonValue; readonly example: string } {
  return { inputs: JSON.parse(JSON.stringify(row.input)) as JsonValue, example: row.contract.example };
}

function positional(row: Row, body: string): JsonObject | Fault {
  const names = row.argNames;
  if (names.length === 0) return body.trim() === '' ? {} : mismatch(row, ['it takes no arguments']);
  const parts = body === '' ? [] : split(body, names, row.rest);
  if (parts.length > names.length)
    return mismatch(row, [`it takes ${names.length} arguments, ${parts.length} were given`]);
  const args: Record<string, JsonValue> = {};
  for (const [i, part] of parts.entries()) {
    const name = names[i] as string;
    const value = coerce(part, row.input.properties[name] as { readonly type?: string });
    if (part === '' && !isRequired(row, name)) continue;
    args[name] = value;
  }
  return args;
}

function split(body: string, names: readonly string[], rest: string | undefined): string[] {
  const at = rest === undefined ? -1 : names.indexOf(rest);
  const parts = body.split('|');
  if (at < 0 || parts.length <= at + 1) return parts;
  return [...parts.slice(0, at), parts.slice(at).join('|')];
}

function isRequired(row: Row, name: string): boolean {
  return ((row.input as { readonly required?: readonly string[] }).required ?? []).includes(name);
}

/** A positional argument is text; the schema says what the text stands for. */
function coerce(part: string, schema: { readonly type?: string }): JsonValue {
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
      return schema.type === 'array'
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
