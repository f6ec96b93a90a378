/**
 * Bundles carry, beside each entry, what opens its contents: `contents: {field: {salt, value}}`. Each value is
 * checked against the commitment that the entry holds, and whatever lists the same entry elsewhere in the
 * document must show the same values.
 */
import { concat, fromHex, hex, sha256, utf8 } from './bytes.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, passed, type Check } from './report.ts';

export interface Place {
  readonly object: JsonRecord;
  readonly at: string;
}

/** `opened` are objects with `entry` and `contents`; `listed` the other objects that show an entry. */
export async function checkOpened(opened: readonly Place[], listed: readonly Place[]): Promise<Check[]> {
  const checks: Check[] = [];
  const known = new Map<Json | undefined, JsonRecord>();
  for (const { object, at } of opened) {
    const entry = object['entry'] as JsonRecord;
    for (const [field, content] of Object.entries(object['contents'] as JsonRecord)) {
      const trouble = isRecord(content)
        ? await troubleWith(content, entry[field])
        : 'the content cannot be read';
      checks.push(
        trouble === undefined
          ? passed('content', `${field} opens to what entry ${String(entry['n'])} commits to`, at)
          : failed('content', `${field} of entry ${String(entry['n'])}: ${trouble}`, at),
      );
      if (isRecord(content) && isRecord(content['value'])) known.set(object['hash'], content['value']);
    }
  }
  for (const { object, at } of listed) {
    const value = known.get(object['hash']);
    const differs =
      value === undefined ? undefined : Object.keys(value).find((key) => differ(object[key], value[key]));
    if (differs !== undefined)
      checks.push(failed('content', `${differs} is shown otherwise than the entry's content has it`, at));
  }
  return checks;
}

function differ(shown: Json | undefined, committed: Json | undefined): boolean {
  return shown !== undefined && committed !== undefined && canonical(shown) !== canonical(committed);
}

async function troubleWith(content: JsonRecord, committed: Json | undefined): Promise<string | undefined> {
  const { salt, value } = content;
  if (typeof committed !== 'string') return 'the entry holds no such commitment';
  if (value === null || value === undefined)
    return salt === null ? undefined : 'the content is gone and its salt is not';
  if (salt === null) {
    if (typeof value !== 'string') return 'plain content is text';
    return hex(await sha256(utf8(value))) === committed
      ? undefined
      : 'the text does not hash to its commitment';
  }
  const saltBytes = typeof salt === 'string' ? fromHex(salt) : undefined;
  if (saltBytes?.length !== 32) return 'the salt is not 32 bytes of hex';
  const found = hex(await sha256(concat(saltBytes, utf8(canonical(value)))));
  return found === committed ? undefined : 'the content does not match its commitment';
}
