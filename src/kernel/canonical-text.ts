/**
 * Canonical texts of values that many calls commit to, such as a read that is answered again and again: each is
 * made once, and goes with its value. Whoever has one remembered never changes the value again.
 */
import { canonicalJson, type JsonObject, type JsonValue } from './json.ts';

const texts = new WeakMap<object, string>();

/** Makes the value's RFC 8785 text and remembers it. */
export function cacheCanonicalText(value: JsonObject): string {
  const text = canonicalJson(value);
  texts.set(value, text);
  return text;
}

/** RFC 8785 text of a value, made now unless it is remembered. Throws as `canonicalJson` does. */
export function canonicalText(value: JsonValue): string {
  return (typeof value === 'object' && value !== null ? texts.get(value) : undefined) ?? canonicalJson(value);
}
