/**
 * The language of `where`, `order` and `fields` (contract §7). `where` is comma-separated `field op value`, the
 * operators are `=`, `!=`, `>`, `>=`, `<`, `<=` and `~` (contains, whatever the case); a value with a comma stands
 * in double quotes. Everything here comes from strangers: it is bounded, and an error points at its character.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { FieldType, Fields } from '../../model/query-fields.ts';
import type { Words } from './vocabulary.ts';

export const operators = ['!=', '>=', '<=', '=', '>', '<', '~'] as const;
export type Operator = (typeof operators)[number];

export interface Filter {
  readonly field: string;
  readonly op: Operator;
  readonly value: string | number;
}

export interface Order {
  readonly field: string;
  readonly reverse: boolean;
}

const whereCharsMax = 2000;
const filtersMax = 20;
const fieldName = /[a-z_]+/y;

/** A character of a parameter that is wrong; `at` counts from 1. */
function wrongAt(
  parameter: string,
  text: string,
  index: number,
  message: string,
  expected: readonly string[],
): Fault {
  const from = Math.max(0, index - 40);
  const shown = text.slice(from, index + 40);
  return fault(
    'invalid_request',
    `"${parameter}" is wrong at character ${index + 1}: ${message}.`,
    fixFor(expected),
    {
      parameter,
      at: index + 1,
      near: `${shown}\n${' '.repeat(index - from)}^`,
      expected: [...expected],
    },
  );
}

function fixFor(expected: readonly string[]): string {
  if (expected.length === 0) return 'Correct it at the mark.';
  return expected.length === 1 ? `Write ${expected[0]} there.` : `Use one of ${expected.join(', ')}.`;
}

/** `words`: what fields may be equal to, where there are a few words to choose from. */
export function parseWhere(text: string, fields: Fields, words: Words = {}): readonly Filter[] | Fault {
  if (text.length > whereCharsMax)
    return wrongAt('where', text, whereCharsMax, `it is longer than ${whereCharsMax} characters`, []);
  const filters: Filter[] = [];
  let at = skipBlanks(text, 0);
  if (at === text.length) return [];
  for (;;) {
    const read = parseFilter(text, at, fields, words);
    if (isFault(read)) return read;
    filters.push(read.filter);
    if (filters.length > filtersMax)
      return wrongAt('where', text, at, `it has more than ${filtersMax} conditions`, []);
    at = skipBlanks(text, read.end);
    if (at === text.length) return filters;
    if (text[at] !== ',') return wrongAt('where', text, at, 'a comma should stand between conditions', [',']);
    at = skipBlanks(text, at + 1);
  }
}

function parseFilter(
  text: string,
  start: number,
  fields: Fields,
  words: Words,
): { readonly filter: Filter; readonly end: number } | Fault {
  fieldName.lastIndex = start;
  const field = fieldName.exec(text)?.[0];
  const names = Object.keys(fields);
  if (field === undefined) return wrongAt('where', text, start, 'a field should stand here', names);
  const type = typeOf(fields, field);
  if (type === undefined) return wrongAt('where', text, start, `"${field}" is no field`, names);
  const opAt = skipBlanks(text, start + field.length);
  const op = operators.find((each) => text.startsWith(each, opAt));
  if (op === undefined) return wrongAt('where', text, opAt, 'an operator should stand here', operators);
  if (op === '~' && type !== 'text')
    return wrongAt(
      'where',
      text,
      opAt,
      `"~" looks into texts, and ${field} is a ${type}`,
      operators.filter((each) => each !== '~'),
    );
  const valueAt = skipBlanks(text, opAt + op.length);
  const value = parseValue(text, valueAt);
  if (isFault(value)) return value;
  const typed = valueOf(value.text, type);
  if (typed === undefined)
    return wrongAt(
      'where',
      text,
      valueAt,
      `${field} is a ${type}`,
      type === 'number' ? ['a number'] : ['a time in ISO 8601'],
    );
  const choice = Object.hasOwn(words, field) && (op === '=' || op === '!=') ? words[field] : undefined;
  // Nothing in quotes asks for what has none of the words.
  if (choice !== undefined && value.text !== '' && !choice.includes(value.text))
    return wrongAt('where', text, valueAt, `${field} is never "${value.text.slice(0, 40)}"`, choice);
  return { filter: { field, op, value: typed }, end: value.end };
}

function parseValue(text: string, start: number): { readonly text: string; readonly end: number } | Fault {
  if (text[start] !== '"') {
    const comma = text.indexOf(',', start);
    const end = comma < 0 ? text.length : comma;
    const value = text.slice(start, end).trim();
    if (value === '') return wrongAt('where', text, start, 'a value should stand here', []);
    const quote = text.slice(start, end).indexOf('"');
    if (quote >= 0) return wrongAt('where', text, start + quote, 'a quote stands inside a bare value', []);
    return { text: value, end };
  }
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') return { text: value, end: at + 1 };
    if (character === '\\') {
      at++;
      if (text[at] !== '"' && text[at] !== '\\')
        return wrongAt('where', text, at, 'a backslash escapes a quote or a backslash', ['\\"', '\\\\']);
    }
    value += text[at] as string;
  }
  return wrongAt('where', text, text.length, 'the quote does not end', ['"']);
}

function valueOf(text: string, type: FieldType): string | number | undefined {
  if (type === 'number') return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
  if (type === 'time') return /^\d{4}(?:-\d\d(?:-\d\d(?:T[\d:.]{2,12}Z?)?)?)?$/.test(text) ? text : undefined;
  return text;
}

/** `field`, `-field`, `field asc` or `field desc`. */
export function parseOrder(text: string, fields: Fields): Order | Fault {
  const read = /^\s*(-?)([a-z_]*)(?:\s+(asc|desc))?\s*$/.exec(text.slice(0, whereCharsMax));
  const field = read?.[2] ?? '';
  const at = text.indexOf(field === '' ? text.trim() : field);
  if (typeOf(fields, field) === undefined)
    return wrongAt(
      'order',
      text.slice(0, whereCharsMax),
      Math.max(0, at),
      'a field should stand here',
      Object.keys(fields),
    );
  return { field, reverse: (read?.[1] === '-') !== (read?.[3] === 'desc') };
}

/** Comma-separated names of fields. */
export function parseFields(text: string, fields: Fields): readonly string[] | Fault {
  let at = 0;
  const names: string[] = [];
  for (const part of text.slice(0, whereCharsMax).split(',')) {
    const name = part.trim();
    if (typeOf(fields, name) === undefined)
      return wrongAt('fields', text, at, `"${name.slice(0, 40)}" is no field`, Object.keys(fields));
    names.push(name);
    at += part.length + 1;
  }
  return names;
}

function typeOf(fields: Fields, name: string): FieldType | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}
