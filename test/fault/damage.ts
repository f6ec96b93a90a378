/** Looking at a damaged ledger: what the audit says, what a start says, and single bits turned over. */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { expect } from 'vitest';
import { compose } from '../../src/compose.ts';
import { RolledBack } from '../../src/deployment/checkpoint-file.ts';
import { readConfig } from '../../src/config.ts';
import { problemsOf } from './ledger.ts';

export async function expectProblem(folder: string, pattern: RegExp): Promise<void> {
  const problems = await problemsOf(folder);
  expect(problems.join('\n')).toMatch(pattern);
}

export async function expectRefused(folder: string, reason: RegExp): Promise<void> {
  const error = await compose(readConfig({ COLOPHON_DATA: folder })).then(
    async (deployment) => {
      await deployment.close();
      return undefined;
    },
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RolledBack);
  expect((error as Error).message).toMatch(reason);
}

/** The last character of the first string that follows a member's name, replaced by another of its kind. */
export function withOtherEnd(text: string, member: string): string {
  const at = text.indexOf(`"${member}":"`) + member.length + 4;
  const end = text.indexOf('"', at);
  const old = text[end - 1] as string;
  const other = /\d/.test(old) ? String((Number(old) + 1) % 10) : old === 'a' ? 'b' : 'a';
  return text.slice(0, end - 1) + other + text.slice(end);
}

/** Flips one bit; answers with how to flip it back. What SQLite left beside the file goes too. */
export function flip(path: string, at: number, bit: number): () => void {
  const turn = (): void => {
    const file = openSync(path, 'r+');
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, at);
    byte[0] = (byte[0] as number) ^ bit;
    writeSync(file, byte, 0, 1, at);
    closeSync(file);
    for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
  };
  turn();
  return turn;
}
