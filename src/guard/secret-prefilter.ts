/**
 * The prefilter of secret scrubbing: which families of secrets a text could hold at all. It looks only at the
 * few characters that nearly every secret format spells out (`ghp_`, `xoxb-`, `://user:`), found by
 * `indexOf`, so that clean text costs about a microsecond instead of a full rule set. It may name a family
 * that is not there; it must never miss one (contract §5 "Secrets").
 */

import { family, marks } from './secret-families.ts';

/** The shortest secret any rule knows is a Slack token of eight characters. */
const shortestSecret = 8;

interface Mark {
  readonly text: string;
  readonly bit: number;
}

type MarksByPrevious = readonly (readonly Mark[] | undefined)[];

const underscoreMarks = marksEndingIn('_');
const hyphenMarks = marksEndingIn('-');
const dotMarks = marksEndingIn('.');

/** Marks with this last character, indexed by the character before it. */
function marksEndingIn(anchor: string): MarksByPrevious {
  const table: (Mark[] | undefined)[] = Array.from({ length: 128 }, () => undefined);
  for (const [text, bit] of Object.entries(marks)) {
    if (!text.endsWith(anchor)) continue;
    const previous = text.charCodeAt(text.length - 2);
    (table[previous] ??= []).push({ text, bit });
  }
  return table;
}

/** The families that `text` could hold a secret of, as `family` bits; 0 says that it holds none. */
export function suspectedFamilies(text: string): number {
  if (text.length < shortestSecret) return 0;
  let bits = 0;
  for (let at = text.indexOf('_'); at !== -1; at = text.indexOf('_', at + 1)) {
    bits |= marked(text, at, underscoreMarks);
    if (text.startsWith('authToken', at + 1)) bits |= family.npm;
  }
  for (let at = text.indexOf('-'); at !== -1; at = text.indexOf('-', at + 1))
    bits |= marked(text, at, hyphenMarks);
  for (let at = text.indexOf('.'); at !== -1; at = text.indexOf('.', at + 1))
    bits |= marked(text, at, dotMarks);
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    bits |= assigned(text, at);
    if (text.charCodeAt(at + 1) === 0x2f) bits |= addressed(text, at + 3);
  }
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', at + 1)) bits |= assigned(text, at);
  for (let at = text.indexOf('I'); at !== -1; at = text.indexOf('I', at + 1)) bits |= capitalI(text, at);
  if (text.includes('dapi')) bits |= family.databricks;
  if (text.includes('Bearer') || text.includes('bearer') || text.includes('BEARER'))
    bits |= family.authorization;
  return bits;
}

function marked(text: string, at: number, table: MarksByPrevious): number {
  const candidates = table[text.charCodeAt(at - 1)];
  if (candidates === undefined) return 0;
  let bits = 0;
  for (const mark of candidates) {
    if (text.startsWith(mark.text, at - mark.text.length + 1)) bits |= mark.bit;
  }
  return bits;
}

/** Before a `:` or `=`: a name that ends like `access_key` or `authorization`, whatever its case. */
function assigned(text: string, at: number): number {
  let end = at - 1;
  while (isSpace(text.charCodeAt(end))) end--;
  const quote = text.charCodeAt(end);
  if (quote === 0x22 || quote === 0x27 || quote === 0x60) {
    do end--;
    while (text.charCodeAt(end) === 0x5c);
  }
  switch (text.charCodeAt(end) | 0x20) {
    case 0x79: // y, of key
      return (text.charCodeAt(end - 1) | 0x20) === 0x65 ? family.aws : 0;
    case 0x6e: // n, of authorization
      return (text.charCodeAt(end - 5) | 0x20) === 0x7a ? family.authorization : 0;
    default:
      return 0;
  }
}

/** After `scheme://`: a password before an `@`, or Slack's webhook host. */
function addressed(text: string, from: number): number {
  let bits = 0;
  if (text.charCodeAt(from + 5) === 0x2e && text.slice(from, from + 15).toLowerCase() === 'hooks.slack.com') {
    bits = family.slack;
  }
  const to = Math.min(text.length, from + 600);
  let colon = false;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x2f || c === 0x20 || (c >= 0x09 && c <= 0x0d)) break;
    if (c === 0x3a) colon = true;
    else if (c === 0x40 && colon) return bits | family.url;
  }
  return bits;
}

/** Around an `I`: `PRIVATE KEY`, AWS's `AKIA` and `ASIA`, Google's `AIza`. */
function capitalI(text: string, at: number): number {
  switch (text.charCodeAt(at + 1)) {
    case 0x41:
      return text.startsWith('AK', at - 2) || text.startsWith('AS', at - 2) ? family.awsId : 0;
    case 0x7a:
      return text.startsWith('AIza', at - 1) ? family.google : 0;
    case 0x56:
      return text.startsWith('PRIVATE KEY', at - 2) ? family.privateKey : 0;
    default:
      return 0;
  }
}

/** What `\s` matches in the rules. */
function isSpace(c: number): boolean {
  if (c === 0x20 || (c >= 0x09 && c <= 0x0d)) return true;
  if (!(c >= 0xa0)) return false;
  return (
    c === 0xa0 ||
    c === 0x1680 ||
    (c >= 0x2000 && c <= 0x200a) ||
    c === 0x2028 ||
    c === 0x2029 ||
    c === 0x202f ||
    c === 0x205f ||
    c === 0x3000 ||
    c === 0xfeff
  );
}
