/** Burning DIVs (spec §3, §4.4): they leave the article, by name or by age, and their bytes stay readable. */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { EventDraft } from '../../engine/act.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { withSeparators, type Piece } from './boundaries.ts';
import { reasonRules } from '../text-rules.ts';
import { refusalOf, violation, type PartialInput, type Violation } from '../violations.ts';
import { chainEntry, currentDiv } from './edit-div.ts';
import { divEntry, nextRev, provenance } from './events.ts';
import { activeDivs, type ArticleState } from './state.ts';
import type { DivRow } from './tables.ts';
import { checkLayout, changedLayouts } from './write-document.ts';
import { changedBoundaries } from './consolidate-divs.ts';
import { exactly } from '../../model/exact.ts';
import { DivsBurned } from '../../model/div.ts';

export interface BurnDivs {
  readonly ids?: readonly string[] | undefined;
  readonly older_than_days?: number | undefined;
  readonly expected_hashes?: readonly string[] | undefined;
  readonly reason: string;
}

export function burnRules(burn: PartialInput<BurnDivs>): Violation[] {
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
  let chosen: DivRow[] = [];
  if (burn.ids === undefined) {
    const oldest = Date.parse(context.now) - (burn.older_than_days as number) * 86_400_000;
    chosen = before.filter((div) => Date.parse(div.head.ts) < oldest);
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
  const touched = changedBoundaries(before, gone, kept, -1);
  const pieces = withSeparators<Piece>(kept, touched);
  const unfit = checkLayout(article, before, pieces, touched, context.limits);
  if (unfit !== undefined) return unfit;
  const { aid, heads, slug } = article.row;
  return {
    events: [
      provenance(aid, heads.provenance, context, 'voxel_burn', nextRev(article), {
        laid: changedLayouts(before, pieces, [], () => ({})),
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
        result: exactly(DivsBurned, {
          slug,
          divs: chosen.map((div) => ({
            div_id: div.div_id,
            status: 'burned' as const,
            vx_hash: div.vx_hash,
            permalink: links.div(context.base, slug, div.div_id),
          })),
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        }),
        text: `Burned ${[...gone].join(', ')} of ${slug}; their bytes stay readable.`,
        material: [{ kind: 'article', id: slug, url: permalink }],
      };
    },
  };
}
