/** The plan `write-notification`: adds, removes or tests a target of notifications (contract §8). */
import type { Context, Result } from '../../domain/context.ts';
import { links } from '../../domain/links.ts';
import {
  everyTarget,
  noTarget,
  putTarget,
  queueMessages,
  removeTarget,
  targetTable,
  type TargetInput,
  type TargetRow,
} from '../../domain/notifications/targets.ts';
import { refusalHere, urlRules } from '../../domain/outside/fetch-page.ts';
import { feedToken, secretText } from '../../domain/webhook/signature.ts';
import { writes, type Tx } from '../../engine/act.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { exactly } from '../../model/exact.ts';
import { NotificationPut, NotificationRemoved, NotificationTested } from '../../model/notification.ts';
import type { Service } from '../service.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'write-notification': {
      readonly write: { readonly put: TargetInput } | { readonly remove: string } | { readonly test: string };
    };
  }
}

export const writeNotificationPlan = definePlan({
  kind: 'write-notification',
  check({ service: { outside }, plan: { write } }) {
    if (!('put' in write)) return undefined;
    return write.put.mail === undefined
      ? refusalHere(urlRules(write.put.url, outside.judgeUrl))
      : outside.mailLacks();
  },
  // Events are watched from here on.
  loadInputs: async ({ service }) => ({ upto: (await service.store.read.checkpoint())?.size ?? 0 }),
  keys: () => [writes('notification', everyTarget)],
  run({ service, tx, plan: { write }, context, inputs: { upto } }) {
    if ('put' in write) return put(service, tx, write.put, upto, context);
    const id = 'remove' in write ? write.remove : write.test;
    const row = tx.row(targetTable, everyTarget, id);
    if (row === undefined || row.tenant !== context.tenant) return noTarget(id);
    return 'remove' in write ? remove(tx, row, context) : test(service, tx, row, context);
  },
});

function put(service: Service, tx: Tx, input: TargetInput, upto: number, context: Context): Result | Fault {
  const made = putTarget(input, tx.rows(targetTable, everyTarget), upto, context);
  if (isFault(made)) return made;
  tx.append(made.event);
  const { target } = made;
  const secret = service.secrets.webhookSecret(target.id);
  const reveals = {
    webhook: () => ({ secret: secretText(secret) }),
    feed: () => ({ feed_url: links.notificationFeed(service.base, target.id, feedToken(secret)) }),
    mail: () => undefined,
  };
  const reveal = reveals[target.kind]();
  return {
    result: exactly(NotificationPut, { ...target, events: [...target.events], desk: desk(service) }),
    text: `Added ${target.id}: ${target.kind} ${target.name}.`,
    material: [{ kind: 'notification', id: target.id, url: desk(service) }],
    ...(reveal === undefined ? {} : { reveal }),
  };
}

function remove(tx: Tx, row: TargetRow, context: Context): Result {
  tx.append(removeTarget(row, context));
  return {
    result: exactly(NotificationRemoved, { id: row.id, removed: true }),
    text: `Removed ${row.id}. Nothing is sent there any more.`,
    material: [],
  };
}

function test(service: Service, tx: Tx, row: TargetRow, context: Context): Result {
  const event = {
    type: 'test',
    log_index: null,
    ts: context.now,
    actor: context.actor,
    kind: 'notification',
    verb: 'test',
    article: null,
    object: null,
    detail: null,
    key: null,
    inv: context.inv,
  } as const;
  tx.append(queueMessages(row, [event], row.upto, context));
  return {
    result: exactly(NotificationTested, {
      id: row.id,
      message: `msg_${row.id.slice('hook_'.length)}_${row.messages}`,
      desk: desk(service),
    }),
    text: `A test message to ${row.id} is queued.`,
    material: [],
  };
}

function desk({ base }: Service): string {
  return `${base}/owner`;
}
