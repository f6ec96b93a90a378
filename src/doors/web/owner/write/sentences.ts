/** The sentences of an article, to make claims and sources of without a selection (contract §8). */
import { activeDivs, type ArticleState } from '../../../../domain/articles/state.ts';
import { plainText } from '../../../../domain/retrieval/snippet.ts';

export interface Sentence {
  /** Of its block and its place in it: `d3.0`. */
  readonly id: string;
  readonly text: string;
  /** The heading that it stands under. */
  readonly section: string;
}

/** More would fill a menu that nobody reads. */
const sentencesMax = 500;
const prose = new Set(['paragraph', 'list', 'blockquote']);
const segments = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Of the whole text, or of one block. */
export function sentencesOf(state: ArticleState, block?: string): readonly Sentence[] {
  const found: Sentence[] = [];
  let section = '';
  for (const { div_id: id, kind, title, text } of activeDivs(state)) {
    if (title !== '') section = title;
    if (!prose.has(kind) || (block !== undefined && id !== block)) continue;
    let n = 0;
    for (const { segment } of segments.segment(plainText(text)))
      if (segment.trim() !== '') found.push({ id: `${id}.${n++}`, text: segment.trim(), section });
    if (found.length >= sentencesMax) return found.slice(0, sentencesMax);
  }
  return found;
}
