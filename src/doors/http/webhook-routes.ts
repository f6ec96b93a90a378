/**
 * `POST /api/articles/<slug>/webhook` (spec §4.4, contract §5): inbound webhooks with a Standard Webhooks signature
 * over the raw bytes, or with a scoped key; a repeated `webhook-id` gets the first result.
 */
import type { FastifyBodyParser, FastifyInstance, FastifyRequest } from 'fastify';
import { signerOf, webhookCall } from '../../app/credentials/webhook.ts';
import type { Presented } from '../../app/credentials/authenticate.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { parseJson, valuesMax, type JsonObject } from '../../kernel/json.ts';
import { callRow } from './call-row.ts';
import { choice, shareOnly, stringParam } from './parameters.ts';
import { isCredentialed, presentedBy, readQuery, stringMember } from './requests.ts';
import { route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';

export function webhookRoutes(server: RouteServer): void {
  const query = shareOnly;
  void server.app.register(async (scope) => {
    bytesAsTheyCame(scope);
    route(
      { ...server, app: scope },
      {
        post: '/api/articles/:slug/webhook',
        id: 'receiveWebhook',
        summary: 'A claim or a source from outside: signed as Standard Webhooks say, or with a key.',
        tag: 'protocol',
        caller: 'holder',
        query,
        body: { kind: choice(['claim', 'source'], 'what is sent; the other members are those of its row') },
        required: ['kind'],
        results: ['CLAIM_POST', 'SOURCE_POST'],
        open: true,
        headers: {
          'webhook-id': stringParam('the same id gets the first result'),
          'webhook-timestamp': stringParam('seconds since 1970, signed with the body'),
          'webhook-signature': stringParam('v1, and the signature in base64'),
        },
        // The signature is verified over the raw bytes, before parsing.
        unvalidated: true,
      },
      async ({ request, params: { slug = '' } }) => {
        const parsed = readQuery(request, { query });
        if (isFault(parsed)) return parsed;
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const presented = await presentedWith(server, request, slug, bytes);
        if (isFault(presented)) return presented;
        const payload = objectOf(bytes);
        if (isFault(payload)) return payload;
        const { key: _token, ...given } = payload;
        const call = webhookCall(slug, given);
        if (isFault(call)) return call;
        const id = headerOf(request, 'webhook-id');
        return callRow(server, { request, query: parsed, presented }, call.key, call.args, {
          idempotencyKey: id === '' ? undefined : `webhook ${slug} ${id}`,
          firstForEver: true,
          channel: 'webhook',
        });
      },
    );
  });
}

/** The credential: the signer, or the key in the payload. The body is not read before a signature is verified. */
async function presentedWith(
  { service, requestLimits }: RouteServer,
  request: FastifyRequest,
  slug: string,
  bytes: Buffer,
): Promise<Presented | Fault> {
  const signatures = headerOf(request, 'webhook-signature');
  if (signatures !== '') {
    const signer = await signerOf(service, slug, {
      id: headerOf(request, 'webhook-id'),
      timestamp: headerOf(request, 'webhook-timestamp'),
      signatures,
      body: bytes,
    });
    return isFault(signer) ? (requestLimits.badCredential(request) ?? signer) : { signed: signer };
  }
  const payload = objectOf(bytes);
  const token = isFault(payload) ? undefined : stringMember(payload, 'key');
  if (isFault(token)) return token;
  const presented = presentedBy(request, token);
  if (isFault(presented) || isCredentialed(presented)) return presented;
  return (
    requestLimits.meter(request)?.write(mainTenant, undefined) ??
    fault(
      'signature_required',
      'The webhook bears neither a signature nor a key.',
      'Sign it as Standard Webhooks say, with the secret of the article, or send a key that covers the row.',
    )
  );
}

function objectOf(bytes: Buffer): JsonObject | Fault {
  const parsed = parseJson(bytes, valuesMax);
  if (isFault(parsed)) return parsed;
  const { value } = parsed;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  return fault(
    'invalid_request',
    'The webhook is no JSON object.',
    'Send {"kind":"claim", …} or {"kind":"source", …}.',
  );
}

function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

/** Keeps the raw bytes for the signature. */
function bytesAsTheyCame(scope: FastifyInstance): void {
  const keep: FastifyBodyParser<Buffer> = (_request, bytes, done) => done(null, bytes);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, keep);
  scope.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json\b/i, { parseAs: 'buffer' }, keep);
}
