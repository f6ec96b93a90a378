/** Which picture or film bytes are, by how they begin: what a provider calls them decides nothing. */

export type MediaType =
  'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'image/avif' | 'video/mp4' | 'video/webm';

/** Undefined for everything else: it is offered as a download, never shown. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.slice(4, 12) === 'ftypavif') return 'image/avif';
  if (start.slice(4, 8) === 'ftyp') return 'video/mp4';
  if (start.startsWith('\x1a\x45\xdf\xa3')) return 'video/webm';
  return undefined;
}
