/** IMAGE_STORE (contract §3, §8): the images of articles are served from here. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { decodeImage, imageRules, storeImage } from '../domain/images/store-image.ts';
import { refusalHere, urlRules } from '../domain/outside/fetch-page.ts';
import { effect } from '../domain/outside/outside.ts';
import { refusalOf } from '../domain/violations.ts';
import { isFault } from '../kernel/fault.ts';
import { optionalActor, optionalWords } from '../model/arguments.ts';
import { ImageStored } from '../model/outside.ts';

const imageStore = defineRow({
  key: 'IMAGE_STORE',
  category: 'image',
  target: 'image',
  wishes: ['upload a picture', 'put a picture into an article', 'fetch a picture and serve it from here'],
  contract: {
    what: 'Stores one PNG, JPEG, GIF, WebP or AVIF without its metadata (EXIF, XMP, text) and answers with its address /blobs/<sha256> and the Markdown that shows it. It is sent as base64 (data) or fetched (url). Whoever knows the address can open it.',
    when: 'Before an article shows an image. Images on other hosts are shown as links only; this row brings them here.',
    example:
      '{"data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==","alt":"A red pixel"}',
  },
  input: Type.Object(
    {
      url: optionalWords(4096, 'http or https; leave out where data is sent'),
      alt: optionalWords(1000, 'what the image shows, for readers who do not see it'),
      data: Type.Optional(
        Type.String({
          description: 'the bytes in base64, at most 5 MiB of them; recorded by their hash alone',
        }),
      ),
      actor: optionalActor,
    },
    { additionalProperties: false },
  ),
  output: ImageStored,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  recordedByHash: ['data'],
  rules: (given) => imageRules(given),
  rulesHere: ({ url }, { judgeUrl }) => urlRules(url, judgeUrl),
  plan(input) {
    const bad = refusalOf(imageRules(input));
    if (bad !== undefined) return bad;
    const bytes = input.data === undefined ? undefined : decodeImage(input.data);
    if (isFault(bytes)) return bytes;
    return {
      ...effect(['images'], 30_000, (signal, { images }) => storeImage(input, images, signal)),
      check: ({ judgeUrl }) => refusalHere(urlRules(input.url, judgeUrl)),
    };
  },
});

export const imageRows: readonly Row[] = [imageStore];
