/** Which page of the queue is looked at (contract §8): as its address and its forms name it. */
import { queues, type Queue } from '../../../../model/vocabulary.ts';
import type { Form } from '../../../http/browser-forms.ts';
import type { Query } from '../../../http/requests.ts';
import { unreadable } from '../../../http/route.ts';
import { type ConsoleContext, sections } from '../console-page.tsx';

const day = 86_400_000;

/** What an item's age may be: younger or older than so many milliseconds, and in words. */
export const ages = {
  new: { younger: day, words: 'the last 24 hours' },
  day: { older: day, words: 'more than a day' },
  week: { older: 7 * day, words: 'more than a week' },
  month: { older: 30 * day, words: 'more than 30 days' },
} as const;

export type Age = keyof typeof ages;

export interface WaitingPlace {
  readonly queue?: Queue | undefined;
  readonly article?: string | undefined;
  readonly kind?: string | undefined;
  readonly person?: string | undefined;
  readonly age?: Age | undefined;
  readonly order?: 'oldest' | undefined;
  readonly after?: string | undefined;
}

/** The place that an address or a form's `place` names; unknown values are left out. */
export function placeOf(query: Query): WaitingPlace {
  const given = (name: string): string | undefined => {
    const value = query[name]?.trim();
    return value === undefined || value === '' || value === unreadable ? undefined : value;
  };
  const queue = given('queue');
  const isQueue = queues.some((each) => each === queue);
  return {
    ...(isQueue ? { queue: queue as Queue } : {}),
    ...(given('article') === undefined ? {} : { article: given('article') }),
    ...(given('kind') === undefined ? {} : { kind: given('kind') }),
    ...(given('person') === undefined ? {} : { person: given('person') }),
    ...(Object.hasOwn(ages, given('age') ?? '') ? { age: given('age') as Age } : {}),
    ...(given('order') === 'oldest' ? { order: 'oldest' as const } : {}),
    ...(given('after') === undefined ? {} : { after: given('after') }),
  };
}

export function placeOfForm(form: Form): WaitingPlace {
  return placeOf(Object.fromEntries(new URLSearchParams(form.get('place') ?? '')));
}

/** The address of a page of the queue. */
export function waitingAddress(context: ConsoleContext, place: WaitingPlace): string {
  const query = queryOf(place);
  if (context.workspace !== 'main') query.set('workspace', context.workspace);
  const text = query.toString();
  return `${context.site.root}/owner${sections.waiting.path}${text === '' ? '' : `?${text}`}`;
}

function queryOf(place: WaitingPlace): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(place)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** The times that an age reaches from and to. */
export function timesOf(
  { age }: WaitingPlace,
  now: number,
): { readonly since?: string; readonly until?: string } {
  if (age === undefined) return {};
  const at = ages[age];
  return 'younger' in at
    ? { since: new Date(now - at.younger).toISOString() }
    : { until: new Date(now - at.older).toISOString() };
}

/** The place as fields of a form, so that its answer comes back to it. */
export function PlaceFields({ place }: { readonly place: WaitingPlace }) {
  return <input type="hidden" name="place" value={queryOf(place).toString()} />;
}
