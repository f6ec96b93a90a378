/**
 * State of an article according to its provenance (contract §5): each change is the content of one entry, and the newest
 * value counts. Changes that the reader may not see make the affected members unknown; a document that contradicts known
 * members is rejected.
 */
import { isRecord, type Json, type JsonRecord } from './json.ts';

/** One entry of the provenance chain, with its content where that is shown. */
export interface Change {
  readonly entry: JsonRecord;
  readonly content: JsonRecord | undefined;
}

export interface History {
  /** The opaque id that begins the name of each of the article's chains. */
  readonly aid: string;
  readonly entries: readonly JsonRecord[];
  /** Whether every change is shown, so that nothing else can have changed. */
  readonly isWhole: boolean;
  /** Slug, lead, title, status, meta and version, as far as they are known. */
  readonly article: JsonRecord;
  /** The newest wording of each claim, with its place among the claims. */
  readonly claims: ReadonlyMap<string, { readonly n: number; readonly claim: JsonRecord }>;
  /** How each DIV stands in the article, apart from its text. */
  readonly layouts: ReadonlyMap<string, JsonRecord>;
  /** DIVs that a change is about, with the call that made it: each has an entry of that call. */
  readonly touched: readonly { readonly id: string; readonly inv: Json }[];
  readonly sourcesMade: number;
  /** The newest look at each source. */
  readonly links: ReadonlyMap<string, JsonRecord>;
  /** The entry that decided on a contribution, and what it says of the decision. */
  readonly decisions: ReadonlyMap<string, Decision>;
  /** The entry that settled a post of the thread, and what it says of the settlement. */
  readonly settlements: ReadonlyMap<string, Decision>;
  readonly energy: JsonRecord;
}

/** A later entry about a listed object, with its part of the content where that is shown. */
export interface Decision {
  readonly entry: JsonRecord;
  readonly content: JsonRecord | undefined;
}

/** `changes` are all entries of one chain, in order. */
export function historyOf(changes: readonly Change[]): History | undefined {
  const [first] = changes;
  const chain = first?.entry['chain'];
  if (typeof chain !== 'string' || !chain.endsWith('.provenance')) return undefined;
  const replay = new Replay();
  for (const deed of changes) replay.take(deed);
  return {
    aid: chain.slice(0, -'.provenance'.length),
    entries: changes.map(({ entry }) => entry),
    ...replay.known(),
  };
}

/** Entries that add nothing to the work on the article, and such that change nothing in it. */
const lookedAt = 'link_check';
const changesNothing = new Set<Json | undefined>([lookedAt, 'ask']);

class Replay {
  #isWhole = true;
  #article: Record<string, Json> = {};
  readonly #claims = new Map<string, { readonly n: number; readonly claim: JsonRecord }>();
  readonly #layouts = new Map<string, JsonRecord>();
  readonly #touched: { readonly id: string; readonly inv: Json }[] = [];
  readonly #links = new Map<string, JsonRecord>();
  readonly #decisions = new Map<string, Decision>();
  readonly #settlements = new Map<string, Decision>();
  #sourcesMade = 0;
  #postedAt: Json = null;
  #createdAt: Json = null;
  #updatedAt: Json = null;
  #energy = { passes: 0, tokens_in: 0, tokens_out: 0, tokens_total: 0, cost_usd: 0 };
  #models: Record<string, number> = {};

  take({ entry, content }: Change): void {
    const { ts = null, action } = entry;
    this.#createdAt ??= ts;
    if (!changesNothing.has(action)) this.#updatedAt = ts;
    if (typeof entry['rev'] === 'number') this.#article['version'] = entry['rev'];
    const change = isRecord(content?.['change']) ? content['change'] : undefined;
    if (typeof entry['contribution'] === 'string')
      this.#decisions.set(entry['contribution'], { entry, content: recordIn(change?.['resolved']) });
    if (typeof entry['settles'] === 'string')
      this.#settlements.set(entry['settles'], { entry, content: recordIn(change?.['settled']) });
    if (change === undefined || content === undefined) this.#forget();
    else {
      this.#takeChange(change, ts);
      for (const id of divsIn(change)) this.#touched.push({ id, inv: entry['inv'] ?? null });
      if (action !== lookedAt) this.#spend(content);
    }
  }

  known(): Omit<History, 'aid' | 'entries'> {
    const { title, status, slug, lead, meta, version } = this.#article;
    const times = this.#isWhole ? { posted_at: this.#postedAt } : {};
    return {
      isWhole: this.#isWhole,
      article: Object.fromEntries(
        Object.entries({
          slug,
          title,
          status,
          version,
          lead,
          meta,
          created_at: this.#createdAt,
          updated_at: this.#updatedAt,
          ...times,
        }).filter((pair): pair is [string, Json] => pair[1] !== undefined),
      ),
      claims: this.#claims,
      layouts: this.#layouts,
      touched: this.#touched,
      sourcesMade: this.#sourcesMade,
      links: this.#links,
      decisions: this.#decisions,
      settlements: this.#settlements,
      energy: { ...this.#energy, models: this.#models },
    };
  }

  /** A change that is not shown may have changed anything. */
  #forget(): void {
    this.#isWhole = false;
    const { version } = this.#article;
    this.#article = version === undefined ? {} : { version };
    this.#claims.clear();
    this.#layouts.clear();
    this.#links.clear();
  }

  #takeChange(change: JsonRecord, ts: Json): void {
    const { created, title, status, meta } = change;
    if (isRecord(created))
      Object.assign(this.#article, { slug: created['slug'], lead: created['lead'], status: 'draft' });
    if (title !== undefined) this.#article['title'] = title;
    if (status !== undefined) this.#article['status'] = status;
    if (status === 'published') this.#postedAt ??= ts;
    if (isRecord(meta)) this.#article['meta'] = meta;
    if (typeof change['sources_made'] === 'number') this.#sourcesMade += change['sources_made'];
    for (const { n, claim } of recordsIn(change['claims']))
      if (isRecord(claim)) this.#claims.set(String(claim['id']), { n: Number(n), claim });
    for (const layout of [...recordsIn(change['made']), ...recordsIn(change['laid'])])
      this.#layouts.set(String(layout['div_id']), layout);
    for (const { source_id: id, ...look } of recordsIn(change['links'])) this.#links.set(String(id), look);
  }

  #spend(content: JsonRecord): void {
    const count = (name: string): number => (typeof content[name] === 'number' ? content[name] : 0);
    const energy = this.#energy;
    energy.passes += 1;
    energy.tokens_in += count('tokens_in');
    energy.tokens_out += count('tokens_out');
    energy.tokens_total += count('tokens_in') + count('tokens_out');
    energy.cost_usd += count('cost');
    const { model } = content;
    if (typeof model === 'string') this.#models[model] = (this.#models[model] ?? 0) + 1;
  }
}

/** DIVs that a change made, wrote to or ended; one that was moved keeps its text and has no entry of the move. */
function divsIn({ made, of, left }: JsonRecord): string[] {
  const ids = (list: Json | undefined): Json[] => (Array.isArray(list) ? [...(list as readonly Json[])] : []);
  const once = new Set([...recordsIn(made).map(({ div_id: id = null }) => id), ...ids(of)]);
  return [...once, ...ids(left)].map(String).filter((id) => /^d\d+$/.test(id));
}

export function recordsIn(value: Json | undefined): JsonRecord[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isRecord) : [];
}

function recordIn(value: Json | undefined): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}
