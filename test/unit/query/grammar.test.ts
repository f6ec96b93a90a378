import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryFields } from '../../../src/model/query-fields.ts';
import { parseFields, parseOrder, parseWhere } from '../../../src/domain/query/grammar.ts';
import { isFault } from '../../../src/kernel/fault.ts';

const fields = queryFields.claim;

describe('where', () => {
  it('reads conditions with blanks, quotes and escapes', () => {
    expect(parseWhere('tier=human , weight >= 0.5,text~"a, \\"b\\" \\\\",posted_at<2026-11', fields)).toEqual(
      [
        { field: 'tier', op: '=', value: 'human' },
        { field: 'weight', op: '>=', value: 0.5 },
        { field: 'text', op: '~', value: 'a, "b" \\' },
        { field: 'posted_at', op: '<', value: '2026-11' },
      ],
    );
    expect(parseWhere('  ', fields)).toEqual([]);
  });

  it.each([
    ['teir=human', 1, 'tier'],
    ['tier human', 6, '='],
    ['tier=', 6, undefined],
    ['tier=human,', 12, 'tier'],
    ['tier="human', 12, '"'],
    ['tier="human"x', 13, ','],
    ['weight>heavy', 8, 'a number'],
    ['weight~1', 7, '='],
    ['tier~hum', 5, '='],
    ['posted_at>yesterday', 11, 'a time in ISO 8601'],
    ['__proto__=1', 1, 'tier'],
    ['text~"\\x"', 8, '\\"'],
  ])('%s is wrong at character %i', (where, at, expected) => {
    const read = parseWhere(where, fields);
    if (!isFault(read)) throw new Error('it was read');
    expect(read.fault).toBe('invalid_request');
    expect(read.details).toMatchObject({ parameter: 'where', at });
    if (expected !== undefined) expect(read.details?.['expected']).toContain(expected);
  });

  it('never throws, whatever it is given, and every mark is inside what was given', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 60 }),
          fc
            .array(fc.constantFrom('tier', 'weight', '=', '!=', '~', '"', '\\', ',', ' ', '9', 'é', '𝄞'))
            .map((parts) => parts.join('')),
        ),
        (where) => {
          const read = parseWhere(where, fields);
          if (!isFault(read)) return;
          const at = Number(read.details?.['at']);
          expect(at).toBeGreaterThanOrEqual(1);
          expect(at).toBeLessThanOrEqual(where.length + 1);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is bounded in length and in conditions', () => {
    expect(isFault(parseWhere(`text~${'x'.repeat(2001)}`, fields))).toBe(true);
    expect(isFault(parseWhere(Array.from({ length: 21 }, () => 'tier=human').join(','), fields))).toBe(true);
  });
});

describe('order and fields', () => {
  it('read a field with its direction, and names of fields', () => {
    expect(parseOrder('-weight', fields)).toEqual({ field: 'weight', reverse: true });
    expect(parseOrder('weight desc', fields)).toEqual({ field: 'weight', reverse: true });
    expect(parseOrder(' tier asc', fields)).toEqual({ field: 'tier', reverse: false });
    expect(parseFields('id, text', fields)).toEqual(['id', 'text']);
  });

  it('point at the name that is no field', () => {
    const order = parseOrder('-wieght', fields);
    expect(isFault(order) && order.details).toMatchObject({ parameter: 'order', at: 2 });
    const named = parseFields('id,txt', fields);
    expect(isFault(named) && named.details).toMatchObject({ parameter: 'fields', at: 4 });
  });
});
