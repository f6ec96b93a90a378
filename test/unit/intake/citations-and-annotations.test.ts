/** Bibliographies and annotations as they are read (contract §8): of strangers, entry by entry. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCitations } from '../../../src/represent/intake/citations.ts';
import { matchAnnotations, readAnnotations } from '../../../src/represent/intake/web-annotations.ts';

describe('a bibliography', () => {
  it('in BibTeX is read entry by entry, with its abbreviations', async () => {
    const text = `@string{jb = "Journal of Bees"}
@article{doe, title={On {B}ees \\"{o}}, author={Doe, Jane and Roe, R.}, year=2020, journal=jb, doi={10.1000/xyz}}
@book{broken, title={Never ends
@misc{page, title={A page}, url={https://example.org/page}}`;
    expect(await readCitations('x.bib', text)).toEqual({
      entries: [
        {
          key: 'doe',
          type: 'paper',
          title: 'On Bees ö',
          url: 'https://doi.org/10.1000/xyz',
          summary: 'Doe, Jane; Roe, R. (2020) Journal of Bees',
          quote: '',
        },
        {
          key: 'page',
          type: expect.any(String),
          title: 'A page',
          url: 'https://example.org/page',
          summary: '',
          quote: '',
        },
      ],
      skipped: [{ path: 'x.bib broken', why: expect.stringContaining('The entry cannot be read') }],
    });
  });

  it('in RIS is read up to the end of each entry', async () => {
    const text =
      'TY  - JOUR\r\nTI  - On bees\r\nAU  - Doe, J.\r\nPY  - 2020/01\r\nUR  - https://example.org/b\r\nJO  - Bees\r\nER  - \r\nTY  - BOOK\r\nTI  - Cut off\r\n';
    expect(await readCitations('x.ris', text)).toEqual({
      entries: [
        {
          key: 'On bees',
          type: 'paper',
          title: 'On bees',
          url: 'https://example.org/b',
          summary: 'Doe, J. (2020) Bees',
          quote: '',
        },
      ],
      skipped: [],
    });
  });

  it('in CSL-JSON is read, and other JSON is not', async () => {
    const csl = [
      {
        id: 'a',
        type: 'book',
        title: 'On <i>bees</i>',
        URL: 'javascript:alert(1)',
        author: [{ literal: 'The hive' }],
      },
    ];
    expect((await readCitations('x.json', JSON.stringify(csl)))?.entries).toEqual([
      { key: 'a', type: 'book', title: 'On bees', url: '', summary: 'The hive', quote: '' },
    ]);
    for (const other of ['{}', '[]', '[1]', '{', '{"annotations":[]}'])
      expect(await readCitations('x.json', other)).toBeUndefined();
  });

  it.each([
    ['x.bib', '@misc{a, title={T}, quote={They \\"{o} {D}ance}, note={Mine}}', 'They ö Dance'],
    ['x.bib', '@misc{a, title={T}, note={quote: They dance}}', 'They dance'],
    ['x.bib', '@misc{a, title={T}, note={They dance}}', ''],
    ['x.ris', 'TY  - JOUR\nTI  - T\nN1  - Mine\nN1  - quote: They dance\nER  - \n', 'They dance'],
    ['x.json', '[{"type":"book","title":"T","quote":"They dance"}]', 'They dance'],
    ['x.json', '[{"type":"book","title":"T","note":"mine\\nQuote: They dance"}]', 'They dance'],
  ])('in %s, %j quotes %j', async (path, text, quote) => {
    expect((await readCitations(path, text))?.entries[0]?.quote).toBe(quote);
  });

  it('of any text is answered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('.bib', '.ris', '.json'),
        fc.string({ maxLength: 200 }),
        async (end, text) => {
          const read = await readCitations(`x${end}`, `@a{b, ${text}}\nTY  - X\n${text}\nER  - `);
          for (const { url } of read?.entries ?? []) expect(url).toMatch(/^(?:https?:\/\/.*)?$/);
        },
      ),
      { numRuns: 200 },
    );
  });
});

const blocks = [
  { div_id: 'd1', text: '# On bees' },
  { div_id: 'd2', text: 'Bees **dance** to tell [where](https://x.example) nectar is.' },
  { div_id: 'd3', text: 'They dance. In the dark they dance too.' },
  { div_id: 'd4', text: 'They dance. In the light they rest.' },
];

describe('annotations', () => {
  const one = (exact: string, more: object = {}) => ({
    '@context': 'http://www.w3.org/ns/anno.jsonld',
    type: 'Annotation',
    creator: { name: 'Ada' },
    body: { type: 'TextualBody', value: 'Really?' },
    target: {
      source: 'https://ledger.example/a/bees',
      selector: { type: 'TextQuoteSelector', exact, ...more },
    },
  });

  it.each([
    ['bees dance to tell where nectar', {}, 'd2', false],
    ['They dance.', {}, 'd3', true],
    ['They dance.', { suffix: ' In the light' }, 'd4', false],
    ['They sing.', {}, undefined, false],
    ['', {}, undefined, false],
  ])('on %j are matched to a block', (exact, more, divId, isAmbiguous) => {
    const read = readAnnotations(one(exact, more)) ?? [];
    expect(matchAnnotations(read, blocks)).toMatchObject([
      { div_id: divId, isAmbiguous, creator: 'Ada', text: 'Really?' },
    ]);
  });

  it.each([
    ['They dance.', 'd4', undefined, 'd4', 'quote', false],
    ['They dance.', '', [53, 64], 'd3', 'quote', false],
    ['They dance.', '', [93, 104], 'd4', 'quote', false],
    ['They sing.', 'd3', undefined, 'd3', 'address', false],
    ['They sing.', '', [53, 64], undefined, undefined, false],
    ['They sing.', 'd9', undefined, undefined, undefined, false],
    ['', 'd2', undefined, 'd2', 'address', false],
    ['', '', [10, 15], 'd2', 'position', false],
    ['', '', [1, 15], undefined, undefined, false],
    ['', '', [900, 910], undefined, undefined, false],
    ['', '', [5, 2], undefined, undefined, false],
  ])('on %j at #%s and %j are at %s by %s', (exact, part, span, divId, by, isAmbiguous) => {
    const selectors = [
      ...(exact === '' ? [] : [{ type: 'TextQuoteSelector', exact }]),
      ...(span === undefined ? [] : [{ type: 'TextPositionSelector', start: span[0], end: span[1] }]),
    ];
    const source = `https://ledger.example/a/bees${part === '' ? '' : `#${part}`}`;
    const read = readAnnotations({ target: { source, selector: selectors }, body: 'Really?' }) ?? [];
    expect(matchAnnotations(read, blocks)).toMatchObject([{ div_id: divId, by, isAmbiguous }]);
  });

  it('are read from a collection, a page and an export of Hypothesis', () => {
    const collection = {
      type: 'AnnotationCollection',
      first: { type: 'AnnotationPage', items: [one('a'), one('b')] },
    };
    expect(readAnnotations(collection)?.map(({ exact }) => exact)).toEqual(['a', 'b']);
    const hypothesis = {
      export_date: '2026-01-01',
      annotations: [
        {
          user: 'acct:zed@hypothes.is',
          text: 'A **doubt**.',
          uri: 'https://ledger.example/a/bees',
          tags: ['x'],
          target: [
            { selector: [{ type: 'RangeSelector' }, { type: 'TextQuoteSelector', exact: 'They dance.' }] },
          ],
        },
      ],
    };
    expect(readAnnotations(hypothesis)).toMatchObject([
      { creator: 'zed', text: 'A **doubt**.', exact: 'They dance.' },
    ]);
  });

  it.each([[{}], [[]], ['x'], [null], [{ items: {} }], [{ annotations: [{}] }]])(
    'are not found in %j',
    (value) => {
      expect(readAnnotations(value)).toBeUndefined();
    },
  );

  it('of any JSON are answered', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = readAnnotations({ items: [{ target: value, body: value, creator: value }] }) ?? [];
        expect(
          matchAnnotations(read, blocks).every(({ div_id: id }) => id === undefined || /^d\d$/.test(id)),
        ).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
