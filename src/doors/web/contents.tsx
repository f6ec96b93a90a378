/** The contents list of an article: its headings as nested lists, three levels deep. */
import type { TocEntry } from '../../represent/article-html.ts';

export interface Branch {
  readonly entry: TocEntry;
  readonly below: readonly Branch[];
}

const levelsMax = 3;
/** Longer lists start collapsed above the text. */
const openMax = 14;

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

export function Contents({ toc }: { readonly toc: readonly TocEntry[] }) {
  const shown = toc.filter(({ title }) => title !== '');
  if (shown.length < 3) return null;
  return (
    <nav class="contents" aria-label="Contents">
      <details open={shown.length <= openMax}>
        <summary>Contents</summary>
        <Branches branches={contentsTree(shown)} level={1} />
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
            {entry.title}
          </a>
          {below.length > 0 && level < levelsMax ? <Branches branches={below} level={level + 1} /> : null}
        </li>
      ))}
    </ol>
  );
}
