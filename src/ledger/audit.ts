/**
 * Judging a stored ledger without trusting the store (contract §6): every entry's bytes, every content's
 * commitment, every link of every chain. Pure: the caller brings the bytes and looks predecessors up.
 */
import { hash } from 'node:crypto';
import { commitment, leafHash, saltBytes } from './entry.ts';

export interface StoredForAudit {
  readonly seq: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
  /** The hash that was stored beside the text; null or absent where the store keeps none. */
  readonly leaf?: Uint8Array | null;
  readonly contents: readonly {
    readonly field: string;
    readonly salt: Uint8Array | null;
    readonly body: string | null;
  }[];
}

/** What is wrong, where: an auditor can look at exactly this. */
export interface Finding {
  /** Position in the store; equal to the log index on the embedded store. */
  readonly seq: number | null;
  readonly chain: string | null;
  readonly n: number | null;
  readonly reason: string;
}

export interface EntryAudit {
  readonly leaf: Uint8Array;
  readonly hash: string;
  readonly contents: number;
  readonly findings: readonly Finding[];
}

interface Parsed {
  readonly chain?: unknown;
  readonly n?: unknown;
  readonly prev?: unknown;
  readonly ts?: unknown;
  readonly [member: string]: unknown;
}

/** `before` gives the hash of the entry at a place of a chain, or nothing where the store has none. */
export function auditEntry(
  stored: StoredForAudit,
  before: (chain: string, n: number) => string | undefined,
): EntryAudit {
  const findings: Finding[] = [];
  const { seq, chain, n, text } = stored;
  const say = (reason: string): void => {
    findings.push({ seq, chain, n, reason });
  };
  const leaf = leafHash(text);
  const own = Buffer.from(leaf.buffer, leaf.byteOffset, leaf.byteLength).toString('hex');
  if (stored.leaf != null && Buffer.compare(leaf, stored.leaf) !== 0)
    say('its bytes are not those whose hash was stored with it');
  const entry = parse(text);
  if (entry === undefined) {
    say('the entry is not canonical JSON');
    return { leaf, hash: own, contents: 0, findings };
  }
  if (entry.chain !== chain || entry.n !== n)
    say(
      `stored as entry ${n} of ${chain}, but its bytes say entry ${String(entry.n)} of ${String(entry.chain)}`,
    );
  if (n === 0) {
    if (entry.prev !== 'genesis') say('the first entry of a chain must follow genesis');
  } else {
    const expected = before(chain, n - 1);
    if (expected === undefined) say(`entry ${n - 1} of the chain is missing`);
    else if (entry.prev !== expected)
      say(`prev is not the hash of entry ${n - 1}: one of the two was altered`);
  }
  const { contents } = stored;
  if (contents.length > 1 && new Set(contents.map(({ field }) => field)).size < contents.length)
    say('a content is stored twice');
  for (const member in entry) {
    if (
      member.endsWith('_sha') &&
      !contents.some(({ field }) => field === member) &&
      typeof entry[member] === 'string' &&
      !repeatsText(entry, member)
    ) {
      say(`the content of ${member} is missing`);
    }
  }
  for (const { field, salt, body } of contents) {
    const committed = entry[field];
    if (typeof committed !== 'string')
      say(`content is stored under ${field}, which the entry does not commit to`);
    else if (body === null) {
      if (salt !== null) say(`the content of ${field} is gone but its salt is still there`);
    } else if (contentHash(salt, body) !== committed)
      say(`the content of ${field} does not match its commitment`);
  }
  return { leaf, hash: own, contents: contents.length, findings };
}

/** Operations that touch a DIV and leave its text as it is name that text again; an earlier entry holds it. */
const keepsText: ReadonlySet<unknown> = new Set(['move', 'absorb', 'burn']);

function repeatsText(entry: Parsed, member: string): boolean {
  return member === 'text_sha' && keepsText.has(entry['op']);
}

function contentHash(salt: Uint8Array | null, body: string): string | undefined {
  if (salt === null) return hash('sha256', body, 'hex');
  return salt.length === saltBytes ? commitment(salt, body) : undefined;
}

function parse(text: string): Parsed | undefined {
  try {
    const value = JSON.parse(text) as Parsed;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
