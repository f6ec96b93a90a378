/**
 * Violations of rules, reported all at once (contract §2): each names a code, a place and a fix. A rule judges what it can
 * read: of arguments that are missing or ill-formed, `PartialInput` has undefined or null, and the rules go on with the rest.
 */
import { fault, isFault, type Fault, type FaultCode } from '../kernel/fault.ts';
import type { JsonObject } from '../kernel/json.ts';

export interface Violation extends JsonObject {
  readonly code: string;
  /** JSON pointer into the payload, with a character range where one helps: `/text#0-5`. */
  readonly at: string;
  readonly message: string;
  readonly fix: string;
  readonly severity: 'error' | 'warning';
}

/** Arguments as far as they can be read: what was left out is undefined, what does not fit its type is null. */
export type PartialInput<T> = T extends readonly (infer I)[]
  ? readonly (PartialInput<I> | null)[]
  : T extends object
    ? { readonly [K in keyof T]?: PartialInput<T[K]> | null | undefined }
    : T;

/** As in a refusal, what is quoted may be cut within a character. */
export function violation(code: string, at: string, message: string, fix: string): Violation {
  return {
    code,
    at: at.toWellFormed(),
    message: message.toWellFormed(),
    fix: fix.toWellFormed(),
    severity: 'error',
  };
}

/** What is wrong with an argument itself, whatever an article holds; all other codes are of content rules. */
const refusedAs: Readonly<Record<string, FaultCode>> = {
  missing: 'body_mismatch',
  unknown_argument: 'body_mismatch',
  wrong_type: 'body_mismatch',
  not_one_of: 'body_mismatch',
  out_of_bounds: 'body_mismatch',
  malformed: 'body_mismatch',
  blank: 'body_mismatch',
  one_of_two: 'body_mismatch',
  not_carried: 'body_mismatch',
  invalid_decision: 'invalid_decision',
  batch_limit: 'batch_limit',
  too_much: 'payload_ceiling',
};

/** A call that breaks rules of several kinds is refused as what stands first here. */
const precedence: readonly FaultCode[] = [
  'body_mismatch',
  'invalid_decision',
  'content_rule',
  'batch_limit',
  'payload_ceiling',
];

/** One refusal for all violations; undefined without a violation. A single violation keeps its own message. */
export function refusalOf(
  violations: readonly Violation[],
  what = 'The body',
  fix = 'Mend each violation and send the call again.',
): Fault | undefined {
  const [first] = violations;
  if (first === undefined) return undefined;
  const kinds = new Set(violations.map(({ code }) => refusedAs[code] ?? 'content_rule'));
  const kind = precedence.find((each) => kinds.has(each)) ?? 'content_rule';
  if (violations.length === 1 && kind !== 'content_rule')
    return fault(kind, first.message, first.fix, { violations, ...problemsIn(kind, violations) });
  const rules = `${violations.length} ${kind === 'content_rule' ? 'content ' : ''}rule${violations.length === 1 ? '' : 's'}`;
  const detail = kind === 'content_rule' ? '.' : `: ${violations.map(({ message }) => message).join(' ')}`;
  return fault(kind, `${what} break${what.endsWith('s') ? '' : 's'} ${rules}${detail}`, fix, {
    violations,
    ...problemsIn(kind, violations),
  });
}

/** The refusal of a body also lists its problems in short, wherever they are found. */
function problemsIn(kind: FaultCode, violations: readonly Violation[]): JsonObject {
  return kind === 'body_mismatch' ? { problems: violations.map(summarize) } : {};
}

export function summarize({ message }: Violation): string {
  return message.replace(/\.$/, '');
}

/**
 * One refusal for everything that is wrong with a request around a row's arguments: its parameters (`?limit`) or the
 * members of its body (`/share`). What was found may hold values that are in order, and none at all.
 */
export function mergeRefusals(inside: '?' | '/', ...found: readonly unknown[]): Fault | undefined {
  const faults = found.filter((each) => isFault(each));
  const [first] = faults;
  // A refusal for something else stands for itself.
  const other = faults.find((each) => each.fault !== 'invalid_request');
  if (first === undefined || other !== undefined) return other;
  const violations = faults.flatMap((each) => violationsIn(each, inside));
  const one = { ...first, details: { ...first.details, violations } };
  if (faults.length === 1) return one;
  const parameters = [...new Set(faults.flatMap(namesIn))];
  return {
    ...one,
    message: faults.map(({ message }) => message).join(' '),
    fix: 'Mend each of violations as it says there, and send the request again.',
    details: { ...allDetails(faults), ...one.details, parameters },
  };
}

/** Of two violations at one place the first is reported. */
function allDetails(faults: readonly Fault[]): JsonObject {
  return Object.fromEntries(faults.toReversed().flatMap(({ details }) => Object.entries(details ?? {})));
}

function namesIn({ details }: Fault): readonly string[] {
  return (details?.['parameters'] ?? [details?.['parameter'] ?? []].flat()) as readonly string[];
}

function violationsIn(refusal: Fault, inside: string): readonly Violation[] {
  const reported = refusal.details?.['violations'] as readonly Violation[] | undefined;
  const at = namesIn(refusal)[0] ?? '';
  return reported ?? [violation('malformed', `${inside}${at}`, refusal.message, refusal.fix)];
}

/** Violations at places that no reported one is about. */
export function excludeDuplicatePaths(
  reported: readonly Violation[],
  more: readonly Violation[],
): readonly Violation[] {
  const places = new Set(reported.map(({ at }) => normalizedPath(at)));
  return more.filter(({ at }) => !places.has(normalizedPath(at)));
}

/** Without a character range. */
function normalizedPath(at: string): string {
  return at.replace(/#.*$/, '');
}

export function decisionRules(
  decisions: readonly string[],
  decision: string | null | undefined,
): Violation[] {
  if (typeof decision !== 'string' || decisions.includes(decision)) return [];
  return [
    violation(
      'invalid_decision',
      '/decision',
      `"${decision.slice(0, 40)}" is no decision.`,
      `Use one of ${decisions.join(', ')}.`,
    ),
  ];
}
