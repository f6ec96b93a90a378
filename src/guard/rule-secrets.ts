/**
 * The rules that every write passes, as a redactor of what is stored already: what was written before a rule
 * was known is found by it now (contract §5 "Secrets").
 */
import { isUtf8 } from 'node:buffer';
import { isFault } from '../kernel/fault.ts';
import { canonicalJson, parseJson, type JsonValue } from '../kernel/json.ts';
import { mayHideToken } from './disguised-token.ts';
import type { Redactor } from './literal-secret.ts';
import { suspects } from './secret-marks.ts';
import { scrubJson, scrubText, type OwnTokens, type Scrubbed } from './secrets.ts';

export function ruleSecrets(ownTokens: OwnTokens): Redactor {
  return {
    // Canonical JSON hides nothing from the marks but escapes, and a key may tell what its value is.
    suspects: (text) =>
      text.includes('\\') ||
      suspects(text) !== 0 ||
      mayHideToken(text) ||
      /uthorization|ccess_?[kK]ey|_authToken/.test(text),
    redact: (value) => withinText(value, ownTokens) ?? scrubJson(value, ownTokens),
    isIn: (bytes) =>
      isUtf8(bytes) && scrubText(Buffer.from(bytes).toString('utf8'), ownTokens).finds.length > 0,
  };
}

/** A recorded body is a text, and most often the text of a JSON object: its members are looked at one by one. */
function withinText(value: JsonValue, ownTokens: OwnTokens): Scrubbed<JsonValue> | undefined {
  if (typeof value !== 'string' || !value.startsWith('{')) return undefined;
  const parsed = parseJson(value);
  if (isFault(parsed)) return undefined;
  const { value: clean, finds } = scrubJson(parsed.value, ownTokens);
  return { value: finds.length === 0 ? value : canonicalJson(clean), finds };
}
