/** What the desk shows of notifications, and the messages of a private feed (contract §8). */
import { timingSafeEqual } from 'node:crypto';
import {
  deliveryTable,
  everyTarget,
  messageTable,
  targetTable,
  type DeliveryRow,
  type TargetRow,
} from '../../domain/notifications/targets.ts';
import { feedToken } from '../../domain/webhook/signature.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { NotedEvent } from '../../model/notification.ts';
import type { Service } from '../service.ts';

export interface ShownMessage {
  readonly n: number;
  readonly ts: string;
  readonly events: readonly NotedEvent[];
  /** Undefined for feeds, which send nothing. */
  readonly delivery: DeliveryRow | undefined;
}

export interface ShownTarget {
  readonly row: TargetRow;
  /** The newest first. */
  readonly messages: readonly ShownMessage[];
}

const shownMessages = 10;
const feedMessages = 50;

/** Targets of a workspace, the newest first, each with its last ten messages. */
export async function listTargets(service: Service, tenant: string): Promise<readonly ShownTarget[]> {
  const rows = [...(await service.store.read.rows(targetTable, everyTarget)).values()]
    .filter((row) => row.tenant === tenant)
    .sort((a, b) => (a.created < b.created ? 1 : -1));
  return Promise.all(
    rows.map(async (row) => ({ row, messages: await messagesOf(service, row, shownMessages) })),
  );
}

async function messagesOf(
  { store: { read } }: Service,
  { id }: TargetRow,
  limit: number,
): Promise<readonly ShownMessage[]> {
  const newest = { limit, reverse: true } as const;
  const [messages, deliveries] = await Promise.all([
    read.list(messageTable, id, newest),
    read.list(deliveryTable, id, newest),
  ]);
  const states = new Map(deliveries.map((each) => [each.n, each]));
  return messages.map(({ n, ts, events }) => ({ n, ts, events, delivery: states.get(n) }));
}

/** The same for a wrong token and for a feed that was removed. */
const noFeed = fault(
  'not_found',
  'This address opens no feed.',
  'Copy the whole address that NOTIFY_PUT showed, or add a new feed on the desk.',
);

/** The last fifty messages of a feed, for a holder of its address. A wrong token gets the same answer as a removed feed. */
export async function readNotificationFeed(
  service: Service,
  id: string,
  token: string,
): Promise<ShownTarget | Fault> {
  const row = await service.store.read.row(targetTable, everyTarget, id);
  const expected = Buffer.from(feedToken(service.secrets.webhookSecret(id)));
  const given = Buffer.from(token);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return noFeed;
  if (row?.target.kind !== 'feed') return noFeed;
  return { row, messages: await messagesOf(service, row, feedMessages) };
}
