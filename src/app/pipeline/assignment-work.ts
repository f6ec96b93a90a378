/**
 * Work on an assignment (spec §4.4 "voxel-batch with assignment", contract §7): a batch that names the assignment,
 * and every call under the share of its lease. The first work creates the article; each act decides whether its
 * result completes the assignment.
 */
import { articleAt, articleOf } from '../../domain/articles/state.ts';
import { createArticle } from '../../domain/articles/write-document.ts';
import { isSelfIssued, type Credential } from '../../domain/capabilities/credential.ts';
import type { Plan } from '../../domain/capabilities/plan.ts';
import type { Context, Result } from '../../domain/context.ts';
import {
  beginEvent,
  closedFault,
  isLaneWork,
  newObjectsIn,
  landEvent,
  laneWork,
  resultOf,
} from '../../domain/landscape/complete.ts';
import { openingDocument } from '../../domain/landscape/snapshot.ts';
import {
  assignmentTable,
  cohortPlace,
  itemTable,
  type AssignmentRecord,
  type AssignmentRow,
} from '../../domain/landscape/tables.ts';
import { links } from '../../domain/links.ts';
import { exactly } from '../../model/exact.ts';
import { AssignmentWork } from '../../model/landscape.ts';
import { writes, type Key, type Tx } from '../../engine/act.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { slugOf } from '../credentials/authority.ts';
import type { PreparedCall } from '../plans/call.ts';
import { kindOf } from '../plans/registry.ts';
import type { Service } from '../service.ts';

/** The assignment that a plan names. */
export function assignmentOf(plan: Plan | Fault): string | undefined {
  return isFault(plan) ? undefined : kindOf(plan).work?.named?.(plan);
}

/**
 * Adds the assignment and its article to the call, so that every gate sees them. A call under the share of a lease is
 * work on its assignment whether or not it names it.
 */
export async function placeWork(service: Service, call: PreparedCall): Promise<PreparedCall> {
  const { plan, args, credential } = call;
  const work = isFault(plan) ? undefined : kindOf(plan).work;
  if (isFault(plan) || isFault(args) || work === undefined) return call;
  const named = assignmentOf(plan);
  const row = named === undefined ? undefined : await service.store.read.row(assignmentTable, named);
  const bound = credential.kind === 'share' ? credential.binding?.assignment : undefined;
  const record = named === undefined ? bound : row?.record;
  if (record === undefined || record.tenant !== call.tenant) return call;
  if (work.named === undefined) return { ...call, assignment: record };
  const slug = record.item.article;
  const document = args['document'] as JsonObject | undefined;
  const placed: JsonObject =
    document === undefined ? { slug, ...args } : { ...args, document: { slug, ...document } };
  return { ...call, args: placed, plan: call.row.plan(placed), assignment: record };
}

/** Changes of a completed assignment beside the article. */
export function keysOfWork(record: AssignmentRecord): readonly Key[] {
  return [
    writes('assignment', record.id),
    writes('cohort', cohortPlace(record.tenant, record.cohort)),
    writes('landscape', record.tenant),
    writes('assignment_held', record.holder),
  ];
}

export function workOnAssignment(
  tx: Tx,
  call: PreparedCall,
  plan: Plan,
  id: string,
  credential: Credential,
  context: Context,
  run: () => Result | Fault,
): Result | Fault {
  const row = tx.row(assignmentTable, id);
  const refused = refusalOf(tx, call, row, id, assignmentOf(plan) !== undefined, credential);
  if (refused !== undefined) return refused;
  const { record } = row as AssignmentRow;
  const { item, lane } = record;
  const opens = articleAt(tx, call.tenant, item.article) === undefined && isOpening(plan, credential);
  const unopened = opens ? open(tx, row as AssignmentRow, credential, context) : undefined;
  if (unopened !== undefined) return unopened;
  const done = run();
  if (isFault(done)) return done;
  const { work } = kindOf(plan);
  const results = work?.results?.(done.result) ?? [done.result];
  const landed = newObjectsIn(
    results.filter((each) => each['ok'] !== false && each['slug'] === item.article),
    context.base,
  );
  const result = resultOf(landed);
  const before = tx.row(assignmentTable, id) as AssignmentRow;
  const onDraft = articleAt(tx, call.tenant, item.article)?.row.status === 'draft';
  const completes = before.completed_at === null && isLaneWork(lane, landed, onDraft);
  if (result.length > 0) tx.append(landEvent(before, completes ? 'complete' : 'land', result, context));
  const url = links.assignment(context.base, id);
  const material = completes ? [...done.material, { kind: 'assignment', id, url }] : done.material;
  const isComplete = completes || before.completed_at !== null;
  return {
    ...done,
    result: {
      ...done.result,
      slug: item.article,
      assignment: exactly(AssignmentWork, {
        id,
        lane,
        status: isComplete ? 'completed' : 'open',
        result: isComplete ? result.map((each) => ({ ...each })) : [],
        opened_article: opens,
        ...(isComplete ? {} : { needs: laneWork[lane], expires_at: record.expires_at }),
        url,
      }),
    },
    text: `${done.text} ${id} is ${isComplete ? 'completed' : `still open: it needs ${laneWork[lane]}`}.`,
    material,
  };
}

/** Whether the work creates a missing article. The owner's own document creates it itself. */
function isOpening(plan: Plan, credential: Credential): boolean {
  const opens = kindOf(plan).work?.opens ?? 'never';
  const isUnderLease = credential.kind === 'share' && credential.binding !== undefined;
  return opens === 'always' || (opens === 'under-lease' && isUnderLease);
}

function refusalOf(
  tx: Tx,
  call: PreparedCall,
  row: AssignmentRow | undefined,
  id: string,
  isNamed: boolean,
  credential: Credential,
): Fault | undefined {
  if (row === undefined || row.record.tenant !== call.tenant)
    return about(
      fault('not_found', `There is no assignment ${id}.`, 'Use the id that the lease was answered with.'),
      { kind: 'assignment', id },
    );
  const { record } = row;
  const holders = new Set([record.capability_fingerprint, record.actor]);
  if (
    credential.kind !== 'owner' &&
    !(credential.kind === 'share' && credential.chain.some((link) => holders.has(link.record.fingerprint)))
  )
    return {
      ...fault(
        'scope_denied',
        `${id} was leased by another credential.`,
        'Send its own share as key, or lease an item yourself.',
      ),
      gate: 'scope',
    };
  // A batch that names the assignment means to complete it; other calls under the share are work on it.
  if (!isNamed) return undefined;
  const { item, lane, tenant, cohort } = record;
  if (slugOf(call.args) !== item.article)
    return fault(
      'body_mismatch',
      `${id} is about the article ${item.article}.`,
      'Leave slug out, or name that article.',
      { article: item.article },
    );
  const blanks = isFault(call.args) ? [] : unfilled(call.args, '');
  if (blanks.length > 0)
    return fault(
      'body_mismatch',
      `Places of the ready body are not filled in: ${blanks.slice(0, 20).join(', ')}.`,
      'Put your own words in place of everything in braces.',
      { unfilled: blanks.slice(0, 20) },
    );
  const status = isFault(call.args)
    ? undefined
    : (call.args['document'] as JsonObject | undefined)?.['status'];
  if (status !== undefined && status !== 'published')
    return fault('body_mismatch', 'Work on an assignment is public.', 'Leave status out.');
  const lease = tx.row(itemTable, cohortPlace(tenant, cohort), item.n)?.lanes[lane];
  return closedFault(row, lease?.assignment === id, call.now);
}

/** JSON pointers of values that still are placeholders in braces, as in the ready body. */
function unfilled(value: JsonValue, at: string): string[] {
  if (typeof value === 'string') return /^\{[^{}]{1,100}\}$/.test(value) ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => unfilled(member as JsonValue, `${at}/${name}`));
}

/** Creates the target's article with the first work on it: as a draft if the credential is free. */
function open(tx: Tx, row: AssignmentRow, credential: Credential, context: Context): Fault | undefined {
  const { item } = row.record;
  const status = isSelfIssued(credential) ? 'draft' : 'published';
  const opening = openingDocument(item, context.limits, status);
  if (isFault(opening)) return opening;
  const aid = context.id('art_');
  for (const event of createArticle(opening, aid, context).events) tx.append(event);
  if (articleOf(tx, aid) === undefined) throw new Error(`the article ${item.article} was not opened`);
  if (status === 'draft') tx.append(beginEvent(row, aid, context));
  return undefined;
}
