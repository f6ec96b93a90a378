/** The secret by which an article takes signed webhooks (contract §5). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { slug } from '../model/arguments.ts';
import { WebhookRotated } from '../model/workspace.ts';

const webhookSecret = defineRow({
  key: 'WEBHOOK_SECRET',
  category: 'webhook',
  target: 'article',
  contract: {
    what: 'Mints the secret with which senders sign webhooks for an article, shown once; the one before is revoked. A signature posts claims and sources to that article, and nothing else.',
    when: 'When another service should send claims or sources, or when a secret may have become known.',
    example: 'what-the-ledger-is',
  },
  input: Type.Object({ slug }, { additionalProperties: false }),
  output: WebhookRotated,
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  plan: ({ slug: at }) => ({ do: 'rotate-webhook', slug: at }),
});

export const webhookRows: readonly Row[] = [webhookSecret];
