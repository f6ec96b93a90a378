import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSources } from '../../../src/domain/questions/find-sources.ts';

function found(text: string): [string, string, string][] {
  return findSources(text).map(({ url, title, quote }) => [url, title, quote]);
}

describe('the sources found in a text', () => {
  it('are its URLs, each with the sentence around it', () => {
    expect(
      found(
        'Logs are old. A log proves inclusion (see https://www.rfc-editor.org/rfc/rfc6962). It was 2013.',
      ),
    ).toEqual([
      ['https://www.rfc-editor.org/rfc/rfc6962', 'www.rfc-editor.org/rfc/rfc6962', 'A log proves inclusion.'],
    ]);
  });

  it.each([
    ['See: https://x.test/a', ''],
    ['It was shown. Read more at https://x.test/a', ''],
    ['- Source: https://x.test/a', ''],
    ['Zinc shortens colds, see also: https://x.test/a', 'Zinc shortens colds'],
    ['Zinc shortens colds (cf. https://x.test/a).', 'Zinc shortens colds.'],
    ['See: [A trial](https://x.test/a) of zinc.', 'A trial of zinc.'],
    ['See [the trial](https://x.test/a) for details.', 'See the trial for details.'],
    ['Open source https://x.test/a is free.', 'Open source is free.'],
  ])('are quoted without lead-in words such as "See": %j', (text, quote) => {
    expect(found(text).map(([, , each]) => each)).toEqual([quote]);
  });

  it('take their title from the text of a Markdown link', () => {
    expect(found('- The **draft** says so: [RFC *6962*](https://x.test/a_(b)).')[0]).toEqual([
      'https://x.test/a_(b)',
      'RFC 6962',
      'The draft says so: RFC 6962.',
    ]);
  });

  it('are listed once despite fragments or trackers, and unquoted if the URL stands alone', () => {
    expect(found('https://x.test/a\n\nhttp://x.test/a/?utm_source=y#z\n')).toEqual([
      ['https://x.test/a', 'x.test/a', ''],
    ]);
  });

  it('do not include the punctuation of the sentence in the URL', () => {
    expect(found('Is it at https://x.test/b? It is, "https://x.test/c".').map(([url]) => url)).toEqual([
      'https://x.test/b',
      'https://x.test/c',
    ]);
  });

  it.each(['ftp://x.test/a', 'https://user:pw@x.test/', 'javascript:alert(1)', 'https://', 'x.test/a', ''])(
    'do not include %j',
    (text) => {
      expect(found(`See ${text} for it.`)).toEqual([]);
    },
  );

  it('are at most 20, with short well-formed quotes, for any text', () => {
    const piece = fc.oneof(
      fc.constantFrom('https://x.test/', '[a](http://y.test/b)', ')', '(', '. ', '\n\n', '- ', '!', '"'),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.nat().map((n) => `https://z.test/${n} `),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 120 }), (pieces) => {
        const sources = findSources(pieces.join(''));
        expect(sources.length).toBeLessThanOrEqual(20);
        expect(new Set(sources.map(({ url }) => url)).size).toBe(sources.length);
        for (const { url, quote, title } of sources) {
          expect(['http:', 'https:']).toContain(new URL(url).protocol);
          expect(quote.isWellFormed() && title.isWellFormed()).toBe(true);
          expect(quote.length).toBeLessThanOrEqual(1000);
        }
      }),
    );
  });

  it('are found in linear time', () => {
    for (const text of ['https://x.test/)))))'.padEnd(200_000, ')'), 'https://'.repeat(25_000)])
      expect(findSources(text).length).toBeLessThanOrEqual(20);
  });
});
