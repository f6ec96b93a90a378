/**
 * What came of an effect, and the act that records it (law 5, contract §3): secrets leave it, what is still to be
 * decided upon lands in the same act, and the invocation is closed by whoever comes first.
 */
import { showingInputs } from '../../domain/capabilities/arguments.ts';
import { closingEvent, type InvocationStatus } from '../../domain/capabilities/invocation.ts';
import type { Effect } from '../../domain/outside/effect.ts';
import type { Job } from '../../domain/outside/job.ts';
import { openInvocationTable, type CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { yieldedBy, type Usage } from '../../domain/capabilities/yield.ts';
import type { Result } from '../../domain/context.ts';
import type { Outside } from '../../domain/outside/outside.ts';
import { writes, type Act, type Appended, type Key, type Tx } from '../../engine/act.ts';
import { withoutDisguised } from '../../guard/disguised-secret.ts';
import { scrubJson, type OwnTokens, type PlacedFind, type Scrubbed } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { headOf } from '../../ledger/entry.ts';
import type { Service } from '../service.ts';
import { withholds } from './approvals.ts';
import type { PreparedCall } from './call.ts';
import { leakedMax, ownTokens, revokeLeaked } from './leaked.ts';
import { closeLineage } from './lineage.ts';
import { refusalBody, scrubEvent } from './recording.ts';

/** What an effect brought that is still to be decided upon, in the act that records the outcome. */
export interface Landing {
  /** From outside, and untrusted: secrets leave it before it lands. */
  readonly brought: JsonObject;
  readonly keys: readonly Key[];
  /** Appends what comes of it. A Fault undoes that and is the outcome. */
  land(tx: Tx, nowMs: number, brought: JsonObject): Result | Fault;
}

/** An effect whose outcome changes state. */
export interface LandingEffect extends Omit<Effect, 'run'> {
  run(signal: AbortSignal, outside: Outside, job: Job): Promise<Result | Landing | Fault>;
}

/** The entry that closed an invocation, and what it closed as. */
export interface Closed {
  readonly entry: Appended;
  readonly said: Result | Fault;
  readonly scrubbed: readonly PlacedFind[];
}

/** What recording an outcome needs of the call that it belongs to. */
export type Fired = Pick<PreparedCall, 'inv' | 'row' | 'startedMs' | 'repairs' | 'repeatable'>;

/** What came of an effect, as it may be told and recorded, and the secrets that were taken out of it. */
interface Told {
  readonly said: Result | Landing | Fault;
  readonly finds: readonly PlacedFind[];
  /** Fingerprints of tokens of ours that it held: the page that it came from shows them to everybody. */
  readonly leaked: readonly string[];
}

/**
 * What comes from outside may hold secrets of others, or ours: they end here, before caller and ledger see them. `sent`
 * are those that rows of the owner are called with.
 */
export function withoutSecrets(outcome: Result | Landing | Fault, sent: readonly string[]): Told {
  const own = ownTokens();
  const told = withoutSecretsOf(outcome, sent, own);
  return own.found().length <= leakedMax ? told : { said: tooManyTokens, finds: told.finds, leaked: [] };
}

const tooManyTokens = fault(
  'runner_failed',
  `What came holds more than ${leakedMax} tokens in the form of this service's, and nothing of it was kept.`,
  'Read another page, or a part of this one.',
);

function withoutSecretsOf(
  outcome: Result | Landing | Fault,
  sent: readonly string[],
  own: ReturnType<typeof ownTokens>,
): Told {
  if (!isFault(outcome) && 'land' in outcome) {
    const { value, finds } = withoutBoth(outcome.brought, own.fingerprintOf, sent);
    return { said: { ...outcome, brought: value as JsonObject }, finds, leaked: own.found() };
  }
  const { message, details = {}, result, text, material } = outcome as Partial<Fault & Result>;
  const told = isFault(outcome) ? { message, details } : { result, text, material };
  const { value, finds } = withoutBoth(told, own.fingerprintOf, sent);
  const said = finds.length === 0 ? outcome : { ...outcome, ...(value as JsonObject) };
  return { said, finds, leaked: own.found() };
}

/** Without secrets of others, which their form tells, and without those that rows of the owner are called with. */
function withoutBoth(value: JsonValue, own: OwnTokens, sent: readonly string[]): Scrubbed<JsonValue> {
  const scrubbed = scrubJson(value, own);
  const clean = withoutDisguised(scrubbed.value, sent);
  if (clean === scrubbed.value) return scrubbed;
  return { value: clean, finds: [...scrubbed.finds, { path: '', kind: 'row-secret', count: 1 }] };
}

/** The act that closes an open invocation; nothing happens where somebody else already has. */
export function close(
  service: Service,
  { inv, startedMs, row, repairs, repeatable }: Fired,
  { said: told, finds, leaked: fetched }: Told,
  usage: Usage,
  unused: readonly CapabilityRecord[],
): Act<Closed | undefined> {
  const nowMs = service.now();
  const landing = 'land' in told ? told : undefined;
  return {
    name: 'close invocation',
    keys: [writes(openInvocationTable.name, inv), ...(landing?.keys ?? [])],
    decide(tx) {
      const open = tx.row(openInvocationTable, inv);
      if (open === undefined) return undefined;
      const came = 'land' in told ? landed(tx, told, nowMs) : told;
      const said = isFault(came) ? showingInputs(row, came) : came;
      const status: InvocationStatus = isFault(said) ? 'failed' : 'success';
      const ts = new Date(nowMs).toISOString();
      const entry = tx.append(
        closingEvent(
          inv,
          open.head,
          { ts, actor: open.actor },
          {
            status,
            error: isFault(said) ? said.fault : undefined,
            response: isFault(said) ? refusalBody(said) : said.result,
            yielded: yieldedBy(isFault(said) ? undefined : said, usage),
            told: repeatable && !isFault(said) ? said : undefined,
            durationMs: Math.max(0, nowMs - startedMs),
            withheld: withholds(row),
          },
        ),
      );
      if (finds.length > 0) tx.append(scrubEvent(inv, ts, headOf(entry.sealed), finds));
      // What a further call gave, such as a new token, is nobody's text.
      if (!row.delegates) revokeLeaked(tx, fetched, unused, { now: ts, inv });
      if (repairs !== undefined && status === 'success')
        closeLineage(tx, repairs, inv, { ts, actor: open.actor });
      return { entry, said, scrubbed: finds };
    },
  };
}

function landed(tx: Tx, { land, brought }: Landing, nowMs: number): Result | Fault {
  const mark = tx.mark();
  const result = land(tx, nowMs, brought);
  if (isFault(result)) tx.rollback(mark);
  return result;
}
