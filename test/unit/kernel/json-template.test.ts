import { describe, expect, it } from 'vitest';
import { jsonSlot, slot, JsonTemplate } from '../../../src/kernel/json-template.ts';

describe('a JSON template', () => {
  const form = new JsonTemplate(
    {
      ok: true,
      id: slot('id'),
      url: `http://h.example/?receipt=${slot('id')}&x="1"`,
      result: jsonSlot('result'),
      list: [jsonSlot('n'), `${slot('id')}${slot('id')}`],
    },
    ['id', 'result', 'n'],
  );

  it('fills text slots inside strings and value slots with JSON', () => {
    expect(form.render({ id: 'inv_a', result: '{"a":[1,"\\"x\\""]}', n: 'null' })).toBe(
      '{"ok":true,"id":"inv_a","url":"http://h.example/?receipt=inv_a&x=\\"1\\"","result":{"a":[1,"\\"x\\""]},"list":[null,"inv_ainv_a"]}',
    );
  });

  it('inserts values verbatim, even if they look like slots or replacement patterns', () => {
    const text = form.render({ id: '$& $1', result: JSON.stringify(jsonSlot('n')), n: '0' });
    expect(JSON.parse(text)).toMatchObject({ id: '$& $1', result: jsonSlot('n'), list: [0, '$& $1$& $1'] });
  });

  it('throws when the slots differ from the declared names', () => {
    expect(() => new JsonTemplate({ id: slot('id') }, ['id', 'n'])).toThrow('slots id instead of id, n');
    expect(() => new JsonTemplate({ id: slot('id'), n: jsonSlot('n') }, ['id'])).toThrow(
      'slots id, n instead of id',
    );
  });

  it('accepts a value without slots', () => {
    expect(new JsonTemplate({ a: [] }, []).render({})).toBe('{"a":[]}');
  });
});
