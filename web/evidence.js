/** Has a pasted text verified: a proof of an entry, or a document. */
import { verifyBundle, verifyProofText } from '../verify/index.js';

/**
 * @param {string} text
 * @param {string} key the log's verifier key
 * @param {string} entry what a bare proof is about: an entry's hash, or the entry as JSON
 */
export async function judge(text, key, entry) {
  if (text.startsWith('c2sp.org/tlog-proof@')) {
    if (entry === '') throw new Error('a proof is about an entry, and none was given');
    return verifyProofText(text.endsWith('\n') ? text : `${text}\n`, key, entry);
  }
  return verifyBundle(text, key);
}
