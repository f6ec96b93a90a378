/** Evidence that a log signed two histories, judged and said in plain words. */
import { shownName, verifyEvidence, type Check, type Trust } from '../../verify/index.ts';
import { siteKey } from './seal.ts';

export interface ForkVerdict {
  /** Whether it convicts the key that it names. */
  readonly convicts: boolean;
  /** What the key did, where it convicts. */
  readonly text: string;
  readonly checks: readonly Check[];
}

/**
 * `trust` is what the reader has filled in. The key of this site is not what the evidence is held against: it may be about
 * another log.
 */
export async function judgeFork(evidence: string, trust: Trust): Promise<ForkVerdict> {
  const { ok, checks } = await verifyEvidence(evidence, trust);
  if (!ok) return { convicts: false, text: '', checks };
  const { key } = JSON.parse(evidence) as { readonly key: string };
  const found = checks.find(({ id }) => id === 'fork')?.detail ?? '';
  const [first = '', second = ''] = Array.from(
    found.matchAll(/(\d+ entr(?:y|ies)) with root/g),
    ([, size = '']) => size,
  );
  const histories =
    first === second
      ? `two different histories of ${first}`
      : `a history of ${first}, and one of ${second} that does not begin with it`;
  const own = await siteKey().catch(() => undefined);
  const whose =
    own === key.trim()
      ? 'Its key is the one that this site publishes.'
      : 'Its key is not the one that this site publishes.';
  return {
    convicts: true,
    text: `The log ${shownName(key.slice(0, key.indexOf('+')))} signed ${histories}. ${whose} What such a log shows to you, it may show otherwise to others: keep this file, and show it to those who rely on the log.`,
    checks,
  };
}
