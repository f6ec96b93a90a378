/** Word-level differences between two texts, for history pages and for merging a stale edit. */
import { diffWordsWithSpace } from 'diff';

export type WordChange = { readonly op: 'same' | 'added' | 'removed'; readonly text: string };

/** Changes in reading order; joining `same` and `removed` gives `before`, `same` and `added` gives `after`. */
export function wordDiff(before: string, after: string): WordChange[] {
  return diffWordsWithSpace(before, after).map(({ value, added, removed }) => ({
    op: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }));
}
