/** `/owner/notifications`, the owner's page of notifications, and `/notifications.xml`, a private feed (contract §8). */
import { dispatch } from '../../../app/pipeline/dispatch.ts';
import { listTargets, readNotificationFeed } from '../../../app/reads/notifications.ts';
import { isFault, type Fault } from '../../../kernel/fault.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { notificationEvents, type NotedEvent } from '../../../model/notification.ts';
import { notificationFeed } from '../../../represent/notification-feed.ts';
import type { Form } from '../../http/browser-forms.ts';
import { stringParam } from '../../http/parameters.ts';
import { mediaReply, pageReply, seeOther } from '../../http/replies.ts';
import { route } from '../../http/route.ts';
import type { RouteServer } from '../../http/route-declaration.ts';
import { statusOf } from '../../http/statuses.ts';
import { eventPage, eventText } from '../event-words.ts';
import type { Site } from '../site.ts';
import { addressOf, type ConsoleContext } from './console-page.tsx';
import { consoleContextOf, consoleQuery, deskDeclarations, formToken, refuseOthers } from './desk.ts';
import { notificationsPage, type NotificationsView } from './notifications-page.tsx';

export function notificationRoutes(server: RouteServer, site: Site): void {
  const { service, requestLimits } = server;
  const { page, form } = deskDeclarations(site);

  const show = async (
    context: ConsoleContext,
    more: Partial<NotificationsView> = {},
    status = 200,
  ): Promise<ReturnType<typeof pageReply>> => {
    const targets = await listTargets(service, context.tenant);
    const hasMail = service.outside.mailLacks() === undefined;
    return pageReply(notificationsPage(context, { targets, hasMail, ...more }), status);
  };

  route(
    server,
    {
      ...page,
      get: '/owner/notifications',
      id: 'notificationsPage',
      summary: 'Where the owner is notified, and how deliveries go.',
    },
    async ({ query, session }) => {
      const refused = refuseOthers(session);
      if (refused !== undefined) return refused;
      const context = await consoleContextOf(site, session, query);
      return isFault(context) ? context : show(context);
    },
  );

  const body = {
    form_token: formToken,
    act: stringParam('put, test or remove'),
    workspace: stringParam('the workspace that is meant'),
  };
  route(
    server,
    {
      ...form,
      post: '/owner/notifications',
      id: 'changeNotifications',
      summary: 'Adds, tests or removes a target of notifications.',
      body,
      required: Object.keys(body),
      open: true,
      validate: () => ({ query: consoleQuery }),
    },
    async ({ request, query, session, form: sent }) => {
      // A refused call is answered with the page, whose addresses are secrets.
      const closed = refuseOthers(session);
      if (closed !== undefined) return closed;
      const context = await consoleContextOf(site, session, query, sent);
      if (isFault(context)) return context;
      const { key, args } = callOf(sent);
      const text = JSON.stringify(args);
      const answer = await dispatch(service, {
        key,
        body: text,
        presented: session.presented,
        workspace: context.workspace,
        method: 'POST',
        channel: 'console',
        idempotencyKey: `console ${sha256Hex(JSON.stringify([sent.get('once') ?? '', key, text]))}`,
        client: requestLimits.address(request),
        meter: requestLimits.meter(request),
      });
      const refusal = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
      if (refusal !== undefined) {
        const notice = { failed: refusal.message, fix: refusal.fix };
        const typed = Object.fromEntries(sent);
        return show({ ...context, notice }, { typed, wrong: wrongIn(refusal) }, statusOf[refusal.fault]);
      }
      if (isFault(answer) || answer.kind !== 'called') return show(context);
      const revealed = answer.result?.reveal as NotificationsView['revealed'];
      if (revealed !== undefined)
        return show({ ...context, notice: { done: 'Added.', inv: answer.inv } }, { revealed });
      const back = addressOf(context, '/notifications');
      return seeOther(`${back}${back.includes('?') ? '&' : '?'}done=${answer.inv}`);
    },
  );

  const authority = service.secrets.signer.key.name.replace(/[:/].*$/, '');
  route(
    server,
    {
      get: '/notifications.xml',
      id: 'readNotificationFeed',
      summary: 'A private feed of events, by the address that NOTIFY_PUT showed.',
      tag: 'discovery',
      caller: 'none',
      limit: 'read',
      json: false,
      types: ['application/atom+xml'],
      referrer: 'no-referrer',
      query: {
        id: stringParam('the feed, hook_…'),
        token: stringParam('what opens it'),
      },
      needed: ['id', 'token'],
    },
    async ({ request, query: { id = '', token = '' } }) => {
      const feed = await readNotificationFeed(service, id, token);
      // Guesses are counted as failed credentials are.
      if (isFault(feed)) return requestLimits.badCredential(request) ?? feed;
      const items = feed.messages.flatMap(({ n, ts, events }) =>
        events.map((event: NotedEvent) => ({
          n,
          ts,
          text: eventText(event),
          page: eventPage(service.base, event),
        })),
      );
      return mediaReply(
        'application/atom+xml; charset=utf-8',
        notificationFeed({
          id,
          authority,
          title: `Colophon: ${feed.row.target.name}`,
          created: feed.row.created,
          desk: `${service.base}/owner/waiting`,
          items,
        }),
        { 'cache-control': 'private, no-store' },
      );
    },
  );
}

function callOf(form: Form): { readonly key: string; readonly args: JsonObject } {
  const id = form.get('id') ?? '';
  switch (form.get('act')) {
    case 'test':
      return { key: 'NOTIFY_TEST', args: { id } };
    case 'remove':
      return { key: 'NOTIFY_REMOVE', args: { id } };
    default: {
      const address = form.get('address')?.trim() ?? '';
      const kind = form.get('kind');
      const name = form.get('name')?.trim() ?? '';
      const events = notificationEvents.filter((each) => form.get(`on_${each}`) === '1');
      return {
        key: 'NOTIFY_PUT',
        args: {
          ...(kind === 'webhook' ? { url: address } : kind === 'mail' ? { mail: address } : { feed: true }),
          ...(name === '' ? {} : { name }),
          events,
        },
      };
    }
  }
}

/** The field of the form that a refusal is about. */
function wrongIn({ message, fix, details }: Fault): NotificationsView['wrong'] {
  const [first] = (details?.['violations'] ?? []) as readonly JsonObject[];
  const at = String(first?.['at'] ?? details?.['at'] ?? '');
  const field = at === '/url' || at === '/mail' ? 'address' : at === '/name' ? 'name' : '';
  return { field, text: `${String(first?.['message'] ?? message)} ${String(first?.['fix'] ?? fix)}` };
}
