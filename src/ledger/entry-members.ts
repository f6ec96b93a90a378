/**
 * What an audit reads of an entry's text (contract §1). Almost every entry is a flat object of short strings whose
 * members stand in the order of RFC 8785, and a regular expression that knows this order reads it in a third of
 * the time that a parser takes. It matches only what a parser reads in the same way: no escapes, no control
 * characters, nothing nested, no member twice. Any other text is parsed.
 */

/** Values are an attacker's: whatever JSON can hold. */
export interface EntryMembers {
  readonly chain?: unknown;
  readonly n?: unknown;
  readonly prev?: unknown;
  readonly op?: unknown;
  readonly [member: string]: unknown;
}

const text = String.raw`"([^"\\\x00-\x1f]*)"`;
const count = String.raw`(0|[1-9]\d*)`;
const passed = (pattern: string): string => pattern.replace('(', '(?:');

/** In the order of RFC 8785; what an audit looks at is captured. */
const pattern = new RegExp(
  [
    String.raw`^\{(?:"action":${passed(text)},)?"actor":${passed(text)}(?:,"article":${passed(text)})?`,
    `(?:,"body_rule":${passed(count)})?,"chain":${text}(?:,"content_sha":${text})?(?:,"contract":${passed(text)})?(?:,"error":${passed(text)})?`,
    `(?:,"gate":${passed(text)})?(?:,"inv":${passed(text)})?(?:,"key":${passed(text)})?(?:,"material_sha":${text})?`,
    `(?:,"ms":${passed(count)})?`,
    `,"n":${count}(?:,"op":${text})?,"prev":${text}(?:,"request_sha":${text})?(?:,"response_sha":${text})?`,
    `(?:,"rev":${passed(count)})?(?:,"root":${passed(text)})?(?:,"said_sha":${text})?`,
    String.raw`(?:,"tenant":${passed(text)})?(?:,"text_sha":${text})?(?:,"told_sha":${text})?,"ts":${passed(text)}\}$`,
  ].join(''),
);

/** What an audit looks at, or nothing where the text is no JSON object. */
export function readEntryMembers(entryText: string): EntryMembers | undefined {
  const found = pattern.exec(entryText);
  if (found === null) return parsed(entryText);
  return {
    chain: found[1],
    content_sha: found[2],
    material_sha: found[3],
    n: Number(found[4]),
    op: found[5],
    prev: found[6],
    request_sha: found[7],
    response_sha: found[8],
    said_sha: found[9],
    text_sha: found[10],
    told_sha: found[11],
  };
}

function parsed(entryText: string): EntryMembers | undefined {
  try {
    const value = JSON.parse(entryText) as EntryMembers | null;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
