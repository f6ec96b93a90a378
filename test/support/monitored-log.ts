/** What the tests of the monitor share: logs in memory that grow or fork, and a kept log in memory. */
import { headOf, seal, type Draft, type Head } from '../../src/ledger/entry.ts';
import type { KeptHead, KeptLog } from '../../verify/monitor-kept.ts';
import type { EntryNews } from '../../verify/monitor-watch.ts';

/** The texts of `count` entries of several chains; those from `fork` on are of another history. */
export function historyTexts(count: number, fork = count): string[] {
  const heads = new Map<string, Head>();
  return Array.from({ length: count }, (_, i) => {
    const chain = i % 3 === 0 ? `inv_${i}` : `art_${i % 2}.provenance`;
    const draft: Draft = {
      chain,
      ts: '2026-01-31T09:00:00.000Z',
      actor: 'owner',
      action: i < fork ? 'noted' : 'forged',
      ...(i % 3 === 0 ? {} : { inv: `inv_${i - (i % 3)}` }),
    };
    const sealed = seal(draft, heads.get(chain) ?? null);
    heads.set(chain, headOf(sealed));
    return sealed.text;
  });
}

interface Kept {
  note: string | undefined;
  readonly tiles: Map<string, Uint8Array>;
  readonly heads: Map<string, KeptHead>;
  readonly problems: string[];
  readonly news: EntryNews[];
}

export class MemoryKeptLog implements KeptLog {
  now: Kept = { note: undefined, tiles: new Map(), heads: new Map(), problems: [], news: [] };

  note(): string | undefined {
    return this.now.note;
  }
  putNote(note: string): void {
    this.now.note = note;
  }
  tile(level: number, n: number): Uint8Array | undefined {
    return this.now.tiles.get(`${level}/${n}`);
  }
  putTile(level: number, n: number, hashes: Uint8Array): void {
    this.now.tiles.set(`${level}/${n}`, hashes);
  }
  head(chain: string): KeptHead | undefined {
    return this.now.heads.get(chain);
  }
  putHead(chain: string, head: KeptHead): void {
    this.now.heads.set(chain, head);
  }
  problems(): readonly string[] {
    return this.now.problems;
  }
  putProblem(text: string): void {
    this.now.problems.push(text);
  }
  readonly #unfollowed = new Set<string>();

  unfollowed(): readonly string[] {
    return [...this.#unfollowed];
  }

  putUnfollowed(note: string): void {
    this.#unfollowed.add(note);
  }

  removeUnfollowed(note: string): void {
    this.#unfollowed.delete(note);
  }

  putNews(news: EntryNews): void {
    this.now.news.push(news);
  }

  async update<T>(work: () => Promise<T>): Promise<T> {
    const before = structuredClone(this.now);
    try {
      return await work();
    } catch (error) {
      this.now = before;
      throw error;
    }
  }
}
