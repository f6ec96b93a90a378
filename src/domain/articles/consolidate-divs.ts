/** Consolidating DIVs (spec §3, §4.4): the first absorbs the others, which keep their chains; compare-and-set on every hash. */
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { withSeparator, withSeparators, type Piece } from './boundaries.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { chainEntry, currentDiv, divResult, divTextRules } from './edit-div.ts';
import { divEntry, nextRev, provenance } from './events.ts';
import { activeDivs, type ArticleState } from './state.ts';
import type { DivRow } from './tables.ts';
import { checkLayout, changedLayouts, shapeOf } from './write-document.ts';
import { exactly } from '../../model/exact.ts';
import { DivsConsolidated } from '../../model/div.ts';

export interface ConsolidateDivs {
  readonly div_ids: readonly string[];
  readonly expected_hashes: readonly string[];
  readonly text?: string | undefined;
}

export function consolidateRules(
  { div_ids: ids, expected_hashes: hashes, text }: PartialInput<ConsolidateDivs>,
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
  const touched = changedBoundaries(before, gone, kept, i);
  const pieces = withSeparators(merged, touched);
  const unfit = checkLayout(article, before, pieces, touched, context.limits);
  if (unfit !== undefined) return unfit;
  const { aid, heads, slug } = article.row;
  const laid = changedLayouts(before, pieces, [i], () =>
    shapeOf(text, i === 0 ? article.row.lead : undefined),
  );
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
        result: exactly(DivsConsolidated, {
          ...divResult(slug, after.divs.get(first.div_id) as DivRow, permalink),
          absorbed: [...gone],
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        }),
        text: `Consolidated ${merge.div_ids.join(', ')} of ${slug} into ${first.div_id}: ${permalink}`,
        material: [{ kind: 'div', id: `${slug}/${first.div_id}`, url: permalink }],
      };
    },
  };
}

/** Places in the new order where DIVs meet that did not meet before, and the one that was rewritten. */
export function changedBoundaries(
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
