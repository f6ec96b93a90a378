/** The arguments and results of a row as people read them: place, name, type, bounds and purpose. */
import type { Row } from '../../domain/capabilities/row.ts';

export const authorityText: Readonly<Record<Row['auth'], string>> = {
  none: 'open without a credential',
  share: 'needs a share',
  owner: 'for the owner alone',
};

export interface ArgumentLine {
  /** `$1`, or `$5+` for the argument that takes the rest, including pipes. */
  readonly place: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly about: string;
}

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export function argumentsOf(row: Row): readonly ArgumentLine[] {
  const input = row.input as Schema;
  const required = new Set(input.required ?? []);
  return row.argNames.map((name, i) => {
    const schema = input.properties?.[name] ?? {};
    return {
      place: row.byName?.includes(name) === true ? 'by name' : `$${i + 1}${row.rest === name ? '+' : ''}`,
      name,
      type: typeText(schema),
      required: required.has(name),
      about: schema.description ?? '',
    };
  });
}

function typeText(schema: Schema): string {
  switch (schema.type) {
    case 'array':
      return `list of ${plural(schema.items ?? {})}${bounds(schema.minItems, schema.maxItems)}`;
    case 'object':
      return schema.properties === undefined
        ? 'object'
        : `object with ${Object.keys(schema.properties).join(', ')}`;
    case 'integer':
      return `whole number${bounds(schema.minimum, schema.maximum)}`;
    case 'number':
      return `number${bounds(schema.minimum, schema.maximum)}`;
    case 'boolean':
      return '0 or 1';
    default:
      return `text${schema.maxLength === undefined ? '' : `, at most ${schema.maxLength.toLocaleString('en-GB')} characters`}`;
  }
}

function plural(schema: Schema): string {
  return schema.type === 'object'
    ? `objects with ${Object.keys(schema.properties ?? {}).join(', ')}`
    : 'texts';
}

function bounds(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return '';
  if (min === undefined) return `, at most ${max}`;
  return max === undefined ? `, at least ${min}` : `, ${min} to ${max}`;
}

export interface AnswerLine {
  readonly name: string;
  readonly type: string;
  readonly always: boolean;
  readonly about: string;
}

interface OutputSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: OutputSchema;
  readonly anyOf?: readonly OutputSchema[];
  readonly properties?: Readonly<Record<string, OutputSchema>>;
  readonly required?: readonly string[];
}

/**
 * Empty if the schema names no member. An owner's schema may be any JSON, so every part is checked before it is
 * read.
 */
export function answersOf({ output }: Row): readonly (readonly AnswerLine[])[] {
  const whole = schemaIn(output);
  const forms = Array.isArray(whole.anyOf) ? whole.anyOf.map(schemaIn) : [whole];
  return forms.map(membersOf).filter((lines) => lines.length > 0);
}

function membersOf({ properties, required }: OutputSchema): readonly AnswerLine[] {
  const always = new Set(Array.isArray(required) ? required : []);
  return Object.entries(schemaIn(properties)).map(([name, member]) => {
    const schema = schemaIn(member);
    return {
      name,
      type: outputTypeText(schema),
      always: always.has(name),
      about: typeof schema.description === 'string' ? schema.description : '',
    };
  });
}

function schemaIn(value: unknown): OutputSchema {
  return typeof value === 'object' && value !== null ? value : {};
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
};

function outputTypeText(schema: OutputSchema): string {
  const { type, items, anyOf, enum: values } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (Array.isArray(anyOf))
    return [...new Set(anyOf.map((form) => outputTypeText(schemaIn(form))))].join(' or ');
  if (type === 'array') {
    const of = outputTypeText(schemaIn(items));
    return of === 'anything' ? 'list' : `list of ${of}`;
  }
  if (Array.isArray(type)) return type.map((each) => typeNames[String(each)] ?? String(each)).join(' or ');
  return typeof type === 'string' ? (typeNames[type] ?? type) : 'anything';
}
