/**
 * What came of an effect, and the act that records it (law 5, contract §3): secrets are taken out, what is still
 * to be decided is applied in the same act, and the invocation is closed by the first process that comes to it.
 */
import { showingInputs } from '../../domain/capabilities/arguments.ts';
import { closingEvent, refusalBody } from '../../domain/capabilities/invocation.ts';
import { isRedacted } from '../../domain/capabilities/row.ts';
import { openInvocationTable, type CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { yieldedBy, type Usage } from '../../domain/capabilities/yield.ts';
import type { Result } from '../../domain/context.ts';
import { writes, type Act, type Tx } from '../../engine/act.ts';
import { withoutDisguised } from '../../guard/disguised-secret.ts';
import { scrubJson, type OwnTokens, type PlacedFind, type Scrubbed } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { headOf } from '../../ledger/entry.ts';
import type { PreparedCall } from '../plans/call.ts';
import type { Closed, EffectCommit } from '../plans/plan.ts';
import type { Service } from '../service.ts';
import { closeLineage, scrubEvent } from './record-call.ts';
import { leakedMax, revokeLeaked, tokenRecorder } from './token-leaks.ts';
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
export function withoutSecrets(
  outcome: Result | EffectCommit | Fault,
  sent: readonly string[],
): ScrubbedOutcome {
  const own = tokenRecorder();
  const scrubbed = withoutSecretsOf(outcome, sent, own);
  return own.found().length <= leakedMax
    ? scrubbed
    : { outcome: tooManyTokens, finds: scrubbed.finds, leaked: [] };
}

const tooManyTokens = fault(
  'runner_failed',
  `What came holds more than ${leakedMax} tokens in the form of this service's, and nothing of it was kept.`,
  'Read another page, or a part of this one.',
);

function withoutSecretsOf(
  outcome: Result | EffectCommit | Fault,
  sent: readonly string[],
  own: ReturnType<typeof tokenRecorder>,
): ScrubbedOutcome {
  if (!isFault(outcome) && 'apply' in outcome) {
    const { value, finds } = withoutBoth(outcome.brought, own.fingerprintOf, sent);
    return { outcome: { ...outcome, brought: value as JsonObject }, finds, leaked: own.found() };
  }
  const { message, details = {}, result, text, material } = outcome as Partial<Fault & Result>;
  const shown = isFault(outcome) ? { message, details } : { result, text, material };
  const { value, finds } = withoutBoth(shown, own.fingerprintOf, sent);
  const scrubbed = finds.length === 0 ? outcome : { ...outcome, ...(value as JsonObject) };
  return { outcome: scrubbed, finds, leaked: own.found() };
}

/** Without secrets of others, which their form tells, and without those that rows of the owner are called with. */
function withoutBoth(value: JsonValue, own: OwnTokens, sent: readonly string[]): Scrubbed<JsonValue> {
  const scrubbed = scrubJson(value, own);
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
