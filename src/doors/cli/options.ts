/** Command-line options: `parseArgs` of `node:util` with one-sentence errors. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

export class UsageError extends Error {}

export function readOptions<O extends ParseArgsOptionsConfig>(argv: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** An integer option; undefined if absent. */
export function numberOption(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,12}$/.test(given)) return Number(given);
  throw new UsageError(`--${name} takes a whole number, not "${given}".`);
}
