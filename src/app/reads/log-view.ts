/**
 * The log as a page shows it (contract §6, §8): the signed checkpoint and the newest entries, each with what
 * it belongs to. Entries are public; the slug of an article is told only where the article is.
 */
import type { SignedCheckpoint } from '../../engine/act.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';
import { readRollbacks, type Rollback } from './earlier-logs.ts';
import { openTenants } from './events.ts';
import { kindOf, Subjects, verbOf, type Subject } from './log-subject.ts';

export interface LogLine {
  readonly index: number;
  readonly ts: string;
  readonly actor: string;
  readonly verb: string;
  readonly chain: string;
  readonly n: number;
  readonly hash: string;
  /** Whether it happened in a workspace whose credentials have pages for everybody. */
  readonly isOpen: boolean;
  /** What the chain belongs to, where there is a page for it. */
  readonly of:
    | { readonly kind: 'article'; readonly slug: string; readonly div: string }
    | { readonly kind: 'receipt'; readonly inv: string; readonly key: string | null }
    | { readonly kind: 'capability'; readonly fingerprint: string }
    | undefined;
}

export interface LogView {
  readonly checkpoint: SignedCheckpoint | null;
  /** Newest first. */
  readonly lines: readonly LogLine[];
  /** Where the page of older entries ends, or null at the beginning of the log. */
  readonly before: number | null;
  /** Rollbacks that were accepted, each with the log that it ended; the newest first. */
  readonly rollbacks: readonly Rollback[];
}

/** The entries before log index `before`, or the newest, at most `limit`. */
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
  const [subjects, open] = [new Subjects(context), await openTenants(context)];
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
  // Its page is everybody's, whatever the workspace (ADR 22).
  if (kindOf(chain) === 'invocation')
    return { kind: 'receipt', inv: chain, key: typeof entry['key'] === 'string' ? entry['key'] : null };
  if (subject === undefined || !isOpen) return undefined;
  if (kindOf(chain) === 'capability') return { kind: 'capability', fingerprint: chain };
  const { article } = subject;
  return article === undefined || article.isDraft
    ? undefined
    : { kind: 'article', slug: article.slug, div: article.div };
}
