/** An article as Markdown with its claims as they stand (contract §5): tier, weight, sources, and what stands open against each. */
import type { ArticleContests } from '../domain/discourse/contested.ts';
import { type ArticleState, bodyOf, claimsOf } from '../domain/articles/state.ts';
import { hashCharsMin } from '../domain/articles/stale.ts';
import { links } from '../domain/links.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { trimEndOf } from '../kernel/text.ts';
import type { Claim } from '../model/claim.ts';
import type { Contested } from '../model/contested.ts';

/** The body, unchanged, and the claims below a rule. */
export function articleMarkdown(state: ArticleState, contests: ArticleContests, base: string): string {
  const body = bodyOf(state);
  const { slug, version } = state.row;
  const claims = claimsOf(state);
  const against = contestedText(contests.article);
  if (claims.length === 0 && against === undefined) return body;
  return [
    trimEndOf(body, /\n/),
    '',
    '---',
    '',
    '## Claims of this article',
    '',
    `Version ${version}. ${against === undefined ? 'Nothing stands open against it.' : `Against the article as a whole, its claims and blocks included: ${against}.`} With hashes and exact words: ${links.articlePart(base, slug, 'claims')}`,
    '',
    hashesLine(body, claims),
    '',
    ...claims.map((claim) => claimLine(claim, contests.claim(claim.id))),
    '',
  ].join('\n');
}

/** What a call takes to be refused if the text has changed since: the first characters of each hash. */
function hashesLine(body: string, claims: readonly Claim[]): string {
  const cut = (hash: string): string => hash.slice(0, hashCharsMin);
  const each = claims.map(({ id, hash }) => `, ${id} ${cut(hash)}`).join('');
  return `Hashes of what this is, as expected_hash and content_hash take them: body ${cut(sha256Hex(body))}${each}.`;
}

/** `- c1 (human, weight 0.8; s1, s2): …`, and what stands open against it, each with its permalink. */
export function claimLine(
  { id, tier, weight, status, source_ids: sources, text }: Claim,
  contested: Contested,
): string {
  const facts = [tier, `weight ${weight}`, ...(status === 'active' ? [] : [status])].join(', ');
  const rests = sources.length === 0 ? '' : `; ${sources.join(', ')}`;
  const against = contestedText(contested);
  return [
    `- ${id} (${facts}${rests}): ${text.replaceAll(/\s+/g, ' ')}`,
    ...(against === undefined ? [] : [`  - contested: ${against}`]),
    ...Object.values(contested).flatMap(({ entries, total }) => [
      ...entries
        .slice(0, linkedMax)
        .map(({ id: entry, status: state, permalink }) => `  - ${entry} (${state}): ${permalink}`),
      ...(total > linkedMax ? [`  - and ${total - linkedMax} more`] : []),
    ]),
  ].join('\n');
}

/** Addresses of a kind that a line of Markdown names. */
const linkedMax = 5;

const nouns = [
  ['objections', 'objection', 'objections'],
  ['contradictions', 'contradiction', 'contradictions'],
  ['challenges', 'challenge', 'challenges'],
  ['repairs', 'proposed repair', 'proposed repairs'],
] as const;

/** `2 objections, 1 proposed repair`; undefined where nothing stands open. */
export function contestedText(contested: Contested): string | undefined {
  const said = nouns.flatMap(([name, one, many]) => {
    const { total } = contested[name];
    return total === 0 ? [] : [`${total} ${total === 1 ? one : many}`];
  });
  return said.length === 0 ? undefined : said.join(', ');
}
