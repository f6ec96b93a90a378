/**
 * The keys of a call: what its act is known to read for its decision or to write. Named before the act begins, they
 * are loaded in one go, and on PostgreSQL locked in one order.
 */
import { chargedBy } from '../../domain/capabilities/gates.ts';
import type { BatchOperation } from '../../domain/capabilities/row.ts';
import { conformanceTable } from '../../domain/capabilities/conformance.ts';
import { idempotencyTable, openInvocationTable } from '../../domain/capabilities/tables.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { certifiedPlace, certifiedTable } from '../../domain/certificates/certify.ts';
import { targetArticle, targetId, type QueueInput } from '../../domain/landscape/targets.ts';
import { cohortPlace, type AssignmentRecord } from '../../domain/landscape/tables.ts';
import { everyWorkspace } from '../../domain/workspaces/tables.ts';
import { chainAggregate, reads, writes, type Key } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { slugOf } from '../credentials/authority.ts';
import type { PreparedCall } from './call.ts';
import { keysOfDocument } from './divide-document.ts';
import { keysOfWork } from './assignment-work.ts';
import { holderOf } from './landscape.ts';
import type { Service } from '../service.ts';

/** Everything the act is known to touch. What is missing here is loaded when the decision meets it. */
export async function keysOf(service: Service, call: PreparedCall): Promise<Key[]> {
  const keys: Key[] = [];
  if (call.credential.kind === 'share') {
    const charged = new Set(
      call.row.selfLimiting ? [] : chargedBy(call.credential).map((link) => link.record.fingerprint),
    );
    for (const { record } of call.credential.chain) {
      keys.push(
        charged.has(record.fingerprint) || call.credential.unused !== undefined
          ? writes('capability', record.fingerprint)
          : reads('capability', record.fingerprint),
      );
    }
    if (call.credential.binding !== undefined)
      keys.push(...(await keysOfBinding(service, call.credential.binding.assignment)));
  }
  if (call.idempotency !== undefined) keys.push(writes(idempotencyTable.name, call.idempotency.scope));
  keys.push(reads('directory', call.tenant));
  if (call.repairs !== undefined) keys.push(writes(chainAggregate, call.repairs));
  if (call.proposal !== undefined) keys.push(...(await keysOf(service, call.proposal)));
  const plan = call.plan;
  if (isFault(plan)) return keys;
  if (call.document !== undefined) keys.push(...(await keysOfDocument(service, call.tenant, call.document)));
  if (plan.do === 'grow-paper') keys.push(writes('paper', call.tenant));
  if (call.assignment !== undefined) keys.push(...keysOfWork(call.assignment));
  if (plan.do === 'certify')
    keys.push(writes(certifiedTable.name, certifiedPlace(call.tenant, plan.input.target)));
  if (plan.do === 'queue-targets') keys.push(...keysOfQueue(call, plan.input));
  if (plan.do === 'lease-item')
    keys.push(
      writes('assignment_held', holderOf(call.credential)),
      ...(call.cohorts?.places.slice(0, 1) ?? []).map((place) => writes('cohort', place)),
    );
  if (plan.do === 'write-row') keys.push(writes('directory', call.tenant));
  if (plan.do === 'write-workspace') keys.push(writes('workspace', everyWorkspace));
  if (plan.do === 'decide-proposal') keys.push(writes(openInvocationTable.name, plan.inv));
  if (plan.do === 'batch') keys.push(...(await keysOfOperations(service, call.tenant, plan.operations)));
  if (plan.do === 'decide-vote') keys.push(reads('vote_index', plan.voteId));
  if (plan.do === 'ask') keys.push(...(await keysOfRead(service, call)));
  if (
    plan.do === 'write-article' ||
    plan.do === 'contribute' ||
    plan.do === 'resolve-contribution' ||
    plan.do === 'rotate-webhook' ||
    plan.do === 'say' ||
    plan.do === 'thread-update' ||
    plan.do === 'inquire'
  ) {
    const slug = 'input' in plan ? plan.input.slug : plan.slug;
    const path = slugPath(call.tenant, slug);
    keys.push(reads('slug', path));
    const found = await service.store.read.row(slugTable, path);
    if (found === undefined) return keys;
    keys.push(writes(conformanceTable.name, found.aid));
    if (plan.do === 'write-article') keys.push(writes('article', found.aid));
    else if (plan.do === 'rotate-webhook')
      keys.push(writes('article', found.aid), writes('webhook', found.aid));
    else if (plan.do === 'resolve-contribution')
      keys.push(
        writes('article', found.aid),
        writes('resolution', found.aid),
        writes('questions', found.aid),
      );
    else if (plan.do === 'say' || plan.do === 'thread-update')
      keys.push(reads('article', found.aid), writes('thread', found.aid));
    else if (plan.do === 'inquire') keys.push(reads('article', found.aid), writes('questions', found.aid));
    else keys.push(reads('article', found.aid), writes('mirror', found.aid));
  }
  return keys;
}

/** What a binding is judged by: the assignment, whether its work began the article, and whether that is a draft. */
async function keysOfBinding(
  service: Service,
  { id, tenant, cohort, item }: AssignmentRecord,
): Promise<Key[]> {
  const path = slugPath(tenant, item.article);
  const found = await service.store.read.row(slugTable, path);
  return [
    reads('assignment', id),
    reads('cohort', cohortPlace(tenant, cohort)),
    reads('slug', path),
    ...(found === undefined ? [] : [reads('article', found.aid)]),
  ];
}

/** A read of an article changes what is known of its conformance. */
async function keysOfRead(service: Service, call: PreparedCall): Promise<Key[]> {
  const slug = slugOf(call.args);
  if (slug === undefined) return [];
  const path = slugPath(call.tenant, slug);
  const found = await service.store.read.row(slugTable, path);
  return [reads('slug', path), ...(found === undefined ? [] : [writes(conformanceTable.name, found.aid)])];
}

/** The cohort, and the slugs that only an owner may queue although they are taken. */
function keysOfQueue(
  { tenant, workspace, credential }: PreparedCall,
  { cohort, targets }: QueueInput,
): Key[] {
  const keys = [writes('cohort', cohortPlace(tenant, cohort)), writes('landscape', tenant)];
  if (credential.kind === 'owner') return keys;
  const slugs = new Set(targets.map((target) => targetArticle(workspace, cohort, targetId(target))));
  return [...keys, ...[...slugs].map((slug) => reads('slug', slugPath(tenant, slug)))];
}

/** The articles and threads that a batch's operations name, each once. */
async function keysOfOperations(
  service: Service,
  tenant: string,
  operations: readonly (BatchOperation | Fault)[],
): Promise<Key[]> {
  const keys: Key[] = [];
  const known = new Map<string, string>();
  for (const operation of operations) {
    const slug = isFault(operation) ? undefined : operation.args['slug'];
    if (isFault(operation) || typeof slug !== 'string') continue;
    if (!known.has(slug)) {
      const path = slugPath(tenant, slug);
      known.set(slug, (await service.store.read.row(slugTable, path))?.aid ?? '');
      keys.push(reads('slug', path));
    }
    const aid = known.get(slug) ?? '';
    if (aid === '') continue;
    const isSaid =
      operation.key === 'VOXEL_CHALLENGE' ||
      operation.key === 'VOXEL_ATTEST' ||
      operation.key === 'VOXEL_VOTE';
    keys.push(
      writes(conformanceTable.name, aid),
      isSaid ? reads('article', aid) : writes('article', aid),
      ...(isSaid ? [writes('thread', aid)] : []),
    );
  }
  return keys;
}
