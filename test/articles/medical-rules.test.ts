/** Doses and medical advice against labelled lines (spec §2.12 rule 3, contract §5). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { medicalRules } from '../../src/domain/articles/medical-rules.ts';

const lines = readFileSync(new URL('../../vectors/medical/lines.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [label: string, text: string]);

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

  it('name the member and the range of what they found', () => {
    expect(medicalRules({ falsifier: 'Adults take two tablets daily.' }, '/claims/0')).toMatchObject([
      { code: 'dose', at: '/claims/0/falsifier#12-23', message: 'The falsifier names a dose for a person.' },
    ]);
  });
});
