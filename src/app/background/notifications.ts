/**
 * Follows the log and notifies the owner (contract §8). An event becomes a recorded message before anything is sent, and
 * every attempt is recorded (law 5); of several nodes one sends. Delivery is at least once: a message whose attempt was
 * not recorded is sent again under the same id. Retries follow standardwebhooks.com, "Delivery".
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  deliveryTable,
  everyTarget,
  messageTable,
  queueMessages,
  recordAttempt,
  targetTable,
  wants,
  type DeliveryRow,
  type TargetRow,
} from '../../domain/notifications/targets.ts';
import { signatureOf } from '../../domain/webhook/signature.ts';
import { writes } from '../../engine/act.ts';
import { readableEntries } from '../../engine/readable-entries.ts';
import { isFault } from '../../kernel/fault.ts';
import type { NotedEvent } from '../../model/notification.ts';
import { SubjectResolver } from '../reads/log-subject.ts';
import { notedEvent } from '../reads/noted-event.ts';
import type { Service } from '../service.ts';
import { holdsJobLease } from './job-lease.ts';

export interface NotificationOptions {
  /** Identifies this process among those that share the store. */
  readonly holder: string;
  /** One sentence about an event, in plain words. */
  describe(event: NotedEvent): string;
  /** The address of what it is about. */
  pageOf(base: string, event: NotedEvent): string;
  readonly everyMs?: number;
  /** Least time between two mails to one address. */
  readonly mailEveryMs?: number;
  /** Reports errors that the next round retries. */
  readonly onTrouble: (error: unknown) => void;
}

const entriesMax = 500;
const attemptsAtOnce = 4;
const attemptMs = 15_000;
const leaseMs = 120_000;

export class Notifier {
  readonly #service: Service;
  readonly #options: NotificationOptions;
  readonly #closing = new AbortController();
  /** Log index up to which a target's events are known; ahead of what is recorded while nothing matched. */
  readonly #upto = new Map<string, number>();
  #leaseEndMs = 0;
  #running: Promise<void> | undefined;

  constructor(service: Service, options: NotificationOptions) {
    this.#service = service;
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.round();
      } catch (error) {
        this.#options.onTrouble(error);
      }
      await sleep(this.#options.everyMs ?? 2000, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Records the messages of new events and makes the attempts that are due. */
  async round(): Promise<void> {
    const rows = await this.#service.store.read.rows(targetTable, everyTarget);
    const active = [...rows.values()].filter((row) => row.active === 1);
    for (const row of active) {
      if (this.#closing.signal.aborted) return;
      await this.#queueNew(row);
    }
    // At once, so that a receiver that answers late delays no other.
    const ended = await Promise.allSettled(active.map((row) => this.#deliverDue(row)));
    for (const each of ended) if (each.status === 'rejected') this.#options.onTrouble(each.reason);
  }

  async #queueNew(row: TargetRow): Promise<void> {
    const { mailEveryMs = 600_000 } = this.#options;
    const last = row.last_message === null ? -Infinity : Date.parse(row.last_message);
    if (row.target.kind === 'mail' && this.#service.now() - last < mailEveryMs) return;
    const from = Math.max(row.upto, this.#upto.get(row.id) ?? 0);
    const { events, upto } = await this.#eventsFrom(row, from);
    if (events.length === 0) {
      this.#upto.set(row.id, upto);
      return;
    }
    if (!(await this.#leads())) return;
    const now = new Date(this.#service.now()).toISOString();
    const queued = await this.#service.store.run({
      name: 'queue notifications',
      keys: [writes('notification', everyTarget)],
      decide(tx) {
        const current = tx.row(targetTable, everyTarget, row.id);
        // Removed, or another node was first.
        if (current === undefined || current.upto > from) return;
        tx.append(queueMessages(current, events, upto, { now, actor: 'system' }));
      },
    });
    if (isFault(queued)) throw new Error(`notifications were not recorded: ${queued.message}`);
  }

  async #eventsFrom(
    row: TargetRow,
    from: number,
  ): Promise<{ readonly events: readonly NotedEvent[]; readonly upto: number }> {
    const { store } = this.#service;
    const context = { ...this.#service, read: store.read };
    const subjects = new SubjectResolver(context);
    const entries = await readableEntries(store.read, from, entriesMax);
    const events: NotedEvent[] = [];
    for (const entry of entries) {
      const noted = await notedEvent(context, subjects, entry);
      // On PostgreSQL earlier entries may enter the log after the target was added.
      if (noted?.tenant !== row.tenant || noted.event.ts < row.created) continue;
      if (wants(row, noted.event.type)) events.push(noted.event);
    }
    return { events, upto: from + entries.length };
  }

  async #deliverDue(row: TargetRow): Promise<void> {
    if (row.target.kind === 'feed') return;
    const now = new Date(this.#service.now()).toISOString();
    const due = await this.#service.store.read.select(deliveryTable, {
      ids: [row.id],
      where: [
        { column: 'status', op: '=', value: 'waiting' },
        { column: 'next_at', op: '<=', value: now },
      ],
      order: 'next_at',
      limit: attemptsAtOnce,
    });
    if (due.length === 0 || !(await this.#leads())) return;
    await Promise.all(due.map((each) => this.#attempt(row, each)));
  }

  async #attempt(row: TargetRow, { n, attempts }: DeliveryRow): Promise<void> {
    const [message] = await this.#service.store.read.list(messageTable, row.id, { after: n - 1, limit: 1 });
    if (message?.n !== n) return;
    const { delivered, answered } = await this.#send(row, n, message.events);
    if (this.#closing.signal.aborted && !delivered) return;
    const now = new Date(this.#service.now()).toISOString();
    const done = await this.#service.store.run({
      name: 'record a delivery',
      keys: [writes('notification', everyTarget)],
      decide(tx) {
        const current = tx.row(targetTable, everyTarget, row.id);
        if (current !== undefined)
          tx.append(recordAttempt(current, { n, attempt: attempts + 1, delivered, answered }, now));
      },
    });
    if (isFault(done)) throw new Error(`a delivery was not recorded: ${done.message}`);
  }

  async #send(
    { id, target }: TargetRow,
    n: number,
    events: readonly NotedEvent[],
  ): Promise<{ readonly delivered: boolean; readonly answered: number }> {
    const { outside, base, secrets } = this.#service;
    const { describe, pageOf } = this.#options;
    const { signal } = this.#closing;
    const messageId = messageIdOf(id, n);
    if (target.kind === 'mail') {
      const host = URL.parse(base)?.hostname ?? 'localhost';
      const lines = events.map((event) => `${describe(event)}\n${pageOf(base, event)}`);
      const sent = await outside.sendMail(
        {
          to: target.address,
          subject:
            events.length === 1 ? describe(events[0] as NotedEvent) : `${events.length} events on ${host}`,
          text: `${lines.join('\n\n')}\n\nThe desk: ${base}/owner/waiting\n`,
          messageId: `<${messageId}@${host}>`,
        },
        signal,
      );
      return isFault(sent)
        ? { delivered: false, answered: Number(sent.details?.['status'] ?? 0) }
        : { delivered: true, answered: sent };
    }
    const body = JSON.stringify(payloadOf(base, events[0] as NotedEvent, this.#options));
    const seconds = Math.floor(this.#service.now() / 1000);
    const fetched = await outside.fetch({
      url: target.address,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': messageId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatureOf(secrets.webhookSecret(id), messageId, seconds, body),
      },
      body,
      timeoutMs: attemptMs,
      // Only the status counts; a receiver may answer with anything.
      statusOnly: true,
      signal,
    });
    if (isFault(fetched)) return { delivered: false, answered: Number(fetched.details?.['status'] ?? 0) };
    return { delivered: fetched.status >= 200 && fetched.status < 300, answered: fetched.status };
  }

  /** Whether this node does the work; the lease is taken again when half of it has passed. */
  async #leads(): Promise<boolean> {
    const now = this.#service.now();
    if (this.#leaseEndMs - now > leaseMs / 2) return true;
    const end = now + leaseMs;
    if (!(await holdsJobLease(this.#service, 'notify', this.#options.holder, end))) return false;
    this.#leaseEndMs = end;
    return true;
  }
}

/** The same on every attempt, so that receivers can tell repetitions. */
export function messageIdOf(target: string, n: number): string {
  return `msg_${target.slice('hook_'.length)}_${n}`;
}

/** What a webhook gets: a thin payload, as standardwebhooks.com recommends. */
function payloadOf(
  base: string,
  event: NotedEvent,
  { describe, pageOf }: Pick<NotificationOptions, 'describe' | 'pageOf'>,
) {
  return {
    type: event.type,
    timestamp: event.ts,
    data: {
      text: describe(event),
      url: pageOf(base, event),
      desk: `${base}/owner/waiting`,
      article: event.article,
      object: event.object,
      receipt: event.inv === null ? null : `${base}/receipt/${event.inv}`,
      log_index: event.log_index,
    },
  };
}
