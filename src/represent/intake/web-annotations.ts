/**
 * Web Annotations as discussion (W3C Web Annotation Data Model; contract §8, importing), also as Hypothesis exports
 * them. The words that an annotation quotes are looked for in the blocks of the article; what it says becomes the entry
 * that a person chooses. The attacker controls the whole file.
 */
import { isObject } from '../../kernel/json-value.ts';

export interface ReadAnnotation {
  readonly creator: string;
  readonly created: string;
  /** What it says; '' for a mere highlight. */
  readonly text: string;
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
  /** The address that it was written on. */
  readonly source: string;
  /** The block or claim that the address names behind `#`, as exports of this service have it; '' without one. */
  readonly part: string;
  /** Where the words stand in the text; undefined where it does not say. */
  readonly position: Span | undefined;
  readonly motivation: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface MatchedAnnotation extends ReadAnnotation {
  /** The block that holds the quoted words; undefined where none does. */
  readonly div_id: string | undefined;
  /** Whether other blocks hold them too. */
  readonly isAmbiguous: boolean;
  /** By what the block was found. */
  readonly by: 'quote' | 'address' | 'position' | undefined;
}

export const annotationsMax = 500;
const charsMax = 8_000;

type Json = Readonly<Record<string, unknown>>;

/** Undefined where the value is neither; pages of a collection are read, addresses in it are not opened. */
export function readAnnotations(value: unknown): readonly ReadAnnotation[] | undefined {
  const items = itemsIn(value, 0);
  const found = items?.flatMap((item) => annotationIn(item) ?? []);
  return found === undefined || found.length === 0 ? undefined : found.slice(0, annotationsMax);
}

function itemsIn(value: unknown, depth: number): readonly Json[] | undefined {
  if (depth > 4) return undefined;
  if (Array.isArray(value)) return value.flatMap((item) => itemsIn(item, depth + 1) ?? []);
  if (!isObject(value)) return undefined;
  const inner = value['items'] ?? value['annotations'] ?? value['rows'] ?? value['first'];
  if (inner !== undefined && value['target'] === undefined) return itemsIn(inner, depth + 1);
  return value['target'] === undefined ? undefined : [value];
}

function annotationIn(item: Json): ReadAnnotation | undefined {
  const targets = list(item['target']);
  const selectors = targets.flatMap((target) => (isObject(target) ? list(target['selector']) : []));
  const all = selectors.flatMap((selector) => refined(selector, 0));
  const quote = all.find(({ type }) => type === 'TextQuoteSelector');
  const place = all.find(({ type }) => type === 'TextPositionSelector');
  const target = targets[0];
  const source = isObject(target) ? (target['source'] ?? target['id']) : target;
  const { creator, user } = item;
  const named = isObject(creator) ? (creator['name'] ?? creator['nickname'] ?? creator['id']) : creator;
  return {
    creator: textOf(named ?? displayName(item) ?? user)
      .replace(/^acct:([^@]*)@.*$/, '$1')
      .slice(0, 100),
    created: textOf(item['created']).slice(0, 40),
    text: bodyIn(item).slice(0, charsMax),
    exact: textOf(quote?.['exact']).slice(0, charsMax),
    prefix: textOf(quote?.['prefix']).slice(-200),
    suffix: textOf(quote?.['suffix']).slice(0, 200),
    source: textOf(item['uri'] ?? source).slice(0, 500),
    part: /#([cd]\d{1,7})$/.exec(textOf(source))?.[1] ?? '',
    position: spanIn(place),
    motivation: textOf(list(item['motivation'])[0]).slice(0, 100),
  };
}

function spanIn(selector: Json | undefined): Span | undefined {
  const { start, end } = selector ?? {};
  const isSpan =
    Number.isSafeInteger(start) &&
    Number.isSafeInteger(end) &&
    Number(start) >= 0 &&
    Number(end) > Number(start);
  return isSpan ? { start: Number(start), end: Number(end) } : undefined;
}

function displayName(item: Json): unknown {
  const info = item['user_info'];
  return isObject(info) ? (info['display_name'] ?? undefined) : undefined;
}

function refined(selector: unknown, depth: number): readonly Json[] {
  if (!isObject(selector) || depth > 4) return [];
  return [selector, ...list(selector['refinedBy']).flatMap((each) => refined(each, depth + 1))];
}

function bodyIn(item: Json): string {
  const bodies = [...list(item['body']), item['bodyValue'], item['text']];
  const texts = bodies.flatMap((body) => {
    if (typeof body === 'string') return /^https?:/.test(body) ? [] : [body];
    if (!isObject(body) || body['purpose'] === 'tagging') return [];
    const plain = textOf(body['value']);
    return [body['format'] === 'text/html' ? plain.replace(/<[^<>]*>/g, ' ') : plain];
  });
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '').join('\n\n');
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 20) : value === undefined || value === null ? [] : [value];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : '';
}

interface Block {
  readonly div_id: string;
  readonly text: string;
}

/**
 * Finds the block of each: by the words that it quotes, then by the words around them, by the block that its address
 * names, and by its place in the text. Quoted words that no block holds are not anchored by anything else, except by the
 * address of a block, which does not move.
 */
export function matchAnnotations(
  annotations: readonly ReadAnnotation[],
  blocks: readonly Block[],
): readonly MatchedAnnotation[] {
  const plain = blocks.map(({ div_id, text }) => ({ div_id, text: plainWords(text) }));
  const ids = new Set(blocks.map(({ div_id }) => div_id));
  const starts = startsOf(plain);
  return annotations.map((annotation): MatchedAnnotation => {
    const exact = plainWords(annotation.exact);
    const named = ids.has(annotation.part) ? annotation.part : undefined;
    const found = (div: string | undefined, by: MatchedAnnotation['by'], isAmbiguous = false) => ({
      ...annotation,
      div_id: div,
      by: div === undefined ? undefined : by,
      isAmbiguous,
    });
    if (exact === '')
      return named === undefined
        ? found(
            annotation.position === undefined ? undefined : blockAt(plain, starts, annotation.position),
            'position',
          )
        : found(named, 'address');
    const holding = plain.filter(({ text }) => text.includes(exact));
    if (holding.length === 0) return found(named, 'address');
    const before = plainWords(annotation.prefix).slice(-40);
    const after = plainWords(annotation.suffix).slice(0, 40);
    const around = [`${before} ${exact} ${after}`, `${before}${exact}${after}`].map((each) => each.trim());
    const exactly = holding.filter(({ text }) => around.some((each) => text.includes(each)));
    const best = exactly.length > 0 ? exactly : holding;
    if (best.length === 1) return found(best[0]?.div_id, 'quote');
    const place = annotation.position === undefined ? undefined : blockAt(plain, starts, annotation.position);
    const chosen = best.find(({ div_id: id }) => id === named) ?? best.find(({ div_id: id }) => id === place);
    return chosen === undefined ? found(best[0]?.div_id, 'quote', true) : found(chosen.div_id, 'quote');
  });
}

/** Where each block begins in the text as a reader sees it, with one character between blocks. */
function startsOf(blocks: readonly Block[]): readonly number[] {
  let at = 0;
  return blocks.map(({ text }) => {
    const start = at;
    at += text.length + 1;
    return start;
  });
}

/** The block that a span lies in; undefined where it lies in several or behind the last. */
function blockAt(
  blocks: readonly Block[],
  starts: readonly number[],
  { start, end }: Span,
): string | undefined {
  const n = blocks.findIndex(({ text }, i) => {
    const from = starts[i] as number;
    return start >= from && end <= from + text.length;
  });
  return blocks[n]?.div_id;
}

/** Words as a reader sees them, without markup and differences of case, quotes and blanks. */
function plainWords(text: string): string {
  return text
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/[*_`~#>|\\[\]]/g, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
