/**
 * Targets of notifications (contract §8): a chain `hook_…` each, with its messages and their deliveries. The secret that
 * signs or opens one is derived from its id and never stored.
 */
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { integer, json, nullable, table, text, type RowOf } from '../../engine/tables.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { headOf, type Head } from '../../ledger/entry.ts';
import { notificationEvents, type NotedEvent, type NotificationTarget } from '../../model/notification.ts';
import type { Context } from '../context.ts';
import { actEntry } from '../entries.ts';
import { blankRules, visibleTextRules } from '../text-rules.ts';
import { violation, type PartialInput, type Violation } from '../violations.ts';

/** The one aggregate that holds all targets. */
export const everyTarget = 'all';

export const targetTable = table('notification_target', {
  key: { directory: text(), id: text() },
  columns: {
    tenant: text(),
    target: json<NotificationTarget>(),
    /** Log index up to which events became messages. */
    upto: integer(),
    /** Number of messages so far. */
    messages: integer(),
    /** Whether messages are still sent: no after 410 Gone, and after five days without a delivery. */
    active: integer(),
    /** The first failure since the last delivery. */
    failing_since: nullable(text()),
    created: text(),
    last_message: nullable(text()),
    head: json<Head>(),
  },
  aggregate: 'notification',
});
export type TargetRow = RowOf<typeof targetTable>;

/** Messages of a target, numbered from 0. A mail may have several events. */
export const messageTable = table('notification_message', {
  key: { target: text(), n: integer() },
  columns: { ts: text(), events: json<readonly NotedEvent[]>() },
});

export type DeliveryStatus = 'waiting' | 'delivered' | 'gave_up';

/** How far the delivery of each message is. Feeds have none. */
export const deliveryTable = table('notification_delivery', {
  key: { target: text(), n: integer() },
  columns: {
    status: text<DeliveryStatus>(),
    attempts: integer(),
    /** When the next attempt is due; '' after the last one. */
    next_at: text(),
    /** HTTP or SMTP status of the last attempt; 0 without an answer. */
    answered: integer(),
    ts: text(),
  },
  indexes: [['target', 'status', 'next_at']],
});
export type DeliveryRow = RowOf<typeof deliveryTable>;

export const notificationTables = [targetTable, messageTable, deliveryTable];

/** Targets of one deployment. */
const targetsMax = 50;
const retrySeconds = [5, 300, 1800, 7200, 18_000, 36_000, 36_000] as const;
/** Waits are longer by up to this part, so that messages that failed together are not sent again together. */
const jitterMax = 0.2;
/** A target that took nothing for so long is stopped. */
const failingMaxMs = 5 * 86_400_000;

export interface TargetInput {
  readonly url?: string | undefined;
  readonly mail?: string | undefined;
  readonly feed?: boolean | undefined;
  readonly name?: string | undefined;
  readonly events?: readonly string[] | undefined;
}

const mailShape = /^[^\s@<>(),;:"\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/;

export function targetRules(given: PartialInput<TargetInput>): Violation[] {
  const { url, mail, feed, events } = given;
  const chosen = [url, mail, feed === true ? true : undefined].filter((each) => each !== undefined);
  return [
    ...(chosen.length === 1
      ? []
      : [
          violation(
            'missing',
            '/url',
            `A notification goes to one of url, mail and feed; ${chosen.length} are given.`,
            'Send {"url":"https://…"}, {"mail":"you@example.org"} or {"feed":true}.',
          ),
        ]),
    ...(typeof mail === 'string' && !mailShape.test(mail)
      ? [
          violation(
            'malformed',
            '/mail',
            'This is no address of mail.',
            'Send one address, such as you@example.org.',
          ),
        ]
      : []),
    ...(Array.isArray(events) && events.length === 0
      ? [
          violation(
            'missing',
            '/events',
            'No event is named.',
            `Leave events out for all, or name some of: ${notificationEvents.join(', ')}.`,
          ),
        ]
      : []),
    ...blankRules('name', given.name, 'Leave the name out, or send one.'),
    ...visibleTextRules({ name: given.name }),
  ];
}

/** `upto`: the size of the log, from where events are watched. */
export function putTarget(
  input: TargetInput,
  others: ReadonlyMap<unknown, TargetRow>,
  upto: number,
  context: Context,
): { readonly event: EventDraft; readonly target: NotificationTarget } | Fault {
  if (others.size >= targetsMax)
    return fault(
      'conflict',
      `There are ${targetsMax} targets of notifications already.`,
      'Remove one with NOTIFY_REMOVE first.',
    );
  const kind = input.url !== undefined ? 'webhook' : input.mail !== undefined ? 'mail' : 'feed';
  const id = context.id('hook_');
  const address = input.url ?? input.mail ?? '';
  const target: NotificationTarget = {
    id,
    kind,
    name: input.name?.trim() ?? (kind === 'webhook' ? (URL.parse(address)?.host ?? 'webhook') : kind),
    address,
    events: notificationEvents.filter((each) => input.events?.includes(each) ?? true),
  };
  return { event: actEntry(context, id, null, 'put', { tenant: context.tenant, upto, target }), target };
}

export function removeTarget(row: TargetRow, context: Context): EventDraft {
  return actEntry(context, row.id, row.head, 'remove');
}

export function noTarget(id: string): Fault {
  return fault(
    'not_found',
    `There is no target of notifications ${id.slice(0, 60)}.`,
    'Take an id from the desk’s page of notifications, or from the answer of NOTIFY_PUT.',
    { id: id.slice(0, 60) },
  );
}

type At = Pick<Context, 'now' | 'actor'>;

/** Records messages before any is sent; `events` in log order, `upto` the index behind the last entry that was read. */
export function queueMessages(
  { id, head, target, messages }: TargetRow,
  events: readonly NotedEvent[],
  upto: number,
  { now, actor, inv }: At & { readonly inv?: string | undefined },
): EventDraft {
  // A mail tells of all at once.
  const grouped = target.kind === 'mail' ? [events] : events.map((event) => [event]);
  return {
    draft: { chain: id, ts: now, actor, action: 'queue', count: grouped.length, inv },
    head,
    contents: [{ field: 'content_sha', value: { first: messages, upto, messages: grouped } }],
  };
}

export interface Attempt {
  readonly n: number;
  /** From 1. */
  readonly attempt: number;
  readonly delivered: boolean;
  /** HTTP or SMTP status; 0 without an answer. */
  readonly answered: number;
}

/** Records one attempt. 410 Gone ends the target, as long failure does (standardwebhooks.com, "Delivery"). */
export function recordAttempt(
  { id, head, failing_since: since }: TargetRow,
  { n, attempt, delivered, answered }: Attempt,
  now: string,
): EventDraft {
  const wait = delivered || answered === 410 ? undefined : retrySeconds[attempt - 1];
  const action = delivered ? 'deliver' : wait === undefined ? 'give_up' : 'fail';
  const waitMs = Math.round((wait ?? 0) * 1000 * (1 + jitterMax * jitterOf(id, n, attempt)));
  const nextAt = wait === undefined ? undefined : new Date(Date.parse(now) + waitMs).toISOString();
  const hasFailedLong = since !== null && Date.parse(now) - Date.parse(since) >= failingMaxMs;
  const stops = action === 'give_up' && (answered === 410 || hasFailedLong) ? true : undefined;
  return {
    draft: {
      chain: id,
      ts: now,
      actor: 'system',
      action,
      message: n,
      attempt,
      answered,
      next_at: nextAt,
      stops,
    },
    head,
  };
}

/** From 0 to 1, the same for the same attempt: a decision draws nothing. */
function jitterOf(id: string, n: number, attempt: number): number {
  return Number.parseInt(sha256Hex(`${id} ${n} ${attempt}`).slice(0, 8), 16) / 0xffff_ffff;
}

interface PutContent {
  readonly tenant: string;
  readonly upto: number;
  readonly target: NotificationTarget;
}
interface QueueContent {
  readonly first: number;
  readonly upto: number;
  readonly messages: readonly (readonly NotedEvent[])[];
}

export function projectNotification(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  if (!entry.chain.startsWith('hook_')) return;
  const id = entry.chain;
  const head = headOf(event.sealed);
  const content = event.contents['content_sha'];
  if (entry['action'] === 'put') {
    const { tenant, upto, target } = (content ?? {}) as Partial<PutContent>;
    if (tenant === undefined || target === undefined) return;
    to.put(targetTable, {
      directory: everyTarget,
      id,
      tenant,
      target,
      upto: upto ?? 0,
      messages: 0,
      active: 1,
      failing_since: null,
      created: entry.ts,
      last_message: null,
      head,
    });
    return;
  }
  const row = to.row(targetTable, everyTarget, id);
  if (row === undefined) return;
  switch (entry['action']) {
    case 'remove':
      to.remove(targetTable, everyTarget, id);
      return;
    case 'queue': {
      const {
        first = row.messages,
        upto = row.upto,
        messages = [],
      } = (content ?? {}) as Partial<QueueContent>;
      for (const [i, events] of messages.entries()) {
        const n = first + i;
        to.put(messageTable, { target: id, n, ts: entry.ts, events });
        if (row.target.kind !== 'feed')
          to.put(deliveryTable, {
            target: id,
            n,
            status: 'waiting',
            attempts: 0,
            next_at: entry.ts,
            answered: 0,
            ts: entry.ts,
          });
      }
      to.put(targetTable, {
        ...row,
        upto,
        messages: first + messages.length,
        last_message: entry.ts,
        head,
      });
      return;
    }
    case 'deliver':
    case 'fail':
    case 'give_up': {
      const status = ({ deliver: 'delivered', fail: 'waiting', give_up: 'gave_up' } as const)[
        entry['action']
      ];
      to.put(deliveryTable, {
        target: id,
        n: Number(entry['message']),
        status,
        attempts: Number(entry['attempt']),
        next_at: String(entry['next_at'] ?? ''),
        answered: Number(entry['answered']),
        ts: entry.ts,
      });
      const stops = entry['stops'] === true || entry['answered'] === 410;
      to.put(targetTable, {
        ...row,
        active: stops ? 0 : row.active,
        failing_since: status === 'delivered' ? null : (row.failing_since ?? entry.ts),
        head,
      });
      return;
    }
    default:
  }
}

/** The events that a target wants. */
export function wants({ target }: TargetRow, type: NotedEvent['type']): boolean {
  return type === 'test' || target.events.includes(type);
}
