/** Doses and medical advice against labelled lines (spec §2.12 rule 3, contract §5). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { medicalRules } from '../../../src/domain/articles/medical-rules.ts';

function linesOf(file: string): [label: string, text: string][] {
  return readFileSync(new URL(`../../../vectors/medical/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [label: string, text: string]);
}

const lines = linesOf('lines.tsv');

const codeOf: Readonly<Record<string, readonly string[]>> = {
  dose: ['dose'],
  advice: ['medical_advice'],
  none: [],
};

describe('the medical rules', () => {
  it.each(lines)('find %s in "%s"', (label, text) => {
    const codes = medicalRules({ text }).map(({ code }) => code);
    expect(codes.filter((code) => label !== 'advice' || code !== 'dose')).toEqual(codeOf[label]);
  });

  it.each([
    ['more-lines.tsv', { dose: 35, advice: 22, none: 60 }],
    ['heldout.tsv', { dose: 27, advice: 24, none: 50 }],
    ['fresh.tsv', { dose: 7, advice: 9, none: 18 }],
  ])('judge the lines of %s, which they were not made for, as well as %o', (file, right) => {
    const counts: Record<string, number> = {};
    for (const [label, text] of linesOf(file)) {
      const codes = medicalRules({ text }).map(({ code }) => code);
      const isRight = label === 'none' ? codes.length === 0 : codes.includes(codeOf[label]?.[0] ?? '');
      counts[label] = (counts[label] ?? 0) + (isRight ? 1 : 0);
    }
    expect(counts).toEqual(right);
  });

  it('name the member and the range of what they found', () => {
    expect(medicalRules({ falsifier: 'Adults take two tablets daily.' }, '/claims/0')).toMatchObject([
      { code: 'dose', at: '/claims/0/falsifier#12-23', message: 'The falsifier names a dose for a person.' },
    ]);
  });
});
