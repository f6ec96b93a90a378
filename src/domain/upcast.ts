/**
 * How stored objects of an earlier shape are read. Entries never change; a member that an object lacked when it was
 * stored is filled in here, whichever action's entry carries the object, before projectors, reads and imports see it.
 * A new member of a claim is one line: `claim: { note: null }` in `laterMembers`. Answers that show an entry's content
 * beside its hash show it as it was stored.
 */
import type { Event } from '../engine/act.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Claim } from '../model/claim.ts';
import type { Source } from '../model/source.ts';
import { parseArticleChain } from './articles/chains.ts';

/** By kind of object: the members that its first version lacked, each with the value that stands for its absence. */
export const laterMembers = {
  claim: {} satisfies Partial<Claim>,
  source: {} satisfies Partial<Source>,
  // 0.1.0 appended it to the log as it was, and began no new log.
  rollback: { earlier: null },
};
export type LaterMembers = Readonly<Record<keyof typeof laterMembers, JsonObject>>;

type Place = Pick<Entry, 'chain'> & { readonly action?: JsonValue };

/** In which entries an object stands, and where in their `content_sha`; `*` is every item of a list. */
const places: Readonly<
  Record<keyof LaterMembers, { isIn(entry: Place): boolean; readonly at: readonly string[] }>
> = {
  claim: {
    isIn: ({ chain }) => parseArticleChain(chain)?.of === 'provenance',
    at: ['change', 'claims', '*', 'claim'],
  },
  source: { isIn: ({ chain }) => parseArticleChain(chain)?.of === 'sources', at: [] },
  rollback: { isIn: ({ action }) => action === 'accept_rollback', at: [] },
};

/** The event as projectors know it; the same one if its objects have the present shape. */
export function upcast(event: Event, later?: LaterMembers): Event {
  const stored = event.contents['content_sha'];
  if (stored === undefined) return event;
  const content = upcastContent(event.sealed.entry, stored, later);
  return content === stored ? event : { ...event, contents: { ...event.contents, content_sha: content } };
}

/** The `content_sha` of an entry. */
export function upcastContent(
  entry: Place,
  content: JsonValue,
  later: LaterMembers = laterMembers,
): JsonValue {
  let read = content;
  for (const kind of Object.keys(places) as (keyof LaterMembers)[])
    if (Object.keys(later[kind]).length > 0 && places[kind].isIn(entry))
      read = fillIn(read, places[kind].at, later[kind]);
  return read;
}

/** Replaced and foreign content may have any shape. */
function fillIn(value: JsonValue, [name, ...rest]: readonly string[], later: JsonObject): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((item) => (name === '*' ? fillIn(item, rest, later) : item));
  const object = value as JsonObject;
  if (name === undefined)
    return Object.keys(later).every((member) => member in object) ? value : { ...later, ...object };
  const inner = object[name];
  return inner === undefined ? value : { ...object, [name]: fillIn(inner, rest, later) };
}
