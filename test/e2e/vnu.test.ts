/**
 * `npm run vnu`: every page and the stylesheet by the Nu HTML checker. It runs when COLOPHON_VNU is set and Java is
 * there; the checker is fetched then, so that an installation does not carry its 30 MB.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startJudgedPages } from './judged-pages.ts';
import { pageNames } from './page-list.ts';

const checker = 'vnu-jar@26.9.27';
const isAsked = process.env['COLOPHON_VNU'] !== undefined;
const hasJava = isAsked && spawnSync('java', ['-version']).status === 0;
const needsJava =
  isAsked && !hasJava ? ' (skipped: no Java was found; install a runtime of 11 or newer)' : '';

/** `<br/>` is how Preact writes `<br>`. */
const isTaste = (message: string): boolean => message.startsWith('Trailing slash on void elements');

/** Container queries are CSS that the checker does not know yet. */
const isUnknownToChecker = (message: string): boolean => /“(?:@container|container-type)”/.test(message);

function faults(folder: string, ...args: readonly string[]): string[] {
  const call = ['exec', '--yes', `--package=${checker}`, '--', 'vnu', '--format', 'json', ...args];
  const { stdout, stderr } = spawnSync('npm', call, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  const json = [stderr, stdout].join('\n').match(/\{"(?:version|messages)":.*\}/s)?.[0];
  if (json === undefined) throw new Error(`the checker gave no answer: ${stderr}`);
  const { messages } = JSON.parse(json) as {
    messages: { url?: string; message: string; extract?: string }[];
  };
  return messages
    .filter(({ message }) => !isTaste(message) && !isUnknownToChecker(message))
    .map(({ url = '', message, extract = '' }) => `${url.split('/').at(-1)}: ${message} ${extract}`);
}

describe.skipIf(!hasJava)(`the Nu HTML checker${needsJava}`, () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'colophon-vnu-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('finds nothing on any page', { timeout: 300_000 }, async () => {
    const pages = await startJudgedPages();
    for (const [i, name] of pageNames.entries())
      writeFileSync(
        join(folder, `${i}-${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.html`),
        await pages.markup(name),
      );
    await pages.seeded.server.stop();
    expect(faults(folder, '--skip-non-html', '.')).toEqual([]);
  });

  it('finds nothing in the stylesheet', { timeout: 120_000 }, () => {
    const sheet = new URL('../../dist/web/site.css', import.meta.url);
    writeFileSync(join(folder, 'site.css'), readFileSync(sheet));
    expect(faults(folder, '--css', 'site.css')).toEqual([]);
  });

  it('finds an element that is not closed, and an unknown property', { timeout: 120_000 }, () => {
    writeFileSync(join(folder, 'broken.html'), '<!DOCTYPE html><html lang="en"><title>A</title><p><b>a</p>');
    writeFileSync(join(folder, 'broken.css'), 'p { colour: red }');
    expect(faults(folder, 'broken.html')).not.toEqual([]);
    expect(faults(folder, '--css', 'broken.css')).not.toEqual([]);
  });
});
