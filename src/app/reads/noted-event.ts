/** Which entries of the log are events for notifications (contract §8), and what a message may say of them. */
import { contentValue } from '../../engine/act.ts';
import type { ReadableEntry } from '../../engine/readable-entries.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { NotedEvent } from '../../model/notification.ts';
import type { ReadContext } from '../read-context.ts';
import { kindOf, verbOf, type SubjectResolver } from './log-subject.ts';

const changes: ReadonlySet<string> = new Set([
  'write',
  'append',
  'rewrite',
  'revert',
  'meta',
  'voxel_edit',
  'voxel_split',
  'voxel_move',
  'voxel_consolidate',
  'voxel_burn',
  'claim',
  'claim_repair',
  'claim_retract',
  'source',
  'mirror_accept',
]);

/** The event of an entry and its workspace; undefined for entries that notify no one. */
export async function notedEvent(
  context: ReadContext,
  subjects: SubjectResolver,
  { index, text, contents }: ReadableEntry,
): Promise<{ readonly tenant: string; readonly event: NotedEvent } | undefined> {
  const entry = JSON.parse(text) as Entry;
  const type = await typeOf(context, entry);
  if (type === undefined) return undefined;
  const subject = await subjects.of(entry);
  if (subject === undefined) return undefined;
  const stored = contents?.find(({ field }) => field === 'content_sha');
  const content = ((stored === undefined ? undefined : contentValue(stored)) ?? {}) as JsonObject;
  return {
    tenant: subject.tenant,
    event: {
      type,
      log_index: index,
      ts: entry.ts,
      actor: entry.actor,
      kind: kindOf(entry.chain) ?? 'system',
      verb: verbOf(entry),
      article: subject.article?.slug ?? null,
      object: idIn(content['claim_id']) ?? idIn(content['target']) ?? null,
      detail: wordIn(content['kind']) ?? wordIn(content['stance']) ?? null,
      key: wordIn(entry['key']) ?? null,
      inv:
        typeof entry['inv'] === 'string' ? entry['inv'] : entry.chain.startsWith('inv_') ? entry.chain : null,
    },
  };
}

async function typeOf(
  { read }: Pick<ReadContext, 'read'>,
  entry: Entry,
): Promise<Exclude<NotedEvent['type'], 'test'> | undefined> {
  const verb = verbOf(entry);
  // The owner need not be told of what the owner proposes or says.
  const byOwner = entry.actor === 'owner';
  switch (kindOf(entry.chain)) {
    case 'contribution':
      return verb === 'contribute' && !byOwner ? 'contribution.proposed' : undefined;
    case 'discourse':
      return byOwner ? undefined : 'discussion.entry';
    case 'vote':
      return verb === 'vote' && !byOwner ? 'vote.cast' : undefined;
    case 'article':
      return changes.has(verb) ? 'article.changed' : undefined;
    case 'assignment':
      return verb === 'complete' ? 'assignment.completed' : undefined;
    case 'invocation': {
      if (verb === 'proposed') return 'call.waiting';
      if (entry.n === 0 || (verb !== 'success' && verb !== 'failed')) return undefined;
      const [first] = await read.chain(entry.chain);
      return first !== undefined && verbOf(JSON.parse(first.text) as Entry) === 'proposed'
        ? 'call.finished'
        : undefined;
    }
    default:
      return undefined;
  }
}

function idIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[cds]\d{1,9}$/.test(value) ? value : undefined;
}

function wordIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z_]{1,60}$/.test(value) ? value : undefined;
}
