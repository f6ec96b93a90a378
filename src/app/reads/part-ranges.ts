/**
 * Ranges of the parts of an article that come whole otherwise (contract §2, §7), for callers whose tool takes bounded
 * answers: `chars` bounds the characters of the answer, `from` says how many items come before. A range holds at least
 * one item.
 */
import { links } from '../../domain/links.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { PartRequest } from './define-read.ts';
import { wholeNumberOf } from './whole-number.ts';

/** The list of a part that a range shows a piece of. */
const rangedLists: Readonly<Record<string, string>> = {
  claims: 'claims',
  sources: 'sources',
  voxels: 'divs',
  discourse: 'entries',
};
export const rangeParameters = ['from', 'chars'] as const;
export const isRangedPart = (part: string): boolean => Object.hasOwn(rangedLists, part);

/** Web-model runtimes take 100,000 characters. */
export const rangeCharsMax = 95_000;
export const rangeFromMax = 999_999_999;
/** Members of the envelope, and of the range itself. */
const envelopeChars = 2000;

/** The requested range of a part; the part itself where none is requested. */
export function rangeOfPart(
  part: string,
  { context, access, query }: PartRequest,
  read: JsonObject,
): JsonObject | Fault {
  const list = isRangedPart(part) ? rangedLists[part] : undefined;
  if (list === undefined || (query['from'] === undefined && query['chars'] === undefined)) return read;
  const chars = wholeNumberOf(query['chars'], 'chars', rangeCharsMax, rangeCharsMax);
  if (isFault(chars)) return chars;
  const from = wholeNumberOf(query['from'], 'from', 0, rangeFromMax);
  if (isFault(from)) return from;
  const { [list]: items, ...others } = read;
  const all = items as readonly JsonValue[];
  const start = Math.min(from, all.length);
  const end = endOfRange(all, start, chars - envelopeChars - JSON.stringify(others).length);
  const next = new URLSearchParams({
    ...(query['include_inactive'] === undefined ? {} : { include_inactive: query['include_inactive'] }),
    chars: String(chars),
    from: String(end),
  });
  return {
    ...others,
    [list]: all.slice(start, end),
    ...(others['count'] === undefined ? {} : { count: end - start }),
    total: all.length,
    next:
      end < all.length ? `${links.articlePart(context.base, access.slug, part)}?${next.toString()}` : null,
  };
}

function endOfRange(all: readonly JsonValue[], start: number, charsMax: number): number {
  let chars = 0;
  let end = start;
  while (end < all.length) {
    chars += JSON.stringify(all[end]).length + 1;
    if (chars > charsMax && end > start) break;
    end += 1;
  }
  return end;
}
