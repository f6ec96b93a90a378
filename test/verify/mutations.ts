/**
 * Every single change of a JSON document: each member and each item is dropped, replaced (also by another type),
 * swapped with a neighbour, repeated or joined by one that was not there. A change is made in place and taken back.
 */
import { expect } from 'vitest';
import type { Json, Report } from '../../verify/index.ts';
import { failuresOf } from '../unit/verify/support.ts';

/** Takes minutes: `COLOPHON_MUTATIONS=all` makes every change of every item; otherwise every fourth one is made. */
const all = process.env['COLOPHON_MUTATIONS'] === 'all';

type Holder = Record<string, unknown> | unknown[];

export interface Mutation {
  /** What was changed, such as `claims[0].text dropped`. */
  readonly what: string;
  /** The changed member with `[]` for every position; for a change of a list as such, the list's name with `[]`. */
  readonly place: string;
}

/** Makes every change in turn; `look` sees the document as it is then. */
export async function mutate(document: Json, look: (mutation: Mutation) => Promise<void>): Promise<number> {
  let made = 0;
  const nodes = [...holders(document, '')];
  for (const { holder, at } of nodes)
    for (const [what, change] of Array.isArray(holder)
      ? changesOfList(holder, at)
      : changesOfObject(holder, at)) {
      const before = Array.isArray(holder) ? [...holder] : { ...holder };
      const text = JSON.stringify(holder);
      const mutation = change();
      if (JSON.stringify(holder) !== text) {
        made++;
        if (all || made % 4 === 0) await look({ what, place: mutation.replaceAll(/\[\d+\]/g, '[]') });
      }
      restore(holder, before);
    }
  return made;
}

/** Whether a list of uncovered places names the one that was changed. */
export function isNamed(uncovered: readonly string[], place: string): boolean {
  return uncovered.some((named) => {
    if (named === place) return true;
    const below = named.endsWith('[].*') ? named.slice(0, -2) : named;
    return !named.endsWith('[]') && (place.startsWith(`${below}.`) || place.startsWith(`${below}[`));
  });
}

/** Changes that were accepted and are not named, of every kind. */
export async function accepted(
  document: Json,
  verify: (document: Json) => Promise<Report>,
): Promise<{ readonly made: number; readonly unnamed: readonly string[] }> {
  const sound = await verify(document);
  expect(failuresOf(sound)).toEqual([]);
  const unnamed: string[] = [];
  const made = await mutate(document, async ({ what, place }) => {
    const report = await verify(document);
    if (report.ok && !isNamed([...(sound.uncovered ?? []), ...(report.uncovered ?? [])], place))
      unnamed.push(what);
  });
  // Every change was taken back.
  expect(await verify(document)).toEqual(sound);
  return { made, unnamed };
}

function restore(holder: Holder, before: Holder): void {
  if (Array.isArray(holder)) holder.splice(0, holder.length, ...(before as unknown[]));
  else {
    for (const name of Object.keys(holder)) Reflect.deleteProperty(holder, name);
    Object.assign(holder, before);
  }
}

function* holders(value: unknown, at: string): Iterable<{ readonly holder: Holder; readonly at: string }> {
  if (typeof value !== 'object' || value === null) return;
  yield { holder: value as Holder, at };
  const names = Object.keys(value);
  // Items of one list are alike: their members are changed in the first and in the last of them.
  const some =
    Array.isArray(value) && !all ? names.filter((_, i) => i === 0 || i === names.length - 1) : names;
  for (const name of some) yield* holders((value as Record<string, unknown>)[name], placeIn(value, at, name));
}

function placeIn(holder: unknown, at: string, name: string): string {
  if (Array.isArray(holder)) return `${at}[${name}]`;
  return at === '' ? name : `${at}.${name}`;
}

/** What a change is called, and what makes it and answers with its place. */
type Change = readonly [what: string, make: () => string];

function* changesOfObject(holder: Record<string, unknown>, at: string): Iterable<Change> {
  const names = Object.keys(holder);
  yield [
    `${at}.added added`,
    () => {
      holder['added'] = 'by somebody';
      return placeIn(holder, at, 'added');
    },
  ];
  for (const [i, name] of names.entries()) {
    const place = placeIn(holder, at, name);
    yield [
      `${place} dropped`,
      () => {
        Reflect.deleteProperty(holder, name);
        return place;
      },
    ];
    for (const other of others(holder[name]))
      yield [
        `${place} replaced by ${JSON.stringify(other)?.slice(0, 60)}`,
        () => {
          holder[name] = other;
          return place;
        },
      ];
    const next = names[i + 1];
    if (next !== undefined)
      yield [
        `${place} exchanged with ${next}`,
        () => {
          [holder[name], holder[next]] = [holder[next], holder[name]];
          return place;
        },
      ];
  }
}

function* changesOfList(list: unknown[], at: string): Iterable<Change> {
  const change = (what: string, make: () => void): Change => [
    `${at} ${what}`,
    () => {
      make();
      return `${at}[]`;
    },
  ];
  yield change('joined by a stranger', () => void list.push({ id: 'x' }));
  yield change('emptied', () => void list.splice(0));
  yield change('reversed', () => void list.reverse());
  for (const i of list.keys()) {
    yield change(`without item ${i}`, () => void list.splice(i, 1));
    yield change(`with item ${i} twice`, () => void list.splice(i, 0, structuredClone(list[i])));
    if (i + 1 < list.length)
      yield change(`with items ${i} and ${i + 1} swapped`, () => {
        [list[i], list[i + 1]] = [list[i + 1], list[i]];
      });
    for (const other of others(list[i]))
      yield [
        `${at}[${i}] replaced by ${JSON.stringify(other)?.slice(0, 60)}`,
        () => {
          list[i] = other;
          return `${at}[${i}]`;
        },
      ];
    const next = list[i + 1];
    if (isObject(list[i]) && isObject(next))
      for (const name of Object.keys(list[i]))
        if (name in next)
          yield [
            `${at}[${i}].${name} exchanged with that of the next`,
            () => {
              const own = list[i] as Record<string, unknown>;
              list[i] = { ...own, [name]: next[name] };
              list[i + 1] = { ...next, [name]: own[name] };
              return `${at}[${i}].${name}`;
            },
          ];
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Other values in place of one: a near one, an empty one, and ones of other types. */
function others(value: unknown): unknown[] {
  switch (typeof value) {
    case 'string':
      return [nearby(value), '', 7, null];
    case 'number':
      return [value + 1, -value - 1, String(value), null];
    case 'boolean':
      return [!value, String(value), null];
    default:
      if (value === null) return ['x', 0, {}];
      return Array.isArray(value) ? [{ ...value }, null, 'x'] : [[value], {}, null];
  }
}

/** The same text with one character changed, in the middle. */
function nearby(text: string): string {
  const at = Math.floor(text.length / 2);
  const other = text[at] === 'a' ? 'b' : 'a';
  return text.slice(0, at) + other + text.slice(at + 1);
}
