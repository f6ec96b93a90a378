/**
 * What the witnesses of the policy that this site publishes add to a verification in this browser. A policy of the site's
 * own demands nothing: a proof that lacks its quorum is sound and waits for witnesses, while a wrong cosignature breaks it.
 * A policy that the reader gives on `/verify` demands its quorum (`evidence.ts`).
 */
import type { Check, WitnessFinding, Witnessing } from '../../verify/index.ts';

export interface Witnessed {
  /** Failed checks, without a quorum that is only missing. */
  readonly failures: readonly Check[];
  /** What the whole comes to where nothing failed. */
  readonly verdict: (typeof verdicts)[keyof typeof verdicts];
  /** What the witnesses have done, as a sentence; '' where no policy was judged. */
  readonly sentence: string;
  /** The checks to show: the witnesses stand in place of the quorum. */
  readonly checks: readonly Check[];
}

const leastFirst = ['unmet', 'undecided', 'met'] as const;
const verdicts = { met: 'sound', undecided: 'unchecked', unmet: 'awaiting' } as const;

/** `written`: the newest entry that the check at this place proves; called where nothing failed. */
export function judgeWitnesses(checks: readonly Check[], written: (at: string) => Written): Witnessed {
  const failures = checks.filter(({ ok, witnessing }) => !ok && witnessing === undefined);
  const judged = checks.flatMap(({ witnessing, at = '' }) =>
    witnessing === undefined ? [] : [{ witnessing, at }],
  );
  // Several proofs in one document: the least that any of them shows.
  const least = leastFirst
    .map((state) => judged.find(({ witnessing }) => witnessing.state === state))
    .find((found) => found !== undefined);
  if (least === undefined || failures.length > 0) return { failures, verdict: 'sound', sentence: '', checks };
  const { witnessing, at } = least;
  const other = checks.filter(({ witnessing: own }) => own === undefined);
  return {
    failures,
    verdict: verdicts[witnessing.state],
    sentence: sentenceOf(witnessing, written(at)),
    checks: [...other, ...linesOf(witnessing, written(at))],
  };
}

export interface Written {
  /** ISO time; undefined where it is not known. */
  readonly ts: string | undefined;
  /** As in “2 s after it was written”. */
  readonly what: string;
}

function sentenceOf({ witnesses, quorum, needed, state }: Witnessing, written: Written): string {
  const cosigned = witnesses.filter((each) => each.state === 'cosigned');
  const [seen, of] = [
    cosigned.length,
    `${witnesses.length} ${witnesses.length === 1 ? 'witness' : 'witnesses'}`,
  ];
  if (state === 'met')
    return seen === 0
      ? `Seen by none of ${of}; the policy needs none.`
      : `Seen by ${seen} of ${of}${lastTime(cosigned, written)}.`;
  const needs = seen >= needed ? `which do not make the quorum “${quorum}”` : `${needed} needed`;
  if (state === 'unmet')
    return `Not yet seen by enough witnesses (${seen} of ${witnesses.length}${seen >= needed ? ', ' : '; '}${needs}).`;
  const unchecked = witnesses.filter((each) => each.state === 'unchecked').map(({ name }) => name);
  return `Seen by ${seen} of ${of} as far as this browser can check (${needs}; it has no ML-DSA-44 for ${unchecked.join(', ')}).`;
}

/** When the last of them had seen it. */
function lastTime(cosigned: readonly WitnessFinding[], { ts, what }: Written): string {
  const times = cosigned.flatMap(({ timeSeconds }) => timeSeconds ?? []);
  if (times.length < cosigned.length)
    return times.length === 0
      ? ', at times that they do not state'
      : ', some at times that they do not state';
  const seconds = secondsFrom(ts, Math.max(...times));
  return seconds === undefined ? '' : `, ${afterText(seconds, what)}`;
}

function linesOf({ witnesses, quorum, state }: Witnessing, { ts, what }: Written): Check[] {
  const lines = witnesses.map(({ name, state: found, timeSeconds }) => {
    if (found === 'absent') return `${name} has not cosigned this checkpoint yet`;
    if (found === 'unchecked')
      return `not checked: this browser has no ML-DSA-44 for the cosignature of ${name}`;
    if (timeSeconds === undefined) return `${name} cosigned, at a time that it does not state`;
    const seconds = secondsFrom(ts, timeSeconds);
    const exact = new Date(timeSeconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC');
    return `${name} cosigned at ${exact}${seconds === undefined ? '' : `, ${afterText(seconds, what)}`}`;
  });
  const quorums = {
    met: `the quorum “${quorum}” of the policy is met`,
    undecided: `this browser cannot tell whether the quorum “${quorum}” of the policy is met`,
    unmet: `the quorum “${quorum}” of the policy is not met yet`,
  };
  const last = quorum === 'none' ? 'the policy demands no witness' : quorums[state];
  return [...lines, last, 'the policy is the one that this site publishes'].map((detail) => ({
    id: 'quorum',
    ok: true,
    detail,
  }));
}

/** Cosignatures state whole seconds, so that the entry's are cut to whole ones as well. */
function secondsFrom(ts: string | undefined, timeSeconds: number): number | undefined {
  const from = Date.parse(ts ?? '');
  return Number.isNaN(from) ? undefined : timeSeconds - Math.floor(from / 1000);
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** After an hour the proof is likely a later one than the first that was cosigned. */
function afterText(seconds: number, what: string): string {
  if (seconds < 0) return `by clocks that run at least ${durationText(-seconds)} behind the one of this site`;
  if (seconds === 0) return `within a second after ${what} was written`;
  return `${seconds < hour ? '' : 'at most '}${durationText(seconds)} after ${what} was written`;
}

function durationText(seconds: number): string {
  if (seconds < 2 * minute) return `${seconds} s`;
  if (seconds < 2 * hour) return `${Math.ceil(seconds / minute)} min`;
  if (seconds < 2 * day) return `${Math.ceil(seconds / hour)} h`;
  return `${Math.ceil(seconds / day)} days`;
}
