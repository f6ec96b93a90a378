import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutations } from '../mutations/list.ts';

const root = new URL('../../', import.meta.url);

describe('the mutation list', () => {
  it.each(mutations.map((mutation) => [mutation.name, mutation] as const))(
    'matches the source: %s',
    (_name, { file, from, to, tests }) => {
      const occurrences = readFileSync(new URL(file, root), 'utf8').split(from).length - 1;
      expect([file, occurrences]).toEqual([file, 1]);
      expect(to).not.toBe(from);
      for (const test of tests) expect(readFileSync(new URL(test, root), 'utf8')).toContain('it');
    },
  );

  it('has unique names', () => {
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
  });
});
