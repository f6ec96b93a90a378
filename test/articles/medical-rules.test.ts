/** Doses and medical advice against labelled lines (spec §2.12 rule 3, contract §5). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { medicalRules } from '../../src/domain/articles/medical-rules.ts';

function linesOf(file: string): [label: string, text: string][] {
  return readFileSync(new URL(`../../vectors/medical/${file}`, import.meta.url), 'utf8')
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

  it('judge lines that another hand wrote: of 35 doses, 25 of advice and 60 of neither', () => {
    const counts: Record<string, number> = {};
    for (const [label, text] of linesOf('more-lines.tsv')) {
      const codes = medicalRules({ text }).map(({ code }) => code);
      const right = label === 'none' ? codes.length === 0 : codes.includes(codeOf[label]?.[0] ?? '');
      counts[label] = (counts[label] ?? 0) + (right ? 1 : 0);
    }
    expect(counts).toEqual({ dose: 35, advice: 22, none: 60 });
  });

  it('name the member and the range of what they found', () => {
    expect(medicalRules({ falsifier: 'Adults take two tablets daily.' }, '/claims/0')).toMatchObject([
      { code: 'dose', at: '/claims/0/falsifier#12-23', message: 'The falsifier names a dose for a person.' },
    ]);
  });
});
