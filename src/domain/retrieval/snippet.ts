/**
 * The passage of a text that shows why it was found: plain words without markup, and where in them the asked
 * terms stand. Offsets, never markup: the page escapes a snippet first and marks it then.
 */
import { termsOf, type Term } from './terms.ts';

export interface Snippet extends Readonly<Record<string, string | (readonly [number, number])[]>> {
  readonly text: string;
  /** `[start, end]` of each match in `text`, in UTF-16 code units, in order, never overlapping. */
  readonly marks: (readonly [number, number])[];
}

/** Characters before the first match, so that it does not begin the snippet out of the blue. */
const lead = 60;
/** A text is searched for a passage this far. */
const readMax = 65_536;

export function snippetOf(text: string, terms: readonly string[], charsMax = 240): Snippet {
  const plain = plainText(text.slice(0, readMax));
  const wanted = new Set(terms);
  const found = termsOf(plain).filter(({ term }) => wanted.has(term));
  const [start, end] = windowOf(plain, found, charsMax);
  const before = start > 0 ? '… ' : '';
  const marks = merged(
    found
      .filter((term) => term.start >= start && term.end <= end)
      .map((term) => [term.start - start + before.length, term.end - start + before.length] as const),
  );
  return { text: `${before}${plain.slice(start, end)}${end < plain.length ? ' …' : ''}`, marks };
}

/** Where the most different terms stand together; the first such place. */
function windowOf(plain: string, found: readonly Term[], charsMax: number): readonly [number, number] {
  let best = 0;
  let bestCount = 0;
  found.forEach((first, i) => {
    const within = new Set<string>();
    for (let k = i; k < found.length && (found[k] as Term).end <= first.start + charsMax - lead; k++)
      within.add((found[k] as Term).term);
    if (within.size > bestCount) {
      bestCount = within.size;
      best = first.start;
    }
  });
  if (plain.length <= charsMax) return [0, plain.length];
  const start = wordStart(plain, Math.max(0, Math.min(best - lead, plain.length - charsMax)));
  return [start, wordEnd(plain, Math.min(plain.length, start + charsMax))];
}

function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.indexOf(' ', at);
  return space < 0 || space > at + 40 ? unbroken(text, at) : space + 1;
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const space = text.lastIndexOf(' ', at);
  return space < at - 40 ? unbroken(text, at) : space;
}

/** A cut never stands inside a surrogate pair. */
function unbroken(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

function merged(marks: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const out: [number, number][] = [];
  for (const [start, end] of marks) {
    const last = out[out.length - 1];
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}

/**
 * A Markdown text as words: enough for a snippet, in time linear in the text. What it leaves standing is shown
 * as it was written, and escaped.
 */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^[ \t]{0,3}(?:`{3,}|~{3,}).*$/gm, ' ')
    .replace(/\[\^[^[\]\s]{1,64}\]:?/g, '')
    .replace(/!?\[([^[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+"[^"\n]*")?\)/g, '$1')
    .replace(/!?\[([^[\]]*)\]\[[^[\]]*\]/g, '$1')
    .replace(/<\/?[A-Za-z][^<>]*>/g, ' ')
    .replace(/^[ \t]*(?:#{1,6}|>+|[*+-]|\d{1,9}[.)])[ \t]+/gm, '')
    .replace(/\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])|~~|`+/gu, '')
    .replace(/^(?=.*-)[ \t|:-]+$/gm, '')
    .replace(/\|/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
