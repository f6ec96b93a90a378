/**
 * `/blobs/<sha256>`: results that receipts name by their hash (contract §3, CREATIVE_GENERATE). The address never shows
 * anything else; the bytes are shown as what they are found to be, and can run nothing.
 */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { mediaTypeOf } from '../../represent/media-type.ts';
import { sendProblem } from './envelope.ts';
import type { Intake } from './intake.ts';
import { declare, readable } from './declare.ts';
import { readQuery } from './requests.ts';

const blob = declare({
  id: 'readBlob',
  summary: 'A result by its hash, as the bytes it has.',
  tag: 'capabilities',
  caller: 'nobody',
  query: {},
  json: false,
  types: ['application/octet-stream', 'image/*', 'video/mp4'],
});

export function blobRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  app.get('/blobs/:sha256', readable(blob), async (request, reply) => {
    const query = readQuery(request, blob);
    if (isFault(query)) return sendProblem(reply, request, service.base, query);
    const limited = intake.read(request);
    if (limited !== undefined) return sendProblem(reply, request, service.base, limited);
    const { sha256 } = request.params as { readonly sha256: string };
    const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await service.store.blobs.get(sha256) : undefined;
    if (bytes === undefined) {
      return sendProblem(
        reply,
        request,
        service.base,
        fault('not_found', 'There is no such result.', 'Take the address from the receipt as it stands.'),
      );
    }
    const type = mediaTypeOf(bytes);
    const name = `${sha256.slice(0, 16)}.${type === undefined ? 'bin' : (type.split('/')[1] as string)}`;
    return reply
      .header('content-type', type ?? 'application/octet-stream')
      .header('content-disposition', `${type === undefined ? 'attachment' : 'inline'}; filename="${name}"`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'same-origin')
      .header('etag', `"${sha256}"`)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  });
}
