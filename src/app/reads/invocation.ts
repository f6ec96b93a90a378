/** An invocation, read from its own chain (contract §3). */
import { contentText, contentValue, type StoredContent, type StoredEvent } from '../../engine/act.ts';
import { remarks } from '../../domain/capabilities/invocation.ts';
import { bodyRuleIn, type BodyRule } from '../../domain/capabilities/positional.ts';
import { materialIn, usageIn, type Yielded } from '../../domain/yield.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { leafHash, type Entry, type Sealed } from '../../ledger/entry.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import type { ReadContext } from '../read-context.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

/** An invocation, read from its chain. */
export interface Invocation {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly actor: string;
  readonly status: InvocationStatus;
  readonly error: string | null;
  readonly gate: string | null;
  readonly contractHash: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  readonly request: Recorded;
  /** The rule that the body was written under. */
  readonly bodyRule: BodyRule;
  readonly response: Recorded;
  /** Call metadata beside the request: actor, purpose. */
  readonly callMetadata: Recorded;
  readonly yielded: Yielded;
  /** Material of the outcome, as committed. */
  readonly material: Recorded;
  /** The answer text, if the request may be repeated. */
  readonly resultText: Recorded;
  readonly idempotencyKey: string | null;
  readonly replayOf: string | null;
  readonly repairs: string | null;
  readonly repairedBy: string | null;
  readonly root: string | null;
  readonly charged: readonly string[];
  /** Secrets that were removed from request and response. */
  readonly scrubbed: readonly PlacedFind[];
  readonly events: readonly (Pick<Sealed, 'entry' | 'text' | 'hash'> & { readonly seq: number })[];
}

/** Committed content: value, commitment and salt. */
export interface Recorded {
  readonly value: JsonValue;
  readonly sha: string | null;
  readonly salt: string | null;
  /** `missing`: not stored and not scrubbed; `colophon verify` reports it. */
  readonly state: 'present' | 'scrubbed' | 'withheld' | 'missing' | 'none';
  /** Replacement of scrubbed content; not covered by this entry's commitment. */
  readonly replacement: JsonValue;
}

const none: Recorded = { value: null, sha: null, salt: null, state: 'none', replacement: null };
const invocationId = /^inv_[a-z2-7]{16}$/;

/** The chain of an invocation of `tenant`; empty for other workspaces. */
export function chainWithin(tenant: string, stored: readonly StoredEvent[]): readonly StoredEvent[] {
  return stored.length > 0 && invocationFrom(stored).tenant === tenant ? stored : [];
}

/** Undefined for chains that are not invocations. */
export async function readInvocation(context: ReadContext, inv: string): Promise<Invocation | undefined> {
  if (!invocationId.test(inv)) return undefined;
  const stored = await context.read.chain(inv);
  return stored.length === 0 ? undefined : invocationFrom(stored);
}

export function invocationFrom(stored: readonly StoredEvent[]): Invocation {
  const events = stored.map(({ seq, text }) => ({
    seq,
    text,
    entry: JSON.parse(text) as Entry,
    hash: Buffer.from(leafHash(text)).toString('hex'),
  }));
  const first = (events[0] as (typeof events)[number]).entry;
  const ends = events.filter(({ entry }) => !remarks.has(String(entry['action'])));
  const last = (ends[ends.length - 1] as (typeof events)[number]).entry;
  const status = String(last['action']) as InvocationStatus;
  const material = recorded(stored, events, 'material_sha');
  const text = (name: string): string | null => (typeof first[name] === 'string' ? first[name] : null);
  return {
    id: first.chain,
    key: String(first['key']),
    tenant: String(first['tenant']),
    actor: first.actor,
    status,
    error: typeof last['error'] === 'string' ? last['error'] : null,
    gate: typeof last['gate'] === 'string' ? last['gate'] : null,
    contractHash: String(first['contract']),
    startedAt: first.ts,
    finishedAt: status === 'running' || status === 'proposed' ? null : last.ts,
    durationMs: typeof last['ms'] === 'number' ? last['ms'] : null,
    request: recorded(stored, events, 'request_sha'),
    bodyRule: bodyRuleIn(first['body_rule']),
    response: recorded(stored, events, 'response_sha'),
    callMetadata: recorded(stored, events, 'said_sha'),
    yielded: { usage: usageIn(last), material: materialIn(visibleValue(material)) },
    material,
    resultText: recorded(stored, events, 'told_sha'),
    idempotencyKey: text('idem'),
    replayOf: text('replay_of'),
    repairs: text('repairs'),
    repairedBy:
      (events.find(({ entry }) => entry['action'] === 'repaired_by')?.entry['by'] as string | undefined) ??
      null,
    root: text('root'),
    charged: (first['charged'] as readonly string[] | undefined) ?? [],
    scrubbed: stored.flatMap(({ contents }, i) =>
      events[i]?.entry['action'] === 'scrub' ? scrubbedIn(contents) : [],
    ),
    events,
  };
}

function scrubbedIn(contents: readonly StoredContent[]): readonly PlacedFind[] {
  const body = contentText(contents.find(({ field }) => field === 'content_sha'));
  return body === null ? [] : (JSON.parse(body) as readonly PlacedFind[]);
}

/** The newest content committed under a field. */
function recorded(stored: readonly StoredEvent[], events: Invocation['events'], field: string): Recorded {
  for (let i = stored.length - 1; i >= 0; i--) {
    const sha = events[i]?.entry[field];
    if (typeof sha !== 'string') continue;
    const content = stored[i]?.contents.find((each: StoredContent) => each.field === field);
    const isWithheld = events[0]?.entry['withheld'] === true;
    if (content === undefined)
      return { value: null, sha, salt: null, state: isWithheld ? 'withheld' : 'missing', replacement: null };
    if (content.body === null) {
      const replacement = contentValue(content) ?? null;
      return { value: null, sha, salt: null, state: isWithheld ? 'withheld' : 'scrubbed', replacement };
    }
    return {
      value: JSON.parse(content.body) as JsonValue,
      sha,
      salt: content.salt === null ? null : Buffer.from(content.salt).toString('hex'),
      state: 'present',
      replacement: null,
    };
  }
  return none;
}

/** The visible value. */
export function visibleValue({ value, replacement }: Recorded): JsonValue {
  return value ?? replacement;
}

/** Call metadata by name. */
export function callMetadataOf({ callMetadata }: Invocation): JsonObject {
  return (visibleValue(callMetadata) as JsonObject | null) ?? {};
}

/** The newest stored content of a field. */
export function recordedUnder(stored: readonly StoredEvent[], field: string): JsonValue | undefined {
  const body = contentText(
    stored.flatMap(({ contents }) => contents.filter((each) => each.field === field)).at(-1),
  );
  return body === null ? undefined : (JSON.parse(body) as JsonValue);
}
