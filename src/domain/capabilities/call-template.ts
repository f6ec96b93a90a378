/**
 * Calls of a row as parameters of an address with placeholders (contract §2, §3): `body={slug}%7C{limit}`, or
 * `arg.slug={slug}&arg.text={text}` wherever a pipe or a backslash in a text would be read as something else.
 */
import { escapePart } from './positional.ts';
import { isRequired, placedNames, type Row } from './row.ts';

/** A call of any row: `{name}` stands for each argument in turn. */
export const anyCall = 'invoke={key}&arg.{name}={text}';

/**
 * A call of the row with its required arguments; `all`: with the optional ones too. `known` values are filled in. A row
 * without arguments has no placeholder.
 */
export function callParameters(row: Row, known: Readonly<Record<string, string>> = {}, all = false): string {
  const names = row.argNames.filter(
    (name) =>
      (all && row.byName?.includes(name) !== true) || isRequired(row, name) || Object.hasOwn(known, name),
  );
  return [`invoke=${encodeURIComponent(row.key)}`, ...argumentParameters(row, names, known)].join('&');
}

/** The repair of a failed call, whose row the receipt names. */
export function repairParameters(row: Row, inv: string): string {
  const names = row.argNames.filter((name) => isRequired(row, name));
  return [`repairs=${inv}`, ...argumentParameters(row, names, {})].join('&');
}

function argumentParameters(
  row: Row,
  names: readonly string[],
  known: Readonly<Record<string, string>>,
): readonly string[] {
  if (names.length === 0) return [];
  if (!isSafePositional(row, names, known))
    return names.map((name) => {
      const value = known[name];
      return `arg.${name}=${value === undefined ? `{${name}}` : encodeURIComponent(value)}`;
    });
  const parts = names.map((name) => {
    const value = known[name];
    if (value === undefined) return `{${name}}`;
    return encodeURIComponent(name === row.rest ? value : escapePart(value));
  });
  return [`body=${parts.join('%7C')}`];
}

/** Whether the names are the row's first, and none but the rest argument is free text. */
function isSafePositional(
  row: Row,
  names: readonly string[],
  known: Readonly<Record<string, string>>,
): boolean {
  const placed = placedNames(row);
  return names.every(
    (name, i) =>
      placed[i] === name &&
      (name === row.rest ? i === names.length - 1 : Object.hasOwn(known, name) || !isFreeText(row, name)),
  );
}

/** Texts, and lists and objects of them; numbers, switches and values of a pattern or list have no pipe. */
function isFreeText(row: Row, name: string): boolean {
  const {
    type,
    pattern,
    enum: values,
  } = row.input.properties[name] as {
    readonly type?: string;
    readonly pattern?: string;
    readonly enum?: readonly unknown[];
  };
  if (pattern !== undefined || values !== undefined) return false;
  return type === undefined || type === 'string' || type === 'array' || type === 'object';
}
