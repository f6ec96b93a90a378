/** Receipts and confirmations, read from the invocation's own chain (spec §2.8, contract §3). */
import { textOf, valueOf, type StoredContent, type StoredEvent } from '../../engine/act.ts';
import { gateNames, fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { grantsOf } from '../../domain/capabilities/grants.ts';
import { capabilityTable, type CapabilityRow } from '../../domain/capabilities/tables.ts';
import { materialIn, usageIn, yieldJson, type Yielded } from '../../domain/capabilities/yield.ts';
import { remarks, type InvocationStatus } from '../../domain/capabilities/invocation.ts';
import { links } from '../../domain/links.ts';
import { proofOf } from './proof.ts';
import type { Service } from '../service.ts';

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
  readonly said: JsonObject;
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
  readonly events: readonly { readonly seq: number; readonly entry: Entry; readonly hash: string }[];
}

/** Committed content as it is served: what it is, its commitment, and the salt that opens it. */
export interface Recorded {
  readonly value: JsonValue;
  readonly sha: string | null;
  readonly salt: string | null;
  readonly state: 'present' | 'scrubbed' | 'withheld' | 'none';
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
export async function readInvocation(service: Service, inv: string): Promise<Invocation | undefined> {
  if (!invocationId.test(inv)) return undefined;
  const stored = await service.store.read.chain(inv);
  return stored.length === 0 ? undefined : invocationFrom(stored);
}

export function invocationFrom(stored: readonly StoredEvent[]): Invocation {
  const events = stored.map(({ seq, text }) => ({
    seq,
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
    said: (shownOf(recorded(stored, events, 'said_sha')) as JsonObject | null) ?? {},
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
    events,
  };
}

/** The newest content committed under a field. */
function recorded(stored: readonly StoredEvent[], events: Invocation['events'], field: string): Recorded {
  for (let i = stored.length - 1; i >= 0; i--) {
    const sha = events[i]?.entry[field];
    if (typeof sha !== 'string') continue;
    const content = stored[i]?.contents.find((each: StoredContent) => each.field === field);
    if (content?.body == null) {
      const state = events[0]?.entry['withheld'] === true ? 'withheld' : 'scrubbed';
      const replacement = content === undefined ? null : (valueOf(content) ?? null);
      return { value: null, sha, salt: null, state, replacement };
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

/** The newest content of a chain under a field, where it is still there. */
export function recordedUnder(stored: readonly StoredEvent[], field: string): JsonValue | undefined {
  const body = textOf(
    stored.flatMap(({ contents }) => contents.filter((each) => each.field === field)).at(-1),
  );
  return body === null ? undefined : (JSON.parse(body) as JsonValue);
}

/** How far a call has come that is not at its end. */
function progressOf(invocation: Invocation): JsonObject | null {
  if (invocation.status !== 'running') return null;
  const last = invocation.events.findLast(({ entry }) => entry['action'] !== 'scrub')?.entry;
  return {
    stage: String(last?.['action']),
    since: last?.ts ?? invocation.startedAt,
    lease_until: typeof last?.['lease_until'] === 'string' ? last['lease_until'] : null,
  };
}

/** Who may read a receipt: the owner, the token that made it, an owner-minted one with read or the row (contract §3). */
export function mayReadReceipt(credential: Credential, invocation: Invocation): boolean {
  if (credential.kind === 'owner') return true;
  if (credential.kind === 'anonymous') return false;
  if (invocation.actor === credential.fingerprint) return true;
  // A cut opens nothing that the share it was cut from could not open, and a receipt is no part of an article.
  return credential.chain.every(({ record }) => {
    if (record.origin !== 'owner' || record.tenant !== invocation.tenant) return false;
    return grantsOf(record).some(
      ({ scope, keys, article }) => article === null && (scope === 'read' || keys.includes(invocation.key)),
    );
  });
}

export async function receiptOf(
  service: Service,
  credential: Credential,
  inv: string,
): Promise<JsonObject | Fault> {
  const invocation = await readInvocation(service, inv);
  if (invocation === undefined || !mayReadReceipt(credential, invocation)) return noReceipt(inv);
  return receiptJson(service, invocation);
}

export function noReceipt(inv: string): Fault {
  return fault(
    'not_found',
    `There is no receipt ${inv.slice(0, 40)} that this credential may read.`,
    'Use the credential that made the call, or confirm it publicly with ?confirm=.',
  );
}

export async function receiptJson(service: Service, invocation: Invocation): Promise<JsonObject> {
  const { base } = service;
  return {
    id: invocation.id,
    key: invocation.key,
    object_type: 'tool',
    status: invocation.status,
    ok: invocation.status === 'success',
    ran: invocation.status === 'success',
    error: invocation.error,
    tenant: invocation.tenant,
    actor: invocation.actor,
    authority: await authorityOf(service, invocation),
    gates: gatesOf(invocation),
    contract_hash: invocation.contractHash,
    request: {
      body: invocation.request.value,
      content_sha: invocation.request.sha,
      salt: invocation.request.salt,
      state: invocation.request.state,
      ...replacementOf(invocation.request),
    },
    response: {
      result: invocation.response.value,
      content_sha: invocation.response.sha,
      salt: invocation.response.salt,
      state: invocation.response.state,
      ...replacementOf(invocation.response),
    },
    said: invocation.said,
    idempotency_key: invocation.idempotencyKey,
    started_at: invocation.startedAt,
    finished_at: invocation.finishedAt,
    duration_ms: invocation.durationMs,
    progress: progressOf(invocation),
    yield: yieldJson(invocation.yielded),
    material: {
      items: invocation.material.value,
      content_sha: invocation.material.sha,
      salt: invocation.material.salt,
      state: invocation.material.state,
    },
    replay_of: invocation.replayOf,
    repairs: invocation.repairs,
    repaired_by: invocation.repairedBy,
    root: invocation.root,
    entries: invocation.events.map(({ entry, hash }) => ({ ...entry, hash })),
    proof: await proofOfInvocation(service, invocation),
    verbs: [
      ...(invocation.status === 'proposed'
        ? [
            {
              key: 'OIP_APPROVE',
              body: `${invocation.id}|approved|`,
              url: links.contract(base, 'OIP_APPROVE'),
            },
          ]
        : []),
      { key: 'OIP_REPLAY', body: invocation.id, url: links.contract(base, 'OIP_REPLAY') },
      { key: 'OIP_REPAIR', body: invocation.id, url: links.contract(base, 'OIP_REPAIR') },
    ],
    links: {
      self: links.receiptJson(base, invocation.id),
      page: links.receipt(base, invocation.id),
      confirm: links.confirm(base, invocation.id),
      row: links.row(base, invocation.key),
    },
  };
}

/** What anybody may see: that it happened, when, under which hashes (contract §3). */
export async function confirmationOf(service: Service, inv: string): Promise<JsonObject | Fault> {
  const invocation = await readInvocation(service, inv);
  if (invocation === undefined) {
    return fault(
      'not_found',
      `No invocation ${inv.slice(0, 40)} is on this ledger.`,
      'Check the id: inv_ and 16 characters.',
      { confirmed: false },
    );
  }
  return {
    confirmed: true,
    id: invocation.id,
    key: invocation.key,
    status: invocation.status,
    ran: invocation.status === 'success',
    started_at: invocation.startedAt,
    finished_at: invocation.finishedAt,
    request_sha: invocation.request.sha,
    response_sha: invocation.response.sha,
    contract_hash: invocation.contractHash,
    yield: publicYield(invocation),
    replay_of: invocation.replayOf,
    repairs: invocation.repairs,
    repaired_by: invocation.repairedBy,
    root: invocation.root,
    entries: invocation.events.map(({ entry, hash }) => ({ ...entry, hash })),
    proof: await proofOfInvocation(service, invocation),
  };
}

function replacementOf({ state, replacement }: Recorded): JsonObject {
  return state === 'scrubbed' && replacement !== null ? { replacement } : {};
}

/** Of the entry that tells what the invocation came to, or has come to so far: the same that its answer proved. */
export async function proofOfInvocation(service: Service, invocation: Invocation) {
  const { seq, entry, hash } = invocation.events.findLast(
    (event) => !remarks.has(String(event.entry['action'])),
  ) as Invocation['events'][number];
  // In this order: a checkpoint read later covers whatever index was read before.
  const index = await service.store.read.indexOf(seq);
  const checkpoint = await service.store.read.checkpoint();
  return proofOf(service, invocation.id, entry, hash, index, checkpoint, invocation.status);
}

async function authorityOf(service: Service, invocation: Invocation): Promise<JsonObject> {
  const { actor } = invocation;
  if (!actor.startsWith('cap_')) return { kind: actor, fingerprint: null, chain: [], purpose: null };
  const chain: string[] = [];
  let purpose: string | null = null;
  for (let next: string | null = actor; next !== null;) {
    const row: CapabilityRow | undefined = await service.store.read.row(capabilityTable, next);
    if (row === undefined) break;
    chain.push(next);
    purpose ??= row.record.purpose;
    next = row.record.parent;
  }
  return { kind: 'share', fingerprint: actor, chain, purpose };
}

/** Gates up to the one that refused; all nine where none did. */
function gatesOf(invocation: Invocation): JsonObject[] {
  const owner = invocation.actor === 'owner';
  const marks: JsonObject[] = [];
  for (const gate of gateNames) {
    if (gate === invocation.gate) {
      marks.push({ gate, ok: false, note: invocation.error ?? 'refused' });
      break;
    }
    marks.push({ gate, ok: true, note: owner ? 'owner' : 'passed' });
  }
  return marks;
}

/** Counts are public with the entry; what came of the call is for who may read the receipt. */
function publicYield({ yielded }: Invocation): JsonObject {
  const { material: _material, ...counts } = yieldJson(yielded);
  return counts;
}
