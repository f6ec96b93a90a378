/**
 * What made each revision of an article (spec §2.1), from its provenance chain: who, which blocks, claims and sources,
 * and the reason given. Contents that the reader may not see, or that were scrubbed, tell nothing here.
 */
import { articleChain, articlePrefix, parseArticleChain } from '../../domain/articles/chains.ts';
import type { Change } from '../../domain/articles/events.ts';
import { articleTable, type RevisionRow } from '../../domain/articles/tables.ts';
import { contentText, type StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import { leafHash } from '../../ledger/entry.ts';
import { provenanceContent } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import type { ArticleAccess } from './article-access.ts';
import { redactionPolicyOf } from './article-chains.ts';

export interface RevisionStep {
  readonly rev: number;
  readonly seq: number;
  readonly ts: string;
  readonly actor: string;
  readonly action: string;
  readonly hash: string;
  readonly receipt: string | null;
  /** The reason that its author gave; null without one. */
  readonly note: string | null;
  /** Ids of the objects that it was about. */
  readonly of: readonly string[];
  /** Ids of new blocks. */
  readonly made: readonly string[];
  /** Ids of the blocks that it was about, new ones included. */
  readonly blocks: readonly string[];
  /** Ids of the blocks whose place it changed. */
  readonly laid: readonly string[];
  readonly claims: readonly string[];
  readonly sources: readonly string[];
  /** The contribution that was accepted. */
  readonly contribution: { readonly id: string; readonly kind: string } | null;
  /** The new status, or the restored revision. */
  readonly detail: string | null;
}

/** The steps of all revisions that the caller may see, oldest first. */
export async function readSteps(
  context: ReadContext,
  access: ArticleAccess,
): Promise<readonly RevisionStep[]> {
  const { read } = context;
  const [row, provenance] = await Promise.all([
    read.row(articleTable, access.aid),
    read.chain(articleChain(access.aid, 'provenance')),
  ]);
  if (row === undefined) return [];
  const first = access.seesDrafts ? 1 : (row.published_rev ?? Infinity);
  const redaction = await redactionPolicyOf(context, access, row);
  let status: string | undefined;
  return redaction.redact(provenance).flatMap((event): RevisionStep[] => {
    const entry = JSON.parse(event.text) as Entry;
    const change = provenanceContent(event)?.change ?? {};
    const newStatus = change.status === undefined || change.status === status ? null : change.status;
    status = change.status ?? status;
    const { rev } = entry;
    return typeof rev === 'number' && rev >= first ? [stepOf(event, entry, rev, change, newStatus)] : [];
  });
}

function stepOf(
  event: StoredEvent,
  entry: Entry,
  rev: number,
  change: Change,
  newStatus: string | null,
): RevisionStep {
  const { ts, actor, action, inv } = entry;
  const of = change.of ?? [];
  const made = (change.made ?? []).map(({ div_id: id }) => id);
  const laid = (change.laid ?? []).map(({ div_id: id }) => id);
  return {
    rev,
    seq: event.seq,
    ts,
    actor,
    action: String(action),
    hash: Buffer.from(leafHash(event.text)).toString('hex'),
    receipt: typeof inv === 'string' ? inv : null,
    note: noteOf(change),
    of,
    made,
    blocks: [...new Set([...made, ...of.filter((id) => /^d\d+$/.test(id))])],
    laid,
    claims: (change.claims ?? []).map(({ claim: { id } }) => id),
    sources: of.filter((id) => /^s\d+$/.test(id)),
    contribution:
      change.resolved === undefined ? null : { id: change.resolved.id, kind: change.resolved.kind },
    detail: change.restores === undefined ? newStatus : String(change.restores),
  };
}

/** The reason of a rewrite, a removal or a decision, or why a claim was reworded. */
function noteOf({ reason, claims = [] }: Change): string | null {
  const given = reason ?? (claims.length === 1 ? claims[0]?.claim.posted_by.rationale : undefined);
  return given == null || given.trim() === '' ? null : given;
}

/** How a revision changed the text. */
export interface TextChange {
  /** How many blocks have another text, are new, or left. */
  readonly blocks: number;
  /** By how many characters the text grew. */
  readonly chars: number;
}

/** Entries that are looked at for the sizes of one page of revisions, and older texts that are read for them. */
const entriesMax = 4000;
const pageEntries = 500;
const olderTextsMax = 200;

/**
 * The text changes of neighbouring revisions, by revision. Revisions that would take too much reading are left out, as
 * are changes whose texts were scrubbed.
 */
export async function readTextChanges(
  context: ReadContext,
  aid: string,
  rows: readonly Pick<RevisionRow, 'rev' | 'seq'>[],
): Promise<ReadonlyMap<number, TextChange>> {
  const revisions = rows.toSorted((a, b) => a.seq - b.seq);
  const sizes = new Map<number, TextChange>();
  const [oldest] = revisions;
  if (oldest === undefined) return sizes;
  const { read } = context;
  const prefix = articlePrefix(aid);
  /** Length of the text of each block that was seen so far; a block that left has none. */
  const lengths = new Map<string, number>();
  let older = 0;
  let current: { readonly rev: number; chars: number; readonly touched: Set<string> } | undefined;
  let next = 0;
  const close = (): void => {
    if (current !== undefined) sizes.set(current.rev, { blocks: current.touched.size, chars: current.chars });
    current = undefined;
  };
  for (let after = oldest.seq - 1, looked = 0; ;) {
    const page = await read.history(prefix, after, pageEntries);
    for (const event of page) {
      const entry = JSON.parse(event.text) as Entry;
      const chain = parseArticleChain(entry.chain);
      if (chain?.of === 'provenance' && typeof entry['rev'] === 'number') {
        close();
        const revision = revisions[next];
        if (revision === undefined) return sizes;
        if (revision.seq !== event.seq) continue;
        next++;
        current = { rev: revision.rev, chars: 0, touched: new Set() };
      } else if (chain?.of === 'div' && current === undefined) lengths.delete(chain.div);
      else if (chain?.of === 'div' && current !== undefined) {
        const before =
          lengths.get(chain.div) ?? (entry.n === 0 ? 0 : await lengthBefore(event.seq, chain.div));
        const is = lengthAfter(event, before);
        if (before === undefined || is === undefined) {
          // Not known for this revision; the next one asks again.
          current = undefined;
          lengths.delete(chain.div);
          continue;
        }
        lengths.set(chain.div, is);
        if (is === before && entry['op'] === 'move') continue;
        current.chars += is - before;
        current.touched.add(chain.div);
      }
    }
    looked += page.length;
    const last = page.at(-1);
    if (last === undefined || page.length < pageEntries) {
      close();
      return sizes;
    }
    if (looked >= entriesMax) return sizes;
    after = last.seq;
  }

  /** The length that a block's text had before an entry; undefined if it is gone, or takes too much reading. */
  async function lengthBefore(seq: number, div: string): Promise<number | undefined> {
    if (++older > olderTextsMax) return undefined;
    let length: number | undefined;
    for (const event of await read.chain(`${aid}.${div}`)) {
      if (event.seq >= seq) break;
      length = lengthAfter(event, length);
    }
    return length;
  }
}

const endings: ReadonlySet<unknown> = new Set(['absorb', 'burn']);

function lengthAfter(event: StoredEvent, before: number | undefined): number | undefined {
  const content = event.contents.find(({ field }) => field === 'text_sha');
  if (content !== undefined) return contentText(content)?.length;
  return endings.has((JSON.parse(event.text) as Entry)['op']) ? 0 : before;
}
