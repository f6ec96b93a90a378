/**
 * How pages word what was said about an article (contract §8). Plain functions, so that verification in the browser can
 * compare a page with them.
 */
import { isOneOf, surfaceMeanings, surfaces } from '../../model/vocabulary.ts';

const names: Readonly<Record<string, string>> = {
  challenge: 'challenge',
  upgrade: 'better wording',
  repair: 'proposed wording',
  compression: 'shorter wording',
  attestation: 'attestation',
  confirmation: 'says so too',
};
const proposalNames: Readonly<Record<string, string>> = {
  should_split: 'vote: split it',
  should_merge: 'vote: merge it',
  should_burn: 'vote: take it out',
  should_be_div: 'vote: a block of its own',
  should_be_article: 'vote: an article of its own',
  should_transclude: 'vote: show it elsewhere',
  should_retier: 'vote: another tier',
};

/** What an entry is, in words: `objection`, `proposed wording`, `vote: split it`. */
export function entryName({ what, from }: { readonly what: string; readonly from: string }): string {
  return (from === 'votes' ? proposalNames[what] : names[what]) ?? what.replaceAll('_', ' ');
}

/** What an entry of the thread is: `objection about a source or its quote`, `review: needs work`. */
export function sayingText({
  stance,
  outcome,
  verdict,
  surface,
}: Readonly<{
  stance: string;
  outcome: string | null;
  verdict: string | null;
  surface: string | null;
}>): string {
  const name = entryName({ what: stance, from: 'thread' });
  const result = [outcome, verdict].filter((each) => each !== null).join(', ');
  return [
    `${name}${result === '' ? '' : `: ${result.replaceAll('_', ' ')}`}`,
    ...(surface !== null && isOneOf(surfaces, surface) ? [`about ${surfaceMeanings[surface]}`] : []),
  ].join(' ');
}

/** A proposed source as pages show it. */
export interface ShownSource {
  readonly url: string;
  readonly quote: string;
  readonly title?: string;
  readonly summary?: string;
}

/** A source that was proposed as JSON; undefined for one in words. */
export function sourceIn(body: string): ShownSource | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  try {
    const given = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const { url, quote, title, summary } = given;
    if (typeof url !== 'string' || typeof quote !== 'string') return undefined;
    return {
      url,
      quote,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof summary === 'string' ? { summary } : {}),
    };
  } catch {
    return undefined;
  }
}
