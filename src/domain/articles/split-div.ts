/**
 * Splitting a DIV in two where certain words begin (contract §5): by compare-and-set on its hash. What stood between the
 * parts becomes the separator; the body changes by no byte where that parts two blocks already, and gets line ends in
 * its place where it does not. The first part keeps the id, the second is a new DIV behind it.
 */
import { isFault, type Fault } from '../../kernel/fault.ts';
import { trimEndOf } from '../../kernel/text.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { refusalOf, violation, type Violation } from '../violations.ts';
import { withSeparators, type Piece } from './boundaries.ts';
import { chainEntry, currentDiv, divResult } from './edit-div.ts';
import { divEntry, nextRev, provenance, type DivLayout } from './events.ts';
import { activeDivs, type ArticleState } from './state.ts';
import type { DivRow } from './tables.ts';
import { checkLayout, layoutOf, shapeOf } from './write-document.ts';
import { exactly } from '../../model/exact.ts';
import { DivSplit } from '../../model/div.ts';

export interface SplitDiv {
  readonly div_id: string;
  readonly expected_hash: string;
  /** The exact words that the second part begins with. */
  readonly at: string;
}

export function splitDiv(
  article: ArticleState,
  split: SplitDiv,
  context: Context,
): Outcome<ArticleState> | Fault {
  const div = currentDiv(article, split.div_id, split.expected_hash);
  if (isFault(div)) return div;
  const bad = refusalOf(placeRules(div, split.at), 'The place');
  if (bad !== undefined) return bad;
  const { row } = article;
  const { aid, heads, slug, lead } = row;
  const before = activeDivs(article);
  const at = before.indexOf(div);
  const made = `d${row.divs_made + 1}`;
  const pieces = splitPieces(before, at, split.at, made);
  const unfit = checkLayout(article, before, pieces, [at, at + 1], context.limits);
  if (unfit !== undefined) return unfit;
  const [first, second] = pieces.slice(at, at + 2) as [Piece, Piece];
  const layout: DivLayout = {
    div_id: made,
    pos: div.pos + 1,
    ...shapeOf(second.text, undefined),
    sep: second.sep,
  };
  const kept: DivLayout = {
    ...layoutOf(div),
    ...shapeOf(first.text, at === 0 ? lead : undefined),
    sep: first.sep,
  };
  return {
    events: [
      provenance(aid, heads.provenance, context, 'voxel_split', nextRev(article), {
        made: [layout],
        laid: [kept, ...movedUp(before.slice(at + 1), layout.pos)],
        of: [div.div_id, made],
      }),
      divEntry(aid, div.div_id, div.head, context, 'edit', { text: first.text }),
      divEntry(aid, made, null, context, 'divide', { text: second.text }),
    ],
    conclude(appended, after) {
      const permalink = links.div(context.base, slug, made);
      const divs = [div.div_id, made].map(
        (id) => divResult(slug, after.divs.get(id) as DivRow, links.div(context.base, slug, id)).div,
      );
      return {
        result: exactly(DivSplit, {
          slug,
          divs,
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        }),
        text: `Split ${div.div_id} of ${slug}; what follows is ${made}: ${permalink}`,
        material: [{ kind: 'div', id: `${slug}/${made}`, url: permalink }],
      };
    },
  };
}

/** The words must name one place inside the DIV, with something before it. */
export function placeRules(div: DivRow, words: string): Violation[] {
  const say = (message: string, fix: string): Violation[] => [violation('place', '/at', message, fix)];
  const found = div.text.indexOf(words);
  if (words.trim() === '' || found < 0)
    return say(
      `${div.div_id} does not hold the words at which it should be split.`,
      'Send the exact words that the second part begins with, as they stand in the text.',
    );
  if (div.text.includes(words, found + 1))
    return say(
      `The words at which ${div.div_id} should be split stand in it more than once.`,
      'Send more of the words that follow them.',
    );
  return div.text.slice(0, found).trim() === ''
    ? say(`${div.div_id} begins with these words.`, 'Send the words that the second part begins with.')
    : [];
}

/** The article's pieces with two for the one; the blanks between them are the separator of the first. */
function splitPieces(before: readonly DivRow[], at: number, words: string, made: string): Piece[] {
  const { div_id, text, sep } = before[at] as DivRow;
  const cut = text.indexOf(words);
  const head = text.slice(0, cut);
  const kept = trimEndOf(head, /[ \t\r\n]/);
  const between = head.slice(kept.length);
  const lineEnd = /\r\n?|\n/.exec(text + sep)?.[0] ?? '\n';
  const pieces: Piece[] = before.slice();
  pieces.splice(
    at,
    1,
    { div_id, text: kept, sep: /[\r\n]/.test(between) ? between : lineEnd + lineEnd },
    { div_id: made, text: text.slice(cut), sep },
  );
  return withSeparators(pieces, [at + 1]);
}

/** Places are only compared: those behind the new one move up as far as they stand in its way. */
function movedUp(following: readonly DivRow[], from: number): DivLayout[] {
  const laid: DivLayout[] = [];
  let taken = from;
  for (const div of following) {
    if (div.pos > taken) break;
    taken++;
    laid.push({ ...layoutOf(div), pos: taken });
  }
  return laid;
}
