/** Integrity health of an article (contract §5): always answered, with a score and what would raise it. */
import type { Health, HealthCheck } from '../model/article.ts';
import type { Answer } from '../model/exact.ts';
import { type ArticleState, activeDivs, bodyOf, claimsOf, sourcesOf } from '../domain/articles/state.ts';
import { divide, join } from '../domain/articles/divide.ts';
import { type PostRow, isOpen } from '../domain/discourse/thread.ts';
import type { LinkRow } from '../domain/articles/link-checks.ts';
import type { Sub } from '../engine/tables.ts';
import { isFault } from '../kernel/fault.ts';

/** Required slots of the constitution (spec §2.11). */
const requiredSlots = ['what_it_is', 'who_claims_what', 'what_is_known', 'what_is_unknown', 'limitations'];

/** Differences that the check names. */
const namedMax = 20;

export interface HealthParts {
  readonly state: ArticleState;
  readonly posts: readonly PostRow[];
  /** What of it differs from the ledger, a phrase each. */
  readonly altered: readonly string[];
  /** The newest check of each source that was checked. */
  readonly links: ReadonlyMap<Sub, LinkRow>;
}

/** The score is the share of checks that hold, each weighted by how much of the article's worth hangs on it. */
export function health({ state, posts, altered, links }: HealthParts): Answer<typeof Health> {
  const claims = claimsOf(state).filter((claim) => claim.status === 'active');
  const sourced = claims.filter((claim) => claim.source_status === 'sourced').length;
  const falsifiable = claims.filter((claim) => claim.falsifier !== null).length;
  const used = new Set(claims.flatMap((claim) => claim.source_ids));
  const unused = sourcesOf(state)
    .filter((row) => !used.has(row.source_id))
    .map((row) => row.source_id);
  const filled = new Set<string | null>(claims.map((claim) => claim.slot));
  const missing = requiredSlots.filter((slot) => !filled.has(slot));
  const open = posts.filter((row) => isOpen(row)).length;
  const body = bodyOf(state);
  const divided = divide(body);
  const exact = !isFault(divided) && join(divided.lead, divided.blocks) === body;
  const checks: { readonly weight: number; readonly check: HealthCheck }[] = [
    {
      weight: 30,
      check: check(
        'chains',
        altered.length === 0,
        altered.length === 0
          ? 'Every chain of the article verifies from genesis, and what is shown is what the ledger gives.'
          : `Altered: ${altered.slice(0, namedMax).join('; ')}.`,
        'Run colophon verify and read what it names.',
      ),
    },
    {
      weight: 10,
      check: check(
        'division',
        exact && activeDivs(state).length > 0,
        'The DIVs join to the body byte for byte.',
        'Run colophon rebuild --check.',
      ),
    },
    {
      weight: 10,
      check: check(
        'claims',
        claims.length > 0,
        `${claims.length} active claims.`,
        'Post the assertions that the text makes as claims.',
      ),
    },
    {
      weight: 20,
      check: check(
        'sourced',
        claims.length > 0 && sourced * 2 >= claims.length,
        `${sourced} of ${claims.length} claims cite a source.`,
        'Append sources and cite them.',
      ),
    },
    {
      weight: 10,
      check: check(
        'falsifiable',
        claims.length > 0 && falsifiable * 2 >= claims.length,
        `${falsifiable} of ${claims.length} claims name a falsifier.`,
        'Say what would show each claim wrong.',
      ),
    },
    {
      weight: 5,
      check: check(
        'sources_used',
        unused.length === 0,
        unused.length === 0 ? 'Every source is cited.' : `Not cited: ${unused.join(', ')}.`,
        'Cite the sources, or leave them as context.',
      ),
    },
    {
      weight: 10,
      check: check(
        'constitution',
        missing.length === 0,
        missing.length === 0 ? 'Every required slot has a claim.' : `Empty slots: ${missing.join(', ')}.`,
        'Post a claim for each required slot.',
      ),
    },
    {
      weight: 5,
      check: check(
        'discourse',
        open === 0,
        open === 1 ? '1 entry asks for an answer.' : `${open} entries ask for an answer.`,
        'Settle each with THREAD_SETTLE, or ratify a vote that names it.',
      ),
    },
  ];
  if (links.size > 0) checks.push({ weight: 10, check: linkCheck(links) });
  const whole = checks.reduce((sum, { weight }) => sum + weight, 0);
  const held = checks.reduce((sum, { weight, check: each }) => sum + (each.ok ? weight : 0), 0);
  const score = Math.round((100 * held) / whole);
  return { slug: state.row.slug, score, checks: checks.map(({ check: each }) => each) };
}

/** Counts only where sources are looked at: most deployments have that off. */
function linkCheck(links: ReadonlyMap<Sub, LinkRow>): HealthCheck {
  const looks = [...links.values()];
  const dead = looks.filter((look) => look.link_status !== 'ok').map((look) => look.source_id);
  const lost = looks.filter((look) => look.quote_found === 0).map((look) => look.source_id);
  const detail = [
    ...(dead.length === 0 ? [] : [`No page: ${dead.join(', ')}.`]),
    ...(lost.length === 0 ? [] : [`Quote not found: ${lost.join(', ')}.`]),
  ];
  return check(
    'links',
    detail.length === 0,
    detail.length === 0 ? `${looks.length} sources answer and hold their quotes.` : detail.join(' '),
    'Read the pages, and post a source that still holds.',
  );
}

function check(id: string, ok: boolean, detail: string, fix: string): HealthCheck {
  return { id, ok, detail, fix: ok ? null : fix };
}
