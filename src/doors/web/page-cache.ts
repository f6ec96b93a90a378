/**
 * Warm pages: bytes kept by the stamp of what they were made from. However many readers come at once, a
 * cold page is made once; a page that will soon be better (its proof is not there yet) is not kept.
 */
import { isFault, type Fault } from '../../kernel/fault.ts';
import { ByteCache, type CachedBytes, type Pieces } from '../http/cached-bytes.ts';

export interface MadePage {
  readonly html: string | Pieces;
  /** False: made anew for the next reader. */
  readonly keep: boolean;
}

/** A page that stays as it is until its stamp changes. */
export function kept(html: string): MadePage {
  return { html, keep: true };
}

const type = 'text/html; charset=utf-8';

export class PageCache {
  readonly bytes: ByteCache;
  readonly #making = new Map<string, Promise<CachedBytes | Fault>>();

  constructor(bytesMax: number) {
    this.bytes = new ByteCache(bytesMax);
  }

  async get(
    name: string,
    stamp: string,
    make: () => Promise<MadePage | Fault>,
  ): Promise<CachedBytes | Fault> {
    const warm = this.bytes.get(name, stamp);
    if (warm !== undefined) return warm;
    const place = `${stamp} ${name}`;
    let making = this.#making.get(place);
    if (making === undefined) {
      making = this.#make(name, stamp, make).finally(() => this.#making.delete(place));
      this.#making.set(place, making);
    }
    return making;
  }

  async #make(
    name: string,
    stamp: string,
    make: () => Promise<MadePage | Fault>,
  ): Promise<CachedBytes | Fault> {
    const made = await make();
    if (isFault(made)) return made;
    const entry = await this.bytes.set(name, stamp, made.html, type);
    if (!made.keep) this.bytes.delete(name);
    return entry;
  }
}
