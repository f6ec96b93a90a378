/**
 * Sources, contributions and discourse are listed beside the entry that commits to them with a salt (contract §1.4,
 * §1.5). This takes the committed content out of the listed object again and checks it, so that a quote that
 * was changed on the way is found.
 */
import { canonical } from '../verify/index.js';

/** @typedef {import('./seal.js').Check} Check */
/** @typedef {Readonly<Record<string, any>>} Listed */

/** What a list adds to the content. */
const added = new Set([
  'prev',
  'hash',
  'entry',
  'salt',
  'content',
  'claim_ids',
  'link',
  'status',
  'permalink',
  // What became of a contribution is told by a later entry, of the provenance.
  'resolution',
  'decided_at',
  'decided_by',
  'note',
  'effect',
]);

/** @param {Listed} listed */
function contentOf(listed) {
  return Object.fromEntries(Object.entries(listed).filter(([name]) => !added.has(name)));
}

/**
 * A source's score may have been given later, by another entry.
 * @param {Listed} source
 */
export function checkSource(source) {
  const content = contentOf(source);
  return check('source', source, [content, { ...content, quality_score: null }]);
}

/** @param {Listed} post an entry of the discourse */
export function checkPost(post) {
  return check('post', post, [contentOf(post)]);
}

/**
 * A contribution is committed with a digest that finds its repetitions.
 * @param {Listed} contribution
 */
export async function checkContribution(contribution) {
  const content = contentOf(contribution);
  const [aid] = String(contribution['entry']?.chain).split('.');
  const { claim_id: claim, kind, actor, body, rationale } = content;
  const said = [aid ?? '', claim, kind, actor, body, ...(rationale === null ? [] : [rationale])];
  const digest = await sha256(new TextEncoder().encode(canonical(said)));
  return check('contribution', contribution, [{ ...content, digest }]);
}

/**
 * @param {string} id
 * @param {Listed} listed
 * @param {readonly Listed[]} candidates
 * @returns {Promise<Check>}
 */
async function check(id, listed, candidates) {
  const name = `${id} ${String(listed['id'])}`;
  if (listed['content'] === 'scrubbed')
    return { id: 'scrubbed', ok: true, detail: `${name} was scrubbed; its commitment stands` };
  const salt = String(listed['salt']).match(/../g) ?? [];
  if (salt.length !== 32) return { id, ok: false, detail: `${name} is shown without its salt` };
  for (const content of candidates) {
    const text = new TextEncoder().encode(canonical(/** @type {any} */ (content)));
    const bytes = new Uint8Array(32 + text.length);
    bytes.set(salt.map((pair) => Number.parseInt(pair, 16)));
    bytes.set(text, 32);
    if ((await sha256(bytes)) === listed['entry']?.content_sha)
      return { id, ok: true, detail: `${name} is what its entry commits to` };
  }
  return {
    id,
    ok: false,
    detail: `${name} is not what entry ${String(listed['entry']?.n)} of chain ${String(listed['entry']?.chain)} commits to`,
  };
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function sha256(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
