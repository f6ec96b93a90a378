/** Where a static site keeps what the deployment serves, and the links of its pages (`src/doors/web/static/`). */
import { describe, expect, it } from 'vitest';
import {
  addressWithin,
  articleFile,
  fileName,
  labelFile,
  placeOf,
  relativeLink,
  type Contents,
} from '../../../src/doors/web/static/places.ts';
import { blobsIn, relocate } from '../../../src/doors/web/static/relocate.ts';

const sha = 'a'.repeat(64);
const contents: Contents = {
  hasArticle: (slug) => slug === 'bees' || slug === 'wasps',
  hasLabel: (kind, label) => kind === 'tags' && label === 'Nature & co',
  blobFile: (sha256) => (sha256 === sha ? `blobs/${sha}.png` : undefined),
};

describe('the name of a file', () => {
  it.each([
    ['bees-2', 'bees-2'],
    ['Bees', '_42ees'],
    ['a/b', 'a_2fb'],
    ['..', '_2e_2e'],
    ['a_b', 'a_5fb'],
    ['ä', '_c3_a4'],
    ['con', '_63on'],
    ['com1', '_63om1'],
    ['console', 'console'],
    ['', ''],
  ])('of %j is %j', (text, name) => expect(fileName(text)).toBe(name));

  it('is short for a long text, and another for a text that differs at its end', () => {
    const [one, other] = [fileName('語'.repeat(80)), fileName(`${'語'.repeat(79)}話`)];
    expect(one.length).toBe(138);
    expect(one).not.toBe(other);
  });
});

describe('the place of an address', () => {
  it.each([
    ['/', 'index.html'],
    ['/?from=200', 'articles.from-200.html'],
    ['/tags', 'tags.html'],
    ['/search', 'search.html'],
    ['/search?q=x', undefined],
    ['/verify', 'verify.html'],
    ['/checkpoint', 'checkpoint.txt'],
    ['/.well-known/colophon-key', 'log-key.txt'],
    ['/a/bees', 'a/bees.html'],
    ['/a/bees#s1', 'a/bees.html#s1'],
    ['/a/bees/c12', 'a/bees.html#c12'],
    ['/a/bees/d3', 'a/bees.html#d3'],
    ['/a/bees/history', 'a/bees.history.html'],
    ['/a/bees/history?from=1&to=2', undefined],
    ['/a/bees?rev=2', undefined],
    ['/a/bees/discuss', undefined],
    ['/a/bees/feed.xml', undefined],
    ['/a/draft', undefined],
    ['/a/draft/c1', undefined],
    ['/api/articles/bees', 'a/bees.bundle.json'],
    ['/api/articles/bees/bundle', 'a/bees.bundle.json'],
    ['/api/articles/bees/provenance', 'a/bees.bundle.json'],
    ['/api/articles/bees/health', undefined],
    ['/api/articles/bees?format=markdown', 'a/bees.md'],
    ['/api/articles/bees/citation?format=bibtex', 'a/bees.bib'],
    ['/api/articles/bees/citation?format=csl', 'a/bees.csl.json'],
    ['/api/articles/draft', undefined],
    ['/tags/Nature%20%26%20co', 'tags/_4eature_20_26_20co.html'],
    ['/tags/Nature%20%26%20co?from=50', 'tags/_4eature_20_26_20co.from-50.html'],
    ['/tags/other', undefined],
    ['/series/Nature%20%26%20co', undefined],
    [`/blobs/${sha}`, `blobs/${sha}.png`],
    [`/blobs/${'b'.repeat(64)}`, undefined],
    ['/receipt/inv_x', undefined],
    ['/owner', undefined],
    ['/a/bees/%E0', undefined],
  ])('%s is %s', (address, expected) => {
    const place = placeOf(address, contents);
    expect(place && `${place.file}${place.fragment === '' ? '' : `#${place.fragment}`}`).toBe(expected);
  });
});

describe('an address within the deployment', () => {
  it.each([
    ['/press/a/x', '/a/x'],
    ['https://example.org/press/a/x?rev=1#c1', '/a/x?rev=1#c1'],
    ['https://example.org/press', '/'],
    ['y', '/a/y'],
    ['#c1', '/a/x#c1'],
    ['https://example.org/pressing/a/x', undefined],
    ['/other', undefined],
    ['/a/y#c1', '/a/y#c1'],
    ['https://example.org/a/y', undefined],
    ['https://example.com/press/a/x', undefined],
    ['mailto:a@example.org', undefined],
    ['https://[', undefined],
  ])('%s is %s', (href, expected) =>
    expect(addressWithin(href, 'https://example.org/press/a/x', 'https://example.org/press')).toBe(expected),
  );
});

it('writes links from one file to another', () => {
  const link = (from: string, file: string, fragment = '') => relativeLink(from, { file, fragment });
  expect([
    link('index.html', 'a/bees.html'),
    link('a/bees.html', 'index.html'),
    link('a/bees.html', 'a/wasps.html', 'c1'),
    link('a/bees.html', 'a/bees.html', 'h-ä'),
    link('a/bees.html', 'tags/x.html'),
    link('tags/x.html', 'tags/y.html'),
  ]).toEqual(['a/bees.html', '../index.html', 'wasps.html#c1', '#h-%C3%A4', '../tags/x.html', 'y.html']);
  expect([articleFile('bees'), labelFile('tags', 'x', 50)]).toEqual(['a/bees.html', 'tags/x.from-50.html']);
});

describe('the links of a page', () => {
  const page = (html: string, live?: string) =>
    relocate(html, {
      file: 'a/bees.html',
      address: 'https://example.org/a/bees',
      base: 'https://example.org',
      live,
      contents,
    });
  it.each([
    ['to an article', '<a href="/a/wasps" rel="x">w</a>', '<a href="wasps.html" rel="x">w</a>'],
    [
      'to a claim of this page',
      '<p id="c1"></p><a href="/a/bees/c1">c</a>',
      '<p id="c1"></p><a href="#c1">c</a>',
    ],
    ['to a block that has left', '<a href="/a/bees/d9">d</a>', '<a>d</a>'],
    ['to a draft', '<a class="k" href="/a/draft" rel="x">d</a>', '<a class="k">d</a>'],
    [
      'to elsewhere',
      '<a href="https://example.com/?a=1&amp;b=2">e</a>',
      '<a href="https://example.com/?a=1&amp;b=2">e</a>',
    ],
    [
      'with a bracket in its title',
      '<a title="a > b" href="/a/wasps">w</a>',
      '<a href="wasps.html" title="a > b">w</a>',
    ],
    ['to another part of the host', '<a href="//[">o</a>', '<a>o</a>'],
    [
      'marked as external',
      '<a href="https://example.org/" rel="external">l</a>',
      '<a href="https://example.org/" rel="external">l</a>',
    ],
    [
      'of an image',
      `<img src="https://example.org/blobs/${sha}" alt="x"/>`,
      `<img src="../blobs/${sha}.png" alt="x"/>`,
    ],
    ['of an image that is gone', `<img src="/blobs/${'b'.repeat(64)}" alt="x"/>`, '<img alt="x"/>'],
    ['of an image elsewhere', '<img src="https://example.com/x.png" alt="x"/>', '<img alt="x"/>'],
    ['in escaped text', '&lt;a href="/a/draft">', '&lt;a href="/a/draft">'],
  ])('%s', (_, html, expected) => expect(page(html)).toBe(expected));

  it('lead to the deployment where readers can reach it and the site has no such page', () => {
    expect(page('<a href="/receipt/inv_1">r</a><a href="/a/wasps">w</a>', 'https://example.org')).toBe(
      '<a href="https://example.org/receipt/inv_1">r</a><a href="wasps.html">w</a>',
    );
  });

  it('name the blobs that the page needs', () => {
    const html = `<img src="/blobs/${sha}"/><a href="https://example.org/blobs/${'c'.repeat(64)}">f</a><img src="https://example.com/blobs/${'d'.repeat(64)}"/>`;
    expect([...blobsIn(html, 'https://example.org/a/bees', 'https://example.org')]).toEqual([
      sha,
      'c'.repeat(64),
    ]);
  });
});
