/** Details that the refusal of a call adds to the first fault (contract §2). */
import { missingParts, hasReadVersions, staleReads } from '../../domain/articles/stale.ts';
import { splitAddress } from '../../domain/articles/slugs.ts';
import { articleAt, type ArticleState } from '../../domain/articles/state.ts';
import {
  withArticleViolations,
  withInputs,
  type ValidationFault,
} from '../../domain/capabilities/arguments.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { threadHead, threadOf } from '../../domain/discourse/thread.ts';
import { excludeDuplicatePaths, summarize, type Violation } from '../../domain/violations.ts';
import type { Tx } from '../../engine/act.ts';
import { isFault, type Fault, type FaultCode } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { slugOf } from '../credentials/authority.ts';
import type { PreparedCall } from '../plans/call.ts';
import { mayWrite } from '../plans/on-article.ts';
import type { Service } from '../service.ts';

/** A conflict names its own stale read; further ones are added. */
const conflicts: ReadonlySet<FaultCode> = new Set(['hash_stale', 'order_stale', 'thread_moved', 'conflict']);
const breaches: ReadonlySet<FaultCode> = new Set(['body_mismatch', 'content_rule', 'payload_ceiling']);

/**
 * Completes the refusal of an authorized call: violations of the article's rules, then missing ids and stale reads, both
 * only for callers that may write to the article, and the arguments of the row.
 */
export function completeRefusal(
  { limits }: Service,
  tx: Tx,
  call: PreparedCall,
  found: Fault,
  credential: Credential,
): Fault {
  const writable = (slug: unknown): ArticleState | undefined => {
    const article = typeof slug === 'string' ? articleAt(tx, call.tenant, slug) : undefined;
    return article !== undefined && mayWrite(article, credential) ? article : undefined;
  };
  // The refusal of a batch may be that of its first operation, whose arguments are not those of this row.
  const { fits } = (found === call.args ? found : {}) as Partial<ValidationFault>;
  const named = fits?.['slug'];
  const ruled =
    call.row.rules === undefined || typeof named !== 'string'
      ? undefined
      : writable(splitAddress(named).slug);
  const refusal = ruled === undefined ? found : withArticleViolations(call.row, found, ruled, limits);
  return withInputs(call.row, withStaleReads(tx, call, refusal, writable));
}

function withStaleReads(
  tx: Tx,
  call: PreparedCall,
  refusal: Fault,
  writable: (slug: unknown) => ArticleState | undefined,
): Fault {
  const isConflict = conflicts.has(refusal.fault);
  if (!isConflict && !breaches.has(refusal.fault)) return refusal;
  const given = isFault(call.args) ? (call.args as Partial<ValidationFault>).fits : call.args;
  if (given === undefined || !hasReadVersions(given)) return refusal;
  const article = writable(slugOf(given));
  if (article === undefined) return refusal;
  const reported = refusal.details?.['violations'] as readonly Violation[] | undefined;
  const absent = reported === undefined ? [] : excludeDuplicatePaths(reported, missingParts(given, article));
  const stale = staleReads(given, article, () => threadHead(threadOf(tx, article.row.aid)));
  const unreported = stale.length > (isConflict ? 1 : 0) ? stale : [];
  return unreported.length === 0 && absent.length === 0 ? refusal : withFindings(refusal, absent, unreported);
}

function withFindings(refusal: Fault, absent: readonly Violation[], stale: readonly JsonObject[]): Fault {
  const { violations, problems, ...details } = refusal.details ?? {};
  const named = stale.map(({ at }) => String(at).slice(1)).join(', ');
  return {
    ...refusal,
    message: [
      refusal.message,
      ...absent.map(({ message }) => message),
      ...(stale.length === 0 ? [] : [`Read too early: ${named}.`]),
    ].join(' '),
    fix: fixOf(refusal, absent.length > 0, stale.length > 0),
    details: {
      ...details,
      ...(violations === undefined
        ? {}
        : { violations: [...(violations as readonly Violation[]), ...absent] }),
      ...(problems === undefined
        ? {}
        : { problems: [...(problems as readonly string[]), ...absent.map(summarize)] }),
      ...(stale.length === 0 ? {} : { stale }),
    },
  };
}

/** One sentence: the fix of the first of several violations does not fix the others. */
function fixOf({ fix, details }: Fault, isAbsent: boolean, isStale: boolean): string {
  const reported = (details?.['violations'] ?? []) as readonly Violation[];
  const base = isAbsent && reported.length === 1 ? 'Mend each violation and send the call again.' : fix;
  return isStale ? `${base.replace(/\.$/, '')}, with what stale names.` : base;
}
