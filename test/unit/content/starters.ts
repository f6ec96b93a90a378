/** Reads the starter articles as the seeding of a new deployment reads them: one folder each, in order of number. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { Context } from '../../../src/domain/context.ts';
import { sizeLimits } from '../../../src/kernel/size-limits.ts';

export interface StarterSource {
  readonly type: string;
  readonly url: string;
  readonly title: string;
  readonly quote: string;
  readonly summary: string;
  readonly software_class?: string;
  readonly source_role?: string;
  readonly accessed_at: string;
}

export interface StarterClaim {
  readonly text: string;
  readonly tier: string;
  readonly who_claims: string;
  readonly source_ids?: readonly string[];
  readonly why_material?: string;
  readonly falsifier?: string;
  readonly evidence_basis?: string;
  readonly evidence_class?: string;
  readonly source_role?: string;
  readonly slot?: string;
  readonly section?: string;
  readonly rationale?: string;
}

export interface Starter {
  readonly slug: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly category: string;
  readonly register: string;
  readonly traversal: {
    readonly prev: string | null;
    readonly next: string | null;
    readonly hub: string;
    readonly series: string;
    readonly position: number;
    readonly of: number;
  };
  readonly sources: readonly StarterSource[];
  readonly claims: readonly StarterClaim[];
  /** The folder's name, such as `3-voxels`. */
  readonly folder: string;
  readonly markdown: string;
}

export function readStarters(): readonly Starter[] {
  const content = new URL('../../../content/', import.meta.url);
  return readdirSync(content, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => {
      const at = new URL(`${name}/`, content);
      const article = JSON.parse(readFileSync(new URL('article.json', at), 'utf8')) as Omit<Starter, 'folder' | 'markdown'>;
      return { ...article, folder: name, markdown: readFileSync(new URL('article.md', at), 'utf8') };
    })
    .toSorted((a, b) => Number.parseInt(a.folder, 10) - Number.parseInt(b.folder, 10));
}

/** The ids that appending gives an article's sources: `s1`, `s2` and so on. */
export function sourceIds(starter: Starter): ReadonlySet<string> {
  return new Set(starter.sources.map((_, i) => `s${i + 1}`));
}

/** The Markdown without code blocks, code spans and link targets: what is read as sentences. */
export function prose(markdown: string): string {
  return markdown
    .replace(/^```[^]*?^```$/gm, '')
    .replace(/`[^`]*`/g, '')
    .replace(/\]\([^)]*\)/g, ']');
}

/** What a decision is given while the owner seeds. */
export const seeding: Context = {
  now: '2026-01-31T09:00:00.000Z',
  limits: sizeLimits,
  actor: 'owner',
  actorName: null,
  model: null,
  channel: 'cli',
  base: 'http://127.0.0.1:8787',
  tenant: 'main',
  workspace: 'main',
  inv: 'inv_aaaaaaaaaaaaaaaa',
  id: (prefix) => `${prefix}_aaaaaaaaaaaaaaaa`,
};

/** A published article without blocks, claims and sources. */
export function emptyArticle(slug: string): ArticleState {
  return {
    row: {
      aid: 'art_aaaaaaaaaaaaaaaa',
      tenant: 'main',
      slug,
      title: slug,
      status: 'published',
      version: 1,
      published_rev: 1,
      lead: '',
      meta: {
        hero: null, images: [], style: {}, tags: [], category: null, model: null, embeds: [], widgets: [],
        home: false, register: 'standard', extra: {},
      },
      energy: { passes: 0, tokens_in: 0, tokens_out: 0, tokens_total: 0, cost_usd: 0, models: {} },
      heads: { provenance: null, sources: null },
      divs_made: 0,
      claims_made: 0,
      sources_made: 0,
      created_at: '2026-01-31T09:00:00.000Z',
      updated_at: '2026-01-31T09:00:00.000Z',
      posted_at: '2026-01-31T09:00:00.000Z',
    },
    divs: new Map(),
    claims: new Map(),
    sources: new Map(),
  };
}

/** The targets of all inline links. */
export function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map((hit) => hit[1] as string);
}
