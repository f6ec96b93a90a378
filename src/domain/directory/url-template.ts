/**
 * URL and body templates of http rows (contract §3): `$1` to `$9` stand for arguments in path, query and JSON
 * strings. An argument is percent-encoded, so that it can end neither a path nor a query, and the filled path must
 * be the path that a client would ask for: a `..` that would climb is refused, not normalised.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';

export type Values = readonly (string | undefined)[];

const placeholder = /\$([1-9])/g;

/** Why a template cannot be one, or nothing. `args` is the number of arguments that the row has. */
export function templateProblem(template: string, args: number): string | undefined {
  const split = /^https?:\/\/([^/?#]+)(\/[^#]*)?$/.exec(template);
  if (split === null) return 'url is no absolute http or https URL with a host, or it has a fragment';
  const [, authority = '', rest = ''] = split;
  if (/[$@\\\s]/.test(authority)) return 'the host of url holds a placeholder, a user name or a blank';
  if (URL.parse(`https://${authority}/`) === null) return 'the host of url cannot be read';
  if (/[\s\\]/.test(rest)) return 'url holds a blank or a backslash';
  return placeholderProblem(rest, args, 'url');
}

export function placeholderProblem(text: string, args: number, where: string): string | undefined {
  for (const [, n] of text.matchAll(placeholder))
    if (Number(n) > args) return `${where} names $${n}, and the row has ${args} arguments`;
  return undefined;
}

/** Secrets that a header names as `{secret:NAME}`, well-formed or not. */
export function secretNames(header: string): string[] {
  return Array.from(header.matchAll(/\{secret:([^}]*)\}/g), ([, name]) => name as string);
}

/** The URL with its arguments; a missing one is empty. */
export function fillUrl(template: string, values: Values): string | Fault {
  const filled = template.replace(placeholder, (_all, n: string) =>
    encodeURIComponent(values[Number(n) - 1] ?? ''),
  );
  const url = URL.parse(filled);
  const path = /^https?:\/\/[^/?#]+([^?]*)/.exec(filled)?.[1] ?? '';
  if (url !== null && url.pathname === (path === '' ? '/' : path)) return filled;
  return fault(
    'body_mismatch',
    'The arguments change the path that the row asks for.',
    'Send values without dot segments.',
  );
}

/** A copy of the body in which every string has its arguments. The shape is the template's, whatever they hold. */
export function fillBody(template: JsonObject, values: Values): JsonObject {
  return fillJson(template, values) as JsonObject;
}

function fillJson(value: JsonValue, values: Values): JsonValue {
  if (typeof value === 'string')
    return value.replace(placeholder, (_all, n: string) => values[Number(n) - 1] ?? '');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => fillJson(item, values));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name,
      fillJson(member as JsonValue, values),
    ]),
  );
}
