/** Finds out what a pasted text is, a receipt, a proof or a larger document, and has it verified as that. */
import { parseDocument, verifyBundle, verifyProofText, verifyReceipt } from '../verify/index.js';

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
  const document = readable(text);
  // An answer may carry the receipt as a member.
  const receipt = Array.isArray(document?.['receipt']?.['entries']) ? document['receipt'] : document;
  const { id, proof } = receipt ?? {};
  if (typeof id === 'string' && id.startsWith('inv_') && proof !== undefined)
    return verifyReceipt(receipt, key);
  return verifyBundle(text, key);
}

/**
 * The document as an object, or nothing where it is none; `verifyBundle` says why.
 * @param {string} text
 * @returns {Record<string, any> | undefined}
 */
function readable(text) {
  try {
    const value = /** @type {any} */ (parseDocument(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
