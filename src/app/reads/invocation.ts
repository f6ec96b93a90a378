/** An invocation as its own chain tells it (contract §3): read, and put together out of its entries. */
import { contentText, contentValue, type StoredContent, type StoredEvent } from '../../engine/act.ts';
import { remarks } from '../../domain/capabilities/invocation.ts';
import { materialIn, usageIn, type Yielded } from '../../domain/yield.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { leafHash, type Entry, type Sealed } from '../../ledger/entry.ts';
import type { PlacedFind } from '../../guard/secrets.ts';
import type { ReadContext } from '../read-context.ts';
import type { InvocationStatus } from '../../model/vocabulary.ts';

/** An invocation as its chain tells it. */
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
  readonly response: Recorded;
  /** What the caller typed beside the request: a name, a purpose. */
  readonly said: Recorded;
  readonly yielded: Yielded;
  /** The list of what came of it, as it is committed to. */
  readonly material: Recorded;
  /** What a plain reader was told, where the same request may come again. */
  readonly told: Recorded;
  readonly idempotencyKey: string | null;
  readonly replayOf: string | null;
  readonly repairs: string | null;
  readonly repairedBy: string | null;
  readonly root: string | null;
  readonly charged: readonly string[];
  /** Secrets that were taken out of request and response before they were recorded. */
  readonly scrubbed: readonly PlacedFind[];
  readonly events: readonly (Pick<Sealed, 'entry' | 'text' | 'hash'> & { readonly seq: number })[];
}

/** Committed content as it is served: what it is, its commitment, and the salt that opens it. */
export interface Recorded {
  readonly value: JsonValue;
  readonly sha: string | null;
  readonly salt: string | null;
  /** `missing` where nothing is stored and nothing says why: that is no scrub, and `colophon verify` names it. */
  readonly state: 'present' | 'scrubbed' | 'withheld' | 'missing' | 'none';
  /** What stands in for scrubbed content: no commitment of this entry covers it. */
  readonly replacement: JsonValue;
}

const none: Recorded = { value: null, sha: null, salt: null, state: 'none', replacement: null };
const invocationId = /^inv_[a-z2-7]{16}$/;

/** The chain of an invocation where it belongs to `tenant`; another workspace's is as good as none. */
export function chainWithin(tenant: string, stored: readonly StoredEvent[]): readonly StoredEvent[] {
  return stored.length > 0 && invocationFrom(stored).tenant === tenant ? stored : [];
}

/** Nothing for any other chain: an article or a capability is no invocation. */
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
    response: recorded(stored, events, 'response_sha'),
    said: recorded(stored, events, 'said_sha'),
    yielded: { usage: usageIn(last), material: materialIn(shownOf(material)) },
    material,
    told: recorded(stored, events, 'told_sha'),
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

/** What is to be shown of it. */
export function shownOf({ value, replacement }: Recorded): JsonValue {
  return value ?? replacement;
}

/** What the caller typed beside the request, by name. */
export function wordsOf({ said }: Invocation): JsonObject {
  return (shownOf(said) as JsonObject | null) ?? {};
}

/** The newest content of a chain under a field, where it is still there. */
export function recordedUnder(stored: readonly StoredEvent[], field: string): JsonValue | undefined {
  const body = contentText(
    stored.flatMap(({ contents }) => contents.filter((each) => each.field === field)).at(-1),
  );
  return body === null ? undefined : (JSON.parse(body) as JsonValue);
}
