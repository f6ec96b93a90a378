/** Receipts and public confirmations, from the invocation's own chain (spec §2.8, contract §3). */
import { about, gateNames, fault, type Fault } from '../../kernel/fault.ts';
import { exactly } from '../../model/exact.ts';
import { Confirmation, Receipt } from '../../model/invocation.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { grantsOf } from '../../domain/capabilities/grants.ts';
import { capabilityTable, type CapabilityRow } from '../../domain/capabilities/tables.ts';
import { yieldJson } from '../../domain/yield.ts';
import { remarks } from '../../domain/capabilities/invocation.ts';
import { links } from '../../domain/links.ts';
import { receiptTemplate, receiptTemplates } from '../../represent/templates.ts';
import { readInvocation, type Invocation, type Recorded } from './invocation.ts';
import { checkpointFor, proofOf } from './proof.ts';
import { isOpenTo } from './workspaces.ts';
import { writtenBy } from './written.ts';
import type { DirectoryContext, ReadContext } from '../read-context.ts';

/** Progress of an unfinished call. */
function progressOf(invocation: Invocation): Receipt['progress'] {
  if (invocation.status !== 'running') return null;
  const last = invocation.events.findLast(({ entry }) => entry['action'] !== 'scrub')?.entry;
  return {
    stage: String(last?.['action']),
    since: last?.ts ?? invocation.startedAt,
    lease_until: typeof last?.['lease_until'] === 'string' ? last['lease_until'] : null,
  };
}

/**
 * Readers of a receipt: the owner, the token that made the call, owner-minted tokens with read or the row (contract
 * §3).
 */
export function mayReadReceipt(credential: Credential, invocation: Invocation): boolean {
  if (credential.kind === 'owner') return true;
  if (credential.kind === 'anonymous') return false;
  if (invocation.actor === credential.fingerprint) return true;
  // A cut reads no more than its parent, and a receipt is not part of an article.
  return credential.chain.every(({ record }) => {
    if (record.origin !== 'owner' || record.tenant !== invocation.tenant) return false;
    return grantsOf(record).some(
      ({ scope, keys, article }) => article === null && (scope === 'read' || keys.includes(invocation.key)),
    );
  });
}

export async function receiptOf(
  context: DirectoryContext,
  credential: Credential,
  inv: string,
): Promise<Receipt | Fault> {
  const invocation = await readInvocation(context, inv);
  if (invocation === undefined || !mayReadReceipt(credential, invocation)) return noReceipt(context, inv);
  return receiptJson(context, invocation);
}

/** Whether a caller that may not read a receipt hears that the call happened: of another workspace it hears nothing. */
export async function isConfirmedTo(context: ReadContext, viewer: Credential, inv: string): Promise<boolean> {
  const found = await readInvocation(context, inv);
  return found !== undefined && (await isOpenTo(context, viewer, found.tenant));
}

export function noReceipt({ base }: ReadContext, inv: string): Fault {
  return about(
    fault(
      'not_found',
      `There is no receipt ${inv.slice(0, 40)} that this credential may read.`,
      'Use the credential that made the call (share=<TOKEN> in the address), or confirm it publicly with ?confirm=.',
      { templates: [receiptTemplate(base, '{inv}'), links.confirm(base, '{inv}')] },
    ),
    { kind: 'receipt', id: inv },
  );
}

async function receiptJson(context: DirectoryContext, invocation: Invocation): Promise<Receipt> {
  const { base } = context;
  return exactly(Receipt, {
    id: invocation.id,
    key: invocation.key,
    object_type: 'tool',
    status: invocation.status,
    ok: invocation.status === 'success',
    ran: invocation.status === 'success',
    error: invocation.error,
    tenant: invocation.tenant,
    actor: invocation.actor,
    authority: await authorityOf(context, invocation),
    gates: gatesOf(invocation),
    contract_hash: invocation.contractHash,
    request: { body: invocation.request.value, ...recordedJson(invocation.request) },
    response: { result: invocation.response.value, ...recordedJson(invocation.response) },
    said: { words: invocation.callMetadata.value, ...recordedJson(invocation.callMetadata) },
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
    proof: await proofOfInvocation(context, invocation),
    ...(await latestOf(context, invocation)),
    verbs: verbsOn(base, invocation),
    templates: receiptTemplates(base, invocation, context.rows.get(invocation.key)),
    links: {
      self: links.receipt(base, invocation.id),
      page: links.receipt(base, invocation.id),
      confirm: links.confirm(base, invocation.id),
      row: links.row(base, invocation.key),
    },
  });
}

/** Actions on the receipt; repair only for failed and unrepaired calls. */
function verbsOn(base: string, { id, status, repairedBy }: Invocation): Receipt['verbs'] {
  const failed = status === 'failed' || status === 'denied';
  return [
    ...(status === 'proposed' ? [['OIP_APPROVE', `${id}|approved|`] as const] : []),
    ['OIP_REPLAY', id] as const,
    ...(failed && repairedBy === null ? [['OIP_REPAIR', id] as const] : []),
  ].map(([key, body]) => ({ key, body, url: links.contract(base, key) }));
}

/** The public confirmation: what happened when, under which hashes (contract §3). */
export async function confirmationOf(context: ReadContext, inv: string): Promise<Confirmation | Fault> {
  const invocation = await readInvocation(context, inv);
  if (invocation === undefined) {
    return about(
      fault(
        'not_found',
        `No invocation ${inv.slice(0, 40)} is on this ledger.`,
        'Check the id: inv_ and 16 characters.',
        { confirmed: false },
      ),
      { kind: 'receipt', id: inv },
    );
  }
  const { material: _material, ...counts } = yieldJson(invocation.yielded);
  return exactly(Confirmation, {
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
    yield: counts,
    replay_of: invocation.replayOf,
    repairs: invocation.repairs,
    repaired_by: invocation.repairedBy,
    root: invocation.root,
    entries: invocation.events.map(({ entry, hash }) => ({ ...entry, hash })),
    proof: await proofOfInvocation(context, invocation),
    written: await writtenBy(context, invocation),
    ...(await latestOf(context, invocation)),
  });
}

function recordedJson({ sha, salt, state, replacement }: Recorded) {
  const replaced = state === 'scrubbed' && replacement !== null;
  return { content_sha: sha, salt, state, ...(replaced ? { replacement } : {}) };
}

type Listed = Invocation['events'][number];

/** The proof of the entry with the outcome, the same as in the answer. */
export async function proofOfInvocation(context: ReadContext, invocation: Invocation) {
  return proofOfEvent(context, invocation, outcomeEvent(invocation));
}

function outcomeEvent({ events }: Invocation): Listed {
  return events.findLast(({ entry }) => !remarks.has(String(entry['action']))) as Listed;
}

/** The proof of later remarks, which the outcome's proof does not cover. */
async function latestOf(context: ReadContext, invocation: Invocation): Promise<Pick<Confirmation, 'latest'>> {
  const newest = invocation.events.at(-1) as Listed;
  if (newest === outcomeEvent(invocation)) return {};
  const { entry, entry_hash, log_index, tlog_proof } = await proofOfEvent(context, invocation, newest);
  return { latest: { entry, entry_hash, log_index, tlog_proof } };
}

async function proofOfEvent(context: ReadContext, invocation: Invocation, event: Listed) {
  // Order matters: a later checkpoint covers the index read before.
  const index = await context.read.indexOf(event.seq);
  const checkpoint = await checkpointFor(context, index);
  return proofOf(context, invocation.id, event, index, checkpoint, invocation.status);
}

async function authorityOf(context: ReadContext, invocation: Invocation): Promise<Receipt['authority']> {
  const { actor } = invocation;
  if (!actor.startsWith('cap_')) return { kind: actor, fingerprint: null, chain: [], purpose: null };
  const chain: string[] = [];
  let purpose: string | null = null;
  for (let next: string | null = actor; next !== null;) {
    const row: CapabilityRow | undefined = await context.read.row(capabilityTable, next);
    if (row === undefined) break;
    chain.push(next);
    purpose ??= row.record.purpose;
    next = row.record.parent;
  }
  return { kind: 'share', fingerprint: actor, chain, purpose };
}

/** Gates up to the refusing one; all nine if none refused. */
function gatesOf(invocation: Invocation): Receipt['gates'] {
  const owner = invocation.actor === 'owner';
  const marks: Receipt['gates'][number][] = [];
  for (const gate of gateNames) {
    if (gate === invocation.gate) {
      marks.push({ gate, ok: false, note: invocation.error ?? 'refused' });
      break;
    }
    marks.push({ gate, ok: true, note: owner ? 'owner' : 'passed' });
  }
  return marks;
}
