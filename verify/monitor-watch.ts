/** Which entries of a log touch a watched object: an article, a fingerprint or a call, by their ids in the entry. */
import type { Json, JsonRecord } from './json.ts';

/** What is reported of a watched entry: the words of its log. */
export interface EntryNews {
  readonly index: number;
  readonly ts: string;
  readonly chain: string;
  readonly n: number;
  /** `op` on chains of DIVs, `action` elsewhere. */
  readonly verb: string;
  readonly actor: string;
}

/** Whether an entry is of a chain of one of these ids, or names one. */
export function touches(entry: JsonRecord, ids: readonly string[]): boolean {
  if (ids.length === 0) return false;
  const chain = String(entry['chain']);
  return ids.some(
    (id) =>
      chain === id ||
      chain.startsWith(`${id}.`) ||
      Object.values(entry).some(
        (value) => value === id || (Array.isArray(value) && (value as readonly Json[]).includes(id)),
      ),
  );
}

export function newsOf(index: number, entry: JsonRecord): EntryNews {
  return {
    index,
    ts: wordIn(entry['ts']),
    chain: wordIn(entry['chain']),
    n: Number(entry['n']),
    verb: wordIn(entry['op'] ?? entry['action']),
    actor: wordIn(entry['actor']),
  };
}

const wordCharsMax = 200;

function wordIn(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, wordCharsMax) : '';
}
