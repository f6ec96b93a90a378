/** Which page of the queue is looked at (contract §8): as its address and its forms name it. */
import { queues, type Queue } from '../../../../domain/waiting/queue.ts';
import type { Form } from '../../../http/browser-forms.ts';
import type { Query } from '../../../http/requests.ts';
import { unreadable } from '../../../http/route.ts';
import { type ConsoleContext, sections } from '../console-page.tsx';

export interface WaitingPlace {
  readonly queue?: Queue | undefined;
  readonly article?: string | undefined;
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

/** The place as fields of a form, so that its answer comes back to it. */
export function PlaceFields({ place }: { readonly place: WaitingPlace }) {
  return <input type="hidden" name="place" value={queryOf(place).toString()} />;
}
