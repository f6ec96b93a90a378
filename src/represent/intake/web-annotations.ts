/**
 * Web Annotations as discussion (W3C Web Annotation Data Model; contract §8, importing), also as Hypothesis exports
 * them. The words that an annotation quotes are looked for in the blocks of the article; what it says becomes the entry
 * that a person chooses. The attacker controls the whole file.
 */

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
}

export interface MatchedAnnotation extends ReadAnnotation {
  /** The block that holds the quoted words; undefined where none does. */
  readonly div_id: string | undefined;
  /** Whether other blocks hold them too. */
  readonly isAmbiguous: boolean;
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
  const quote = selectors
    .flatMap((selector) => refined(selector, 0))
    .find(({ type }) => type === 'TextQuoteSelector');
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
  };
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

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : '';
}

/** Finds the block of each; words around the quote decide between blocks that all hold it. */
export function matchAnnotations(
  annotations: readonly ReadAnnotation[],
  blocks: readonly { readonly div_id: string; readonly text: string }[],
): readonly MatchedAnnotation[] {
  const plain = blocks.map(({ div_id, text }) => ({ div_id, text: plainWords(text) }));
  return annotations.map((annotation) => {
    const exact = plainWords(annotation.exact);
    const holding = exact === '' ? [] : plain.filter(({ text }) => text.includes(exact));
    const around =
      `${plainWords(annotation.prefix).slice(-40)} ${exact} ${plainWords(annotation.suffix).slice(0, 40)}`.trim();
    const exactly = holding.filter(({ text }) => text.includes(around));
    const best = exactly.length > 0 ? exactly : holding;
    return { ...annotation, div_id: best[0]?.div_id, isAmbiguous: best.length > 1 };
  });
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
