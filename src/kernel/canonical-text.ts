/**
 * Cache of canonical texts for values that many calls commit to, such as a feed that is read repeatedly. A cached value must
 * never be changed.
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
