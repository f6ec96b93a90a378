/** Word-level differences between two texts, for history pages and for merging a stale edit. */
import { diffWordsWithSpace } from 'diff';

export type WordChange = { readonly op: 'same' | 'added' | 'removed'; readonly text: string };

/** Words that may differ: comparing takes time with their square. */
const maxEditLength = 2000;

/** Changes in reading order; joining `same` and `removed` gives `before`, `same` and `added` gives `after`. */
export function wordDiff(before: string, after: string): WordChange[] {
  // Texts can be made so that comparing them takes for ever; beyond this one stands whole beside the other.
  const changes = diffWordsWithSpace(before, after, { maxEditLength });
  if (changes === undefined)
    return [
      { op: 'removed', text: before },
      { op: 'added', text: after },
    ];
  return changes.map(({ value, added, removed }) => ({
    op: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }));
}
