/**
 * Verification reports: a list of checks, each passed or failed with a detail. A document is valid if it was checked at all
 * and no check failed.
 */

export interface Check {
  /** The kind of check, such as `chain` or `signature`. */
  readonly id: string;
  readonly ok: boolean;
  /** What was found, in one sentence; for a failure, which entry and why. */
  readonly detail: string;
  /** Where in the document or the log. */
  readonly at?: string;
  /** Of a `quorum` check that found no wrong cosignature: what it found of each witness. */
  readonly witnessing?: Witnessing;
}

/** What the witnesses of a policy have done with one checkpoint. */
export interface Witnessing {
  /** In the order of the policy. */
  readonly witnesses: readonly WitnessFinding[];
  /** Name of the witness or group that is demanded, or `none`. */
  readonly quorum: string;
  /** The fewest witnesses that can make the quorum. */
  readonly needed: number;
  /** `undecided`: not met, unless cosignatures that this platform cannot verify are right. */
  readonly state: 'met' | 'undecided' | 'unmet';
}

export interface WitnessFinding {
  /** As the policy names it. */
  readonly name: string;
  /** `unchecked`: there is a cosignature, and this platform lacks its algorithm. */
  readonly state: 'cosigned' | 'unchecked' | 'absent';
  /** When it cosigned, in seconds since 1970, where the cosignature states a time. */
  readonly timeSeconds?: number;
}

export interface Report {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /** Of a document: members that no entry commits to: the server's own word, and what it leaves out of what it commits to. */
  readonly uncovered?: readonly string[];
}

export function passed(id: string, detail: string, at?: string): Check {
  return at === undefined ? { id, ok: true, detail } : { id, ok: true, detail, at };
}

export function failed(id: string, detail: string, at?: string): Check {
  return at === undefined ? { id, ok: false, detail } : { id, ok: false, detail, at };
}

export function reportOf(checks: readonly Check[], uncovered?: readonly string[]): Report {
  const found =
    checks.length === 0 ? [failed('document', 'there is nothing here that can be verified')] : checks;
  const report = { ok: found.every((check) => check.ok), checks: found };
  return uncovered === undefined ? report : { ...report, uncovered };
}

/** Evidence that cannot be accepted; caught where it becomes a failed check. */
export class InvalidEvidence extends Error {
  readonly id: string;
  constructor(id: string, reason: string) {
    super(reason);
    this.id = id;
  }
}

/** Runs one step of a verification; an `InvalidEvidence` becomes its failed check, anything else is a defect. */
export async function attempt<T>(
  checks: Check[],
  at: string | undefined,
  step: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof InvalidEvidence)) throw error;
    checks.push(failed(error.id, error.message, at));
    return undefined;
  }
}
