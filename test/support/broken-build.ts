/**
 * A copy of the built command in which one check is removed, for tests that show that they notice it. The source is
 * named like a mutation of `test/mutations/list.ts`; the compiled file must hold the text exactly once.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface BrokenBuild {
  /** Of `startServer`. */
  readonly command: string;
  remove(): void;
}

export function breakBuild(file: string, from: string, to: string): BrokenBuild {
  const copy = mkdtempSync(join(tmpdir(), 'colophon-broken-'));
  for (const folder of ['bin', 'content', 'dist'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true, dereference: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const path = join(copy, 'dist', file.replace(/\.ts$/, '.js'));
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) {
    rmSync(copy, { recursive: true, force: true });
    throw new Error(`${path} does not hold "${from}" exactly once.`);
  }
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return {
    command: join(copy, 'bin', 'colophon.js'),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
