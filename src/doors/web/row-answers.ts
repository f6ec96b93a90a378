/** What a row answers as people read it (spec §2.6, ADR 37): the members of its result, one list for each form that it has. */
import type { Row } from '../../domain/capabilities/row.ts';

export interface AnswerLine {
  readonly name: string;
  readonly type: string;
  readonly always: boolean;
  readonly about: string;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Nothing where the schema names no member. An owner's schema may be any, so each part is looked at before it is read. */
export function answersOf({ output }: Row): readonly (readonly AnswerLine[])[] {
  const whole = schemaIn(output);
  const forms = Array.isArray(whole.anyOf) ? whole.anyOf.map(schemaIn) : [whole];
  return forms.map(membersOf).filter((lines) => lines.length > 0);
}

function membersOf({ properties, required }: Schema): readonly AnswerLine[] {
  const always = new Set(Array.isArray(required) ? required : []);
  return Object.entries(schemaIn(properties)).map(([name, member]) => {
    const schema = schemaIn(member);
    return {
      name,
      type: typeText(schema),
      always: always.has(name),
      about: typeof schema.description === 'string' ? schema.description : '',
    };
  });
}

function schemaIn(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? value : {};
}

const names: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
};

function typeText(schema: Schema): string {
  const { type, items, anyOf, enum: values } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((form) => typeText(schemaIn(form))))].join(' or ');
  if (type === 'array') {
    const of = typeText(schemaIn(items));
    return of === 'anything' ? 'list' : `list of ${of}`;
  }
  if (Array.isArray(type)) return type.map((each) => names[String(each)] ?? String(each)).join(' or ');
  return typeof type === 'string' ? (names[type] ?? type) : 'anything';
}
