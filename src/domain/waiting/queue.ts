/**
 * What waits for a decision in a workspace, projected from the chains that open and close it (contract §8): calls for
 * approval, contributions, open entries of the discourse, votes, drafts begun by others than the owner, and leased
 * assignments. One small row for each, so that the desk reads a page of thousands; no decision reads them.
 */
import type { Event, Projection } from '../../engine/act.ts';
import { integer, table, text, type RowOf } from '../../engine/tables.ts';
import type { Contribution } from '../../model/contribution.ts';
import type { Queue } from '../../model/vocabulary.ts';
import { parseArticleChain } from '../articles/chains.ts';
import type { ProvenanceContent } from '../articles/events.ts';
import { articleTable } from '../articles/tables.ts';
import { remarks } from '../capabilities/invocation.ts';
import { openInvocationTable } from '../capabilities/tables.ts';
import { asksForAnswer } from '../discourse/thread.ts';
import { assignmentTable, type AssignmentRecord } from '../landscape/tables.ts';
import type { Post, Vote } from '../../model/discourse.ts';

export const waitingTable = table('waiting', {
  /** `<tenant>/<queue>`. */
  key: { place: text(), id: text() },
  columns: {
    /** Opaque id of the article; empty for items without an article. */
    aid: text(),
    /** Place in its own chain. */
    n: integer(),
    /** Row key, kind of contribution, stance, proposal or lane. */
    kind: text(),
    actor: text(),
    /** The name that was typed; who acted where none was. */
    name: text(),
    ts: text(),
    seq: integer(),
  },
  compact: true,
  indexes: [['place', 'seq']],
});
export type WaitingRow = RowOf<typeof waitingTable>;

export function placeOfQueue(tenant: string, queue: Queue): string {
  return `${tenant}/${queue}`;
}

const queueOfKind: Readonly<Record<Contribution['kind'], Queue>> = {
  repair: 'wording',
  compression: 'wording',
  source: 'sources',
  question: 'questions',
  objection: 'objections',
  contradiction: 'objections',
  audit: 'objections',
};
const contributionQueues = [...new Set(Object.values(queueOfKind))];

/** Runs before the other projectors: it reads the rows as they stood before the event. */
export function projectWaiting(event: Event, to: Projection): void {
  const { chain } = event.sealed.entry;
  if (chain.startsWith('inv_')) projectCall(event, to);
  else if (chain.startsWith('norm_')) projectAssignment(event, to);
  else {
    const article = parseArticleChain(chain);
    if (article?.of === 'mirror') projectContribution(event, article.aid, to);
    else if (article?.of === 'thread') projectEntry(event, article.aid, to);
    else if (article?.of === 'votes') projectVote(event, article.aid, to);
    else if (article?.of === 'provenance') projectWrite(event, article.aid, to);
  }
}

function put(
  { sealed: { entry }, seq }: Event,
  tenant: string,
  queue: Queue,
  row: Pick<WaitingRow, 'id' | 'aid' | 'kind'> & { readonly name?: string },
  to: Projection,
): void {
  const place = placeOfQueue(tenant, queue);
  const { n, actor, ts } = entry;
  to.put(waitingTable, { name: actor, ...row, place, n, actor, ts, seq });
}

function projectCall(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  const status = String(entry['action']);
  if (entry.n === 0) {
    if (status !== 'proposed') return;
    const aid = typeof entry['article'] === 'string' ? entry['article'] : '';
    put(event, String(entry['tenant']), 'calls', { id: entry.chain, aid, kind: String(entry['key']) }, to);
    return;
  }
  if (status === 'proposed' || remarks.has(status)) return;
  const open = to.row(openInvocationTable, entry.chain);
  if (open?.status === 'proposed') to.remove(waitingTable, placeOfQueue(open.tenant, 'calls'), entry.chain);
}

function projectContribution(event: Event, aid: string, to: Projection): void {
  const content = event.contents['content_sha'] as Contribution | undefined;
  const tenant = to.row(articleTable, aid)?.tenant;
  if (content === undefined || tenant === undefined) return;
  const { id, kind, actor: name } = content;
  put(event, tenant, queueOfKind[kind], { id, aid, kind, name }, to);
}

function projectEntry(event: Event, aid: string, to: Projection): void {
  const content = event.contents['content_sha'] as Post | undefined;
  const tenant = to.row(articleTable, aid)?.tenant;
  if (content === undefined || tenant === undefined || !asksForAnswer(content)) return;
  const { id, stance, actor: name } = content;
  put(event, tenant, 'objections', { id, aid, kind: stance, name }, to);
}

function projectVote(event: Event, aid: string, to: Projection): void {
  const { entry } = event.sealed;
  const tenant = to.row(articleTable, aid)?.tenant;
  if (tenant === undefined) return;
  const id = String(entry['vote']);
  if (entry['action'] === 'vote') {
    const content = event.contents['content_sha'] as Vote | undefined;
    if (content === undefined) return;
    const { proposal, actor: name } = content;
    put(event, tenant, 'votes', { id, aid, kind: proposal, name }, to);
  } else if (entry['decision'] !== 'deferred') to.remove(waitingTable, placeOfQueue(tenant, 'votes'), id);
}

/** What a write to the article decides, and drafts: begun by others than the owner, until they are published. */
function projectWrite(event: Event, aid: string, to: Projection): void {
  const { entry } = event.sealed;
  const content = event.contents['content_sha'] as ProvenanceContent | undefined;
  const { created, status } = content?.change ?? {};
  if (created !== undefined && status !== 'published' && entry.actor !== 'owner')
    put(event, created.tenant, 'drafts', { id: aid, aid, kind: 'draft' }, to);
  const tenant = to.row(articleTable, aid)?.tenant;
  if (tenant === undefined) return;
  if (status !== undefined && status !== 'draft')
    to.remove(waitingTable, placeOfQueue(tenant, 'drafts'), aid);
  const { contribution, settles } = entry;
  if (typeof contribution === 'string')
    for (const queue of contributionQueues)
      to.remove(waitingTable, placeOfQueue(tenant, queue), contribution);
  if (typeof settles === 'string') to.remove(waitingTable, placeOfQueue(tenant, 'objections'), settles);
}

function projectAssignment(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  const action = entry['action'];
  if (action === 'lease') {
    const content = event.contents['content_sha'] as AssignmentRecord | undefined;
    if (content === undefined) return;
    const { id, tenant, lane, replaces } = content;
    if (replaces !== null) to.remove(waitingTable, placeOfQueue(tenant, 'assignments'), replaces.id);
    put(event, tenant, 'assignments', { id, aid: '', kind: lane }, to);
  } else if (action === 'return' || action === 'complete') {
    const tenant = to.row(assignmentTable, entry.chain)?.record.tenant;
    if (tenant !== undefined) to.remove(waitingTable, placeOfQueue(tenant, 'assignments'), entry.chain);
  }
}
