/**
 * Contents of a bundle's entries: `contents: {field: {salt, value}}`. Each value is checked against the commitment in the
 * entry; any other listing of the same entry in the document must show the same values.
 */
import type { Coverage } from './coverage.ts';
import { concat, fromHex, hex, sha256, utf8 } from './bytes.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, passed, type Check } from './report.ts';
import { currentValue, type Place, type Scrubs } from './scrubs.ts';

/**
 * `opened` are objects with `entry` and `contents`; `listed` the other objects that show an entry. What is listed may
 * add members to the content that its entry commits to, and leaves none of them out.
 */
export async function checkOpenedContents(
  opened: readonly Place[],
  listed: readonly Place[],
  scrubs: Scrubs,
  coverage: Coverage,
  isWhole: boolean,
): Promise<Check[]> {
  const checks: Check[] = [];
  const known = new Map<Json | undefined, JsonRecord | undefined>();
  for (const { object, at } of opened) {
    const entry = object['entry'] as JsonRecord;
    const contents = object['contents'] as JsonRecord;
    for (const [field, content] of Object.entries(contents))
      checks.push(await checkContent(entry, field, content, scrubs, at, isWhole));
    const current = currentValue(contents['content_sha']);
    known.set(object['hash'], isRecord(current) ? current : undefined);
    coverage.members(object, 'entry', 'hash');
    const names = Object.keys(contents);
    if (names.length === 0) coverage.whole(contents);
    for (const content of Object.values(contents))
      if (isRecord(content)) coverage.members(content, 'salt', 'value');
    for (const content of Object.values(contents))
      if (isRecord(content) && scrubs.areLogged) coverage.members(content, 'replacement', 'scrubbed_by');
    // What stands within an opened content is committed to with it.
    if (at.includes('.contents.')) continue;
    const place = `${at.replaceAll(/\[\d+\]/g, '[]')}.contents`;
    for (const field of unopened(entry, contents))
      coverage.name(names.length === 0 ? place : `${place}.${field}`);
  }
  for (const { object, at } of listed) {
    const hash = object['hash'];
    if (!known.has(hash)) continue;
    const value = known.get(hash);
    if ((value === undefined) !== (object['content'] !== 'present' && object['content'] !== 'scrubbed'))
      checks.push(failed('content', 'the same content is shown in one place and not in the other', at));
    // Only the entry's own kind knows which of its members are listed: those that are, are as they were committed.
    const differs = Object.keys(value ?? {}).find((key) => differ(object[key], value?.[key]));
    if (differs !== undefined && !laterDecided.has(differs))
      checks.push(failed('content', `${differs} is shown otherwise than the entry's content has it`, at));
  }
  return checks;
}

/** Members that later entries decide, so that what is shown is not what the first said. */
const laterDecided = new Set(['status']);

async function checkContent(
  entry: JsonRecord,
  field: string,
  content: Json,
  scrubs: Scrubs,
  at: string,
  isWhole: boolean,
): Promise<Check> {
  const trouble = isRecord(content) ? await troubleWith(content, entry[field]) : 'the content cannot be read';
  if (trouble !== undefined || !isRecord(content))
    return failed('content', `${field} of entry ${String(entry['n'])}: ${String(trouble)}`, at);
  const { replacement, scrubbed_by: by } = content;
  if (replacement === undefined) {
    return by === undefined
      ? passed('content', `${field} opens to what entry ${String(entry['n'])} commits to`, at)
      : failed('content', `${field} of entry ${String(entry['n'])} is scrubbed and not replaced`, at);
  }
  if (content['value'] !== null)
    return failed('content', `${field} of entry ${String(entry['n'])} stands beside what replaces it`, at);
  const place = { chain: entry['chain'], n: entry['n'], field };
  if (!isWhole && !scrubs.knows(place))
    return passed('scrubbed', `scrubbed: nothing here commits to what replaces ${field}`, at);
  return scrubs.replaces(place, replacement, by)
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

/** Operations that leave a DIV's text as it is name its hash again; an earlier entry holds the text. */
export const keepsText: ReadonlySet<Json | undefined> = new Set(['move', 'absorb', 'burn']);

/** Commitments of an entry that nothing here opens. */
function unopened(entry: JsonRecord, contents: JsonRecord): string[] {
  return Object.keys(entry).filter(
    (name) =>
      /^[a-z]+_sha$/.test(name) &&
      (contents[name] === undefined || currentValue(contents[name]) === undefined) &&
      !(name === 'text_sha' && keepsText.has(entry['op'])),
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
