/**
 * The visible text (contract §5 "Secrets"): without tags, comments and link targets, and with runs of blanks collapsed, so
 * that none of them can hide how a token continues. Linear time, since the attacker controls the text.
 */
import { OriginMap, replaced, type DecodedText } from './decoded-text.ts';

/** Shorter ones stand in the way of nothing. */
const longBlanks = /[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]{17}/;
/** Marks of list items and numbers of lines, which stand between the parts of what was broken over lines. */
const lineMarks = /\n[ \t>]{0,16}(?:[-*+]|\d{1,9}[.):]?)[ \t]/;
const gaps =
  /\n[ \t>]{0,16}(?:[-*+]|\d{1,9}[.):]?)[ \t]+|[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+|<(?=[a-z/!?])|\]\([^()\s]*\)/gi;
/** Other forms of letters, digits and marks of ASCII: wide ones, and those of mathematics (Unicode NFKC). */
const otherForms =
  /[\u2024\u24b6-\u24e9\ufe33\ufe34\ufe4d-\ufe4f\ufe52\ufe63\uff01-\uff5e]|\ud835[\udc00-\udfff]/;
const otherForm = new RegExp(otherForms, 'g');

/** `from` without its gaps and in plain letters; undefined where it has none that matter. */
export function visibleText(from: DecodedText): DecodedText | undefined {
  const plain = otherForms.test(from.text) ? replaced(from, otherForm, asciiOf) : undefined;
  return withoutGaps(plain ?? from) ?? plain;
}

function asciiOf(form: string): string | undefined {
  const plain = form.normalize('NFKC');
  return plain.length === 1 && plain < '\x7f' ? plain : undefined;
}

function withoutGaps(from: DecodedText): DecodedText | undefined {
  const { text } = from;
  if (!text.includes('<') && !text.includes('](') && !longBlanks.test(text) && !lineMarks.test(text))
    return undefined;
  const endOf = tagReader(text);
  const origins = new OriginMap();
  const parts: string[] = [];
  let at = 0;
  const keep = (end: number): void => {
    parts.push(text.slice(at, end));
    origins.add(end - at, at);
  };
  gaps.lastIndex = 0;
  for (let match = gaps.exec(text); match !== null; match = gaps.exec(text)) {
    const isTag = match[0] === '<';
    const isMarkup = isTag || match[0].startsWith(']');
    const end = isTag ? endOf(match.index) : gaps.lastIndex;
    if (end === undefined || (!isMarkup && match[0].length === 1)) continue;
    keep(match.index);
    if (!isMarkup) {
      parts.push(/[\n\r]/.test(match[0]) ? '\n' : ' ');
      origins.add(1, match.index);
    }
    at = end;
    gaps.lastIndex = end;
  }
  if (at === 0) return undefined;
  keep(text.length);
  return {
    text: parts.join(''),
    sourceSpan: (start, end) => from.sourceSpan(origins.at(start), origins.at(end - 1) + 1),
  };
}

/** Tells where the tag or comment ends that begins at an index; undefined if it does not end. */
function tagReader(text: string): (from: number) => number | undefined {
  /** By index, the states in which it was passed in vain: 1 outside of quotes, 2 and 4 within. */
  let passed: Uint8Array | undefined;
  let lastComment = Number.POSITIVE_INFINITY;
  return (from) => {
    if (text.startsWith('<!--', from) && from < lastComment) {
      const close = text.indexOf('-->', from + 2);
      if (close !== -1) return close + 3;
      lastComment = from;
    }
    passed ??= new Uint8Array(text.length);
    let state = 1;
    let last = 0;
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (((passed[at] as number) & state) !== 0) return undefined;
      passed[at] = (passed[at] as number) | state;
      if (state === 1) {
        if (code === 0x3e) return at + 1;
        if (code === 0x3c) return undefined;
        // A quote mark elsewhere, as in `it's`, quotes nothing.
        if (last === 0x3d && code === 0x22) state = 2;
        else if (last === 0x3d && code === 0x27) state = 4;
        if (code > 0x20) last = code;
      } else if (code === (state === 2 ? 0x22 : 0x27)) {
        state = 1;
        last = code;
      }
    }
    return undefined;
  };
}
