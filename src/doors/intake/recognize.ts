/** What a file is (contract §8, importing): notes, a bundle, a bibliography or annotations, by its content. */
import { isFault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject } from '../../kernel/json.ts';
import { readCitations, type Citations } from '../../represent/intake/citations.ts';
import { readAnnotations, type ReadAnnotation } from '../../represent/intake/web-annotations.ts';
import type { ImportFile } from '../../represent/intake/read-zip.ts';

export type Upload =
  | { readonly kind: 'notes' }
  | { readonly kind: 'bundle'; readonly bundle: JsonObject }
  | { readonly kind: 'sources'; readonly citations: Citations }
  | { readonly kind: 'annotations'; readonly annotations: readonly ReadAnnotation[] };

/** By the one file that an upload holds; several files are notes. */
export async function recognize(files: readonly ImportFile[]): Promise<Upload> {
  const [file] = files;
  if (files.length !== 1 || file === undefined) return { kind: 'notes' };
  const text = utf8(file.bytes);
  if (text === undefined) return { kind: 'notes' };
  const citations = await readCitations(file.path, text);
  if (citations !== undefined) return { kind: 'sources', citations };
  if (!/\.(?:json|jsonld)$/i.test(file.path)) return { kind: 'notes' };
  const parsed = parseJson(text);
  if (isFault(parsed)) return { kind: 'notes' };
  const { value } = parsed;
  if (typeof value === 'object' && value !== null && 'bundle_version' in value) {
    const { ok: _ok, _self, ...bundle } = value;
    return { kind: 'bundle', bundle };
  }
  const annotations = readAnnotations(value);
  return annotations === undefined ? { kind: 'notes' } : { kind: 'annotations', annotations };
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
