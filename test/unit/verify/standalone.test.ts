import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../../verify/', import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));

describe('the standalone verifier', () => {
  test('has imports that this test can parse', () => {
    expect(specifiersOf(sources.find(({ name }) => name === 'cli.ts')?.text ?? '')).toEqual(
      expect.arrayContaining(['node:util', './json.ts', './index.ts']),
    );
    expect(sources.flatMap(({ text }) => specifiersOf(text)).length).toBeGreaterThan(30);
  });

  test.each(sources)(
    'imports only its own files, and Node modules only in cli.ts ($name)',
    ({ name, text }) => {
      const specifiers = specifiersOf(text);
      for (const specifier of specifiers) {
        const own = /^\.\/[a-z-]+\.ts$/.test(specifier);
        expect([specifier, own || (name === 'cli.ts' && specifier.startsWith('node:'))]).toEqual([
          specifier,
          true,
        ]);
      }
    },
  );

  test.each(sources.filter(({ name }) => name !== 'cli.ts'))(
    'uses no API that browsers lack ($name)',
    ({ text }) => {
      expect(text).not.toMatch(/\b(?:Buffer|process|require|__dirname|setImmediate)\b/);
    },
  );
});

function specifiersOf(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier]) => specifier as string,
  );
}
