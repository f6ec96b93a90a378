/** What a proposed source is read from: words of strangers, in time linear in them. */
import { describe, expect, it } from 'vitest';
import { proposedSource } from '../../../src/domain/mirror/proposed-source.ts';
import { trimEndOf } from '../../../src/kernel/text.ts';

const url = 'https://example.org/a';

describe('a source in a text', () => {
  it.each([
    [`“Said so.” at ${url}.`, 'Said so.'],
    [`«Said "so" there.» ${url}`, 'Said "so" there.'],
    [`"ab" “Said so.” ${url}`, 'Said so.'],
    [`“ab” “Said so.” ${url}`, 'Said so.'],
    [`"" and "Said so." ${url}`, ' and '],
    [`“open and "Said so." ${url}`, 'Said so.'],
  ])('reads the quote of %j', (body, quote) => {
    expect(proposedSource(body)).toMatchObject({ url, quote });
  });

  const many = 150_000;
  it.each([
    ['marks of punctuation after a URL', `${url}${')'.repeat(many)}x`],
    ['opening marks', `${url} ${'“'.repeat(many)}`],
    ['opening marks of the other kind', `${url} ${'«'.repeat(many)}`],
    ['short quotes', `${url} ${'""'.repeat(many)}`],
    ['blanks in the middle', `${url} x${' '.repeat(many)}x`],
    ['dashes in the middle', `x${'-'.repeat(many)}x ${url}`],
    ['schemes', 'https://'.repeat(many / 8)],
  ])('is read in linear time from many %s', (_what, body) => {
    const from = performance.now();
    proposedSource(body);
    expect(performance.now() - from).toBeLessThan(2000);
  });
});

it('trims characters of a class at the end', () => {
  expect([trimEndOf('..a..', /\./), trimEndOf('...', /\./), trimEndOf('', /\./)]).toEqual(['..a', '', '']);
});
