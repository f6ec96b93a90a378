/**
 * Content and its commitment. DIV texts, claims and article bodies are committed with plain SHA-256, everything else with
 * SHA-256(salt ‖ canonical JSON); readers of the content get the salt. Scrubbing removes content and salt; the commitment
 * remains.
 */
import { concat, fromHex, hex, sha256, utf8 } from './bytes.ts';
import { canonical, type Json, type JsonRecord } from './json.ts';
import { failed, passed, type Check } from './report.ts';

const sha = /^[0-9a-f]{64}$/;

/**
 * Checks `content` against its salted commitment, which is the newest that the entries, in the order of their chain,
 * hold under that name.
 */
export async function checkSalted(
  name: string,
  content: Json | undefined,
  salt: Json | undefined,
  contentSha: Json | undefined,
  entries: readonly JsonRecord[],
): Promise<Check> {
  const present = content !== undefined && content !== null;
  const holder = entries.findLast((entry) => typeof entry[`${name}_sha`] === 'string');
  if (contentSha === undefined || contentSha === null) {
    if (present || (salt !== undefined && salt !== null))
      return failed(name, `the ${name} is shown without a commitment`);
    return holder === undefined
      ? passed(name, `no ${name} is committed to`)
      : failed(name, `entry ${String(holder['n'])} commits to a ${name}, which is left out`);
  }
  if (typeof contentSha !== 'string' || !sha.test(contentSha))
    return failed(name, `the commitment to the ${name} is not a hash`);
  if (holder?.[`${name}_sha`] !== contentSha)
    return failed(name, `no entry holds the commitment ${contentSha} to the ${name}`);
  if (salt === undefined || salt === null) {
    return present
      ? failed(name, `the ${name} is shown without its salt`)
      : passed(
          name,
          `scrubbed: the commitment to the ${name} stands in entry ${String(holder['n'])}, the content is gone`,
        );
  }
  const saltBytes = typeof salt === 'string' ? fromHex(salt) : undefined;
  if (saltBytes?.length !== 32) return failed(name, `the salt of the ${name} is not 32 bytes of hex`);
  const found = hex(await sha256(concat(saltBytes, utf8(canonical(content ?? null)))));
  return found === contentSha
    ? passed(name, `the ${name} is what entry ${String(holder['n'])} commits to`)
    : failed(name, `the ${name} is not what entry ${String(holder['n'])} commits to`);
}

/** Checks what an object shows as text against the plain hash beside it; nothing where it shows none. */
export async function checkPlain(value: JsonRecord, at: string): Promise<Check[]> {
  const pairs: [string, Json | undefined, Json | undefined][] = [
    ['body', value['body'], value['content_hash']],
    ['claim', value['tier'] === undefined ? undefined : value['text'], value['hash']],
  ];
  const checks: Check[] = [];
  for (const [id, text, claimed] of pairs) {
    if (typeof text !== 'string' || claimed === undefined) continue;
    const found = hex(await sha256(utf8(text)));
    checks.push(
      found === claimed
        ? passed(id, `the text hashes to ${found}`, at)
        : failed(id, `the text hashes to ${found}, not to ${String(claimed)}`, at),
    );
  }
  return checks;
}
