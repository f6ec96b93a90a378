import { describe, expect, it } from 'vitest';
import { PairNames } from '../../../src/kernel/pair-names.ts';

describe('names of two parts', () => {
  it('are what they are made of, each time', () => {
    const names = new PairNames('/');
    expect([names.of('main', 'a'), names.of('main', 'a'), names.of('a', 'main'), names.of('', '')]).toEqual([
      'main/a',
      'main/a',
      'a/main',
      '/',
    ]);
  });

  it('stay right when there are more than are kept, and when a part is long', () => {
    const names = new PairNames('\0');
    const long = 'x'.repeat(1000);
    for (let round = 0; round < 2; round++)
      for (let i = 0; i < 5000; i++)
        if (names.of(`left ${i % 7}`, `right ${i}`) !== `left ${i % 7}\0right ${i}`)
          throw new Error(`the name of ${i} is wrong`);
    expect(names.of(long, 'b')).toBe(`${long}\0b`);
    expect(names.of('__proto__', 'constructor')).toBe('__proto__\0constructor');
  });
});
