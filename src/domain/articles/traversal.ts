/**
 * Where an article stands in a series (spec §2.1 `extra.normandy_v1.traversal`). `extra` takes whatever a writer
 * puts there, so what is read out of it here is what has the right shape, and nothing else.
 */
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { ArticleMeta } from './tables.ts';

export interface Traversal {
  /** Slugs. */
  readonly prev: string | null;
  readonly next: string | null;
  readonly hub: string | null;
  readonly series: string | null;
  /** Counted from 1. */
  readonly position: number | null;
  readonly of: number | null;
}

/** Nothing for an article that stands by itself. */
export function traversalOf({ extra }: Pick<ArticleMeta, 'extra'>): Traversal | undefined {
  const given = memberOf(memberOf(extra, 'normandy_v1'), 'traversal');
  if (!isObject(given)) return undefined;
  const { series } = given;
  return {
    prev: slugIn(given['prev']),
    next: slugIn(given['next']),
    hub: slugIn(given['hub']),
    series: typeof series === 'string' ? series : null,
    position: placeIn(given['position']),
    of: placeIn(given['of']),
  };
}

interface Problem {
  /** The member of the traversal. */
  readonly at: string;
  readonly message: string;
  readonly fix: string;
}

/** What of a place in a series could not be read out again, or leads nowhere. */
export function placeProblems(slug: string, given: JsonObject): Problem[] {
  const problems: Problem[] = (['prev', 'next', 'hub'] as const).flatMap((name) => {
    if ((given[name] ?? null) === null) return [];
    const to = slugIn(given[name]);
    if (to === null) return [{ at: name, message: 'It is no slug.', fix: 'Name an article by its slug.' }];
    return to === slug && name !== 'hub'
      ? [{ at: name, message: 'It is the article itself.', fix: 'Name its neighbour, or null.' }]
      : [];
  });
  const [position, of] = [placeIn(given['position']), placeIn(given['of'])];
  if (position !== null && of !== null && position > of)
    problems.push({
      at: 'position',
      message: `The series has ${of} articles, and this would be number ${position}.`,
      fix: 'Send a position from 1 to of.',
    });
  return problems;
}

/** A slug by itself, or the object that has it. */
function slugIn(value: JsonValue | undefined): string | null {
  const slug = isObject(value) ? value['slug'] : value;
  return typeof slug === 'string' && /^[a-z0-9-]{2,120}$/.test(slug) ? slug : null;
}

function placeIn(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : null;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
