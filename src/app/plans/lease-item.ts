/**
 * The plan `lease-item`: leases the next free item of a cohort (contract §7). Cohorts with a free item are looked up
 * before the act; the act takes the item and mints the capability of the work.
 */
import { articleAt } from '../../domain/articles/state.ts';
import { actorOf, isSelfIssued, type Credential } from '../../domain/capabilities/credential.ts';
import { mintEvent } from '../../domain/capabilities/life-cycle.ts';
import { encodeShare } from '../../domain/capabilities/share-codec.ts';
import type { CapabilityRecord } from '../../domain/capabilities/tables.ts';
import type { Context, Result } from '../../domain/context.ts';
import { threadHead, threadOf } from '../../domain/discourse/thread.ts';
import { renderDrop } from '../../domain/drops/render.ts';
import { laneRows } from '../../domain/capabilities/binding.ts';
import {
  leaseEvent,
  leaseSeconds,
  leasesMax,
  tooManyFromAddress,
  tooManyLeases,
} from '../../domain/landscape/lease.ts';
import { snapshotOf } from '../../domain/landscape/snapshot.ts';
import {
  assignmentTable,
  begunTable,
  cohortTable,
  heldTable,
  type AssignmentRecord,
  type AssignmentRow,
  type ItemRow,
} from '../../domain/landscape/tables.ts';
import { links } from '../../domain/links.ts';
import { writes, type Tx } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { assignmentJson, readyBatch, returnAddress, workTemplates } from '../../represent/landscape-text.ts';
import type { Service } from '../service.ts';
import type { PreparedCall } from './call.ts';
import { definePlan } from './plan.ts';
import type { Lane } from '../../model/vocabulary.ts';
import { exactly } from '../../model/exact.ts';
import { Leased } from '../../model/landscape.ts';
import { findCohorts, freeItem, clientRecord, openLeases, recordLease } from './lease-choice.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'lease-item': { readonly lane: Lane; readonly cohort: string | undefined };
  }
}

/** The number of operations that a batch may have. */
const usesMax = 300;

export const leaseItemPlan = definePlan({
  kind: 'lease-item',
  /** One lease at a time per address: concurrent ones would both find room for one. */
  turn: ({ service, call }) => clientRecord(service, call),
  async loadInputs({ service, call, plan }) {
    const record = clientRecord(service, call);
    return {
      clientLeases: record === undefined ? undefined : await openLeases(service, record, call.nowMs),
      cohorts: await findCohorts(service, call, plan),
    };
  },
  keys: ({ call }, inputs) => [
    writes('assignment_held', holderOf(call.credential)),
    ...(inputs?.cohorts.places.slice(0, 1) ?? []).map((place) => writes('cohort', place)),
  ],
  run({ service, tx, call, plan, credential, context, inputs: { clientLeases, cohorts } }) {
    const holder = holderOf(credential);
    const free = isSelfIssued(credential);
    const kind = free ? 'free' : 'ownerMinted';
    const full =
      credential.kind === 'owner'
        ? undefined
        : tooManyLeases(tx.rows(heldTable, holder), call.now, leasesMax[kind]);
    if (full !== undefined) return full;
    const max = service.limits.openLeasesPerClientMax;
    if (clientLeases !== undefined && clientLeases.length >= max)
      return tooManyFromAddress({ open: clientLeases, max }, call.nowMs);
    const found = freeItem(tx, cohorts, plan, call.now, free);
    if (isFault(found)) return found;
    const { place, row } = found;
    const cohort = tx.row(cohortTable, place);
    if (cohort === undefined) throw new Error(`there is no cohort ${place}`);

    const { item } = row;
    const stored = articleAt(tx, call.tenant, item.article);
    // Drafts are private and assignments public, so assignments do not mention drafts.
    const article = stored?.row.status === 'draft' ? undefined : stored;
    const head = article === undefined ? 'genesis' : threadHead(threadOf(tx, article.row.aid));
    const isBegun = stored !== undefined && tx.row(begunTable, place, item.article)?.aid === stored.row.aid;
    const start = snapshotOf(item, article, isBegun ? stored : article, head, context);
    if (isFault(start)) return start;
    const { snapshot, hash, footing } = start;
    const id = context.id('norm_');
    const { token, capability } = mintFor(
      service,
      tx,
      call,
      credential,
      { id, lane: plan.lane, row, seconds: leaseSeconds[kind] },
      context,
    );
    const before = row.lanes[plan.lane];
    const record: AssignmentRecord = {
      id,
      tenant: call.tenant,
      cohort: cohort.name,
      lane: plan.lane,
      item,
      snapshot,
      snapshot_hash: hash,
      footing,
      actor: actorOf(credential),
      holder,
      capability_fingerprint: capability.fingerprint,
      leased_at: call.now,
      expires_at: capability.expires_at,
      receipt: call.inv,
      ...(free ? { free: true as const } : {}),
      replaces: before === undefined ? null : { id: before.assignment, holder: before.holder },
    };
    tx.append(leaseEvent(record, context));
    return leased(service, tx.row(assignmentTable, id) as AssignmentRow, token, capability, call.now);
  },
  async afterAct({ service, call }, { clientLeases }, answer) {
    const record = clientRecord(service, call);
    if (record !== undefined && clientLeases !== undefined)
      await recordLease(service, record, clientLeases, answer);
    return answer;
  },
});

/** The credential whose leases count: that of the root, for a cut. */
function holderOf(credential: Credential): string {
  if (credential.kind !== 'share') return credential.kind;
  return credential.chain.at(-1)?.record.fingerprint ?? credential.fingerprint;
}

function leased(
  service: Service,
  row: AssignmentRow,
  token: string,
  capability: CapabilityRecord,
  now: string,
): Result {
  const { base } = service;
  const { record } = row;
  const assignment = assignmentJson(base, row, now);
  const { target, axis } = record.item;
  const { exists } = record.snapshot.article;
  return {
    result: exactly(Leased, {
      assignment_id: record.id,
      assignment,
      batch: readyBatch(base, row),
      templates: workTemplates(base, record, exists),
    }),
    text: `${record.id}: ${record.lane} work on ${target.name}${axis === null ? '' : ` (${axis})`} until ${record.expires_at}.`,
    material: [
      { kind: 'assignment', id: record.id, url: links.assignment(base, record.id) },
      { kind: 'capability', id: capability.fingerprint, url: links.capability(base, capability.fingerprint) },
    ],
    reveal: {
      assignment: { ...assignment, share: token },
      share: token,
      batch: readyBatch(base, row, token),
      templates: workTemplates(base, record, exists, token),
      return_url: returnAddress(base, token),
      explain_url: `${links.dispatch(base)}?explain=1&share=${token}`,
      drop: renderDrop(base, token, capability, service),
    },
  };
}

/** The capability of the work, bound to the assignment, with the lease's end (ADR 24 says on whose authority). */
function mintFor(
  service: Service,
  tx: Tx,
  call: PreparedCall,
  credential: Credential,
  {
    id,
    lane,
    row,
    seconds,
  }: { readonly id: string; readonly lane: Lane; readonly row: ItemRow; readonly seconds: number },
  context: Context,
): { readonly token: string; readonly capability: CapabilityRecord } {
  const expires = Math.floor(call.nowMs / 1000) + seconds;
  const share = encodeShare(service.secrets.macKeys[0], expires, call.entropy.bytes(10));
  const root = credential.kind === 'share' ? credential.chain.at(-1) : undefined;
  const capability: CapabilityRecord = {
    fingerprint: share.fingerprint,
    tenant: call.tenant,
    origin: root?.record.origin ?? 'owner',
    scope: 'rows',
    keys: laneRows[lane],
    article: row.item.article,
    ttl: seconds,
    expires_at: new Date(expires * 1000).toISOString(),
    max_uses: usesMax,
    purpose: `assignment ${id}`,
    risk_ceiling: 'low',
    owner_gate: false,
    body_fixed: null,
    max_body_bytes: null,
    parent: null,
    depth: 0,
    issuer: row.item.queued_by,
    actor: call.actorName,
    minted_at: call.now,
    contract_hash: null,
    assignment: id,
  };
  tx.append(mintEvent(capability, context));
  return { token: share.token, capability };
}
