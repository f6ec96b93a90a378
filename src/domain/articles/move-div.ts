/** Moving a DIV (spec §3, contract §5): to a place or past its neighbour, by compare-and-set on the order. No text changes, so no hash does. */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { withSeparators, type Piece } from './boundaries.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { chainEntry, currentDiv, divResult } from './edit-div.ts';
import { divEntry, nextRev, provenance, type DivLayout } from './events.ts';
import { activeDivs, type ArticleState } from './state.ts';
import type { DivRow } from './tables.ts';
import { checkLayout, layoutOf } from './write-document.ts';
import { exactly } from '../../model/exact.ts';
import { DivMoved } from '../../model/div.ts';

export interface MoveDiv {
  readonly div_id: string;
  readonly expected_order: number;
  readonly direction?: 'up' | 'down' | undefined;
  readonly to?: number | undefined;
}

export function moveRules({ direction, to }: PartialInput<MoveDiv>): Violation[] {
  if ((direction === undefined) !== (to === undefined)) return [];
  return [
    violation(
      'one_of_two',
      direction === undefined ? '/direction' : '/to',
      'A move has either a direction or the place it goes to.',
      'Send direction up or down, or to; one of the two.',
    ),
  ];
}

export function moveDiv(
  article: ArticleState,
  move: MoveDiv,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(moveRules(move));
  if (bad !== undefined) return bad;
  const before = activeDivs(article);
  const from = before.findIndex((div) => div.div_id === move.div_id);
  const div = before[from];
  if (div === undefined) return currentDiv(article, move.div_id, '') as Fault;
  const target = move.to === undefined ? (move.direction === 'up' ? from : from + 2) : move.to;
  if (from + 1 !== move.expected_order || target < 1 || target > before.length) {
    return fault(
      'order_stale',
      from + 1 === move.expected_order
        ? `${move.div_id} cannot move past the ${target < 1 ? 'beginning' : 'end'} of the article.`
        : `${move.div_id} stands at ${from + 1}, not at ${move.expected_order}.`,
      'Read current_layout and send the order you see there.',
      {
        current_layout: before.map((each, i) => ({
          div_id: each.div_id,
          order: i + 1,
          vx_hash: each.vx_hash,
        })),
      },
    );
  }
  const order = before.slice();
  order.splice(from, 1);
  order.splice(target - 1, 0, div);
  const positions = before.map((each) => each.pos);
  const touched = [target - 1, target, from, from + 1].filter((i) => i < order.length);
  const pieces = withSeparators<Piece>(order, touched);
  const unfit = checkLayout(article, before, pieces, touched, context.limits);
  if (unfit !== undefined) return unfit;
  const laid = order
    .map((each, i): DivLayout => ({
      ...layoutOf(each),
      pos: positions[i] as number,
      sep: (pieces[i] as Piece).sep,
    }))
    .filter(
      (layout, i) => layout.pos !== (order[i] as DivRow).pos || layout.sep !== (order[i] as DivRow).sep,
    );
  const { aid, heads, slug } = article.row;
  return {
    events: [
      provenance(aid, heads.provenance, context, 'voxel_move', nextRev(article), { laid, of: [div.div_id] }),
      divEntry(aid, div.div_id, div.head, context, 'move', { text_sha: div.vx_hash }),
    ],
    conclude(appended, after) {
      const permalink = links.div(context.base, slug, div.div_id);
      const now = after.divs.get(div.div_id) as DivRow;
      return {
        result: exactly(DivMoved, {
          ...divResult(slug, now, permalink),
          order: target,
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        }),
        text: `Moved ${div.div_id} of ${slug} to place ${target}: ${permalink}`,
        material: [{ kind: 'div', id: `${slug}/${div.div_id}`, url: permalink }],
      };
    },
  };
}
