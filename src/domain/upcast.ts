/**
 * How stored entries of an earlier shape are read. Entries never change; members that an earlier version lacked are
 * filled in here before projectors and imports see the content. A read that parses stored content itself calls
 * `upcastContent`, unless it shows the content as it was stored.
 */
import type { Event } from '../engine/act.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';

/** `content_sha` of an entry in its present shape; content that has it already is returned as it is. */
type Upcaster = (content: JsonObject) => JsonObject;

/** By the action of the entry. */
export type Upcasters = ReadonlyMap<JsonValue | undefined, Upcaster>;

const upcasters: Upcasters = new Map([
  // 0.1.0 appended it to the log as it was, and began no new log.
  ['accept_rollback', (content) => ('earlier' in content ? content : { ...content, earlier: null })],
]);

/** The event as projectors know it; the same one if its shape is the present one. */
export function upcast(event: Event, by: Upcasters = upcasters): Event {
  const before = event.contents['content_sha'];
  if (before === undefined) return event;
  const content = upcastContent(event.sealed.entry['action'], before, by);
  return content === before ? event : { ...event, contents: { ...event.contents, content_sha: content } };
}

/** The content of an entry that is read past the projections. Replaced and foreign content may be no object. */
export function upcastContent(
  action: JsonValue | undefined,
  content: JsonValue,
  by: Upcasters = upcasters,
): JsonValue {
  const upcaster = by.get(action);
  if (upcaster === undefined || typeof content !== 'object' || content === null || Array.isArray(content))
    return content;
  return upcaster(content as JsonObject);
}
