/** The words of a static site's search and the files that list them (`src/doors/web/static/`). */
import { describe, expect, it } from 'vitest';
import { StaticSearchIndex } from '../../../src/doors/web/static/search-index.ts';
import { shardOf, termsOf } from '../../../src/doors/web/static/terms.ts';

describe('the words of a text', () => {
  it.each([
    ['Merkle-trees, 2nd', ['merkle', 'trees', '2nd']],
    ['Café ŒUVRE', ['cafe', 'œuvre']],
    ['ﬁne', ['fine']],
    ['蜜蜂太阳', ['蜜蜂', '蜂太', '太阳']],
    ['蜂', ['蜂']],
    ['  ', []],
  ])('of %j are %j', (text, expected) => expect(termsOf(text)).toEqual(expected));
});

it.each([
  ['merkle', 'me'],
  ['a', 'a_'],
  ['7', '7_'],
  ['蜜蜂', 'u87'],
  ['œuvre', 'u1'],
  ['aä', 'a_'],
])('lists %j in %s', (term, shard) => expect(shardOf(term)).toBe(shard));

it('writes each word with the articles that have it and the best place in each', () => {
  const index = new StaticSearchIndex();
  const add = (title: string, text: string) =>
    index.add({
      file: `a/${title}.html`,
      title,
      summary: '',
      updated: '2026-11-23T00:00:00.000Z',
      texts: { text, claim: '', heading: '', title },
    });
  add('bees', 'the sun https://example.org/hidden');
  add('other', 'nothing');
  add('sun', 'bees');
  expect(Object.fromEntries([...index.files()].map(({ file, bytes }) => [file, bytes]))).toEqual({
    'search/articles.js':
      'colophonSearch("articles", [["a/bees.html","bees","","2026-11-23"],["a/other.html","other","","2026-11-23"],["a/sun.html","sun","","2026-11-23"]]);\n',
    'search/shards.js': 'colophonSearch("shards", ["be","no","ot","su","th"]);\n',
    // 3: article 0, its title; 8: two articles further, its text.
    'search/be.js': 'colophonSearch("be", [["bees","3.8"]]);\n',
    'search/no.js': 'colophonSearch("no", [["nothing","4"]]);\n',
    'search/ot.js': 'colophonSearch("ot", [["other","7"]]);\n',
    'search/su.js': 'colophonSearch("su", [["sun","0.b"]]);\n',
    'search/th.js': 'colophonSearch("th", [["the","0"]]);\n',
  });
});
