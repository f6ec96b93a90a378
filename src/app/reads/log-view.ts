/**
 * The log as a page shows it (contract §6, §8): the signed checkpoint and the newest entries, each with what
 * it belongs to. Entries are public; the slug of an article is told only where the article is.
 */
import { parseArticleChain } from '../../domain/articles/chains.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import type { SignedCheckpoint } from '../../engine/act.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import type { Service } from '../service.ts';

export interface LogLine {
  readonly index: number;
  readonly ts: string;
  readonly actor: string;
  readonly verb: string;
  readonly chain: string;
  readonly n: number;
  readonly hash: string;
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
}

/** The entries before log index `before`, or the newest, at most `limit`. */
export async function viewLog(service: Service, before: number | undefined, limit: number): Promise<LogView> {
  const { read } = service.store;
  const checkpoint = await read.checkpoint();
  const size = checkpoint?.size ?? 0;
  const end = Math.min(before ?? size, size);
  const from = Math.max(0, end - limit);
  const entries = end === 0 ? [] : await read.entries(from, end - from);
  const slugs = new Map<string, string | undefined>();
  const lines: LogLine[] = [];
  for (const { index, text } of entries) {
    const entry = JSON.parse(text) as Entry;
    lines.push({
      index,
      ts: entry.ts,
      actor: entry.actor,
      verb: String(entry['op'] ?? entry['action']),
      chain: entry.chain,
      n: entry.n,
      hash: Buffer.from(leafHash(text)).toString('hex'),
      of: await belongsTo(service, entry, slugs),
    });
  }
  return { checkpoint, lines: lines.reverse(), before: from > 0 ? from : null };
}

async function belongsTo(
  service: Service,
  entry: Entry,
  slugs: Map<string, string | undefined>,
): Promise<LogLine['of']> {
  const { chain } = entry;
  if (chain.startsWith('inv_'))
    return { kind: 'receipt', inv: chain, key: typeof entry['key'] === 'string' ? entry['key'] : null };
  if (chain.startsWith('cap_')) return { kind: 'capability', fingerprint: chain };
  const name = parseArticleChain(chain);
  if (name === undefined) return undefined;
  if (!slugs.has(name.aid)) {
    const row = await service.store.read.row(articleTable, name.aid);
    slugs.set(name.aid, row === undefined || row.status === 'draft' ? undefined : row.slug);
  }
  const slug = slugs.get(name.aid);
  return slug === undefined ? undefined : { kind: 'article', slug, div: name.div };
}
