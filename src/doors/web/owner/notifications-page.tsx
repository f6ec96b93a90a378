/** `/owner/notifications`: where the owner is notified, how deliveries go, and forms to add, test and remove a target. */
import type { ShownMessage, ShownTarget } from '../../../app/reads/notifications.ts';
import { notificationEvents, type NotificationEvent } from '../../../model/notification.ts';
import { opaqueId } from '../../../kernel/ids.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Field } from '../components/field.tsx';
import { eventPage, eventText } from '../event-words.ts';
import { Id, Mono } from '../parts.tsx';
import { type ConsoleContext, deskPage } from './console-page.tsx';

export interface NotificationsView {
  readonly targets: readonly ShownTarget[];
  readonly hasMail: boolean;
  /** What the refused form had, and which field is wrong. */
  readonly typed?: Readonly<Record<string, string>>;
  readonly wrong?: { readonly field: string; readonly text: string } | undefined;
  /** Shown only once. */
  readonly revealed?: { readonly secret?: string; readonly feed_url?: string } | undefined;
}

const eventNames: Readonly<Record<NotificationEvent, string>> = {
  'contribution.proposed': 'a contribution is proposed',
  'discussion.entry': 'a challenge, objection or attestation is filed',
  'vote.cast': 'a vote is cast',
  'call.waiting': 'a call waits for approval',
  'call.finished': 'an approved call has finished',
  'assignment.completed': 'an assignment is completed',
  'article.changed': 'an article, claim or source changes',
};

export function notificationsPage(context: ConsoleContext, view: NotificationsView): string {
  return deskPage(
    context,
    {
      title: 'Notifications',
      here: 'notifications',
      path: '/notifications',
      scripts: view.revealed === undefined ? [] : ['copy'],
    },
    <>
      <h1>Notifications</h1>
      <p class="section-note">
        Messages contain references and short phrases of this service, never contributed text. Each delivery
        is recorded.
      </p>
      {view.revealed === undefined ? null : <Revealed {...view.revealed} />}
      <section aria-labelledby="targets">
        <h2 id="targets">Targets</h2>
        {view.targets.length === 0 ? (
          <p>
            Nothing is set up. With a target you learn within seconds that a contribution, an objection or a
            call waits for you. Add one below.
          </p>
        ) : (
          view.targets.map((target) => <Target key={target.row.id} context={context} target={target} />)
        )}
      </section>
      <AddTarget context={context} view={view} />
    </>,
  );
}

function Revealed({ secret, feed_url: feed }: NonNullable<NotificationsView['revealed']>) {
  return (
    <Card title={secret === undefined ? 'The address of your feed' : 'The signing secret'} level={2}>
      <p>
        {secret === undefined
          ? 'Add this address to your feed reader. Keep it private: it opens the feed without signing in.'
          : 'The receiver verifies signatures with this secret.'}{' '}
        It is shown once.
      </p>
      <p>
        <code class="mono" id="revealed">
          {secret ?? feed}
        </code>{' '}
        <button type="button" class="button button-quiet" data-copy="revealed" hidden>
          Copy
        </button>
      </p>
    </Card>
  );
}

function Target({
  context,
  target: { row, messages },
}: {
  readonly context: ConsoleContext;
  readonly target: ShownTarget;
}) {
  const { target } = row;
  const every = target.events.length === notificationEvents.length;
  return (
    <Card
      title={target.name}
      foot={
        <>
          Since <Ago iso={row.created} /> · {row.messages === 1 ? '1 message' : `${row.messages} messages`} ·{' '}
          <Id>{row.id}</Id>
        </>
      }
    >
      <p>
        {target.kind === 'webhook' ? 'Webhook to ' : target.kind === 'mail' ? 'Mail to ' : 'Private feed'}
        {target.address === '' ? null : <Mono>{target.address}</Mono>}
        {row.active === 1 ? null : (
          <strong>
            {' '}
            Stopped: the receiver answered 410 Gone, or took nothing for five days. Remove the target, or add
            it again.
          </strong>
        )}
      </p>
      <p class="note">
        {every ? 'All events.' : `When ${target.events.map((each) => eventNames[each]).join('; ')}.`}
      </p>
      {messages.length === 0 ? (
        <p class="note">No messages yet.</p>
      ) : (
        <details class="disclosure">
          <summary>Last messages</summary>
          <Messages context={context} messages={messages} />
        </details>
      )}
      <div class="actions">
        {row.active === 1 ? (
          <Post context={context} act="test" id={row.id}>
            <Button type="submit" aria-label={`Send a test message to ${target.name}`}>
              Send a test
            </Button>
          </Post>
        ) : null}
        <Post context={context} act="remove" id={row.id}>
          <Button kind="danger" type="submit" aria-label={`Remove ${target.name}`}>
            Remove
          </Button>
        </Post>
      </div>
    </Card>
  );
}

function Messages({
  context,
  messages,
}: {
  readonly context: ConsoleContext;
  readonly messages: readonly ShownMessage[];
}) {
  const { base } = context.site.service;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Event</th>
            <th scope="col">Delivery</th>
          </tr>
        </thead>
        <tbody>
          {messages.map(({ n, ts, events, delivery }) => (
            <tr key={n}>
              <td>
                <Ago iso={ts} />
              </td>
              <td>
                {events.slice(0, 5).map((event) => (
                  <p key={event.log_index}>
                    <a href={eventPage(base, event)}>{eventText(event)}</a>
                  </p>
                ))}
                {events.length > 5 ? <p>and {events.length - 5} more</p> : null}
              </td>
              <td>{deliveryText(delivery)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function deliveryText(delivery: ShownMessage['delivery']): string {
  if (delivery === undefined) return 'in the feed';
  const { status, attempts, answered, next_at: next } = delivery;
  const how = answered === 0 ? 'no answer' : `answered ${answered}`;
  if (status === 'delivered')
    return attempts === 1 ? `delivered (${how})` : `delivered at attempt ${attempts} (${how})`;
  if (status === 'gave_up') return `gave up after ${attempts} attempts (${how})`;
  return attempts === 0
    ? 'waiting'
    : `${how}; attempt ${attempts + 1} at ${next.slice(0, 16).replace('T', ' ')} UTC`;
}

function Post({
  context,
  act,
  id,
  children,
}: Readonly<{
  context: ConsoleContext;
  act: 'put' | 'test' | 'remove';
  id?: string;
  children: preact.ComponentChildren;
}>) {
  return (
    <form method="post" action={`${context.site.root}/owner/notifications`}>
      <input type="hidden" name="form_token" value={context.session.formToken} />
      <input type="hidden" name="once" value={opaqueId('form_')} />
      <input type="hidden" name="workspace" value={context.workspace} />
      <input type="hidden" name="act" value={act} />
      {id === undefined ? null : <input type="hidden" name="id" value={id} />}
      {children}
    </form>
  );
}

function AddTarget({
  context,
  view: { hasMail, typed = {}, wrong },
}: {
  readonly context: ConsoleContext;
  readonly view: NotificationsView;
}) {
  const kind = typed['kind'] ?? 'feed';
  const kinds = [
    ['feed', 'Private feed', 'for a feed reader'],
    ['webhook', 'Webhook', 'a signed POST for each event'],
    ['mail', 'Mail', hasMail ? 'at most one every ten minutes' : 'needs COLOPHON_SMTP_URL'],
  ] as const;
  const errorAt = (field: string) => (wrong?.field === field ? wrong.text : undefined);
  return (
    <section aria-labelledby="add">
      <h2 id="add">Add a target</h2>
      <Post context={context} act="put">
        <fieldset class="choice">
          <legend>Kind</legend>
          {kinds.map(([name, label, hint]) => (
            <label key={name}>
              <input
                type="radio"
                name="kind"
                value={name}
                checked={kind === name}
                disabled={name === 'mail' && !hasMail}
              />
              <span>
                {label} <small>{hint}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <Field
          id="address"
          label="Address"
          hint="The URL of the webhook, or the mail address. A feed needs none."
          error={errorAt('address')}
        >
          {(wired) => (
            <input {...wired} type="text" name="address" value={typed['address'] ?? ''} autocomplete="off" />
          )}
        </Field>
        <Field id="name" label="Name" hint="How this page lists it." error={errorAt('name')}>
          {(wired) => (
            <input {...wired} type="text" name="name" value={typed['name'] ?? ''} autocomplete="off" />
          )}
        </Field>
        <fieldset>
          <legend>Tell me when</legend>
          {notificationEvents.map((each) => (
            <p key={each}>
              <label>
                <input
                  type="checkbox"
                  name={`on_${each}`}
                  value="1"
                  checked={
                    typed['act'] === undefined ? each !== 'article.changed' : typed[`on_${each}`] === '1'
                  }
                />{' '}
                {eventNames[each]}
              </label>
            </p>
          ))}
        </fieldset>
        {wrong === undefined || wrong.field === 'address' || wrong.field === 'name' ? null : (
          <p class="field-error" role="alert">
            {wrong.text}
          </p>
        )}
        <Button kind="primary" type="submit">
          Add the target
        </Button>
      </Post>
    </section>
  );
}
