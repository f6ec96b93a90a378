/** Rows that say where the owner is notified (contract §8): signed webhooks, mail, and a private feed. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { targetRules } from '../domain/notifications/targets.ts';
import { urlRules } from '../domain/outside/fetch-page.ts';
import { refusalOf } from '../domain/violations.ts';
import { optionalWords, words } from '../model/arguments.ts';
import {
  NotificationPut,
  NotificationRemoved,
  NotificationTested,
  notificationEvents,
} from '../model/notification.ts';

const owner = { category: 'notification', target: 'notification', auth: 'owner', risk: 'high' } as const;
const reach = { safe: false, inAct: false, prefixable: false } as const;
const id = words(60, 'hook_…, as NOTIFY_PUT answered');

const put = defineRow({
  ...owner,
  ...reach,
  key: 'NOTIFY_PUT',
  wishes: ['send a webhook when something happens', 'get a mail when a contribution waits'],
  contract: {
    what: `Adds a target of notifications: a webhook (url), an address of mail, or a private Atom feed (feed:true). Webhooks are signed as Standard Webhooks has it and retried for about 28 hours. Events: ${notificationEvents.join(', ')}; all without events. Messages hold references and phrases of this service, never contributed text. The secret, or the address of the feed, is shown once.`,
    when: 'To be told of events.',
    example: '{"feed":true,"name":"What waits"}',
  },
  input: Type.Object(
    {
      url: optionalWords(2000, 'http or https; gets a POST for each event'),
      mail: optionalWords(320, 'one address of mail'),
      feed: Type.Optional(Type.Boolean({ description: 'true: an Atom feed with an address of its own' })),
      name: optionalWords(100, 'what the desk calls it'),
      events: Type.Optional(
        Type.Array(Type.Enum([...notificationEvents]), {
          maxItems: notificationEvents.length,
          description: 'types of events; all without it',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: NotificationPut,
  rules: targetRules,
  rulesHere: ({ url }, { judgeUrl }) => urlRules(url, judgeUrl),
  plan(input) {
    return refusalOf(targetRules(input)) ?? { do: 'write-notification', write: { put: input } };
  },
});

const remove = defineRow({
  ...owner,
  ...reach,
  key: 'NOTIFY_REMOVE',
  wishes: ['stop a webhook', 'stop notifications'],
  contract: {
    what: 'Removes a target of notifications. Messages that wait are not sent any more; its feed is gone.',
    when: 'When it is no longer wanted, or its secret became known.',
    example: '<hook_id>',
  },
  input: Type.Object({ id }, { additionalProperties: false }),
  output: NotificationRemoved,
  plan: (input) => ({ do: 'write-notification', write: { remove: input.id } }),
});

const test = defineRow({
  ...owner,
  ...reach,
  key: 'NOTIFY_TEST',
  wishes: ['test a webhook'],
  contract: {
    what: 'Queues a test message to one target of notifications.',
    when: 'After NOTIFY_PUT.',
    example: '<hook_id>',
  },
  input: Type.Object({ id }, { additionalProperties: false }),
  output: NotificationTested,
  plan: (input) => ({ do: 'write-notification', write: { test: input.id } }),
});

export const notificationRows: readonly Row[] = [put, remove, test];
