/**
 * What differs between two layouts of an article. Pieces left alone are usually the same objects, so that
 * comparing a thousand of them costs microseconds; only a part between a common beginning and a common end is
 * looked at closely.
 */
export interface Piece {
  readonly div_id: string;
  /** One or more whole blocks. */
  readonly text: string;
  /** Blank: spaces, tabs and line ends up to the next DIV. */
  readonly sep: string;
}

export interface Layout {
  readonly lead: string;
  readonly pieces: readonly Piece[];
}

/** The middle parts of two layouts, between a common beginning and a common end. */
export interface LayoutChange {
  readonly from: number;
  readonly beforeTo: number;
  readonly afterTo: number;
  /** Indexes into `after.pieces`. */
  readonly changed: readonly number[];
}

/** Compares layouts; a DIV is changed when it is new, reworded, respaced or preceded by another one. */
export function layoutChange(before: Layout, after: Layout): LayoutChange {
  const b = before.pieces;
  const a = after.pieces;
  let from = 0;
  while (from < b.length && from < a.length && same(b[from] as Piece, a[from] as Piece)) from++;
  let beforeTo = b.length;
  let afterTo = a.length;
  while (beforeTo > from && afterTo > from && same(b[beforeTo - 1] as Piece, a[afterTo - 1] as Piece)) {
    beforeTo--;
    afterTo--;
  }
  const changed: number[] = before.lead === after.lead || a.length === 0 ? [] : [0];
  if (from === beforeTo && from === afterTo) return { from, beforeTo, afterTo, changed };

  const formerIndex = new Map<string, number>();
  for (let i = from; i < beforeTo; i++) formerIndex.set((b[i] as Piece).div_id, i);
  // One past the middle as well: the first DIV of the common end may have got another neighbour.
  for (let i = from; i <= afterTo && i < a.length; i++) {
    const piece = a[i] as Piece;
    const former = i === afterTo ? beforeTo : formerIndex.get(piece.div_id);
    const unchanged =
      former !== undefined && same(b[former] as Piece, piece) && b[former - 1]?.div_id === a[i - 1]?.div_id;
    if (!unchanged) changed.push(i);
  }
  if (afterTo === a.length && a.length > 0) changed.push(a.length - 1);
  return { from, beforeTo, afterTo, changed };
}

function same(one: Piece, other: Piece): boolean {
  return one === other || (one.div_id === other.div_id && one.text === other.text && one.sep === other.sep);
}
