/**
 * Moving, consolidating and burning DIVs (spec §3, contract §5). Nothing is deleted: an absorbed or burned
 * DIV keeps its bytes and its chain, and its permalink goes on resolving.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { EventDraft } from '../../engine/act.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { checkBoundaries, withSeparator, withSeparators, type Piece } from './boundaries.ts';
import { reasonRules } from '../text-rules.ts';
import { refusalOf, violation, type Fitting, type Violation } from '../violations.ts';
import { chainEntry, currentDiv, divResult, divTextRules } from './edit-div.ts';
import { divEntry, nextRev, provenance, type DivLayout } from './events.ts';
import { activeDivs, type ArticleState } from './state.ts';
import type { DivRow } from './tables.ts';
import { boundaryMoved, layoutOf, relaid, shapeOf, tooLarge } from './write-document.ts';

export interface MoveDiv {
  readonly div_id: string;
  readonly expected_order: number;
  readonly direction?: 'up' | 'down' | undefined;
  readonly to?: number | undefined;
}

export function moveRules({ direction, to }: Fitting<MoveDiv>): Violation[] {
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
  const check = checkBoundaries(
    { lead: article.row.lead, pieces: before },
    { lead: article.row.lead, pieces },
    touched,
  );
  if (!check.ok) return boundaryMoved(check.divs);
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
        result: {
          ...divResult(slug, now, permalink),
          order: target,
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        },
        text: `Moved ${div.div_id} of ${slug} to place ${target}: ${permalink}`,
        material: [{ kind: 'div', id: `${slug}/${div.div_id}`, url: permalink }],
      };
    },
  };
}

export interface ConsolidateDivs {
  readonly div_ids: readonly string[];
  readonly expected_hashes: readonly string[];
  readonly text?: string | undefined;
}

export function consolidateRules(
  { div_ids: ids, expected_hashes: hashes, text }: Fitting<ConsolidateDivs>,
  limits: SizeLimits,
): Violation[] {
  const named = ids?.filter((id) => id !== null);
  return [
    ...(ids != null && named != null && new Set(named).size !== named.length
      ? [violation('malformed', '/div_ids', 'A DIV is named twice.', 'Name at least two different DIVs.')]
      : []),
    ...(ids != null && hashes != null && hashes.length !== ids.length
      ? [
          violation(
            'malformed',
            '/expected_hashes',
            `There are ${hashes.length} expected hashes for ${ids.length} DIVs.`,
            'Send one expected hash for each DIV, in the same order.',
          ),
        ]
      : []),
    ...divTextRules(
      text,
      limits,
      'Leave text out for the verbatim join, or burn the DIVs.',
      'Leave text out for the verbatim join, or shorten it.',
    ),
  ];
}

export function consolidateDivs(
  article: ArticleState,
  merge: ConsolidateDivs,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(consolidateRules(merge, context.limits));
  if (bad !== undefined) return bad;
  const divs: DivRow[] = [];
  for (const [i, id] of merge.div_ids.entries()) {
    const div = currentDiv(article, id, merge.expected_hashes[i] as string);
    if (isFault(div)) return div;
    divs.push(div);
  }
  const before = activeDivs(article);
  const [first, ...others] = divs as [DivRow, ...DivRow[]];
  const gone = new Set(others.map((div) => div.div_id));
  const joined = divs
    .map((div, i) => div.text + (i === divs.length - 1 ? '' : withSeparator(div, divs[i + 1])))
    .join('');
  const kept = before.filter((div) => !gone.has(div.div_id));
  const i = kept.indexOf(first);
  const text = merge.text ?? joined;
  const merged = kept.map((div): Piece =>
    div === first ? { div_id: div.div_id, text, sep: (others[others.length - 1] as DivRow).sep } : div,
  );
  const touched = seams(before, gone, kept, i);
  const pieces = withSeparators(merged, touched);
  const large = merge.text === undefined ? undefined : tooLarge(article.row.lead, pieces, context.limits);
  if (large !== undefined) return large;
  const check = checkBoundaries(
    { lead: article.row.lead, pieces: before },
    { lead: article.row.lead, pieces },
    touched,
  );
  if (!check.ok) return boundaryMoved(check.divs);
  const { aid, heads, slug } = article.row;
  const laid = relaid(before, pieces, [i], () => shapeOf(text, i === 0 ? article.row.lead : undefined));
  return {
    events: [
      provenance(aid, heads.provenance, context, 'voxel_consolidate', nextRev(article), {
        laid,
        of: merge.div_ids,
      }),
      divEntry(aid, first.div_id, first.head, context, 'consolidate', { text }),
      ...others.map((div) =>
        divEntry(aid, div.div_id, div.head, context, 'absorb', { text_sha: div.vx_hash }),
      ),
    ],
    conclude(appended, after) {
      const permalink = links.div(context.base, slug, first.div_id);
      return {
        result: {
          ...divResult(slug, after.divs.get(first.div_id) as DivRow, permalink),
          absorbed: [...gone],
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        },
        text: `Consolidated ${merge.div_ids.join(', ')} of ${slug} into ${first.div_id}: ${permalink}`,
        material: [{ kind: 'div', id: `${slug}/${first.div_id}`, url: permalink }],
      };
    },
  };
}

/** Places in the new order where DIVs meet that did not meet before, and the one that was rewritten. */
function seams(
  before: readonly DivRow[],
  gone: ReadonlySet<string>,
  kept: readonly DivRow[],
  rewritten: number,
): number[] {
  const touched = new Set(rewritten < 0 ? [] : [rewritten]);
  let place = -1;
  for (const div of before) {
    if (gone.has(div.div_id)) {
      if (place >= 0) touched.add(place);
      if (place + 1 < kept.length) touched.add(place + 1);
    } else {
      place++;
    }
  }
  return [...touched].sort((a, b) => a - b);
}

export interface BurnDivs {
  readonly ids?: readonly string[] | undefined;
  readonly older_than_days?: number | undefined;
  readonly expected_hashes?: readonly string[] | undefined;
  readonly reason: string;
}

export function burnRules(burn: Fitting<BurnDivs>): Violation[] {
  const { ids, older_than_days: days, expected_hashes: hashes, reason } = burn;
  return [
    ...((ids === undefined) === (days === undefined)
      ? [
          violation(
            'one_of_two',
            ids === undefined ? '/ids' : '/older_than_days',
            'Burning takes either ids or older_than_days.',
            'Send one of the two.',
          ),
        ]
      : []),
    ...(ids != null && hashes != null && hashes.length !== ids.length
      ? [
          violation(
            'malformed',
            '/expected_hashes',
            'expected_hashes has another length than ids.',
            'Send one hash for each id, or none.',
          ),
        ]
      : []),
    ...reasonRules(reason, 'Say why the text goes.'),
  ];
}

export function burnDivs(
  article: ArticleState,
  burn: BurnDivs,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(burnRules(burn));
  if (bad !== undefined) return bad;
  const before = activeDivs(article);
  const chosen: DivRow[] = [];
  if (burn.ids === undefined) {
    const oldest = Date.parse(context.now) - (burn.older_than_days as number) * 86_400_000;
    chosen.push(...before.filter((div) => Date.parse(div.head.ts) < oldest));
    if (chosen.length === 0)
      return fault(
        'conflict',
        'No current DIV is that old; nothing was burned.',
        'Name the DIVs in ids, or send a smaller older_than_days.',
      );
  } else {
    for (const [i, id] of burn.ids.entries()) {
      const div = currentDiv(article, id, burn.expected_hashes?.[i] ?? article.divs.get(id)?.vx_hash ?? '');
      if (isFault(div)) return div;
      if (!chosen.includes(div)) chosen.push(div);
    }
  }
  const gone = new Set(chosen.map((div) => div.div_id));
  const kept = before.filter((div) => !gone.has(div.div_id));
  const touched = seams(before, gone, kept, -1);
  const pieces = withSeparators<Piece>(kept, touched);
  const check = checkBoundaries(
    { lead: article.row.lead, pieces: before },
    { lead: article.row.lead, pieces },
    touched,
  );
  if (!check.ok) return boundaryMoved(check.divs);
  const { aid, heads, slug } = article.row;
  return {
    events: [
      provenance(aid, heads.provenance, context, 'voxel_burn', nextRev(article), {
        laid: relaid(before, pieces, [], () => ({})),
        of: [...gone],
        reason: burn.reason,
      }),
      ...chosen.map((div): EventDraft =>
        divEntry(aid, div.div_id, div.head, context, 'burn', { text_sha: div.vx_hash }),
      ),
    ],
    conclude(appended, after) {
      const permalink = links.article(context.base, slug);
      return {
        result: {
          slug,
          divs: chosen.map((div) => ({
            div_id: div.div_id,
            status: 'burned',
            vx_hash: div.vx_hash,
            permalink: links.div(context.base, slug, div.div_id),
          })),
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        },
        text: `Burned ${[...gone].join(', ')} of ${slug}; their bytes stay readable.`,
        material: [{ kind: 'article', id: slug, url: permalink }],
      };
    },
  };
}
