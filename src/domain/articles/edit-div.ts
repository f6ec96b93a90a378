/**
 * Voxel edit (spec §3, §4.4; contract §5): compare-and-set on the DIV's hash. A stale hash writes nothing
 * and is answered with what stands now; an edit that would move a neighbour's boundary is refused.
 */
import type { Appended, EventDraft } from '../../engine/act.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { blankRules } from '../text-rules.ts';
import { refusalOf, violation, type Violation } from '../violations.ts';
import { withSeparators, type Piece } from './boundaries.ts';
import { divEntry, nextRev, provenance } from './events.ts';
import { activeDivs, type ArticleState } from './state.ts';
import { articlePrefix } from './chains.ts';
import type { DivRow } from './tables.ts';
import { checkLayout, changedLayouts, shapeOf } from './write-document.ts';
import { exactly } from '../../model/exact.ts';
import { DivEdited, type ChainEntry } from '../../model/div.ts';

export interface EditDiv {
  readonly div_id: string;
  readonly expected_hash: string;
  readonly text: string;
}

export function editDiv(
  article: ArticleState,
  edit: EditDiv,
  context: Context,
): Outcome<ArticleState> | Fault {
  const events = editDivs(article, [edit], context);
  if (isFault(events)) return events;
  const { slug } = article.row;
  return {
    events,
    conclude(appended, after) {
      const permalink = links.div(context.base, slug, edit.div_id);
      const now = after.divs.get(edit.div_id) as DivRow;
      return {
        result: exactly(DivEdited, {
          ...divResult(slug, now, permalink),
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        }),
        text: `Edited ${edit.div_id} of ${slug} (revision ${after.row.version}): ${permalink}`,
        material: [{ kind: 'div', id: `${slug}/${edit.div_id}`, url: permalink }],
      };
    },
  };
}

/** New texts of different DIVs in one revision: what makes it, then an entry of each DIV in the order given. */
export function editDivs(
  article: ArticleState,
  edits: readonly EditDiv[],
  context: Context,
): readonly EventDraft[] | Fault {
  const bad = refusalOf(edits.flatMap(({ text }) => divTextRules(text, context.limits)));
  if (bad !== undefined) return bad;
  const before = activeDivs(article);
  const edited: Piece[] = before.slice();
  const divs: DivRow[] = [];
  for (const edit of edits) {
    const div = currentDiv(article, edit.div_id, edit.expected_hash);
    if ('fault' in div) return div;
    edited[before.indexOf(div)] = { div_id: div.div_id, text: edit.text, sep: div.sep };
    divs.push(div);
  }
  const touched = divs.map((div) => before.indexOf(div)).sort((a, b) => a - b);
  const pieces = withSeparators(edited, touched);
  const { lead, aid, heads } = article.row;
  const unfit = checkLayout(article, before, pieces, touched, context.limits);
  if (unfit !== undefined) return unfit;
  const laid = changedLayouts(before, pieces, touched, (at) =>
    shapeOf((pieces[at] as Piece).text, at === 0 ? lead : undefined),
  );
  const of = divs.map(({ div_id: id }) => id);
  return [
    provenance(aid, heads.provenance, context, 'voxel_edit', nextRev(article), { laid, of }),
    ...divs.map((div, i) =>
      divEntry(aid, div.div_id, div.head, context, 'edit', { text: (edits[i] as EditDiv).text }),
    ),
  ];
}

const fill = 'Send the new text, or burn the DIV with VOXEL_BURN.';
const split = 'Split the text over several DIVs.';

/** What is asked of the text of a DIV, whatever stands beside it. */
export function divTextRules(
  text: string | null | undefined,
  { divBytesMax }: SizeLimits,
  whereBlank = fill,
  whereLarge = split,
): Violation[] {
  if (typeof text !== 'string') return [];
  const bytes = Buffer.byteLength(text);
  return [
    ...blankRules('text', text, whereBlank),
    ...(bytes > divBytesMax
      ? [
          violation(
            'too_much',
            '/text',
            `The text has ${bytes} bytes; a DIV has at most ${divBytesMax}.`,
            whereLarge,
          ),
        ]
      : []),
  ];
}

/** The DIV under an id if it is current and still has the hash that the caller read. */
export function currentDiv(article: ArticleState, divId: string, expectedHash: string): DivRow | Fault {
  const div = article.divs.get(divId);
  if (div === undefined) {
    return about(
      fault(
        'not_found',
        `${article.row.slug} has no DIV ${divId}.`,
        'Read the DIVs under /voxels and use one of their ids.',
      ),
      { kind: 'div', id: divId, slug: article.row.slug },
    );
  }
  if (div.status !== 'current') {
    return fault(
      'conflict',
      `${divId} is ${div.status} and takes no more writes.`,
      'Read the current DIVs under /voxels.',
      {
        div_id: divId,
        div_status: div.status,
      },
    );
  }
  if (div.vx_hash !== expectedHash) {
    return fault(
      'hash_stale',
      `${divId} has changed since the hash ${expectedHash.slice(0, 64)} was read.`,
      'Merge your change into current_text and send it with current_hash as expected_hash.',
      { div_id: divId, expected_hash: expectedHash, current_text: div.text, current_hash: div.vx_hash },
    );
  }
  return div;
}

export function divResult(slug: string, div: DivRow, permalink: string) {
  return {
    slug,
    div: {
      div_id: div.div_id,
      kind: div.kind,
      text: div.text,
      sep: div.sep,
      status: div.status,
      vx_hash: div.vx_hash,
      permalink,
    },
  };
}

/** A sealed entry as answers show it: the hashed object and its hash. The chain's name is the article's own. */
export function chainEntry(appended: Pick<Appended, 'sealed'> | undefined): ChainEntry {
  if (appended === undefined) throw new Error(`no entry below ${articlePrefix('')}`);
  return { ...appended.sealed.entry, hash: appended.sealed.hash } as ChainEntry;
}
