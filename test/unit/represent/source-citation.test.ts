/** Citations of a source: contributed words are escaped for each format, and what is no date or address is left out. */
import { expect, it } from 'vitest';
import type { Source } from '../../../src/model/source.ts';
import { sourceBibtex, sourceCsl, sourceText } from '../../../src/represent/source-citation.ts';

const source: Source = {
  id: 's2',
  type: 'review',
  url: 'https://example.org/a_b?c={d}\\e',
  title: 'Wax\n& {honey}',
  quote: 'It is 100% wax_1.',
  summary: '',
  quality_score: null,
  source_role: null,
  platform: null,
  software_class: null,
  found_by: 'ada',
  accessed_at: '2026-01-02T03:04:05Z',
};
const bare: Source = { ...source, url: 'urn:isbn:9780 }, x = {1', accessed_at: 'last week' };

it('cites a source as text with its address, the day and the exact words', () => {
  expect(sourceText(source)).toBe(
    '“Wax & {honey}”. https://example.org/a_b?c=%7Bd%7D%5Ce, read on 2026-01-02. “It is 100% wax_1.”',
  );
  expect(sourceText(bare)).toBe('“Wax & {honey}”. urn:isbn:9780 }, x = {1. “It is 100% wax_1.”');
});

it('escapes titles, quotes and addresses for BibTeX', () => {
  expect(sourceBibtex('on-wax', source)).toBe(
    [
      '@misc{on-wax-s2,',
      '  title = {{Wax \\& \\textbraceleft{}honey\\textbraceright{}}},',
      '  url = {https://example.org/a_b?c=%7Bd%7D%5Ce},',
      '  urldate = {2026-01-02},',
      '  note = {Quoted: \\textquotedblleft{}It is 100\\% wax\\_1.\\textquotedblright{}},',
      '}',
      '',
    ].join('\n'),
  );
  expect(sourceBibtex('on-wax', bare)).toContain(
    '  howpublished = {urn:isbn:9780 \\textbraceright{}, x = \\textbraceleft{}1},\n',
  );
});

it('makes one CSL item, a document where the address is no web page', () => {
  expect(sourceCsl('on-wax', source)).toEqual([
    {
      id: 'on-wax-s2',
      type: 'webpage',
      title: 'Wax & {honey}',
      URL: 'https://example.org/a_b?c=%7Bd%7D%5Ce',
      accessed: { 'date-parts': [[2026, 1, 2]] },
      note: 'Quoted: “It is 100% wax_1.”',
    },
  ]);
  expect(sourceCsl('on-wax', bare)).toEqual([
    {
      id: 'on-wax-s2',
      type: 'document',
      title: 'Wax & {honey}',
      archive_location: 'urn:isbn:9780 }, x = {1',
      note: 'Quoted: “It is 100% wax_1.”',
    },
  ]);
});
