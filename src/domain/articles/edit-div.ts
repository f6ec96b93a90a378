/**
 * Voxel edit (spec §3, §4.4; contract §5): compare-and-set on the DIV's hash. A stale hash writes nothing
 * and is answered with what stands now; an edit that would move a neighbour's boundary is refused.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { checkBoundaries, withSeparators, type Piece } from './boundaries.ts';
import { divEntry, nextRev, provenance } from './events.ts';
import { activeDivs, type ArticleState } from './state.ts';
import { articlePrefix } from './chains.ts';
import type { DivRow } from './tables.ts';
import { boundaryMoved, relaid, shapeOf, tooLarge } from './write-document.ts';

export interface EditDiv {
  readonly div_id: string;
  readonly expected_hash: string;
  readonly text: string;
}

/** Default limit of one edited DIV in UTF-8 bytes (contract §4). */
export const divBytesMax = 64 * 1024;

export function editDiv(
  article: ArticleState,
  edit: EditDiv,
  context: Context,
): Outcome<ArticleState> | Fault {
  const div = currentDiv(article, edit.div_id, edit.expected_hash);
  if ('fault' in div) return div;
  if (edit.text.trim() === '') {
    return fault(
      'body_mismatch',
      'The text is empty.',
      'Send the new text, or burn the DIV with VOXEL_BURN.',
    );
  }
  const bytes = Buffer.byteLength(edit.text);
  if (bytes > divBytesMax) {
    return fault(
      'payload_ceiling',
      `The text has ${bytes} bytes; a DIV has at most ${divBytesMax}.`,
      'Split the text over several DIVs.',
    );
  }
  const before = activeDivs(article);
  const i = before.indexOf(div);
  const edited: Piece[] = before.slice();
  edited[i] = { div_id: div.div_id, text: edit.text, sep: div.sep };
  const pieces = withSeparators(edited, [i]);
  const large = edit.text.length > div.text.length ? tooLarge(article.row.lead, pieces) : undefined;
  if (large !== undefined) return large;
  const { lead } = article.row;
  const check = checkBoundaries({ lead, pieces: before }, { lead, pieces }, [i]);
  if (!check.ok) return boundaryMoved(check.divs);
  const laid = relaid(before, pieces, [i], (at) =>
    shapeOf((pieces[at] as Piece).text, at === 0 ? lead : undefined),
  );
  const { aid, heads, slug } = article.row;
  const events = [
    provenance(aid, heads.provenance, context, 'voxel_edit', nextRev(article), { laid, of: [div.div_id] }),
    divEntry(aid, div.div_id, div.head, context, 'edit', { text: edit.text }),
  ];
  return {
    events,
    conclude(appended, after) {
      const permalink = links.div(context.base, slug, div.div_id);
      const now = after.divs.get(div.div_id) as DivRow;
      return {
        result: {
          ...divResult(slug, now, permalink),
          chain_entry: chainEntry(appended[1]),
          revision: after.row.version,
          permalink,
          body_regenerated: true,
        },
        text: `Edited ${div.div_id} of ${slug} (revision ${after.row.version}): ${permalink}`,
        material: [{ kind: 'div', id: `${slug}/${div.div_id}`, url: permalink }],
      };
    },
  };
}

/** The DIV under an id if it is current and still has the hash that the caller read. */
export function currentDiv(article: ArticleState, divId: string, expectedHash: string): DivRow | Fault {
  const div = article.divs.get(divId);
  if (div === undefined) {
    return fault(
      'not_found',
      `${article.row.slug} has no DIV ${divId}.`,
      'Read the DIVs under /voxels and use one of their ids.',
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
export function chainEntry(
  appended:
    { readonly sealed: { readonly entry: Record<string, unknown>; readonly hash: string } } | undefined,
) {
  if (appended === undefined) throw new Error(`no entry below ${articlePrefix('')}`);
  return { ...appended.sealed.entry, hash: appended.sealed.hash };
}
