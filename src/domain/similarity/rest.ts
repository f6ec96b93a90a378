/** What two texts say differently at one place, taken out word by word as rules explain it. */
import type { Token } from './wording.ts';

export interface Rest {
  readonly left: Token[];
  readonly right: Token[];
}

export type Say = (detail: string) => void;

/** Takes every pair out for which `fits` holds, first come first served. */
export function takePairs(rest: Rest, fits: (a: Token, b: Token) => boolean, say: Say): void {
  for (let i = 0; i < rest.left.length; i++) {
    const a = rest.left[i] as Token;
    const j = rest.right.findIndex((b) => fits(a, b));
    if (j < 0) continue;
    say(`${a.text}/${(rest.right[j] as Token).text}`);
    rest.left.splice(i--, 1);
    rest.right.splice(j, 1);
  }
}

/** Takes every word out for which `fits` holds, whichever side says it. */
export function takeEach(rest: Rest, fits: (token: Token) => boolean, say: Say): void {
  for (const text of [...takeFrom(rest.left, fits), ...takeFrom(rest.right, fits)]) say(text);
}

export function takeFrom(tokens: Token[], fits: (token: Token) => boolean): string[] {
  const taken = tokens.filter(fits).map((token) => token.text);
  if (taken.length > 0) tokens.splice(0, tokens.length, ...tokens.filter((token) => !fits(token)));
  return taken;
}
