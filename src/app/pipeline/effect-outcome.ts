/**
 * Records the outcome of an effect (law 5, contract §3): secrets are removed, a pending decision is applied in the
 * same act, and the first process to get there closes the invocation.
 */
import { withInputs } from '../../domain/capabilities/arguments.ts';
import { closingEvent, refusalBody } from '../../domain/capabilities/invocation.ts';
import { isRedacted } from '../../domain/capabilities/row.ts';
import { openInvocationTable, type CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { callYield, type Usage } from '../../domain/yield.ts';
import type { Result } from '../../domain/context.ts';
import { writes, type Act, type Tx } from '../../engine/act.ts';
import { redactDisguised } from '../../guard/disguised-secret.ts';
import type { PlacedFind, Scrubbed } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { headOf } from '../../ledger/entry.ts';
import type { PreparedCall } from '../plans/call.ts';
import type { ClosedInvocation, EffectCommit } from '../plans/plan.ts';
import type { Service } from '../service.ts';
import { closeLineage, scrubEvent } from './record-call.ts';
import { leakedMax, revokeLeaked } from './token-leaks.ts';
import { scanSecrets } from '../outside/secret-scan.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

/** What recording needs to know of the call. */
export type StartedEffect = Pick<PreparedCall, 'inv' | 'row' | 'startedMs' | 'repairs' | 'repeatable'>;

/** An outcome as it may be answered and recorded, and the secrets that were removed from it. */
interface ScrubbedOutcome {
  readonly outcome: Result | EffectCommit | Fault;
  readonly finds: readonly PlacedFind[];
  /** Fingerprints of this service's tokens found in the page: every reader of the page has them. */
  readonly leakedTokens: readonly string[];
}

/**
 * Removes secrets, ours and other people's, before caller and ledger see the outcome. `sent` are the secrets that
 * owner rows send.
 */
export async function withoutSecrets(
  outcome: Result | EffectCommit | Fault,
  sent: readonly string[],
): Promise<ScrubbedOutcome> {
  const commits = !isFault(outcome) && 'apply' in outcome;
  const { message, details = {}, result, text, material } = outcome as Partial<Fault & Result>;
  const shown = commits
    ? outcome.brought
    : isFault(outcome)
      ? { message, details }
      : { result, text, material };
  const { scrubbed, tokens } = await scanSecrets(shown);
  const { value, finds } = withoutSent(scrubbed, sent);
  if (tokens.length > leakedMax) return { outcome: tooManyTokens, finds, leakedTokens: [] };
  if (finds.length === 0) return { outcome, finds, leakedTokens: tokens };
  const clean = value as JsonObject;
  return {
    outcome: commits ? { ...outcome, brought: clean } : { ...outcome, ...clean },
    finds,
    leakedTokens: tokens,
  };
}

const tooManyTokens = fault(
  'runner_failed',
  `The answer holds more than ${leakedMax} tokens in the form of this service's; nothing of it was stored.`,
  'Fetch another page, or a part of this one.',
);

/** Removes secrets that owner rows send, also where the host echoes them encoded. */
function withoutSent(scrubbed: Scrubbed<JsonValue>, sent: readonly string[]): Scrubbed<JsonValue> {
  const clean = redactDisguised(scrubbed.value, sent);
  if (clean === scrubbed.value) return scrubbed;
  return { value: clean, finds: [...scrubbed.finds, { path: '', kind: 'row-secret', count: 1 }] };
}

/** Closes an open invocation; does nothing if it is closed already. */
export function close(
  service: Service,
  { inv, startedMs, row, repairs, repeatable }: StartedEffect,
  { outcome: brought, finds, leakedTokens: fetched }: ScrubbedOutcome,
  usage: Usage,
  unused: readonly CapabilityRecord[],
): Act<ClosedInvocation | undefined> {
  const nowMs = service.now();
  const commit = 'apply' in brought ? brought : undefined;
  return {
    name: 'close invocation',
    keys: [writes(openInvocationTable.name, inv), ...(commit?.keys ?? [])],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open === undefined) return undefined;
      const result = 'apply' in brought ? applied(tx, brought, nowMs) : brought;
      const outcome = isFault(result) ? withInputs(row, result) : result;
      const status: InvocationStatus = isFault(outcome) ? 'failed' : 'success';
      const ts = new Date(nowMs).toISOString();
      const entry = tx.append(
        closingEvent(
          inv,
          open.head,
          { ts, actor: open.actor },
          {
            status,
            error: isFault(outcome) ? outcome.fault : undefined,
            response: isFault(outcome) ? refusalBody(outcome) : outcome.result,
            yielded: callYield(isFault(outcome) ? undefined : outcome, usage),
            replayResult: repeatable && !isFault(outcome) ? outcome : undefined,
            durationMs: Math.max(0, nowMs - startedMs),
            withheld: isRedacted(row),
          },
        ),
      );
      if (finds.length > 0) tx.append(scrubEvent(inv, ts, headOf(entry.sealed), finds));
      // The result of a replay, such as a new token, is not published text.
      if (!row.delegates) revokeLeaked(tx, fetched, unused, { now: ts, inv });
      if (repairs !== undefined && status === 'success')
        closeLineage(tx, repairs, inv, { ts, actor: open.actor });
      return { entry, outcome, scrubbed: finds };
    },
  };
}

function applied(tx: Tx, { apply, brought }: EffectCommit, nowMs: number): Result | Fault {
  const mark = tx.mark();
  const result = apply(tx, nowMs, brought);
  if (isFault(result)) tx.rollback(mark);
  return result;
}
