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
  const scrubs = scrubsIn(opened);
  for (const { object, at } of opened) {
    const entry = object['entry'] as JsonRecord;
    for (const [field, content] of Object.entries(object['contents'] as JsonRecord)) {
      const trouble = isRecord(content)
        ? await troubleWith(content, entry[field])
        : 'the content cannot be read';
      if (trouble === undefined && isRecord(content) && content['replacement'] !== undefined) {
        checks.push(scrubbed(entry, field, content['replacement'], scrubs, at));
        continue;
      }
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

/** What scrub entries say stands in for what: by chain, place and field of what was scrubbed. */
function scrubsIn(opened: readonly Place[]): ReadonlyMap<string, readonly string[]> {
  const scrubs = new Map<string, string[]>();
  for (const { object } of opened) {
    const entry = object['entry'] as JsonRecord;
    const content = (object['contents'] as JsonRecord)['content_sha'];
    if (entry['action'] !== 'scrub' || !isRecord(content)) continue;
    const said = content['value'] ?? content['replacement'];
    if (!isRecord(said) || said['replacement'] === undefined) continue;
    const place = placeOf(entry['of'], entry['of_n'], String(entry['field']));
    scrubs.set(place, [...(scrubs.get(place) ?? []), canonical(said['replacement'])]);
  }
  return scrubs;
}

function placeOf(chain: Json | undefined, n: Json | undefined, field: string): string {
  return `${String(chain)} ${String(n)} ${field}`;
}

function scrubbed(
  entry: JsonRecord,
  field: string,
  replacement: Json,
  scrubs: ReadonlyMap<string, readonly string[]>,
  at: string,
): Check {
  const place = placeOf(entry['chain'], entry['n'], field);
  return scrubs.get(place)?.includes(canonical(replacement)) === true
    ? passed(
        'scrubbed',
        `scrubbed: ${field} of entry ${String(entry['n'])} is gone, and a scrub entry commits to what replaces it`,
        at,
      )
    : failed(
        'scrubbed',
        `${field} of entry ${String(entry['n'])} is replaced, and no scrub entry here commits to the replacement`,
        at,
      );
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
