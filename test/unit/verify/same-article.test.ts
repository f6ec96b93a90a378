/** Whether all entries of a document belong to one article (contract §6). */
import { describe, expect, it } from 'vitest';
import type { Link } from '../../../verify/chain.ts';
import type { JsonRecord } from '../../../verify/json.ts';
import { checkSameArticle, findScrubs } from '../../../verify/same-article.ts';

const item = (chain: string, n = 0, hash = 'aa'): JsonRecord => ({
  entry: { chain, n, prev: 'genesis' },
  prev: 'genesis',
  hash,
});
const link = (chain: string, n = 0, hash = 'aa'): Link => ({
  entry: { chain, n, prev: 'genesis' },
  hash,
  shownPrev: 'genesis',
  at: `listed[${n}]`,
});
const bundle = (...names: readonly string[]): JsonRecord => ({
  chains: Object.fromEntries(names.map((name) => [name, [item(name)]])),
});
const twoArticles = 'the entries are of 2 articles, not of one: art_a, art_b';

describe('the entries of a document', () => {
  it.each<[string, JsonRecord, boolean, readonly Link[], readonly string[]]>([
    ['of one article are accepted', {}, true, [link('art_a.d1'), link('art_a.sources')], []],
    ['of two articles are refused', {}, true, [link('art_a.d1'), link('art_b.d1')], [twoArticles]],
    [
      'of two articles are refused in a part of one',
      {},
      false,
      [link('art_a.d1'), link('art_b.d1')],
      [twoArticles],
    ],
    [
      'of three articles are counted once each',
      {},
      true,
      [link('art_a.d1'), link('art_b.d1'), link('art_b.d2'), link('art_c.d1')],
      ['the entries are of 3 articles, not of one: art_a, art_b, art_c'],
    ],
    ['of one article and a scrub are accepted', {}, true, [link('art_a.d1'), link('scrub_a')], []],
    [
      'of one article and a call are refused in a whole article',
      {},
      true,
      [link('art_a.d1'), link('inv_a')],
      ['the entries are of 2 articles, not of one: art_a, '],
    ],
    ['of one article and a call are accepted in a part', {}, false, [link('art_a.d1'), link('inv_a')], []],
    [
      'are refused if the chains of a bundle are of two articles',
      bundle('art_a.d1', 'art_b.d1'),
      false,
      [link('art_a.d1')],
      [twoArticles],
    ],
    ['are accepted if the chains contain them', bundle('art_a.d1', 'scrub_a'), false, [link('art_a.d1')], []],
    [
      'are refused if the chains lack one of them',
      bundle('art_a.d1'),
      false,
      [link('art_a.d1'), link('art_a.d1', 1)],
      ['entry 1 of chain art_a.d1 is not among the chains'],
    ],
    [
      'are refused if their hash differs from the chains',
      bundle('art_a.d1'),
      false,
      [link('art_a.d1', 0, 'bb')],
      ['entry 0 of chain art_a.d1 is not among the chains'],
    ],
    [
      'are refused if listed under the name of another chain',
      { chains: { 'art_a.d2': [item('art_a.d1')] } },
      false,
      [link('art_a.d1')],
      ['entry 0 of chain art_a.d1 is not among the chains'],
    ],
  ])('%s', (_condition, document, isArticle, links, refusals) => {
    const checks = checkSameArticle(document, isArticle, links);
    expect(checks.map(({ id, ok, detail }) => [id, ok, detail])).toEqual(
      refusals.map((detail) => ['chain', false, detail]),
    );
  });
});

describe('the scrub entries that excuse a replacement', () => {
  const places = ['scrubs[0]', 'chains.scrub_a[0]', 'listed[0]', 'scrubs[0].entry'].map((at) => ({
    object: item('scrub_a'),
    at,
  }));

  it.each<[string, JsonRecord, readonly string[]]>([
    ['are found in `scrubs` of an article', {}, ['scrubs[0]']],
    ['are found in the chains of a bundle', bundle('scrub_a'), ['chains.scrub_a[0]']],
  ])('%s', (_condition, document, found) => {
    expect(findScrubs(document, places).map(({ at }) => at)).toEqual(found);
  });

  it('do not include entries of another chain', () => {
    expect(findScrubs({}, [{ object: item('art_a.d1'), at: 'scrubs[0]' }])).toEqual([]);
  });
});
