/**
 * Signed webhooks (contract §5): a request with a valid signature becomes a call by the capability behind the secret.
 * The owner mints the secret with WEBHOOK_SECRET and sees it once.
 */
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { webhookTable } from '../../domain/webhook/secret.ts';
import { isSignedBy, type SignedRequest } from '../../domain/webhook/signature.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, type Fault, invalidParameter } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { tenantOf } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';

/** The capability that signed. `signature_invalid` does not tell whether the article or a secret exists. */
export async function signerOf(
  service: Service,
  slug: string,
  request: SignedRequest,
): Promise<string | Fault> {
  const { read } = service.store;
  // Signatures are credentials: closed workspaces accept them.
  const tenant = await tenantOf(service, { kind: 'owner' }, { slug });
  const found =
    tenant !== undefined && /^[a-z0-9-]{2,120}$/.test(slug)
      ? await read.row(slugTable, slugPath(tenant, slug))
      : undefined;
  const webhook = found === undefined ? undefined : await read.row(webhookTable, found.aid);
  const key = service.secrets.webhookSecret(webhook?.id ?? '');
  const signed = isSignedBy(key, request, service.now());
  if (webhook !== undefined && signed) return webhook.fingerprint;
  return fault(
    'signature_invalid',
    'No signature of the request is by the secret of this article, or its time is too far off.',
    'Sign "<webhook-id>.<webhook-timestamp>.<body>" with the secret that the owner minted, within five minutes.',
  );
}

export interface WebhookCall {
  readonly key: 'CLAIM_POST' | 'SOURCE_POST';
  readonly args: JsonObject;
}

/** `{kind:"claim", …}` and `{kind:"source", …}` or `{kind:"source", sources:[…]}` as calls of their rows. */
export function webhookCall(slug: string, payload: JsonObject): WebhookCall | Fault {
  const { kind, ...given } = payload;
  const wrong = mergeRefusals(
    '/',
    given['slug'] === undefined || given['slug'] === slug
      ? undefined
      : invalidParameter(
          'slug',
          `The payload names another article than the address, which is that of ${slug}.`,
          'Leave slug out, or send the webhook to the article that it is for.',
        ),
    kind === 'claim' || kind === 'source'
      ? undefined
      : invalidParameter(
          'kind',
          'The payload is neither a claim nor a source.',
          'Send kind as "claim" or "source".',
        ),
  );
  if (wrong !== undefined) return wrong;
  if (kind === 'claim') return { key: 'CLAIM_POST', args: { ...given, slug } };
  if (given['sources'] !== undefined) return { key: 'SOURCE_POST', args: { ...given, slug } };
  const { actor, ...source } = given;
  return { key: 'SOURCE_POST', args: { slug, sources: [source], ...(actor === undefined ? {} : { actor }) } };
}
