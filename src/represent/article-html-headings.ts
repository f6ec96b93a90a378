/**
 * Anchors and the table of contents: every top-level heading gets an id that authors can foresee, since it is
 * the one that GitHub gives, behind a prefix that keeps it apart from the page's own ids (contract §8,
 * "contents").
 */
import type { Token } from 'markdown-it';
import { titleOf } from '../domain/articles/blocks-inline.ts';

export interface TocEntry {
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
  /** The `id` of the heading, with `anchorPrefix`. */
  readonly anchor: string;
  readonly div_id: string;
}

/** Every id in the HTML begins with this; a page that embeds it must use no such ids of its own. */
export const anchorPrefix = 'h-';

/** The names that authors link to (`#name`) and the ids that stand for them. */
export class Anchors {
  readonly byName = new Map<string, string>();
  readonly #repeats = new Map<string, number>();

  /** A new id for a heading; the second heading of a name gets `-1` after it. */
  add(title: string): string {
    const name = slugOf(title);
    let unique = name;
    while (this.byName.has(unique)) {
      const n = (this.#repeats.get(name) ?? 0) + 1;
      this.#repeats.set(name, n);
      unique = `${name}-${n}`;
    }
    this.byName.set(unique, anchorPrefix + unique);
    return anchorPrefix + unique;
  }
}

/** Names the top-level headings among the tokens of one DIV; `mark` gets each with its id. */
export function nameHeadings(
  tokens: readonly Token[],
  divId: string,
  anchors: Anchors,
  mark: (heading: Token, id: string) => void,
): TocEntry[] {
  const entries: TocEntry[] = [];
  tokens.forEach((token, i) => {
    if (token.type !== 'heading_open' || token.level !== 0) return;
    const title = titleOf(tokens[i + 1]?.children ?? []);
    const anchor = anchors.add(title);
    mark(token, anchor);
    entries.push({ level: Number(token.tag[1]), title, anchor, div_id: divId });
  });
  return entries;
}

/** The name that GitHub gives a heading, which authors know to link to. */
function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  return slug === '' ? 'section' : slug;
}
