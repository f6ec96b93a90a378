/** The common form of entries that a call leaves (contract §1.5): who, when, by which invocation, and one content. */
import type { EventDraft } from '../engine/act.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { Context } from './context.ts';

/** The next entry of a chain. `content`, where there is one, is committed to as `content_sha`. */
export function actEntry(
  { now, actor, inv }: Pick<Context, 'now' | 'actor' | 'inv'>,
  chain: string,
  head: EventDraft['head'],
  action: string,
  content?: JsonValue,
  members: JsonObject = {},
): EventDraft {
  return {
    draft: { chain, ts: now, actor, action, inv, ...members },
    head,
    ...(content === undefined ? {} : { contents: [{ field: 'content_sha', value: content }] }),
  };
}
