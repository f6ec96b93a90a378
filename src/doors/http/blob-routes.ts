/**
 * `/blobs/<sha256>`: results that receipts name by their hash (contract §3, CREATIVE_GENERATE). The address never shows
 * anything else; the bytes are shown as what they are found to be, and can run nothing.
 */
import { fault } from '../../kernel/fault.ts';
import { mediaTypeOf } from '../../represent/media-type.ts';
import { mediaReply } from './replies.ts';
import { route, type Door } from './route.ts';

export function blobRoutes(door: Door): void {
  route(
    door,
    {
      get: '/blobs/:sha256',
      id: 'readBlob',
      summary: 'A result by its hash, as the bytes it has.',
      tag: 'capabilities',
      caller: 'nobody',
      limit: 'read',
      query: {},
      json: false,
      types: ['application/octet-stream', 'image/*', 'video/mp4'],
      cache: 'public, max-age=31536000, immutable',
    },
    async ({ params: { sha256 = '' } }) => {
      const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await door.service.store.blobs.get(sha256) : undefined;
      if (bytes === undefined)
        return fault(
          'not_found',
          'There is no such result.',
          'Take the address from the receipt as it stands.',
        );
      const type = mediaTypeOf(bytes);
      const name = `${sha256.slice(0, 16)}.${type === undefined ? 'bin' : (type.split('/')[1] as string)}`;
      return mediaReply(
        type ?? 'application/octet-stream',
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        {
          'content-disposition': `${type === undefined ? 'attachment' : 'inline'}; filename="${name}"`,
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'same-origin',
          etag: `"${sha256}"`,
        },
      );
    },
  );
}
