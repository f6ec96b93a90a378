/**
 * IMAGE_STORE (contract §3, §8): one image, sent or fetched, stored without its metadata under the hash of its bytes, so
 * that readers' browsers ask this deployment for it and no other host.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { ImageStored } from '../../model/outside.ts';
import { exactly } from '../../model/exact.ts';
import type { Result } from '../context.ts';
import { visibleTextRules } from '../text-rules.ts';
import { violation, type PartialInput, type Violation } from '../violations.ts';
import { cleanImage, imageBytesMax, type CleanImage } from './clean-image.ts';

export interface StoreImageInput {
  readonly url?: string | undefined;
  readonly alt?: string | undefined;
  /** Base64. */
  readonly data?: string | undefined;
}

/** An image that a host answered with, unchecked. */
export interface FetchedImage {
  readonly finalUrl: string;
  readonly bytes: Uint8Array;
}

/** What an image needs of the outside. */
export interface Images {
  fetch(url: string, bytesMax: number, signal: AbortSignal): Promise<FetchedImage | Fault>;
  /** Durable when it resolves. */
  put(bytes: Uint8Array): Promise<{ readonly sha256: string; readonly url: string }>;
}

export function imageRules({ url, data, alt }: PartialInput<StoreImageInput>): Violation[] {
  const isOne = (url === undefined) !== (data === undefined);
  return [
    ...(isOne
      ? []
      : [
          violation(
            'one_of_two',
            url === undefined ? '/url' : '/data',
            'An image is either fetched from a url or sent as data.',
            'Send one of the two.',
          ),
        ]),
    ...visibleTextRules({ alt }),
  ];
}

/** The bytes that were sent; a Fault where the text is no base64. */
export function decodeImage(data: string): Uint8Array | Fault {
  const text = data.replace(/\s+/g, '');
  if (text.length > Math.ceil(imageBytesMax / 3) * 4 + 4)
    return fault(
      'payload_ceiling',
      `The image is larger than ${imageBytesMax} bytes.`,
      'Scale it down or save it with a higher compression, and send it again.',
    );
  // An expression that matches the whole text would need a stack as long as it.
  const padding = text.indexOf('=');
  const isBase64 =
    text !== '' &&
    text.length % 4 === 0 &&
    !/[^A-Za-z0-9+/=]/.test(text) &&
    /^={0,2}$/.test(padding < 0 ? '' : text.slice(padding));
  return !isBase64
    ? fault('body_mismatch', 'data is no base64.', 'Send the bytes of the image in base64, with padding.')
    : Buffer.from(text, 'base64');
}

export async function storeImage(
  { url, alt = '', data }: StoreImageInput,
  images: Images,
  signal: AbortSignal,
): Promise<Result | Fault> {
  const given: FetchedImage | Uint8Array | Fault =
    url === undefined ? decodeImage(data ?? '') : await images.fetch(url, imageBytesMax, signal);
  if (isFault(given)) return given;
  const image = cleanImage(given instanceof Uint8Array ? given : given.bytes);
  if ('problem' in image) return fault('runner_failed', image.problem, image.fix, { reason: 'no_image' });
  return described(
    image,
    await images.put(image.bytes),
    alt,
    given instanceof Uint8Array ? null : given.finalUrl,
  );
}

function described(
  { bytes, media_type, width, height, removed }: CleanImage,
  { sha256, url }: { readonly sha256: string; readonly url: string },
  alt: string,
  source: string | null,
): Result {
  const path = `/blobs/${sha256}`;
  const markdown = `![${escapeAlt(alt)}](${path})`;
  const left = removed.length === 0 ? '' : ` Left out: ${removed.join(', ')}.`;
  return {
    result: exactly(ImageStored, {
      sha256,
      url,
      path,
      markdown,
      media_type,
      bytes: bytes.length,
      width,
      height,
      removed: [...removed],
      source_url: source,
    }),
    text: `Stored ${media_type} of ${width} by ${height} pixels: ${markdown}${left}`,
    material: [{ kind: 'image', id: sha256, url }],
  };
}

/** The alternative text as the description of a Markdown image, in one line. */
export function escapeAlt(alt: string): string {
  return alt
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\[\]!`<>&*_]/g, '\\$&');
}
