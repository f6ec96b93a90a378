import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, type Verdict } from '../../../src/domain/similarity/compare.ts';
import { scifactClaims } from './pairs.ts';

type Example = readonly [a: string, b: string, differs: readonly string[]];

function expectAll(kind: Verdict['kind'], examples: readonly Example[]): void {
  for (const [a, b, differs] of examples) {
    const verdict = compare(a, b);
    expect({ a, b, kind: verdict.kind, differs: verdict.differs }).toEqual({ a, b, kind, differs });
  }
}

describe('a duplicate', () => {
  test('differs in nothing but case, punctuation, spacing, markup and character variants', () => {
    expectAll('duplicate', [
      ['Tea cools in 5 minutes.', '  TEA cools, in 5 minutes  ', []],
      ['Tea “cools” in 5 minutes.', 'Tea *cools* in `5` minutes…', []],
      ['Tea cools in 5 minutes.', 'Tea cools\nin ５ minutes.', []],
      ['Café tables are round.', 'Cafe\u0301 tables are round.', []],
      ['The well-known river is long.', 'The well known river is long.', []],
      ["The valve doesn't leak.", 'The valve doesn’t leak.', []],
      ['水在100度沸腾。', '水在１００度沸腾', []],
    ]);
  });

  test('may differ in inflection and harmless function words', () => {
    expectAll('duplicate', [
      [
        'The valve leaks.',
        'Valves leak.',
        ['inflection: valve/valves', 'inflection: leaks/leak', 'function word: the'],
      ],
      ['The city has been rebuilt.', 'The city was rebuilt.', ['function word: has been/was']],
      [
        'The mouse shows that the gene is active.',
        'Mice show the gene is active.',
        ['inflection: mice/mouse', 'inflection: show/shows', 'function word: the', 'function word: that'],
      ],
      ['All of the valves are open.', 'All valves are open.', ['function word: of', 'function word: the']],
    ]);
  });

  test('may differ in inflection if a negation is the only sign of English', () => {
    expectAll('duplicate', [
      ['Scrubbed secrets never return.', 'Scrubbed secrets never returned.', ['inflection: return/returned']],
      [
        'A deleted record never returns.',
        'Deleted records never return.',
        ['inflection: record/records', 'inflection: returns/return', 'function word: a'],
      ],
      ['Guests cannot vote.', 'Guest cannot vote.', ['inflection: guest/guests']],
    ]);
    expectAll('contrary', [
      ['A deleted record never returns.', 'A deleted record returns.', ['negation: never']],
      [
        'A deleted record never returns.',
        'Deleted records always return.',
        [
          'inflection: record/records',
          'inflection: returns/return',
          'function word: a',
          'antonym: never/always',
        ],
      ],
      ['Guests cannot vote.', 'Guests can vote.', ['negation: not']],
    ]);
  });

  test('may spell words, numbers and units differently', () => {
    expectAll('duplicate', [
      [
        'The tumour of the bright colour grew by 3 cm.',
        'The tumor of the bright color grew by three centimetres.',
        ['spelling: tumor/tumour', 'spelling: color/colour', 'spelling: three/3', 'spelling: centimetres/cm'],
      ],
      [
        'The river is 1,500,000 steps long.',
        'The river is 1.5 million steps long.',
        ['spelling: 1,500,000/1.5 million'],
      ],
      ['The valve does not leak.', "The valve doesn't leak.", []],
      ['The data base is full.', 'The database is full.', ['spacing: data base/database']],
    ]);
  });
});

describe('a contrary text', () => {
  test('has one negation more or less', () => {
    expectAll('contrary', [
      ['The valve is open.', 'The valve is not open.', ['negation: not']],
      ['The dough contains yeast.', 'The dough contains no yeast.', ['negation: no']],
      ['The valve never leaks.', 'The valve leaks.', ['negation: never']],
      ['Der Zug ist da.', 'Der Zug ist nicht da.', ['negation: nicht']],
      ['唐朝的首都是长安。', '唐朝的首都不是长安。', ['negation: 不']],
      ['该算法没有误差。', '该算法有误差。', ['negation: 没']],
    ]);
  });

  test('has an antonym in the same place, in any inflection and with any prefix', () => {
    expectAll('contrary', [
      ['Salt increases pressure.', 'Salt decreases pressure.', ['antonym: decreases/increases']],
      [
        'The rise was faster than expected.',
        'The rise was slower than expected.',
        ['antonym: faster/slower'],
      ],
      ['The contract is valid.', 'The contract is invalid.', ['antonym: invalid/valid']],
      [
        'Patients with hypertension slept.',
        'Patients with hypotension slept.',
        ['antonym: hypertension/hypotension'],
      ],
      ['运动增加风险。', '运动减少风险。', ['antonym: 减/增']],
    ]);
  });

  test('has another number, unit, currency, sign or exponent', () => {
    expectAll('contrary', [
      ['The tea cools in 5 minutes.', 'The tea cools in 7 minutes.', ['number: 5/7']],
      ['The tea cools in 5 minutes.', 'The tea cools in 5 hours.', ['number: hours/minutes']],
      ['The tea costs 1.5 euros.', 'The tea costs 15 euros.', ['number: 1.5/15']],
      ['The tea costs $5 here.', 'The tea costs €5 here.', ['number: $/€']],
      ['The lake is at -5 degrees.', 'The lake is at 5 degrees.', ['number: -5/5']],
      ['The value is ≤ 5 here.', 'The value is ≥ 5 here.', ['sign: ≤', 'sign: ≥']],
      ['The cost of it is n² here.', 'The cost of it is n here.', ['number: 2', 'sign: ^']],
      ['The link carries 5 Mb/s.', 'The link carries 5 MB/s.', ['number: MB/s/Mb/s']],
    ]);
  });

  test('has another quantifier, direction or exclusion', () => {
    expectAll('contrary', [
      ['All valves are open.', 'Some valves are open.', ['quantifier: all/some']],
      ['Valves are open on Sundays.', 'Only valves are open on Sundays.', ['quantifier: only']],
      ['Few valves are open.', 'A few valves are open.', ['quantifier: a few']],
      ['The train runs to Rome.', 'The train runs from Rome.', ['antonym: from/to']],
      ['The vote was for the law.', 'The vote was against the law.', ['direction: against/for']],
      ['The cake is baked with eggs.', 'The cake is baked without eggs.', ['antonym: with/without']],
      [
        'All valves but one are open.',
        'All valves except one are open.',
        ['exclusion: except', 'extra word: but'],
      ],
    ]);
  });

  test('has the same words in another order', () => {
    expectAll('contrary', [
      [
        'Rome conquered Carthage in the war.',
        'Carthage conquered Rome in the war.',
        ['word order: carthage conquered'],
      ],
      ['All the cells do not divide.', 'Not all the cells divide.', ['word order: not', 'function word: do']],
      ['甲队战胜了乙队。', '乙队战胜了甲队。', ['word order: 乙 甲']],
    ]);
  });

  test('exchanges subject and object', () => {
    expectAll('contrary', [
      ['Rome conquered the city.', 'Rome was conquered by the city.', ['direction: /was', 'voice: by']],
      ['The court has convicted him.', 'The court was convicted him.', ['direction: has/was']],
    ]);
  });
});

describe('a similar text', () => {
  test('replaces or adds a word that no rule covers', () => {
    expectAll('similar', [
      [
        'Rome conquered Carthage in the war.',
        'Rome conquered Corinth in the war.',
        ['word: carthage/corinth'],
      ],
      ['The valve leaks in winter.', 'The valve leaks oil in winter.', ['extra word: oil']],
    ]);
  });

  test('is not contrary if two reversals may cancel each other', () => {
    expectAll('similar', [
      ['The contract is not valid.', 'The contract is invalid.', ['antonym: invalid/valid', 'negation: not']],
      [
        'Rome conquered Carthage.',
        'Carthage was conquered by Rome.',
        ['word order: carthage conquered', 'voice: by', 'verb: was/'],
      ],
    ]);
  });

  test('is not a duplicate if a small word or form may change the meaning', () => {
    expectAll('similar', [
      ['The city is the capital of the land.', 'The city was the capital of the land.', ['verb: is/was']],
      ['Infected cells make the protein.', 'Infecting cells make the protein.', ['word: infected/infecting']],
      ['The plans are on the table.', 'The planes are on the table.', ['word: planes/plans']],
      ['He found the bank.', 'He founded the bank.', ['word: found/founded']],
      ['The tank was filled.', 'The tank was filed.', ['word: filed/filled']],
      ['The seller may leave the land.', 'The seller can leave the land.', ['word: can/may']],
      ['C# has the generics.', 'C has the generics.', ['sign: #']],
      ['Juan teme a la Ana.', 'Juan teme la Ana.', ['extra word: a']],
    ]);
  });
});

test('compare does not call another word order a duplicate if articles of the language look English', () => {
  expect(compare('Juan teme a Ana', 'A Juan teme Ana').kind).toBe('contrary');
});

test('compare does not call other word boundaries a duplicate if a part could reverse the meaning', () => {
  expect(compare('The notable change is here.', 'The no table change is here.').kind).toBe('contrary');
  expect(compare('An atypical case was found.', 'A n a typical case was found.').kind).toBe('contrary');
  expect(compare('The useless tool is here.', 'The use less tool is here.').kind).not.toBe('duplicate');
  expect(compare('The sum of it is 1 5 here.', 'The sum of it is 15 here.').kind).not.toBe('duplicate');
});

test('compare calls texts with other words, or with different signs and no words, different', () => {
  expect(compare('Tea cools in five minutes.', 'Rome conquered Carthage.')).toEqual({
    kind: 'different',
    similarity: 0.043,
    differs: [],
  });
  expect(compare(':-)', ':-(')).toEqual({ kind: 'different', similarity: 0, differs: [] });
  expect(compare(':-)', ' :-) ').kind).toBe('duplicate');
});

test('compare returns the Jaccard index of the padded trigrams as similarity', () => {
  // "word" has 5, "two words" 10, and 4 are shared.
  expect(compare('Word', 'two words!').similarity).toBe(0.364);
});

test('compare calls texts too long to align similar at most', () => {
  const long = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
  const turned = long.replace('word0 ', 'first ').replace('word399', 'last');
  expect(compare(long, turned)).toMatchObject({ kind: 'similar', differs: ['word: more than is compared'] });
});

test('compare calls texts over 10,000 characters duplicates only if their plain wording is equal', () => {
  const long = 'The valve is open. '.repeat(600);
  expect(compare(long, long.toUpperCase()).kind).toBe('duplicate');
  expect(compare(long, `${long} The valve is not closed.`)).toMatchObject({
    kind: 'similar',
    differs: ['word: more than is compared'],
  });
});

test('compare lists at most twelve differences, those that reverse the meaning first', () => {
  const start = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');
  const end = Array.from({ length: 15 }, (_, i) => `more${i}`).join(' ');
  const { kind, differs } = compare(`${start} is blue`, `${start} ${end} is not blue`);
  expect(kind).toBe('contrary');
  expect(differs).toEqual([
    'negation: not',
    ...Array.from({ length: 11 }, (_, i) => `extra word: more${i}`),
    '…',
  ]);
});

const claim = fc.constantFrom(...scifactClaims());
const words = fc.array(
  fc.constantFrom(
    'not',
    'the',
    'a',
    'is',
    'was',
    'by',
    'of',
    '5',
    '7',
    'cells',
    'cell',
    'increases',
    'decreases',
    '不',
    '水',
  ),
  { maxLength: 9 },
);
const text = fc.oneof(
  claim,
  words.map((each) => each.join(' ')),
  fc.string({ unit: 'grapheme' }),
);

describe('compare, for any two texts', () => {
  test('gives the same verdict in either order', () => {
    const phrase = words.map((each) => each.join(' '));
    for (const [first, second] of [
      [text, text],
      [phrase, phrase],
    ] as const) {
      fc.assert(
        fc.property(first, second, (a, b) => {
          expect(compare(a, b)).toEqual(compare(b, a));
        }),
      );
    }
  });

  test('calls a text a duplicate of itself', () => {
    fc.assert(
      fc.property(text, (a) => {
        expect(compare(a, a)).toEqual({ kind: 'duplicate', similarity: 1, differs: [] });
      }),
    );
  });

  test('returns a similarity between 0 and 1, and the kind different exactly below 0.4', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const { kind, similarity } = compare(a, b);
        expect(similarity).toBeGreaterThanOrEqual(0);
        expect(similarity).toBeLessThanOrEqual(1);
        expect(kind === 'different').toBe(similarity < 0.4);
      }),
    );
  });
});
