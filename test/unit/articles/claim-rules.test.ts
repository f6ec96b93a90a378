/** The rules for one falsifiable assertion against labelled lines (spec §2.12, contract §5). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lintClaim } from '../../../src/domain/articles/claim-rules.ts';

function linesOf(file: string): [label: string, text: string][] {
  return readFileSync(new URL(`../../../vectors/claims/${file}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll('\\n', '\n').split('\t') as [string, string]);
}

function errorsIn(text: string): string[] {
  const claim = { text, tier: 'human', who_claims: 'a reader', why_material: 'It matters.' };
  return lintClaim(claim, undefined).flatMap(({ code, severity }) => (severity === 'error' ? [code] : []));
}

describe('the rules for one assertion', () => {
  it.each(linesOf('assertions.tsv'))('judge as %s: %s', (label, text) => {
    expect(errorsIn(text).length === 0 ? 'sound' : 'refused').toBe(label);
  });

  it('refuse 33 of 36 held-out lines and pass all 43 sound ones', () => {
    const right: Record<string, number> = { refused: 0, sound: 0 };
    for (const [label, text] of linesOf('assertions-heldout.tsv'))
      if ((errorsIn(text).length === 0 ? 'sound' : 'refused') === label) right[label]!++;
    expect(right).toEqual({ refused: 33, sound: 43 });
  });
});
