/**
 * Dividing: a Markdown text becomes its top-level blocks, each held as exact `text` and exact blank `sep`, so
 * that joining gives back the very bytes (contract §5, "Dividing"; spec §2.5). The identity is checked on
 * every division before anything is returned; a text that the ledger cannot hold is a Fault.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import { textProblem } from '../../kernel/json.ts';
import { titleReader } from './blocks-inline.ts';
import { scanBlocks, type DivKind } from './blocks.ts';

export type { DivKind } from './blocks.ts';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  /** Without markup, at most 200 characters. */
  readonly title: string;
}

export interface Shape {
  readonly kind: DivKind;
  /** 1 to 6 for a heading, else 0. */
  readonly level: number;
  /** Plain text of a heading, else ''. */
  readonly title: string;
  /** The headings inside a `mixed` DIV, in order. */
  readonly headings?: readonly Heading[];
}

export interface Block extends Shape {
  /** From the first line's indentation to the last line that is not blank, without its line end. */
  readonly text: string;
  /** The line end of `text` and the blank lines up to the next block. */
  readonly sep: string;
}

export interface Division {
  /** A byte order mark and the blank lines before the first block. */
  readonly lead: string;
  readonly blocks: readonly Block[];
}

/** Divides a whole article; refuses NUL characters and lone surrogates with `invalid_request`. */
export function divide(markdown: string): Division | Fault {
  const bad = textProblem(markdown);
  if (bad !== undefined) {
    return fault(
      'invalid_request',
      `The Markdown cannot be divided: ${bad}.`,
      'Send well-formed text without NUL characters.',
    );
  }
  const scan = scanBlocks(markdown, true);
  const titleOf = titleReader(scan);
  const blocks: Block[] = [];
  for (let i = 0; i < scan.spans.length; i++) {
    const span = scan.spans[i] as (typeof scan.spans)[number];
    const next = scan.spans[i + 1]?.start ?? markdown.length;
    const title = span.kind === 'heading' ? titleOf(span) : '';
    blocks.push({
      text: markdown.slice(span.start, span.end),
      sep: markdown.slice(span.end, next),
      kind: span.kind,
      level: span.level,
      title,
    });
  }
  const lead = markdown.slice(0, scan.spans[0]?.start ?? markdown.length);
  if (join(lead, blocks) !== markdown) throw new Error('the division does not join to the text it came from');
  return { lead, blocks };
}

/** The body that a lead and its DIVs stand for. */
export function join(
  lead: string,
  blocks: readonly { readonly text: string; readonly sep: string }[],
): string {
  let body = lead;
  for (const block of blocks) body += block.text + block.sep;
  return body;
}

/**
 * What an edited DIV holds. Several blocks, and blank text with none, are `mixed`. For the first DIV of an
 * article give the article's `lead`: only there a text can be front matter.
 */
export function kindOf(text: string, lead?: string): Shape {
  const scan = lead === undefined ? scanBlocks(text, false) : scanBlocks(lead + text, true);
  const titleOf = titleReader(scan);
  const headings: Heading[] = [];
  for (const span of scan.spans) {
    if (span.kind === 'heading') headings.push({ level: span.level, title: titleOf(span) });
  }
  const only = scan.spans.length === 1 ? scan.spans[0] : undefined;
  if (only === undefined) return { kind: 'mixed', level: 0, title: '', headings };
  return { kind: only.kind, level: only.level, title: headings[0]?.title ?? '' };
}

/**
 * For each block the titles of the headings it stands under, outermost first; a heading isn't under itself.
 */
export function headingPaths(blocks: readonly Omit<Shape, 'kind'>[]): readonly (readonly string[])[] {
  let open: readonly Heading[] = [];
  let path: readonly string[] = [];
  const enter = (heading: Heading): void => {
    const above = open.filter((outer) => outer.level < heading.level);
    open = [...above, { level: heading.level, title: heading.title }];
    path = open.map((outer) => outer.title);
  };
  return blocks.map((block) => {
    if (block.level === 0) {
      const above = path;
      for (const heading of block.headings ?? []) enter(heading);
      return above;
    }
    enter(block);
    return path.slice(0, -1);
  });
}
