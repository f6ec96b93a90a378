/**
 * Dividing against a full markdown-it parse of the same bytes under the same options (reach: at least 1.5
 * times its bytes a second), and a boundary check after an edit in a 1,000-DIV article against the same in a
 * 10-DIV one.
 */
import { globSync, readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { pathToFileURL } from 'node:url';
import MarkdownIt from 'markdown-it';
import { parserOptions } from '../src/domain/articles/blocks.ts';
import { checkBoundaries, type Layout } from '../src/domain/articles/boundaries.ts';
import { divide, kindOf } from '../src/domain/articles/divide.ts';
import { median, table, versus, type Row } from './row.ts';

const runs = 9;

export async function run(): Promise<Row[]> {
  return [dividing(), editing()];
}

function dividing(): Row {
  const folder = joinPath(import.meta.dirname, '../test/data/markdown');
  const texts = globSync('*/**/*.md', { cwd: folder })
    .sort()
    .map((name) => readFileSync(joinPath(folder, name), 'utf8'));
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const markdown = new MarkdownIt(parserOptions);
  const [own, peer] = alternate(
    () => texts.forEach((text) => void divide(text)),
    () => texts.forEach((text) => void markdown.parse(text, {})),
  );
  return versus('divide', megabytes / own, 'MB/s', 'markdown-it parse', megabytes / peer, '>= 1.5');
}

function editing(): Row {
  const [own, peer] = alternate(editsIn(1000), editsIn(10));
  return versus('check an edit, 1,000 DIVs', microseconds(own), 'µs', '10 DIVs', microseconds(peer), '<= 2');
}

const editsPerRun = 500;

function microseconds(seconds: number): number {
  return (seconds * 1e6) / editsPerRun;
}

function editsIn(divs: number): () => void {
  const pieces = Array.from({ length: divs }, (_, i) => ({
    div_id: `d${i + 1}`,
    text:
      i % 5 === 0 ? `## Section ${i}` : `Paragraph ${i} has *some* words and a [link][ref] in it. `.repeat(4),
    sep: '\n\n',
  }));
  const before: Layout = { lead: '', pieces };
  return () => {
    for (let n = 0; n < editsPerRun; n++) {
      const i = (n * 7) % divs;
      const text = `Edited ${n}: a paragraph of *about* the usual length, with \`code\` in it. `.repeat(3);
      const after = pieces.slice();
      after[i] = { div_id: `d${i + 1}`, text, sep: '\n\n' };
      if (!checkBoundaries(before, { lead: '', pieces: after }, [i]).ok)
        throw new Error('an innocent edit was refused');
      kindOf(text);
    }
  };
}

/** Median seconds of both, run in turns so that drift of the machine meets them alike. */
function alternate(own: () => void, peer: () => void): [number, number] {
  const times: [number[], number[]] = [[], []];
  own();
  peer();
  for (let n = 0; n < runs; n++) {
    for (const [i, work] of [own, peer].entries()) {
      const start = performance.now();
      work();
      (times[i] as number[]).push((performance.now() - start) / 1000);
    }
  }
  return [median(times[0]), median(times[1])];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(table(await run()));
