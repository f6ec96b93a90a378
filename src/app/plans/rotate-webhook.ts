/** The plan `rotate-webhook`: a new secret for signed posts to an article; the old one ends with it (contract §5). */
import { articleAt } from '../../domain/articles/state.ts';
import { noArticle } from '../reads/article-access.ts';
import { mintEvent, revokeEvent } from '../../domain/capabilities/life-cycle.ts';
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import { links } from '../../domain/links.ts';
import { webhookEvent, webhookRecord, webhookTable } from '../../domain/webhook/secret.ts';
import { secretText } from '../../domain/webhook/signature.ts';
import { writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { articleKeys, dryRunOn, mayWrite } from './on-article.ts';
import { definePlan } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { WebhookRotated } from '../../model/workspace.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'rotate-webhook': { readonly slug: string };
  }
}

export const rotateWebhookPlan = definePlan({
  kind: 'rotate-webhook',
  keys: (planned) =>
    articleKeys(planned, planned.plan.slug, (aid) => [writes('article', aid), writes('webhook', aid)]),
  run({ service, tx, call, plan, context }) {
    const article = articleAt(tx, call.tenant, plan.slug);
    if (article === undefined) return noArticle(plan.slug);
    const { slug } = article.row;
    const before = tx.row(webhookTable, article.row.aid);
    const id = context.id('wh_');
    const secret = secretText(service.secrets.webhookSecret(id));
    const fingerprint = `cap_${sha256Hex(secret).slice(0, 16)}`;
    tx.append(mintEvent(webhookRecord(slug, fingerprint, context), context));
    tx.append(webhookEvent(article, id, fingerprint, context));
    const old = before === undefined ? undefined : tx.row(capabilityTable, before.fingerprint);
    const revoke = old === undefined ? undefined : revokeEvent(old, context);
    if (revoke !== undefined && !isFault(revoke)) tx.append(revoke);
    return {
      result: exactly(WebhookRotated, {
        slug,
        fingerprint,
        revoked: old === undefined ? null : old.record.fingerprint,
        url: links.articlePart(service.base, slug, 'webhook'),
      }),
      text: `Minted the webhook secret ${fingerprint} of ${slug}.`,
      material: [{ kind: 'capability', id: fingerprint, url: links.capability(service.base, fingerprint) }],
      reveal: { secret },
    };
  },
  dryRun: (planned) => dryRunOn(planned, planned.plan.slug, mayWrite),
});
