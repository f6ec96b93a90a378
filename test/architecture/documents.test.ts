/** Decisions follow their template, and every link, file and decision named in documents and comments exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['src', 'test', 'docs', 'bench', 'client', 'verify', 'web', 'vectors', 'content', 'bin'];
const wordsMax = 400;
const sections = ['Status', 'Context', 'Decision', 'Consequences', 'Rejected'];
/** Documents that name files of earlier versions as well. */
const historical = new Set(['docs/performance.md', 'CHANGELOG.md']);

const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length)),
  )
  .filter((path) => !path.startsWith('test/data/'));
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...files.filter((path) => path.startsWith('docs/') && path.endsWith('.md')),
];
const decisions = files.filter((path) => path.startsWith('docs/adr/'));

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
const prose = (text: string): string => text.replace(/^```[^]*?^```$/gm, '');

/** The fragment that a rendered heading is linked by. */
const fragmentOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function brokenLinks(path: string): string[] {
  return [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link as string)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', fragment] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(root, target))) return true;
      if (fragment === undefined) return false;
      const headings = [...prose(read(target)).matchAll(/^#+ (.+)$/gm)].map(
        ([, heading]) => heading as string,
      );
      return !headings.map(fragmentOf).includes(fragment);
    });
}

/** A path from the root or from `src`, or a name that stands for the one file called so. */
function missingFiles(path: string): string[] {
  return [...prose(read(path)).matchAll(/`([\w./-]+)`/g)]
    .map(([, name]) => name as string)
    .filter((name) => !name.startsWith('/') && !name.startsWith('.'))
    .filter((name) => /\.(?:ts|tsx|tsv|md)$/.test(name) || folders.includes(name.split('/')[0] as string))
    .filter((name) => /[./]/.test(name))
    .filter((name) => !existsSync(join(root, name)) && !existsSync(join(root, 'src', name)))
    .filter((name) => !files.some((file) => file.endsWith(`/${name}`) || file === `test/${name}.test.ts`));
}

/** Numbers may be reserved for decisions that are still to come. */
const numberOf = (path: string): number => Number(basename(path).slice(0, 4));

describe.each(decisions.toSorted())('%s', (path) => {
  const text = read(path);

  it('has a number of its own in its name and its title', () => {
    expect(basename(path)).toMatch(/^\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/);
    expect(decisions.filter((other) => numberOf(other) === numberOf(path))).toEqual([path]);
    expect(text).toMatch(new RegExp(`^# ${numberOf(path)}\\. \\S`));
  });

  it(`has the sections of a decision, a status, and at most ${wordsMax} words`, () => {
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(sections);
    expect(text).toMatch(/^## Status\n\n(?:Accepted|Superseded by \[ADR \d+\])/m);
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(wordsMax);
  });
});

describe.each(documents)('%s', (path) => {
  it('links to files and headings that exist', () => {
    expect(brokenLinks(path)).toEqual([]);
  });

  it.skipIf(historical.has(path))('names files that exist', () => {
    expect(missingFiles(path)).toEqual([]);
  });
});

describe('the threat model', () => {
  it('names tests that exist, by file and by the beginning of a title', () => {
    const named = [...read('docs/THREATS.md').matchAll(/`([a-z-]+\/[a-z-]+)`(?:: "([^"]+)")?/g)];
    const missing = named.filter(([, name, title]) => {
      const path = `test/${name}.test.ts`;
      return !existsSync(join(root, path)) || !read(path).includes(title ?? '');
    });
    expect(named.length).toBeGreaterThan(40);
    expect(missing.map(([found]) => found)).toEqual([]);
  });
});

describe('references to decisions', () => {
  const naming = [...documents, ...files.filter((path) => /\.(?:tsx?|m?js)$/.test(path))];

  it.each([
    [
      'by number',
      /\bADRs? (\d+)\b/g,
      (name: string) => decisions.find((path) => numberOf(path) === Number(name)),
    ],
    [
      'by path',
      /\bdocs\/adr\/([\w-]+(?:\.md)?)/g,
      (name: string) => decisions.find((path) => path.endsWith(`/${name}`)),
    ],
  ] as const)('%s lead to existing decisions', (_how, pattern, find) => {
    const missing = naming.flatMap((path) =>
      [...read(path).matchAll(pattern)]
        .map(([, name]) => name as string)
        .filter((name) => find(name) === undefined)
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

it('tells in each section of the changelog what the version needs from an operator', () => {
  const [, ...versions] = read('CHANGELOG.md').split(/^## /m);
  expect(versions.length).toBeGreaterThan(1);
  const without = versions
    .filter((part) => !/^### Upgrading\n\n\S/m.test(part))
    .map((part) => part.split('\n')[0]);
  expect(without).toEqual([]);
});
