/**
 * Verifies an article in the browser: what the ledger serves of it is computed again from genesis, what the
 * page says of it is compared, and the page's proof is followed to the signed log.
 */
import { parse, verifyBundle, verifyProofText } from '../verify/index.js';
import { checkContribution, checkPost, checkSource } from './listed-content.js';
import { broken, countOf, counted, onDemand, root, show, siteKey, textAt } from './seal.js';

/** @typedef {import('./seal.js').Check} Check */

/** Larger ones are verified when the reader asks for it: all their chains have to be fetched. */
const divsMax = 400;

const article = document.getElementById('article');
const { slug = '', version = '', contentHash = '' } = article?.dataset ?? {};

async function verify() {
  const at = new URL(`api/articles/${slug}`, root);
  const part = (/** @type {string} */ name) => textAt(`${at.href}/${name}`);
  const [key, text, voxelText, threadText] = await Promise.all([siteKey(), textAt(at), part('voxels?include_inactive=1'), part('discourse')]);
  const document = /** @type {Record<string, any>} */ (parse(text));
  const voxels = /** @type {Record<string, any>} */ (parse(voxelText));
  const discourse = /** @type {Record<string, any>} */ (parse(threadText));
  if (String(document['version']) !== version) {
    return show('open', `The article is now at version ${String(document['version'])}; this page shows version ${version}. Load it again.`);
  }
  const { checks } = await verifyBundle({ ...document, voxels, discourse });
  /** @type {Check[]} */
  const all = [...checks];
  for (const source of document['sources']) all.push(await checkSource(source));
  for (const contribution of document['contributions']) all.push(await checkContribution(contribution));
  for (const post of discourse['entries']) all.push(await checkPost(post));
  all.push(...samePage(document), ...(await proven(document, key)));
  const failures = broken(all);
  if (failures.length > 0) return show('broken', `This article does not verify: ${failures.length} of ${all.length} checks failed.`, failures);
  return show('sound', summary(all));
}

/**
 * The page and the ledger's answer must speak of the same text.
 * @param {Record<string, any>} document
 * @returns {Check[]}
 */
function samePage(document) {
  if (document['content_hash'] === contentHash) return [];
  return [{ id: 'page', ok: false, detail: `the page was made of a body that hashes to ${contentHash}, the ledger serves one that hashes to ${String(document['content_hash'])}` }];
}

/**
 * The newest provenance entry, followed by the page's proof to a signed checkpoint.
 * @param {Record<string, any>} article
 * @param {string} key
 * @returns {Promise<Check[]>}
 */
async function proven(article, key) {
  const proof = document.getElementById('proof');
  const head = String(article['provenance'].at(-1)?.hash);
  if (proof === null) return [];
  if (proof.dataset['entry'] !== head) return [{ id: 'proof', ok: false, detail: `the provenance ends in ${head}, the page proves ${String(proof.dataset['entry'])}` }];
  const report = await verifyProofText(proof.textContent ?? '', key, head);
  return [...report.checks];
}

/** @param {readonly Check[]} checks */
function summary(checks) {
  const entries = checks.reduce((sum, { id, detail }) => sum + (id === 'chain' ? Number(/: (\d+) entr/.exec(detail)?.[1] ?? 0) : 0), 0);
  /** @param {readonly string[]} kinds */
  const count = (...kinds) => kinds.map((kind) => [countOf(checks, kind), kind]).filter(([n]) => n !== 0).map(([n, kind]) => counted(Number(n), kind === 'div' ? 'DIV' : String(kind)));
  const committed = count('source', 'contribution', 'post');
  const inclusion = checks.find(({ id }) => id === 'inclusion');
  const signature = checks.find(({ id }) => id === 'signature');
  return [
    `Verified in this browser: ${counted(countOf(checks, 'chain'), 'chain')} of ${counted(entries, 'entry', 'entries')} from genesis;`,
    `${['the body', ...count('div', 'claim')].join(', ')} against their hashes;`,
    committed.length === 0 ? '' : `${committed.join(', ')} against their commitments;`,
    inclusion === undefined || signature === undefined
      ? 'the log has not yet taken in the newest entry.'
      : `the newest entry against the log: ${inclusion.detail}, and ${signature.detail}, by the key that this site publishes.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

onDemand(verify, document.querySelectorAll('.div').length <= divsMax);
