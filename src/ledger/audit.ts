/**
 * Judging a stored ledger without trusting the store (contract §6): every entry's bytes, every content's
 * commitment, every link of every chain. Pure: the caller brings the bytes and looks predecessors up.
 */
import { hash } from 'node:crypto';
import { readEntryMembers, type EntryMembers } from './entry-members.ts';
import { saltBytes } from './entry.ts';

export interface StoredForAudit {
  readonly seq: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
  readonly contents: readonly ContentForAudit[];
}

export interface ContentForAudit {
  readonly field: string;
  /** Null for plain text, and for what was scrubbed. */
  readonly saltBytes: number | null;
  /** Salt and body as they were hashed, one behind the other; null where the body is gone. */
  readonly hashed: string | Uint8Array | null;
}

/** What is wrong, where: an auditor can look at exactly this. */
export interface Finding {
  /** Position in the store; equal to the log index on the embedded store. */
  readonly seq: number | null;
  readonly chain: string | null;
  readonly n: number | null;
  readonly reason: string;
}

/** One line for the operator. */
export function formatFinding({ seq, chain, n, reason }: Finding): string {
  return `${seq === null ? '' : `entry ${seq}: `}${chain === null ? '' : `${chain}#${n}: `}${reason}`;
}

const sound: readonly Finding[] = [];

/** `before` gives the hash of the entry at a place of a chain, where the store has one. */
export function auditEntry(
  stored: StoredForAudit,
  before: (chain: string, n: number) => string | undefined,
): readonly Finding[] {
  let findings: Finding[] | undefined;
  const { seq, chain, n, text, contents } = stored;
  const say = (reason: string): void => {
    (findings ??= []).push({ seq, chain, n, reason });
  };
  const entry = readEntryMembers(text);
  if (entry === undefined) {
    say('the entry is not canonical JSON');
    return findings ?? sound;
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
  if (contents.length > 1 && new Set(contents.map(({ field }) => field)).size < contents.length)
    say('a content is stored twice');
  for (const member in entry) {
    if (
      typeof entry[member] === 'string' &&
      member.endsWith('_sha') &&
      !isStored(contents, member) &&
      !repeatsText(entry, member)
    ) {
      say(`the content of ${member} is missing`);
    }
  }
  for (const content of contents) {
    const { field, saltBytes: salted, hashed } = content;
    const committed = entry[field];
    if (typeof committed !== 'string')
      say(`content is stored under ${field}, which the entry does not commit to`);
    else if (hashed === null) {
      if (salted !== null) say(`the content of ${field} is gone but its salt is still there`);
    } else if (salted !== saltBytesOf(field) || hash('sha256', hashed, 'hex') !== committed)
      say(`the content of ${field} does not match its commitment`);
  }
  return findings ?? sound;
}

function isStored(contents: readonly ContentForAudit[], member: string): boolean {
  for (const { field } of contents) if (field === member) return true;
  return false;
}

/**
 * A DIV's text is hashed by itself, every other content behind its salt (contract §1.3, §1.4). Both hash the same
 * bytes where a salt is cut from a text or put before a content, so that the hash alone would not tell.
 */
function saltBytesOf(field: string): number | null {
  return field === 'text_sha' ? null : saltBytes;
}

/** Operations that touch a DIV and leave its text as it is name that text again; an earlier entry holds it. */
const keepsText: ReadonlySet<unknown> = new Set(['move', 'absorb', 'burn']);

function repeatsText(entry: EntryMembers, member: string): boolean {
  return member === 'text_sha' && keepsText.has(entry.op);
}
