/** Images from other hosts, fetched behind the egress guard, and the store that keeps them (contract §3 IMAGE_STORE). */
import type { Images } from '../../domain/images/store-image.ts';
import { links } from '../../domain/links.ts';
import type { Fetch } from '../../domain/outside/outside.ts';
import type { Blobs } from '../../engine/store.ts';
import { fault, isFault } from '../../kernel/fault.ts';

export function imagesWith(base: string, fetch: Fetch, blobs: Blobs): Images {
  return {
    async fetch(url, bytesMax, signal) {
      const fetched = await fetch({
        url,
        bytesMax,
        signal,
        // An SVG and a page are refused by their bytes; hosts often call an image application/octet-stream.
        headers: { accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif' },
      });
      if (isFault(fetched)) return fetched;
      if (fetched.status === 200) return { finalUrl: fetched.finalUrl, bytes: fetched.bytes };
      return fault(
        'runner_failed',
        `The image was answered with ${fetched.status}.`,
        'Check its address in a browser, or upload the image.',
        { reason: 'fetch_failed' },
      );
    },
    async put(bytes) {
      const sha256 = await blobs.put(bytes);
      return { sha256, url: links.blob(base, sha256) };
    },
  };
}
