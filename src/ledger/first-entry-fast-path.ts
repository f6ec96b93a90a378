/**
 * Fast path of the audit: first entries of DIV chains differ only in the chain and the hash of the text (contract §1.3), and
 * most entries of a ledger are such entries. The expected text is assembled from the last sound entry and compared; an entry
 * that is equal is sound, any other entry is parsed.
 */
import { hash } from 'node:crypto';
import type { StoredForAudit } from './audit.ts';

/** Stands in JSON as it is. */
const plain = /^[a-z0-9_.]*$/;

export class FirstEntryFastPath {
  #known = false;
  #before = '';
  #between = '';
  #after = '';

  /** Whether the entry is what the remembered one would be with this chain and this text. */
  matches({ chain, n, text, contents }: StoredForAudit): boolean {
    const content = contents[0];
    if (!this.#known || n !== 0 || contents.length !== 1 || content === undefined) return false;
    if (content.field !== 'text_sha' || content.saltBytes !== null || content.hashed === null) return false;
    const sha = hash('sha256', content.hashed, 'hex');
    return text === this.#before + chain + this.#between + sha + this.#after && plain.test(chain);
  }

  /** Remembers an entry that was found sound, where the next can be like it. */
  remember({ chain, n, text, contents }: StoredForAudit): void {
    const chainMember = `"chain":"${chain}"`;
    const isFlat = text.lastIndexOf('{') === 0 && !text.includes('\\');
    if (n !== 0 || contents.length !== 1 || contents[0]?.field !== 'text_sha' || !isFlat) return;
    const chainAt = text.indexOf(chainMember) + chainMember.length - 1 - chain.length;
    const shaMember = '"text_sha":"';
    const shaAt = text.indexOf(shaMember) + shaMember.length;
    if (!text.includes(chainMember) || !text.includes(shaMember) || shaAt < chainAt) return;
    this.#known = true;
    this.#before = text.slice(0, chainAt);
    this.#between = text.slice(chainAt + chain.length, shaAt);
    this.#after = text.slice(text.indexOf('"', shaAt));
  }
}
