/** One thing that two texts say differently, and how much it weighs (contract §5 "Near-duplicates and contraries"). */

export interface Difference {
  readonly weight: Weight;
  readonly kind: string;
  /** Kind and words: `antonym: increases/decreases`. */
  readonly label: string;
}

/** `turns` makes a contrary, `doubt` and `content` forbid to call two texts the same, `harmless` does not. */
export type Weight = 'turns' | 'doubt' | 'content' | 'harmless';

export function difference(weight: Weight, kind: string, detail: string): Difference {
  return { weight, kind, label: `${kind}: ${detail}` };
}
