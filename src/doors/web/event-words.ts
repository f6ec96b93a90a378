/** An event of notifications in plain words, and its page: the same in messages, in the private feed and on the desk. */
import type { EntryKind } from '../../app/reads/log-subject.ts';
import type { NotedEvent } from '../../model/notification.ts';
import { actorText } from './format-text.ts';
import { plainText, wordsOf } from './plain-words.ts';

export function eventText(event: NotedEvent): string {
  const { type, actor, kind, verb, article, object, detail, key } = event;
  if (type === 'test') return 'This is a test message.';
  if (type === 'call.waiting') return `A call of ${key ?? 'a row'} waits for your approval.`;
  const act = {
    kind: kind as EntryKind,
    verb,
    target: object,
    detail,
    key,
    ...(object === null ? {} : { of: [object] }),
  };
  const words = plainText(wordsOf(act, article === null ? undefined : { slug: article, title: article }));
  const who = actorText(actor);
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} ${words}.`;
}

/** The page of what an event is about. */
export function eventPage(base: string, { article, object, inv }: NotedEvent): string {
  if (article !== null)
    return `${base}/a/${article}${object === null || object.startsWith('s') ? '' : `/${object}`}`;
  return inv === null ? `${base}/owner/waiting` : `${base}/receipt/${inv}`;
}
