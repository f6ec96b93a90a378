/**
 * Two renderings of a text compared (contract §8): HTML in which the words that were added stand in `ins` and those that
 * were removed in `del`. Markup is never cut: marks go around words inside the elements that are there. What is
 * rendered comes sanitised; nothing here lets through an attribute or an element that was not in it.
 */
import { diffTokens, wordsOf } from './word-diff.ts';

/** One text in two states: as one document with both, and each by itself. */
export interface MarkedHtml {
  readonly inline: string;
  readonly before: string;
  readonly after: string;
  /** Whether any word differs; formatting alone may. */
  readonly differs: boolean;
}

export function markedHtml(before: string, after: string): MarkedHtml {
  const [was, is] = [partsOf(before), partsOf(after)];
  const changes = diffTokens(tokensOf(was), tokensOf(is));
  const [removed, added]: [Range[], Range[]] = [[], []];
  const inserted: Insertion[] = [];
  let [left, right] = [0, 0];
  for (const { op, tokens } of changes) {
    const length = tokens.reduce((sum, token) => sum + lengthOf(token), 0);
    if (op === 'removed') {
      removed.push([left, left + length]);
      const html = piecesOf(was, [left, left + length]);
      if (html !== '') inserted.push({ at: right, html: `<del>${html}</del>` });
    }
    if (op === 'added') added.push([right, right + length]);
    if (op !== 'added') left += length;
    if (op !== 'removed') right += length;
  }
  return {
    inline: written(is, 'ins', added, inserted),
    before: written(was, 'del', removed, []),
    after: written(is, 'ins', added, []),
    differs: changes.some(({ op, tokens }) => op !== 'same' && tokens.join('').trim() !== ''),
  };
}

/** A text that has no counterpart, all of it marked. */
export function wholeMarked(html: string, mark: 'ins' | 'del'): string {
  const parts = partsOf(html);
  return written(parts, mark, [[0, parts.text.length]], []);
}

/** `[start, end]` in the text of a document. */
type Range = readonly [number, number];

interface Insertion {
  readonly at: number;
  readonly html: string;
}

type Part =
  | { readonly kind: 'tag'; readonly html: string }
  /** `isObject`: an image or a formula, which is one sign of the text. */
  | {
      readonly kind: 'text';
      readonly html: string;
      readonly start: number;
      readonly end: number;
      readonly isObject: boolean;
    };

interface Parts {
  readonly parts: readonly Part[];
  /** The text without markup; blocks are separated by a line end that no part has, and an object is one sign. */
  readonly text: string;
  /** The markup of each object by its place in the text. */
  readonly objects: ReadonlyMap<number, string>;
}

const pattern = /<math[\s>][^]*?<\/math>|<img\s[^>]*>|<[^>]*>|[^<]+/g;
const block =
  /^<\/?(?:blockquote|br|caption|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hr|li|ol|p|pre|summary|table|tbody|td|tfoot|th|thead|tr|ul)[\s/>]/;
const objectSign = '\uFFFC';

function partsOf(html: string): Parts {
  const parts: Part[] = [];
  const objects = new Map<number, string>();
  let text = '';
  for (const [found] of html.matchAll(pattern)) {
    const isObject = found.startsWith('<math') || found.startsWith('<img');
    if (found.startsWith('<') && !isObject) {
      if (block.test(found) && text !== '' && !text.endsWith('\n')) text += '\n';
      parts.push({ kind: 'tag', html: withoutId(found) });
      continue;
    }
    const start = text.length;
    if (isObject) objects.set(start, withoutId(found));
    text += isObject ? objectSign : decoded(found);
    parts.push({ kind: 'text', html: isObject ? withoutId(found) : '', start, end: text.length, isObject });
  }
  return { parts, text, objects };
}

/** The text as words; an object is the token that its markup is, since another one has the same sign. */
function tokensOf({ text, objects }: Parts): readonly string[] {
  let at = 0;
  return wordsOf(text).map((word) => {
    const token = objects.get(at) ?? word;
    at += word.length;
    return token;
  });
}

/** In the text. A word never begins with a bracket and goes on. */
function lengthOf(token: string): number {
  return token.startsWith('<') ? 1 : token.length;
}

function written(
  { parts, text }: Parts,
  mark: 'ins' | 'del',
  ranges: readonly Range[],
  insertions: readonly Insertion[],
): string {
  const places = parts.flatMap((part, i) =>
    part.kind === 'text' && (part.isObject || text.slice(part.start, part.end).trim() !== '') ? [i] : [],
  );
  const waiting = Map.groupBy(insertions, ({ at }) => placeOf(parts, places, at));
  const out = parts.map((part, i) => {
    if (part.kind === 'tag') return part.html;
    return writePart(part, text, mark, ranges, waiting.get(i) ?? []);
  });
  const homeless = waiting.get(-1);
  if (homeless !== undefined) out.push(`<p>${homeless.map(({ html }) => html).join('')}</p>`);
  return out.join('');
}

/** The part that an insertion goes into: the one that it touches at its end or lies in, else the next or last one. */
function placeOf(parts: readonly Part[], places: readonly number[], at: number): number {
  const spans = places.map((i) => ({ i, part: parts[i] as Extract<Part, { kind: 'text' }> }));
  const found =
    spans.find(({ part }) => part.start < at && at <= part.end) ??
    spans.find(({ part }) => part.start >= at) ??
    spans.at(-1);
  return found?.i ?? -1;
}

function writePart(
  part: Extract<Part, { kind: 'text' }>,
  text: string,
  mark: 'ins' | 'del',
  ranges: readonly Range[],
  insertions: readonly Insertion[],
): string {
  const cuts = new Set([part.start, part.end]);
  const within = (at: number): number => Math.min(Math.max(at, part.start), part.end);
  for (const [start, end] of ranges) cuts.add(within(start)).add(within(end));
  for (const { at } of insertions) cuts.add(within(at));
  const points = [...cuts].sort((a, b) => a - b);
  let html = '';
  points.forEach((point, i) => {
    for (const insertion of insertions) if (within(insertion.at) === point) html += insertion.html;
    const next = points[i + 1];
    if (next === undefined) return;
    const shown = part.isObject ? part.html : encoded(text.slice(point, next));
    const isMarked = ranges.some(([start, end]) => start <= point && next <= end);
    html +=
      isMarked && (part.isObject || text.slice(point, next).trim() !== '')
        ? `<${mark}>${shown}</${mark}>`
        : shown;
  });
  return html;
}

/** What stands in a range, without the elements around it; a blank stands for the border of two blocks. */
function piecesOf({ parts, text }: Parts, [from, to]: Range): string {
  let html = '';
  let isApart = false;
  for (const part of parts) {
    if (part.kind === 'tag') isApart ||= block.test(part.html);
    if (part.kind === 'tag' || part.end <= from || part.start >= to) continue;
    const shown = part.isObject
      ? part.html
      : encoded(text.slice(Math.max(from, part.start), Math.min(to, part.end)).replace(/\s+/g, ' '));
    html += html !== '' && isApart && !html.endsWith(' ') ? ` ${shown}` : shown;
    isApart = false;
  }
  return html.trim() === '' ? '' : html.replace(/ {2,}/g, ' ');
}

/** Two renderings of one text stand on a page, where an id may stand once. */
function withoutId(tag: string): string {
  return tag.replace(/ id="[^"]*"/g, '');
}

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decoded(html: string): string {
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] as string);
}

/** Quotes may stand in a text as they are. */
function encoded(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
