/**
 * Router tags (spec §4.1): `[KEY]args[/KEY]` inside a turn of a conversation. A tag is a call that its writer
 * means; what is quoted (code, block quotes) or stands inside another tag is text about calls and never one.
 * The text is an attacker's: reading it takes time in proportion to its length, whatever is nested in it.
 */
export interface RouterTag {
  readonly key: string;
  /** The text between the tag's ends as it stands, pipes and inner tags and all. */
  readonly args: string;
  /** Place of the opening bracket, and of what follows the closing one, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Tags that stand on their own, in order. An opening without its end, or an end without its opening, is text. */
export function readRouterTags(text: string): readonly RouterTag[] {
  const quoted = quotedSpans(text);
  const open: { readonly key: string; readonly start: number; readonly from: number }[] = [];
  const waiting = new Map<string, number>();
  const pairs: RouterTag[] = [];
  let span = 0;
  for (const { 0: token, 1: slash, 2: key = '', index } of text.matchAll(tagEnd)) {
    while (span < quoted.length && (quoted[span] as Span).end <= index) span++;
    const inside = quoted[span];
    if (inside !== undefined && inside.start <= index) continue;
    if (slash === '') {
      open.push({ key, start: index, from: index + token.length });
      waiting.set(key, (waiting.get(key) ?? 0) + 1);
      continue;
    }
    if ((waiting.get(key) ?? 0) === 0) continue;
    // Openings above the one that ends here were never closed inside it.
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      waiting.set(top.key, (waiting.get(top.key) as number) - 1);
      if (top.key !== key) continue;
      const end = index + token.length;
      pairs.push({ key, args: text.slice(top.from, index), start: top.start, end });
      break;
    }
  }
  let behind = 0;
  return pairs
    .sort((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      if (start < behind) return false;
      behind = end;
      return true;
    });
}

const tagEnd = /\[(\/?)([A-Z][A-Z0-9_]{1,63})\]/g;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a text quotes: fenced and indented code, block quotes with the lines that continue them, code spans. */
function quotedSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let fence: { readonly mark: string; readonly length: number } | undefined;
  let isQuote = false;
  let at = 0;
  let plainFrom: number | undefined;
  /** Code spans end with their paragraph. */
  const endParagraph = (end: number): void => {
    if (plainFrom !== undefined) for (const span of codeSpans(text, plainFrom, end)) spans.push(span);
    plainFrom = undefined;
  };
  for (const line of text.split(/(?<=\n)/)) {
    const start = at;
    at += line.length;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const isBlank = line.trim() === '';
    if (isBlank) isQuote = false;
    if (/^ {0,3}>/.test(line)) isQuote = true;
    const isCode =
      fence !== undefined || mark !== undefined || isQuote || (!isBlank && /^(?: {4}| {0,3}\t)/.test(line));
    if (isCode || isBlank) endParagraph(start);
    else plainFrom ??= start;
    if (isCode) spans.push({ start, end: at });
    if (fence === undefined && mark !== undefined && !isQuote)
      fence = { mark: mark.charAt(0), length: mark.length };
    else if (fence !== undefined && mark?.charAt(0) === fence.mark && mark.length >= fence.length)
      fence = undefined;
  }
  endParagraph(at);
  return spans;
}

/** Runs of backticks of the same length, and the text between them. */
function codeSpans(text: string, from: number, to: number): Span[] {
  const runs = [...text.slice(from, to).matchAll(/`+/g)].map((run) => ({
    start: from + run.index,
    length: run[0].length,
  }));
  // By length, from the last run on: the nearest run of the same length behind each.
  const next = new Map<number, number>();
  const closing: (number | undefined)[] = [];
  for (let i = runs.length - 1; i >= 0; i--) {
    const { length } = runs[i] as (typeof runs)[number];
    closing[i] = next.get(length);
    next.set(length, i);
  }
  const spans: Span[] = [];
  for (let i = 0; i < runs.length; i++) {
    const close = closing[i];
    if (close === undefined) continue;
    const { start } = runs[i] as (typeof runs)[number];
    const end = runs[close] as (typeof runs)[number];
    spans.push({ start, end: end.start + end.length });
    i = close;
  }
  return spans;
}
