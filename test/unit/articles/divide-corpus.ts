/** The Markdown of `test/data/markdown`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../data/markdown');

export interface SpecExample {
  readonly spec: 'commonmark' | 'gfm';
  readonly markdown: string;
  readonly html: string;
}

export const specExamples = JSON.parse(
  readFileSync(join(folder, 'spec-examples.json'), 'utf8'),
) as readonly SpecExample[];

export const documents: readonly { readonly name: string; readonly text: string }[] = read(
  folder,
  '*/**/*.md',
);

function read(cwd: string, pattern: string): { name: string; text: string }[] {
  return globSync(pattern, { cwd })
    .sort()
    .map((name) => ({ name, text: readFileSync(join(cwd, name), 'utf8') }));
}

/** A text with other line ends, a byte order mark, leading blank lines and no final line end. */
export function variantsOf(text: string): readonly string[] {
  return [
    text,
    text.replace(/\r\n?|\n/g, '\r\n'),
    text.replace(/\r\n?|\n/g, '\r'),
    `\ufeff${text}`,
    ` \n\t\n${text}`,
    text.replace(/[\r\n]+$/, ''),
    `${text}\n \t`,
  ];
}

export function vectors<T>(name: string): readonly T[] {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../vectors/markdown', `${name}.json`), 'utf8'),
  ) as readonly T[];
}
