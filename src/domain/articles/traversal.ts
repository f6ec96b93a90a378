/**
 * Where an article stands in a series (spec §2.1 `extra.normandy_v1.traversal`). An article is in the series that
 * `series` names, in the order of `position` (then of slugs); `of`, `prev`, `next` and `hub` are what its writer said
 * and may be absent. ARTICLE_META writes it, as `traversal`. The refusal names what of it could not be read out again;
 * what is stored may be older than that, so that only what has the right shape is read.
 */
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { findDeceptive } from '../../kernel/invisible-characters.ts';
import type { ArticleMeta } from '../../model/article.ts';
import { isObject } from '../../kernel/json-value.ts';

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

export interface PlaceProblem {
  /** The member that is wrong, as a path below what was given. */
  readonly at: string;
  readonly message: string;
  readonly fix: string;
}

/** What of a place in a series could not be read out again, or leads nowhere. */
export function placeProblems(slug: string, given: JsonObject): PlaceProblem[] {
  const problems: PlaceProblem[] = (['prev', 'next', 'hub'] as const).flatMap((name) => {
    if ((given[name] ?? null) === null) return [];
    const to = slugIn(given[name]);
    if (to === null) return [{ at: name, message: 'It is no slug.', fix: 'Name an article by its slug.' }];
    return to === slug && name !== 'hub'
      ? [{ at: name, message: 'It is the article itself.', fix: 'Name its neighbour, or null.' }]
      : [];
  });
  const hidden = typeof given['series'] === 'string' ? findDeceptive(given['series']) : undefined;
  if (hidden !== undefined)
    problems.push({
      at: 'series',
      message: `The series holds ${hidden.name}, which readers do not see.`,
      fix: 'Take it out.',
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

const members: ReadonlySet<string> = new Set(['prev', 'next', 'hub', 'series', 'position', 'of']);
const seriesCharsMax = 100;

/** What is wrong with `extra.normandy_v1` as a writer gives it; null takes the article out of its series. */
export function markProblems(slug: string, given: JsonValue): PlaceProblem[] {
  if (given === null) return [];
  if (!isObject(given) || Object.keys(given).some((name) => name !== 'traversal'))
    return [
      {
        at: '',
        message: 'It holds something else than a traversal.',
        fix: 'Send {"traversal":{…}}, or null.',
      },
    ];
  const { traversal = null } = given;
  if (traversal === null) return [];
  if (!isObject(traversal))
    return [
      { at: '/traversal', message: 'It is no object.', fix: `Send an object of ${[...members].join(', ')}.` },
    ];
  const strangers = Object.keys(traversal).filter((name) => !members.has(name));
  const { series = null } = traversal;
  return [
    ...strangers.map((name) => ({
      at: `/traversal/${name.slice(0, 60)}`,
      message: 'A place in a series has no such member.',
      fix: `It has ${[...members].join(', ')}.`,
    })),
    ...(series === null || (typeof series === 'string' && series.length <= seriesCharsMax)
      ? []
      : [
          {
            at: '/traversal/series',
            message: `It is no text of up to ${seriesCharsMax} characters.`,
            fix: 'Name the series.',
          },
        ]),
    ...(['position', 'of'] as const)
      .filter((name) => (traversal[name] ?? null) !== null && placeIn(traversal[name]) === null)
      .map((name) => ({
        at: `/traversal/${name}`,
        message: 'It is no whole number from 1.',
        fix: 'Count from 1, or leave it out.',
      })),
    ...placeProblems(slug, traversal).map((problem) => ({ ...problem, at: `/traversal/${problem.at}` })),
  ];
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
