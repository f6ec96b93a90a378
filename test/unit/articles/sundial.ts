/** One article for the tables of decisions: three DIVs and a burned one, an active and a retracted claim, one source. */
import { sameSource } from '../../../src/domain/articles/same-source.ts';
import type { ArticleState } from '../../../src/domain/articles/state.ts';
import type { Context } from '../../../src/domain/context.ts';
import type { EventDraft } from '../../../src/engine/act.ts';
import { isFault, type Fault } from '../../../src/kernel/fault.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { sizeLimits } from '../../../src/kernel/size-limits.ts';

export const now = '2026-01-02T03:04:05.000Z';
export const context: Context = {
  now,
  limits: sizeLimits,
  actor: 'owner',
  actorName: null,
  model: null,
  channel: 'test',
  base: 'https://c.test',
  tenant: 'main',
  workspace: 'main',
  inv: 'inv_aaaaaaaaaaaaaaaa',
  id: (prefix) => `${prefix}aaaaaaaaaaaaaaaa`,
};

export const head = { n: 0, hash: 'a'.repeat(64), ts: '2026-01-01T00:00:00.000Z' };
export const stale = '0'.repeat(64);
const texts = ['First. One.', 'Second.', 'Third.', 'Burned.'];
export const hashes = texts.map((text) => sha256Hex(text));
export const wording = 'A sundial shows the hour.';
export const source = {
  type: 'review',
  url: 'https://example.org/dial',
  title: 'Dials',
  quote: 'It shows the hour.',
  summary: 'Dials.',
};

export const article = {
  row: {
    aid: 'art_a',
    tenant: 'main',
    slug: 'dials',
    title: 'Dials',
    status: 'published',
    version: 3,
    published_rev: 1,
    lead: '',
    meta: { tags: [], category: null, extra: {}, traversal: null, images: [] },
    energy: {},
    heads: { provenance: head, sources: head },
    divs_made: 4,
    claims_made: 2,
    sources_made: 1,
  },
  divs: new Map(
    texts.map((text, i) => [
      `d${i + 1}`,
      {
        aid: 'art_a',
        div_id: `d${i + 1}`,
        pos: i + 1,
        kind: 'paragraph',
        level: 0,
        title: '',
        text,
        sep: i === 2 ? '\n' : '\n\n',
        status: i === 3 ? 'burned' : 'current',
        vx_hash: hashes[i],
        head,
      },
    ]),
  ),
  claims: new Map(
    (['active', 'retracted'] as const).map((status, i) => [
      `c${i + 1}`,
      {
        aid: 'art_a',
        claim_id: `c${i + 1}`,
        n: i + 1,
        plain: `plain ${i}`,
        claim: {
          id: `c${i + 1}`,
          text: wording,
          tier: 'system',
          weight: 0.3,
          source_ids: ['s1'],
          source_status: 'sourced',
          who_claims: 'A test',
          status,
          version: 1,
          hash: sha256Hex(wording),
          section: null,
          slot: null,
          extra: {},
        },
      },
    ]),
  ),
  sources: new Map([
    [
      's1',
      {
        aid: 'art_a',
        source_id: 's1',
        n: 1,
        same_as: sameSource(source.url, source.quote),
        source: { id: 's1', ...source },
        prev: 'genesis',
        hash: 'b'.repeat(64),
        seq: 1,
      },
    ],
  ]),
} as unknown as ArticleState;

/** The code of a refusal, or the chain and action of every entry that the decision appends. */
export function summarize(outcome: { readonly events: readonly EventDraft[] } | Fault): string {
  if (isFault(outcome)) return outcome.fault;
  return outcome.events
    .map(({ draft }) => `${draft.chain.replace('art_a.', '')} ${String(draft.action ?? draft.op)}`)
    .join(', ');
}
