/**
 * The log page (contract §6, §8): the signed checkpoint and the newest entries with their subjects. Slugs are shown
 * for public articles only.
 */
import type { SignedCheckpoint } from '../../engine/act.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';
import { readRollbacks, type Rollback } from './earlier-logs.ts';
import { openTenants } from './events.ts';
import { type EntryKind, kindOf, SubjectResolver, verbOf, type Subject } from './log-subject.ts';

export interface LogLine {
  readonly index: number;
  readonly ts: string;
  readonly actor: string;
  readonly verb: string;
  readonly kind: EntryKind;
  /** The call that wrote it; null for entries that no call wrote. */
  readonly receipt: string | null;
  readonly chain: string;
  readonly n: number;
  readonly hash: string;
  /** Whether the workspace's credentials have public pages. */
  readonly isOpen: boolean;
  /** The subject, if it has a page. */
  readonly of:
    | {
        readonly kind: 'article';
        readonly slug: string;
        readonly title: string;
        readonly div: string;
      }
    | { readonly kind: 'receipt'; readonly inv: string; readonly key: string | null }
    | { readonly kind: 'capability'; readonly fingerprint: string }
    | undefined;
}

export interface LogView {
  readonly checkpoint: SignedCheckpoint | null;
  /** Newest first. */
  readonly lines: readonly LogLine[];
  /** Cursor of older entries; null at the beginning of the log. */
  readonly before: number | null;
  /** Accepted rollbacks with the logs that they ended, newest first. */
  readonly rollbacks: readonly Rollback[];
}

/** At most `limit` entries before index `before`, or the newest. */
export async function viewLog(
  context: ReadContext,
  before: number | undefined,
  limit: number,
): Promise<LogView> {
  const { read } = context;
  const checkpoint = await read.checkpoint();
  const size = checkpoint?.size ?? 0;
  const end = Math.min(before ?? size, size);
  const from = Math.max(0, end - limit);
  const entries = end === 0 ? [] : await read.texts(from, end - from);
  const [subjects, open] = [new SubjectResolver(context), await openTenants(context)];
  const lines: LogLine[] = [];
  for (const { index, text } of entries) {
    const entry = JSON.parse(text) as Entry;
    const subject = await subjects.of(entry);
    const isOpen = subject !== undefined && open.has(subject.tenant);
    lines.push({
      index,
      ts: entry.ts,
      actor: entry.actor,
      verb: verbOf(entry),
      kind: kindOf(entry.chain) ?? 'system',
      receipt: receiptOf(entry),
      chain: entry.chain,
      n: entry.n,
      hash: Buffer.from(leafHash(text)).toString('hex'),
      isOpen,
      of: belongsTo(entry, isOpen, subject),
    });
  }
  const rollbacks = await readRollbacks(read);
  return { checkpoint, lines: lines.reverse(), before: from > 0 ? from : null, rollbacks };
}

function belongsTo(entry: Entry, isOpen: boolean, subject: Subject | undefined): LogLine['of'] {
  const { chain } = entry;
  // Capability pages are public (ADR 22).
  if (kindOf(chain) === 'invocation')
    return { kind: 'receipt', inv: chain, key: typeof entry['key'] === 'string' ? entry['key'] : null };
  if (subject === undefined || !isOpen) return undefined;
  if (kindOf(chain) === 'capability') return { kind: 'capability', fingerprint: chain };
  const { article } = subject;
  return article === undefined || article.isDraft
    ? undefined
    : { kind: 'article', slug: article.slug, title: article.title, div: article.div };
}

function receiptOf(entry: Entry): string | null {
  if (kindOf(entry.chain) === 'invocation') return entry.chain;
  return typeof entry['inv'] === 'string' ? entry['inv'] : null;
}
