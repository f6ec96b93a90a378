import { describe, expect, it } from 'vitest';
import { holeFor, holeIn, TextForm } from '../../../src/kernel/text-form.ts';

describe('a form of JSON texts', () => {
  const form = new TextForm(
    {
      ok: true,
      id: holeIn('id'),
      url: `http://h.example/?receipt=${holeIn('id')}&x="1"`,
      result: holeFor('result'),
      list: [holeFor('n'), `${holeIn('id')}${holeIn('id')}`],
    },
    ['id', 'result', 'n'],
  );

  it('puts text into strings, and values in place of strings', () => {
    expect(form.spell({ id: 'inv_a', result: '{"a":[1,"\\"x\\""]}', n: 'null' })).toBe(
      '{"ok":true,"id":"inv_a","url":"http://h.example/?receipt=inv_a&x=\\"1\\"","result":{"a":[1,"\\"x\\""]},"list":[null,"inv_ainv_a"]}',
    );
  });

  it('takes values as they are, whatever they look like', () => {
    const text = form.spell({ id: '$& $1', result: JSON.stringify(holeFor('n')), n: '0' });
    expect(JSON.parse(text)).toMatchObject({ id: '$& $1', result: holeFor('n'), list: [0, '$& $1$& $1'] });
  });

  it('refuses a value whose holes are not those that are named', () => {
    expect(() => new TextForm({ id: holeIn('id') }, ['id', 'n'])).toThrow('holes for id instead of id, n');
    expect(() => new TextForm({ id: holeIn('id'), n: holeFor('n') }, ['id'])).toThrow(
      'holes for id, n instead of id',
    );
  });

  it('may have no hole at all', () => {
    expect(new TextForm({ a: [] }, []).spell({})).toBe('{"a":[]}');
  });
});
