/**
 * Collects all schema errors of a value, member by member (contract §2), each with its JSON Pointer, and returns the valid
 * rest so that further rules can be checked. Called only after the compiled check has failed; reports at most 100 errors.
 */
import { Compile } from 'typebox/compile';
import type { TSchema } from 'typebox';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { violation, type Violation } from '../violations.ts';
import { isObject } from '../../kernel/json-value.ts';
import { excerptOf } from '../../kernel/text.ts';

export interface SchemaErrors {
  readonly violations: readonly Violation[];
  /** Number of violations beyond the reported ones. */
  readonly more: number;
  /** The value with null in place of each invalid part. */
  readonly fits: JsonValue;
}

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema | undefined;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const violationsMax = 100;

export function collectSchemaErrors(schema: TSchema, value: JsonValue): SchemaErrors {
  const violations: Violation[] = [];
  let more = 0;
  const report: Report = (code, at, message, fix) => {
    if (violations.length < violationsMax) violations.push(violation(code, at, message, fix));
    else more++;
  };
  const fits = collect(schema, value, '', report);
  return { violations, more, fits };
}

type Report = (code: string, at: string, message: string, fix: string) => void;

function collect(schema: Schema, value: JsonValue, at: string, report: Report): JsonValue {
  if (schema.properties !== undefined && isObject(value)) return collectObject(schema, value, at, report);
  if (schema.items !== undefined && Array.isArray(value))
    return collectList(schema, value as readonly JsonValue[], at, report);
  return checkLeaf(schema, value, at, report) ? value : null;
}

function collectObject(schema: Schema, value: JsonObject, at: string, report: Report): JsonObject {
  const { properties = {}, required = [] } = schema;
  const fits: Record<string, JsonValue> = {};
  for (const [name, schemaOf] of Object.entries(properties)) {
    const place = `${at}/${escaped(name)}`;
    if (Object.hasOwn(value, name)) fits[name] = collect(schemaOf, value[name] as JsonValue, place, report);
    else if (required.includes(name))
      report('missing', place, `${describePlace(`${at}/${name}`)} is missing.`, sendFix(schemaOf));
  }
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) continue;
    if (schema.additionalProperties !== false) fits[name] = value[name] as JsonValue;
    else
      report(
        'unknown_argument',
        `${at}/${escaped(short(name))}`,
        `${describePlace(`${at}/${name}`)} is unknown.`,
        knownFix(properties),
      );
  }
  return fits;
}

function knownFix(properties: NonNullable<Schema['properties']>): string {
  const known = Object.keys(properties);
  return known.length === 0 ? 'Leave it out.' : `Use one of ${known.join(', ')}, or leave it out.`;
}

function collectList(schema: Schema, list: readonly JsonValue[], at: string, report: Report): JsonValue {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (list.length < minItems || list.length > maxItems)
    report(
      'out_of_bounds',
      at,
      `${describePlace(at)} has ${list.length} items and may have ${minItems} to ${maxItems}.`,
      list.length < minItems ? 'Send more of them.' : 'Send fewer, in several calls.',
    );
  return list.slice(0, maxItems).map((item, i) => collect(items as Schema, item, `${at}/${i}`, report));
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: JsonObject;
}

type Validator = ReturnType<typeof Compile<TSchema>>;
const validators = new WeakMap<object, Validator>();

function checkLeaf(schema: Schema, value: JsonValue, at: string, report: Report): boolean {
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = Compile(schema as TSchema)));
  if (validator.Check(value)) return true;
  const byPlace = Map.groupBy(
    (validator.Errors(value) as readonly SchemaError[]).filter(({ keyword }) => keyword !== 'boolean'),
    ({ instancePath }) => instancePath,
  );
  for (const [path, found] of byPlace) {
    const place = at + path;
    const { code, message, fix } = describe(found, path === '' ? value : undefined, schema);
    report(code, place, `${describePlace(place)} ${message}.`, fix);
  }
  return false;
}

/** One message for all alternatives of a union. */
function describe(
  found: readonly SchemaError[],
  value: JsonValue | undefined,
  schema: Schema,
): { readonly code: string; readonly message: string; readonly fix: string } {
  const named = found.flatMap(({ params }) => [
    ...(params['allowedValue'] === undefined ? [] : [params['allowedValue']]),
    ...((params['allowedValues'] ?? []) as readonly JsonValue[]),
  ]);
  if (named.length > 0) {
    const list = named.map(String).join(', ');
    const given = typeof value === 'string' ? `is "${short(value)}" and ` : '';
    return { code: 'not_one_of', message: `${given}must be one of ${list}`, fix: `Use one of ${list}.` };
  }
  const others = found.filter(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf');
  if (others.length > 0) {
    const isForm = others.some(({ keyword }) => keyword === 'pattern' || keyword === 'format');
    return {
      code: isForm ? 'malformed' : 'out_of_bounds',
      message: others.map(({ message }) => message).join(' and '),
      fix: sendFix(schema),
    };
  }
  const types = [...new Set(found.flatMap(({ params }) => [params['type'] ?? []].flat().map(String)))];
  const list = types.map((type) => (type === 'boolean' ? 'true or false (1 or 0)' : type)).join(' or ');
  return { code: 'wrong_type', message: `must be ${list}`, fix: `Send ${list}.` };
}

function sendFix(schema: Schema | undefined): string {
  return schema?.description === undefined ? 'Send it as inputs shows.' : `Send ${schema.description}.`;
}

/** A JSON Pointer as messages name it. */
function describePlace(at: string): string {
  return at === '' ? 'the body' : short(at.slice(1));
}

function short(name: string): string {
  return excerptOf(name, 60);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
