/**
 * An article's webhook secret (contract §5): a capability like any other, for posting claims and sources to that
 * one article, whose holder proves it by signing. It is minted, revoked, judged and shown like a share; the secret
 * itself is derived from an id and never stored. Minting again revokes what was before.
 */
import { table, text } from '../../engine/tables.ts';
import type { Event, EventDraft, Projection } from '../../engine/act.ts';
import { parseArticleChain } from '../articles/chains.ts';
import { provenance } from '../articles/events.ts';
import type { ArticleState } from '../articles/state.ts';
import type { CapabilityRecord } from '../capabilities/tables.ts';
import type { Context } from '../context.ts';

/** The secret in force, by article. */
export const webhookTable = table('webhook', {
  key: { aid: text() },
  columns: { id: text(), fingerprint: text(), ts: text() },
  aggregate: 'webhook',
  compact: true,
});

/** What a signature is good for. */
export const webhookKeys = ['CLAIM_POST', 'SOURCE_POST'] as const;

/** A secret has no end of its own: the owner mints the next, or revokes it. */
const never = '9999-12-31T23:59:59.999Z';

export function webhookRecord(slug: string, fingerprint: string, context: Context): CapabilityRecord {
  return {
    fingerprint,
    tenant: context.tenant,
    origin: 'owner',
    scope: 'rows',
    keys: webhookKeys,
    article: slug,
    ttl: 0,
    expires_at: never,
    max_uses: 0,
    purpose: `signed webhooks for ${slug}`,
    risk_ceiling: 'low',
    owner_gate: false,
    body_fixed: null,
    max_body_bytes: null,
    parent: null,
    depth: 0,
    issuer: context.actor,
    actor: null,
    minted_at: context.now,
    contract_hash: null,
  };
}

/** The entry on the article's own chain that puts a secret in force. */
export function webhookEvent(
  article: ArticleState,
  id: string,
  fingerprint: string,
  context: Context,
): EventDraft {
  const { aid, heads } = article.row;
  const event = provenance(aid, heads.provenance, context, 'webhook_secret', null, { of: [fingerprint] });
  return { ...event, draft: { ...event.draft, webhook: id, capability: fingerprint } };
}

export function projectWebhook(event: Event, to: Projection): void {
  const { entry } = event.sealed;
  const { webhook: id, capability } = entry;
  if (typeof id !== 'string' || typeof capability !== 'string') return;
  const chain = parseArticleChain(entry.chain);
  if (chain?.of === 'provenance')
    to.put(webhookTable, { aid: chain.aid, id, fingerprint: capability, ts: entry.ts });
}
