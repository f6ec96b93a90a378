/** What two texts say differently at one place, taken out word by word as rules explain it, and what they said of it. */
import { difference, type Difference, type Weight } from './difference.ts';
import type { Gap } from './align.ts';
import type { Token } from './token.ts';

export class Rest {
  readonly left: Token[];
  readonly right: Token[];
  readonly found: Difference[] = [];
  /** Of all words that were here at first, so that most rules need not look for theirs. */
  readonly #leftTraits: number;
  readonly #rightTraits: number;

  constructor(gap: Gap) {
    this.left = [...gap.left];
    this.right = [...gap.right];
    this.#leftTraits = traitsOf(this.left);
    this.#rightTraits = traitsOf(this.right);
  }

  say(weight: Weight, kind: string, detail: string): void {
    this.found.push(difference(weight, kind, detail));
  }

  /** Whether any word may have one of these traits. */
  has(traits: number): boolean {
    return ((this.#leftTraits | this.#rightTraits) & traits) !== 0;
  }

  /** Whether on either side a word may have one of them. */
  bothHave(traits: number): boolean {
    return (this.#leftTraits & traits) !== 0 && (this.#rightTraits & traits) !== 0;
  }

  /** Takes every pair out for which `fits` holds, first come first served. */
  takePairs(fits: (a: Token, b: Token) => boolean, weight: Weight, kind: string): void {
    const { left, right } = this;
    for (let i = 0; i < left.length && right.length > 0; i++) {
      const a = left[i] as Token;
      let j = 0;
      while (j < right.length && !fits(a, right[j] as Token)) j++;
      if (j === right.length) continue;
      this.say(weight, kind, `${a.text}/${(right[j] as Token).text}`);
      left.splice(i--, 1);
      right.splice(j, 1);
    }
  }

  /** Takes every word out that has one of the traits, whichever side says it. */
  takeEach(traits: number, weight: Weight, kind: string): void {
    for (const text of this.takeBoth(traits)) this.say(weight, kind, text);
  }

  takeBoth(traits: number): readonly string[] {
    if (!this.has(traits)) return nothing;
    return [...this.takeFrom(this.left, traits), ...this.takeFrom(this.right, traits)];
  }

  /** From one of the two sides. */
  takeFrom(side: Token[], traits: number): readonly string[] {
    if (!this.has(traits)) return nothing;
    const taken: string[] = [];
    let kept = 0;
    for (const token of side) {
      if ((token.traits & traits) === 0) side[kept++] = token;
      else taken.push(token.text);
    }
    side.length = kept;
    return taken;
  }
}

const nothing: readonly string[] = [];

function traitsOf(tokens: readonly Token[]): number {
  let traits = 0;
  for (const token of tokens) traits |= token.traits;
  return traits;
}
