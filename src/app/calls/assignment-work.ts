/**
 * A batch that is the work on an assignment (spec §4.4 "voxel-batch with assignment", contract §7). The assignment
 * names the article, the first work opens it, and what the batch landed decides in the same act whether the
 * assignment is complete.
 */
import { articleAt, articleOf } from '../../domain/articles/state.ts';
import { createArticle } from '../../domain/articles/write-document.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Plan } from '../../domain/capabilities/row.ts';
import type { Context, Result } from '../../domain/context.ts';
import { closed, completeEvent, landedBy, laneWork, resultOf } from '../../domain/landscape/complete.ts';
import { openingOf } from '../../domain/landscape/snapshot.ts';
import {
  assignmentTable,
  cohortPlace,
  itemTable,
  type AssignmentRecord,
  type AssignmentRow,
} from '../../domain/landscape/tables.ts';
import { links } from '../../domain/links.ts';
import { writes, type Key, type Tx } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { slugOf } from '../credentials/authority.ts';
import type { Service } from '../service.ts';
import type { PreparedCall } from './call.ts';

type Work = Extract<Plan, { readonly do: 'batch' | 'write-document' }>;

/** The assignment that a call works on, where it names one. */
export function assignmentOf(plan: Plan | Fault): string | undefined {
  if (isFault(plan) || (plan.do !== 'batch' && plan.do !== 'write-document')) return undefined;
  return plan.assignment;
}

/** The call with the article that its assignment is about, so that every gate knows it. */
export async function aboutAssignment(service: Service, call: PreparedCall): Promise<PreparedCall> {
  const id = assignmentOf(call.plan);
  const row = id === undefined ? undefined : await service.store.read.row(assignmentTable, id);
  if (row === undefined || row.record.tenant !== call.tenant || isFault(call.args)) return call;
  const slug = row.record.item.article;
  const document = call.args['document'] as JsonObject | undefined;
  const args: JsonObject =
    document === undefined ? { slug, ...call.args } : { ...call.args, document: { slug, ...document } };
  return { ...call, args, plan: call.row.plan(args), assignment: row.record };
}

/** What completing the assignment changes beside the article. */
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
  plan: Work,
  id: string,
  credential: Credential,
  context: Context,
  run: () => Result | Fault,
): Result | Fault {
  const row = tx.row(assignmentTable, id);
  const refused = refusalOf(tx, call, row, id, credential);
  if (refused !== undefined) return refused;
  const { record } = row as AssignmentRow;
  const { item, lane } = record;
  const opens = plan.do === 'batch' && articleAt(tx, call.tenant, item.article) === undefined;
  const unopened = opens ? open(tx, record, context) : undefined;
  if (unopened !== undefined) return unopened;
  const done = run();
  if (isFault(done)) return done;
  const results = plan.do === 'batch' ? (done.result['results'] as readonly JsonObject[]) : [done.result];
  const landed = landedBy(
    results.filter((each) => each['ok'] !== false && each['slug'] === item.article),
    context.base,
  );
  const result = resultOf(lane, landed);
  if (result !== undefined) tx.append(completeEvent(row as AssignmentRow, result, context));
  const url = links.assignment(context.base, id);
  return {
    ...done,
    result: {
      ...done.result,
      slug: item.article,
      assignment: {
        id,
        lane,
        status: result === undefined ? 'leased' : 'complete',
        result: (result ?? []).map((each) => ({ ...each })),
        opened_article: opens,
        ...(result === undefined ? { needs: laneWork[lane], expires_at: record.expires_at } : {}),
        url,
      },
    },
    text: `${done.text} ${id} is ${result === undefined ? `still open: it needs ${laneWork[lane]}` : 'complete'}.`,
    material: result === undefined ? done.material : [...done.material, { kind: 'assignment', id, url }],
  };
}

function refusalOf(
  tx: Tx,
  call: PreparedCall,
  row: AssignmentRow | undefined,
  id: string,
  credential: Credential,
): Fault | undefined {
  if (row === undefined || row.record.tenant !== call.tenant)
    return fault(
      'not_found',
      `There is no assignment ${id}.`,
      'Use the id that the lease was answered with.',
    );
  const { record } = row;
  const holders = new Set([record.capability_fingerprint, record.actor]);
  if (
    credential.kind !== 'owner' &&
    !(credential.kind === 'share' && credential.chain.some((link) => holders.has(link.record.fingerprint)))
  )
    return fault(
      'scope_denied',
      `${id} was given to another credential.`,
      'Send its own share as key, or lease an item yourself.',
    );
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
  const standing = tx.row(itemTable, cohortPlace(tenant, cohort), item.n)?.lanes[lane];
  return closed(row, standing?.assignment === id, call.now);
}

/** JSON pointers of values that are still a place in braces, as the ready body has them. */
function unfilled(value: JsonValue, at: string): string[] {
  if (typeof value === 'string') return /^\{[^{}]{1,100}\}$/.test(value) ? [at] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => unfilled(member as JsonValue, `${at}/${name}`));
}

/** The target's article, opened by the first work that lands on it. */
function open(tx: Tx, { item }: AssignmentRecord, context: Context): Fault | undefined {
  const opening = openingOf(item, context.limits);
  if (isFault(opening)) return opening;
  const aid = context.id('art_');
  for (const event of createArticle(opening, aid, context).events) tx.append(event);
  if (articleOf(tx, aid) === undefined) throw new Error(`the article ${item.article} was not opened`);
  return undefined;
}
