/** The contents of an article: its headings as a tree, and its sources, discussion and contributions. */
import type { TocEntry } from '../../represent/article-html.ts';
import { HeadingText } from './heading-text.tsx';

interface ContentsPart {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

/** Folded on narrow pages, where it stays at the top; a column of its own on wide ones. `web/reading/contents.ts` marks the present place. */
export function Contents({
  toc,
  parts,
}: Readonly<{ toc: readonly TocEntry[]; parts: readonly ContentsPart[] }>) {
  const headings = toc.filter(({ title }) => title !== '');
  const present = parts.filter(({ count }) => count > 0);
  if (headings.length + present.length < 3) return null;
  return (
    <nav class="contents" aria-label="Contents">
      <details>
        <summary>
          Contents
          <span class="contents-here" />
        </summary>
        <Branches branches={contentsTree(headings)} level={1} />
        <ul class="contents-parts">
          {present.map(({ id, name, count }) => (
            <li key={id}>
              <a href={`#${id}`}>
                {name} <span class="contents-count">{count.toLocaleString('en-GB')}</span>
              </a>
            </li>
          ))}
          <li>
            <a href="#colophon">Colophon</a>
          </li>
        </ul>
      </details>
    </nav>
  );
}

function Branches({ branches, level }: { readonly branches: readonly Branch[]; readonly level: number }) {
  return (
    <ol>
      {branches.map(({ entry, below }) => (
        <li key={entry.anchor}>
          <a href={`#${encodeURIComponent(entry.anchor)}`} dir="auto">
            <HeadingText title={entry.title} />
          </a>
          {below.length > 0 && level < levelsMax ? <Branches branches={below} level={level + 1} /> : null}
        </li>
      ))}
    </ol>
  );
}

export interface Branch {
  readonly entry: TocEntry;
  readonly below: readonly Branch[];
}

const levelsMax = 3;

/** Headings as a tree; a heading that skips levels becomes a child of the heading before it. */
export function contentsTree(toc: readonly TocEntry[]): readonly Branch[] {
  interface Growing {
    readonly entry: TocEntry;
    readonly below: Growing[];
  }
  const roots: Growing[] = [];
  const open: Growing[] = [];
  for (const entry of toc) {
    while (open.length > 0 && (open[open.length - 1] as Growing).entry.level >= entry.level) open.pop();
    const branch: Growing = { entry, below: [] };
    (open[open.length - 1]?.below ?? roots).push(branch);
    open.push(branch);
  }
  return roots;
}
