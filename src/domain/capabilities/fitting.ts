/**
 * Judges a value by its schema, member by member, and goes on behind what is wrong (contract §2): everything that
 * does not fit is named with its place, and what does fit is handed on for further rules. Asked only where the
 * compiled check has failed; whoever sends a thousand wrong members is told of the first hundred.
 */
import { Compile } from 'typebox/compile';
import type { TSchema } from 'typebox';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { violation, type Violation } from '../violations.ts';

export interface Judged {
  readonly violations: readonly Violation[];
  /** Violations beyond those that are told. */
  readonly more: number;
  /** The value with null in the place of everything that does not fit. */
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

const toldMax = 100;

export function judgeBySchema(schema: TSchema, value: JsonValue): Judged {
  const violations: Violation[] = [];
  let more = 0;
  const say: Say = (code, at, message, fix) => {
    if (violations.length < toldMax) violations.push(violation(code, at, message, fix));
    else more++;
  };
  const fits = judged(schema, value, '', say);
  return { violations, more, fits };
}

type Say = (code: string, at: string, message: string, fix: string) => void;

function judged(schema: Schema, value: JsonValue, at: string, say: Say): JsonValue {
  if (schema.properties !== undefined && isObject(value)) return judgedObject(schema, value, at, say);
  if (schema.items !== undefined && Array.isArray(value))
    return judgedList(schema, value as readonly JsonValue[], at, say);
  return judgedLeaf(schema, value, at, say) ? value : null;
}

function judgedObject(schema: Schema, value: JsonObject, at: string, say: Say): JsonObject {
  const { properties = {}, required = [] } = schema;
  const fits: Record<string, JsonValue> = {};
  for (const [name, schemaOf] of Object.entries(properties)) {
    const place = `${at}/${escaped(name)}`;
    if (Object.hasOwn(value, name)) fits[name] = judged(schemaOf, value[name] as JsonValue, place, say);
    else if (required.includes(name))
      say('missing', place, `${placed(`${at}/${name}`)} is missing.`, send(schemaOf));
  }
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) continue;
    if (schema.additionalProperties !== false) fits[name] = value[name] as JsonValue;
    else
      say(
        'unknown_argument',
        `${at}/${escaped(short(name))}`,
        `${placed(`${at}/${name}`)} is unknown.`,
        'Leave it out, or correct its name.',
      );
  }
  return fits;
}

function judgedList(schema: Schema, list: readonly JsonValue[], at: string, say: Say): JsonValue {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (list.length < minItems || list.length > maxItems)
    say(
      'out_of_bounds',
      at,
      `${placed(at)} has ${list.length} items and may have ${minItems} to ${maxItems}.`,
      list.length < minItems ? 'Send more of them.' : 'Send fewer, in several calls.',
    );
  return list.slice(0, maxItems).map((item, i) => judged(items as Schema, item, `${at}/${i}`, say));
}

interface Found {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: JsonObject;
}

type Validator = ReturnType<typeof Compile<TSchema>>;
const validators = new WeakMap<object, Validator>();

function judgedLeaf(schema: Schema, value: JsonValue, at: string, say: Say): boolean {
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = Compile(schema as TSchema)));
  if (validator.Check(value)) return true;
  const byPlace = Map.groupBy(
    (validator.Errors(value) as unknown as readonly Found[]).filter(({ keyword }) => keyword !== 'boolean'),
    ({ instancePath }) => instancePath,
  );
  for (const [path, found] of byPlace) {
    const place = at + path;
    const { code, message, fix } = toldOf(found, path === '' ? value : undefined, schema);
    say(code, place, `${placed(place)} ${message}.`, fix);
  }
  return false;
}

/** What one place could be is told in one line, not in one for each alternative. */
function toldOf(
  found: readonly Found[],
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
      fix: send(schema),
    };
  }
  const types = [...new Set(found.flatMap(({ params }) => [params['type'] ?? []].flat().map(String)))];
  const list = types.map((type) => (type === 'boolean' ? 'true or false (1 or 0)' : type)).join(' or ');
  return { code: 'wrong_type', message: `must be ${list}`, fix: `Send ${list}.` };
}

function send(schema: Schema | undefined): string {
  return schema?.description === undefined ? 'Send it as inputs shows.' : `Send ${schema.description}.`;
}

/** A place as a sentence names it. */
function placed(at: string): string {
  return at === '' ? 'the body' : short(at.slice(1));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function short(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
