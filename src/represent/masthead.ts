/** The masthead: an article in one screen for a model that decides what to read and what to do (spec §2.11). */
import { sha256Hex } from '../kernel/hash.ts';
import type { Masthead } from '../model/article.ts';
import type { Answer } from '../model/exact.ts';
import { type ArticleState, activeDivs, bodyOf, claimsOf } from '../domain/articles/state.ts';
import type { ArticleContests } from '../domain/discourse/contested.ts';
import type { StandingObjection } from '../model/contested.ts';
import { traversalOf } from '../domain/articles/traversal.ts';
import { links } from '../domain/links.ts';

const loadBearingMax = 7;

export function masthead(
  state: ArticleState,
  contests: ArticleContests,
  standing: readonly StandingObjection[],
  threadHead: string,
  base: string,
): Answer<typeof Masthead> {
  const { slug, version } = state.row;
  const active = claimsOf(state).filter((claim) => claim.status === 'active');
  const byWeight = [...active].sort(
    (a, b) => b.weight - a.weight || a.id.localeCompare(b.id, 'en', { numeric: true }),
  );
  const traversal = traversalOf(state.row.meta);
  const next = (['next', 'prev', 'hub'] as const).flatMap((rel) => {
    const to = traversal?.[rel] ?? null;
    return to === null ? [] : [{ rel, slug: to, url: links.articlePart(base, to, 'masthead') }];
  });
  return {
    slug,
    identity: {
      slug,
      version,
      content_hash: sha256Hex(bodyOf(state)),
      thread_head: threadHead,
      divs: activeDivs(state).length,
    },
    thesis: active[0]?.text ?? state.row.title,
    load_bearing: byWeight.slice(0, loadBearingMax).map(({ id, text, tier, weight, source_status }) => ({
      id,
      text,
      tier,
      weight,
      source_status,
      contested: contests.claim(id),
      permalink: links.claim(base, slug, id),
    })),
    standing_objections: standing,
    contested: contests.article,
    verbs: [
      { verb: 'read', url: links.articleJson(base, slug) },
      { verb: 'object', method: 'POST', url: links.articlePart(base, slug, 'objections') },
      { verb: 'propose', method: 'POST', url: links.articlePart(base, slug, 'mirror') },
      { verb: 'challenge', method: 'POST', url: `${base}/api/protocol/voxel-challenge` },
      { verb: 'attest', method: 'POST', url: `${base}/api/protocol/voxel-attest` },
    ],
    reads_next: next,
  };
}
