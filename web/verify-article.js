/**
 * Verifies an article in the browser: what the ledger serves of it is computed again from genesis, what the
 * page says of it is compared, and the page's proof is followed to the signed log.
 */
import { parseDocument, verifyBundle, verifyProofText } from '../verify/index.js';
import { broken, countOf, counted, notCommitted, onDemand, root, show, siteKey, textAt } from './seal.js';

/** @typedef {import('./seal.js').Check} Check */

/** Larger ones are verified when the reader asks for it: all their texts and chains have to be fetched. */
const divsMax = 400;
const charactersMax = 300_000;

const article = document.getElementById('article');
/** `asked` is the past that the page shows, as a query; '' for the article as it is. */
const { slug = '', version = '', contentHash = '', asked = '' } = article?.dataset ?? {};

async function verify() {
  const at = new URL(`api/articles/${slug}`, root);
  const part = (/** @type {string} */ name) => {
    const sign = name.includes('?') ? '&' : '?';
    return textAt(`${at.href}${name}${asked === '' ? '' : sign}${asked}`);
  };
  const [key, articleText, voxelText, threadText] = await Promise.all([
    siteKey(),
    part(''),
    part('/voxels?include_inactive=1'),
    part('/discourse'),
  ]);
  const served = /** @type {Record<string, any>} */ (parseDocument(articleText));
  const voxels = /** @type {Record<string, any>} */ (parseDocument(voxelText));
  const discourse = /** @type {Record<string, any>} */ (parseDocument(threadText));
  if (String(served['version']) !== version) {
    return show(
      'open',
      `The article is now at version ${String(served['version'])}; this page shows version ${version}. Load it again.`,
    );
  }
  const { checks, uncovered = [] } = await verifyBundle({ voxels, ...served, discourse });
  const all = [...checks, ...samePage(served), ...(await proven(served, key))];
  const failures = broken(all);
  if (failures.length > 0)
    return show('broken', `${failures.length} of ${all.length} checks of this article failed:`, failures);
  return show('sound', ...summary(all, uncovered));
}

/**
 * The page and the ledger's answer must speak of the same text.
 * @param {Record<string, any>} served
 * @returns {Check[]}
 */
function samePage(served) {
  if (served['content_hash'] === contentHash) return [];
  return [
    {
      id: 'page',
      ok: false,
      detail: `the page was made of a body that hashes to ${contentHash}, the ledger serves one that hashes to ${String(served['content_hash'])}`,
    },
  ];
}

/**
 * The newest provenance entry, followed by the page's proof to a signed checkpoint.
 * @param {Record<string, any>} served
 * @param {string} key
 * @returns {Promise<Check[]>}
 */
async function proven(served, key) {
  const proof = document.getElementById('proof');
  const head = String(served['provenance'].at(-1)?.hash);
  if (proof === null) return [];
  if (proof.dataset['entry'] !== head)
    return [
      {
        id: 'proof',
        ok: false,
        detail: `the provenance ends in ${head}, the page proves ${String(proof.dataset['entry'])}`,
      },
    ];
  const report = await verifyProofText(proof.textContent ?? '', key, head);
  return [...report.checks];
}

/**
 * One sentence, and what stands behind it.
 * @param {readonly Check[]} checks
 * @param {readonly string[]} uncovered
 * @returns {[string, Check[]]}
 */
function summary(checks, uncovered) {
  const entries = checks.reduce(
    (sum, { id, detail }) => sum + (id === 'chain' ? Number(/: (\d+) entr/.exec(detail)?.[1] ?? 0) : 0),
    0,
  );
  const chains = counted(countOf(checks, 'chain'), 'chain');
  // Provenance holds the claims once more, as they were posted.
  const claims = checks.filter(({ id, at }) => id === 'claim' && at?.startsWith('claims[')).length;
  // The article says where each DIV stands in it; its text is shown apart.
  const divs = checks.filter(({ id, at }) => id === 'div' && at?.startsWith('voxels.') === true).length;
  const hashed = ['the body', ...some(divs, 'DIV'), ...some(claims, 'claim')];
  const committed = [
    ...some(countOf(checks, 'source'), 'source'),
    ...some(countOf(checks, 'contribution'), 'contribution'),
    ...some(countOf(checks, 'post'), 'word of discourse', 'words of discourse'),
  ];
  const signature = checks.find(({ id }) => id === 'signature')?.detail;
  const inclusion = checks.find(({ id }) => id === 'inclusion')?.detail;
  const logged = signature !== undefined && inclusion !== undefined;
  const found = [
    `${chains} of ${counted(entries, 'entry', 'entries')} from genesis, without a break`,
    `${hashed.join(', ')}: what their hashes say`,
    ...(committed.length === 0 ? [] : [`${committed.join(', ')}: what their entries commit to`]),
    logged
      ? `the newest entry is in the signed log: ${signature}; ${inclusion}`
      : 'the log has not yet taken in the newest entry',
    'the key is the one that this site publishes',
    ...notCommitted(uncovered),
  ];
  return [
    `${chains} of ${counted(entries, 'entry', 'entries')}, from genesis to ${logged ? 'the signed log' : 'the newest entry, which the log has not yet taken in'}.`,
    found.map((detail) => ({ id: 'found', ok: true, detail })),
  ];
}

/** @param {number} n @param {string} one @param {string} [many] */
function some(n, one, many) {
  return n === 0 ? [] : [counted(n, one, many)];
}

const text = document.getElementById('text')?.textContent ?? '';
onDemand(verify, text.length <= charactersMax && document.querySelectorAll('.div').length <= divsMax);
