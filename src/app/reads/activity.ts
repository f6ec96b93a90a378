/**
 * Recent changes (contract §8): what happened to published articles of a workspace, newest first, filtered and paged. Acts
 * on drafts, and those from before publication, are left out. One request looks at a bounded number of rows.
 */
import { type ActivityRow, activityTable, kindOfDeed, laneOf } from '../../domain/articles/activity.ts';
import { type ActivityKind, activityKinds } from '../../model/vocabulary.ts';
import { articleChain, articlePrefix } from '../../domain/articles/chains.ts';
import { type ArticleRow, articleTable } from '../../domain/articles/tables.ts';
import { voteTable, type VoteRow } from '../../domain/discourse/thread.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { Entry } from '../../ledger/entry.ts';
import { leafHash } from '../../ledger/entry.ts';
import type { Contribution } from '../../model/contribution.ts';
import type { Post, Vote } from '../../model/discourse.ts';
import { contentOf, provenanceContent } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import { publicFromSeq } from './article-chains.ts';
import { type EntryKind, kindOf, verbOf } from './log-subject.ts';

export interface ActivityFilter {
  /** Undefined: every kind. */
  readonly kind?: ActivityKind | undefined;
  /** `owner`, `anonymous`, `contributors` or a fingerprint. */
  readonly who?: string | undefined;
  /** Opaque ids: only these articles. */
  readonly aids?: ReadonlySet<string> | undefined;
  /** ISO 8601; nothing older. */
  readonly since?: string | undefined;
  /** The number of an entry: only older ones. */
  readonly before?: number | undefined;
}

export interface Activity {
  readonly seq: number;
  readonly kind: ActivityKind;
  readonly ts: string;
  readonly actor: string;
  /** The name that a contributor typed. */
  readonly name: string | null;
  readonly article: { readonly slug: string; readonly title: string };
  readonly act: {
    readonly kind: EntryKind;
    readonly verb: string;
    readonly of: readonly string[];
    readonly made: number;
    readonly target: string | null;
    readonly detail: string | null;
  };
  readonly receipt: string | null;
  /** What was said, or the reason given. */
  readonly said: string | null;
  /** Hash of the entry. */
  readonly hash: string;
  /** Further acts of the same call, by kind. */
  readonly rest: Readonly<Partial<Record<ActivityKind, number>>>;
}

export interface ActivityPage {
  readonly items: readonly Activity[];
  /** Where the next page begins; null at the end. */
  readonly next: number | null;
}

type PlacedAct = Pick<ActivityRow, 'seq' | 'aid' | 'actor' | 'ts'> & { readonly kind: ActivityKind };

const rowsAtOnce = 100;
const rowsMax = 2000;

/** The newest acts of a workspace. */
export async function readActivity(
  context: ReadContext,
  tenant: string,
  filter: ActivityFilter,
  limit: number,
): Promise<ActivityPage> {
  const items = new Items(context, tenant);
  let { before } = filter;
  for (let looked = 0; looked < rowsMax;) {
    const rows = await newestRows(context, tenant, filter.kind, before);
    for (const row of rows) {
      if (filter.since !== undefined && row.ts < filter.since) return { items: items.list, next: null };
      if (isBy(row.actor, filter.who) && filter.aids?.has(row.aid) !== false) await items.add(row);
      if (items.list.length > limit)
        return { items: items.list.slice(0, limit), next: items.lastSeqOf(limit) };
      before = row.seq;
    }
    looked += rows.length;
    if (rows.length < rowsAtOnce) return { items: items.list, next: null };
  }
  return { items: items.list, next: before ?? null };
}

/** The newest acts on one article. */
export async function readActivityOf(
  context: ReadContext,
  aid: string,
  limit: number,
): Promise<ActivityPage> {
  const { read } = context;
  const article = await read.row(articleTable, aid);
  if (article === undefined) return { items: [], next: null };
  const chains = await Promise.all(
    (['provenance', 'thread', 'mirror', 'votes'] as const).map((chain) =>
      read.chain(articleChain(aid, chain)),
    ),
  );
  const items = new Items(context, article.tenant);
  const kinds = kindsIn(chains[0] ?? []);
  const events = chains.flat().sort((a, b) => b.seq - a.seq);
  for (const event of events) {
    const entry = JSON.parse(event.text) as Entry;
    const kind = entry.chain.endsWith('.provenance') ? kinds.get(event.seq) : kindOfTalk(entry);
    if (kind === undefined) continue;
    await items.add({ kind, seq: event.seq, aid, actor: entry.actor, ts: entry.ts }, event);
    if (items.list.length > limit) break;
  }
  return { items: items.list.slice(0, limit), next: null };
}

function kindsIn(provenance: readonly StoredEvent[]): ReadonlyMap<number, ActivityKind> {
  const kinds = new Map<number, ActivityKind>();
  let status: string | undefined;
  for (const event of provenance) {
    const entry = JSON.parse(event.text) as Entry;
    const given = provenanceContent(event)?.change?.status;
    const kind =
      given === 'published' && status !== 'published'
        ? 'published'
        : kindOfDeed(verbOf(entry), typeof entry['rev'] === 'number');
    if (kind !== undefined) kinds.set(event.seq, kind);
    status = given ?? status;
  }
  return kinds;
}

function kindOfTalk(entry: Entry): ActivityKind {
  if (entry.chain.endsWith('.mirror')) return 'contributions';
  return entry['action'] === 'decide' ? 'decisions' : 'discussion';
}

function isBy(actor: string, who: string | undefined): boolean {
  return who === undefined || actor === who || (who === 'contributors' && actor.startsWith('cap_'));
}

/** The newest rows of one kind or of all, newest first. */
async function newestRows(
  { read }: ReadContext,
  tenant: string,
  kind: ActivityKind | undefined,
  before: number | undefined,
): Promise<readonly PlacedAct[]> {
  const range = { limit: rowsAtOnce, reverse: true, ...(before === undefined ? {} : { before }) };
  const lanes = await Promise.all(
    (kind === undefined ? activityKinds : [kind]).map(async (each) =>
      (await read.list(activityTable, laneOf(tenant, each), range)).map((row) => ({ ...row, kind: each })),
    ),
  );
  return lanes
    .flat()
    .sort((a, b) => b.seq - a.seq)
    .slice(0, rowsAtOnce);
}

/** Collects acts that everybody may see; those of one call become one item. */
class Items {
  readonly list: Activity[] = [];
  readonly #context: ReadContext;
  readonly #tenant: string;
  readonly #articles = new Map<
    string,
    Promise<{ readonly row: ArticleRow; readonly from: number } | undefined>
  >();
  /** The oldest entry of each item. */
  readonly #oldest: number[] = [];

  constructor(context: ReadContext, tenant: string) {
    this.#context = context;
    this.#tenant = tenant;
  }

  /** The place behind the first `count` items. */
  lastSeqOf(count: number): number {
    return this.#oldest[count - 1] as number;
  }

  async add(row: PlacedAct, known?: StoredEvent): Promise<void> {
    const found = await this.#article(row.aid);
    if (found === undefined || row.seq < found.from) return;
    const event = known ?? (await this.#context.read.history(articlePrefix(row.aid), row.seq - 1, 1))[0];
    if (event === undefined) return;
    const item = await activityOf(this.#context, row, event, found.row);
    const last = this.list.at(-1);
    if (last !== undefined && last.receipt !== null && last.receipt === item.receipt) {
      // An older entry of the same call: it began with this one.
      const rest = { ...last.rest, [last.kind]: (last.rest[last.kind] ?? 0) + 1 };
      this.list[this.list.length - 1] = { ...item, rest };
      this.#oldest[this.list.length - 1] = row.seq;
      return;
    }
    this.list.push(item);
    this.#oldest.push(row.seq);
  }

  /** The article, if everybody may see it, and the first entry that was public. */
  #article(aid: string) {
    const known = this.#articles.get(aid);
    if (known !== undefined) return known;
    const found = this.#context.read
      .row(articleTable, aid)
      .then(async (row) =>
        row === undefined || row.tenant !== this.#tenant || row.status === 'draft'
          ? undefined
          : { row, from: await publicFromSeq(this.#context, row) },
      );
    this.#articles.set(aid, found);
    return found;
  }
}

async function activityOf(
  context: ReadContext,
  { kind, seq, ts, actor, aid }: PlacedAct,
  event: StoredEvent,
  { slug, title }: ArticleRow,
): Promise<Activity> {
  const entry = JSON.parse(event.text) as Entry;
  const { inv } = entry;
  const told = await toldBy(context, aid, entry, event, kind);
  return {
    seq,
    kind,
    ts,
    actor,
    name: told.name ?? null,
    article: { slug, title },
    act: {
      kind: kindOf(entry.chain) ?? 'article',
      verb: verbOf(entry),
      of: told.of ?? [],
      made: told.made ?? 0,
      target: told.target ?? null,
      detail: told.detail ?? null,
    },
    receipt: typeof inv === 'string' ? inv : null,
    said: told.said === undefined || told.said.trim() === '' ? null : told.said,
    hash: Buffer.from(leafHash(event.text)).toString('hex'),
    rest: {},
  };
}

interface Told {
  readonly name?: string;
  readonly of?: readonly string[];
  readonly made?: number;
  readonly target?: string;
  readonly detail?: string;
  readonly said?: string;
}

/** What the content of an entry says, as far as it is there. */
async function toldBy(
  { read }: ReadContext,
  aid: string,
  entry: Entry,
  event: StoredEvent,
  kind: ActivityKind,
): Promise<Told> {
  const chain = kindOf(entry.chain);
  if (chain === 'article') {
    const change = provenanceContent(event)?.change ?? {};
    const detail =
      change.resolved?.kind ??
      (change.restores === undefined
        ? kind === 'published'
          ? 'published'
          : undefined
        : String(change.restores));
    return {
      of: change.of ?? [],
      made: change.made?.length ?? 0,
      ...(detail === undefined ? {} : { detail }),
      ...(change.reason === undefined ? {} : { said: change.reason }),
    };
  }
  const content = contentOf(event, 'content_sha');
  if (chain === 'contribution' && content !== undefined) {
    const { actor, claim_id: target, kind: detail, body: said } = content as unknown as Contribution;
    return { name: actor, target, detail, said };
  }
  if (chain === 'discourse' && content !== undefined) {
    const { actor: name, target, body: said } = content as unknown as Post;
    return { name, target, said };
  }
  if (chain !== 'vote') return {};
  const vote = content as unknown as Vote | undefined;
  if (vote !== undefined)
    return { name: vote.actor, target: vote.target, detail: vote.proposal, said: vote.rationale };
  const row: VoteRow | undefined = await read.row(voteTable, aid, String(entry['vote']));
  const decision = entry['decision'];
  return {
    ...(row === undefined ? {} : { target: row.vote.target }),
    ...(typeof decision === 'string' ? { detail: decision } : {}),
  };
}
