/**
 * Routes of the queue (contract §8): its pages, and decisions on many items with one note. Each decision is a call of
 * its own with its own receipt; the answer says of each whether it is on the ledger, and why not.
 */
import { dispatch } from '../../../../app/pipeline/dispatch.ts';
import type { Call } from '../../../../app/plans/call.ts';
import {
  approvedCalls,
  readWaiting,
  readWaitingItem,
  type WaitingItem,
} from '../../../../app/reads/waiting.ts';
import { queues } from '../../../../model/vocabulary.ts';
import { fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import { sha256Hex } from '../../../../kernel/hash.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, type Reply } from '../../../http/replies.ts';
import { route } from '../../../http/route.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import type { Site } from '../../site.ts';
import type { ConsoleContext } from '../console-page.tsx';
import { decide, type Decision } from './decisions.ts';
import { consoleContextOf, consoleQuery, deskDeclarations, formToken } from '../desk.ts';
import type { RefusedDecision } from './decision-form.tsx';
import { placeOf, placeOfForm, timesOf, type WaitingPlace } from './place.tsx';
import { waitingPage, type Outcome } from './waiting-page.tsx';
import { labelOf } from './words.ts';

const pageItems = 25;

const placeQuery = {
  queue: stringParam(`one of ${queues.join(', ')}; without it all that is decided`),
  article: stringParam('the slug of an article'),
  kind: stringParam('a kind, as the filter has it'),
  person: stringParam('a name as it was typed, or a fingerprint'),
  age: stringParam('new, day, week or month: how long it has waited'),
  order: stringParam('oldest: the oldest first'),
  after: stringParam('as the link to the next page has it'),
};

export function waitingRoutes(server: RouteServer, site: Site): void {
  const { requestLimits } = server;
  const { page, form } = deskDeclarations(site);

  route(
    server,
    {
      ...page,
      get: '/owner/waiting',
      id: 'waitingPage',
      summary: 'What waits for a decision.',
      query: { ...consoleQuery, ...placeQuery },
    },
    async ({ query, session }) => {
      const context = await consoleContextOf(site, session, query);
      return isFault(context) ? context : pageReply(await renderWaiting(context, placeOf(query)));
    },
  );

  const body = {
    form_token: formToken,
    once: stringParam('as the page has it'),
    workspace: stringParam('the workspace that is meant'),
    place: stringParam('the page to come back to'),
    decision: stringParam('accept or reject'),
    note: stringParam('one note for all'),
  };
  route(
    server,
    {
      ...form,
      post: '/owner/waiting',
      id: 'decideTogether',
      summary: 'Decides the chosen items, each by a call of its own.',
      body,
      required: ['form_token', 'workspace', 'decision'],
      open: true,
      validate: () => ({ query: consoleQuery }),
    },
    async ({ request, query, session, form: sent }) => {
      const context = await consoleContextOf(site, session, query, sent);
      if (isFault(context)) return context;
      return decideTogether(context, sent, {
        client: requestLimits.address(request),
        meter: requestLimits.meter(request),
      });
    },
  );
}

export async function renderWaiting(
  context: ConsoleContext,
  place: WaitingPlace,
  after: {
    readonly refused?: ReadonlyMap<string, RefusedDecision>;
    readonly report?: readonly Outcome[];
  } = {},
): Promise<string> {
  const { session, tenant, site } = context;
  const reading = { ...site.service, tenant, viewer: session.credential };
  const [page, approved] = await Promise.all([
    readWaiting(reading, {
      queue: place.queue,
      slug: place.article,
      kind: place.kind,
      name: place.person,
      ...timesOf(place, site.service.now()),
      oldestFirst: place.order === 'oldest',
      after: place.after,
      limit: pageItems,
    }),
    (place.queue ?? 'calls') === 'calls' && place.after === undefined ? approvedCalls(reading) : [],
  ]);
  // What was refused stands on the page even where a filter or the order would leave it out.
  const missing = [...(after.refused ?? [])].filter(([id]) => page.items.every((item) => item.id !== id));
  const brought = await Promise.all(
    missing.map(([id, { sent }]) => readWaitingItem(reading, queueIn(sent, id), id)),
  );
  const items = [...brought.filter((item) => item !== undefined), ...page.items];
  return waitingPage(context, { ...after, place, approved, page: { ...page, items } });
}

/** The queue of an item by the form that decided it. */
function queueIn(sent: Form, id: string): string {
  const [queue = ''] = (sent.get('item') ?? '').split(' ');
  if (queue !== '') return queue;
  const chosen = [...sent.keys()].find((name) => name.startsWith('choose ') && name.endsWith(` ${id}`));
  return chosen?.split(' ')[1] ?? '';
}

/** The item that a form on the queue decides, while it waits. */
export async function itemOfForm(context: ConsoleContext, form: Form): Promise<WaitingItem | undefined> {
  const [queue = '', id = ''] = (form.get('item') ?? '').split(' ');
  const { session, tenant, site } = context;
  return readWaitingItem({ ...site.service, tenant, viewer: session.credential }, queue, id);
}

/** Items that one form decides; a page shows fewer. */
const togetherMax = 100;

async function decideTogether(
  context: ConsoleContext,
  form: Form,
  caller: Pick<Call, 'client' | 'meter'>,
): Promise<Reply | Fault> {
  const place = placeOfForm(form);
  const decision = form.get('decision');
  if (decision !== 'accept' && decision !== 'reject')
    return fault('invalid_request', '"decision" must be accept or reject.', 'Use the buttons of the form.');
  const chosen = [...form.keys()].flatMap((name) => {
    const [, queue, id] = /^choose ([a-z]+) (\w+)$/.exec(name) ?? [];
    return queue === undefined || id === undefined ? [] : [{ queue, id }];
  });
  if (chosen.length === 0 || chosen.length > togetherMax) {
    const failed =
      chosen.length === 0
        ? 'No item is chosen.'
        : `${chosen.length} items are chosen; at most ${togetherMax} are decided at once.`;
    const fix = 'Tick the boxes of the items that the decision is about.';
    return pageReply(await renderWaiting({ ...context, notice: { failed, fix } }, place), 422);
  }
  const { session, tenant, site } = context;
  const reading = { ...site.service, tenant, viewer: session.credential };
  const report: Outcome[] = [];
  const refused = new Map<string, RefusedDecision>();
  for (const { queue, id } of chosen) {
    const item = await readWaitingItem(reading, queue, id);
    if (item === undefined) {
      report.push({ label: id, refusal: gone });
      continue;
    }
    const outcome = await decideOne(context, item, decision, form, caller);
    report.push(outcome);
    if (outcome.refusal !== undefined) refused.set(id, { refusal: outcome.refusal, sent: form });
  }
  return pageReply(await renderWaiting(context, place, { report, refused }));
}

const gone = fault(
  'already_decided',
  'It no longer waits: it was decided meanwhile.',
  'Its receipt says by whom.',
);

async function decideOne(
  context: ConsoleContext,
  item: WaitingItem,
  decision: Decision,
  form: Form,
  caller: Pick<Call, 'client' | 'meter'>,
): Promise<Outcome> {
  const label = labelOf(item);
  const call = decide(item, decision, form.get('note')?.trim() ?? '');
  if (isFault(call)) return { label, refusal: call };
  const body = JSON.stringify(call.args);
  const once = form.get('once');
  const answer = await dispatch(context.site.service, {
    ...caller,
    key: call.key,
    body,
    presented: context.session.presented,
    workspace: context.workspace,
    method: 'POST',
    channel: 'console',
    idempotencyKey:
      once === undefined ? undefined : `console ${sha256Hex(JSON.stringify([once, call.key, body]))}`,
  });
  if (isFault(answer)) return { label, refusal: answer };
  if (answer.kind !== 'called') return { label };
  return { label, inv: answer.inv, refusal: answer.refusal };
}
