/**
 * What came of an effect, and the act that records it (law 5, contract §3): secrets are taken out, what is still
 * to be decided is applied in the same act, and the invocation is closed by the first process that comes to it.
 */
import { showingInputs } from '../../domain/capabilities/arguments.ts';
import { closingEvent, refusalBody } from '../../domain/capabilities/invocation.ts';
import { isRedacted } from '../../domain/capabilities/row.ts';
import { openInvocationTable, type CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { yieldedBy, type Usage } from '../../domain/yield.ts';
import type { Result } from '../../domain/context.ts';
import { writes, type Act, type Tx } from '../../engine/act.ts';
import { withoutDisguised } from '../../guard/disguised-secret.ts';
import type { PlacedFind, Scrubbed } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { headOf } from '../../ledger/entry.ts';
import type { PreparedCall } from '../plans/call.ts';
import type { Closed, EffectCommit } from '../plans/plan.ts';
import type { Service } from '../service.ts';
import { closeLineage, scrubEvent } from './record-call.ts';
import { scanSecrets } from '../outside/secret-scan.ts';
import { leakedMax, revokeLeaked } from './token-leaks.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

/** What recording an outcome needs of the call that it belongs to. */
export type StartedEffect = Pick<PreparedCall, 'inv' | 'row' | 'startedMs' | 'repairs' | 'repeatable'>;

/** What came of an effect, as it may be answered and recorded, and the secrets that were taken out of it. */
interface ScrubbedOutcome {
  readonly outcome: Result | EffectCommit | Fault;
  readonly finds: readonly PlacedFind[];
  /** Fingerprints of tokens of ours that it held: the page that it came from shows them to everybody. */
  readonly leaked: readonly string[];
}

/**
 * What comes from outside may hold secrets of others, or ours: they end here, before caller and ledger see them. `sent`
 * are those that rows of the owner are called with.
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
  if (tokens.length > leakedMax) return { outcome: tooManyTokens, finds, leaked: [] };
  if (finds.length === 0) return { outcome, finds, leaked: tokens };
  const clean = value as JsonObject;
  return {
    outcome: commits ? { ...outcome, brought: clean } : { ...outcome, ...clean },
    finds,
    leaked: tokens,
  };
}

const tooManyTokens = fault(
  'runner_failed',
  `The answer holds more than ${leakedMax} tokens in the form of this service's; nothing of it was stored.`,
  'Fetch another page, or a part of this one.',
);

/** Without the secrets that rows of the owner send, also where the host shows them encoded. */
function withoutSent(scrubbed: Scrubbed<JsonValue>, sent: readonly string[]): Scrubbed<JsonValue> {
  const clean = withoutDisguised(scrubbed.value, sent);
  if (clean === scrubbed.value) return scrubbed;
  return { value: clean, finds: [...scrubbed.finds, { path: '', kind: 'row-secret', count: 1 }] };
}

/** The act that closes an open invocation; nothing happens if it is closed already. */
export function close(
  service: Service,
  { inv, startedMs, row, repairs, repeatable }: StartedEffect,
  { outcome: brought, finds, leaked: fetched }: ScrubbedOutcome,
  usage: Usage,
  unused: readonly CapabilityRecord[],
): Act<Closed | undefined> {
  const nowMs = service.now();
  const commit = 'apply' in brought ? brought : undefined;
  return {
    name: 'close invocation',
    keys: [writes(openInvocationTable.name, inv), ...(commit?.keys ?? [])],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open === undefined) return undefined;
      const came = 'apply' in brought ? applied(tx, brought, nowMs) : brought;
      const outcome = isFault(came) ? showingInputs(row, came) : came;
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
            yielded: yieldedBy(isFault(outcome) ? undefined : outcome, usage),
            told: repeatable && !isFault(outcome) ? outcome : undefined,
            durationMs: Math.max(0, nowMs - startedMs),
            withheld: isRedacted(row),
          },
        ),
      );
      if (finds.length > 0) tx.append(scrubEvent(inv, ts, headOf(entry.sealed), finds));
      // The result of a replayed call, such as a new token, is no published text.
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
