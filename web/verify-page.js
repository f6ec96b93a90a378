/** The verifier of the verification page: evidence that is pasted or opened, or the whole log. */
import { judge } from './evidence.js';
import { verifyLogAt } from '../verify/index.js';
import { broken, counted, notCommitted, root, show, siteKey, verifying } from './seal.js';

/** @param {string} id */
function field(id) {
  const found = document.getElementById(id);
  if (!(found instanceof HTMLTextAreaElement || found instanceof HTMLInputElement))
    throw new Error(`the page has no field ${id}`);
  return found;
}

const form = document.getElementById('verify-form');
const evidence = field('document');
const file = field('file');
const entryField = document.getElementById('entry-field');

async function trustedKey() {
  const given = field('trusted-key').value.trim();
  return given === ''
    ? { key: await siteKey(), whose: 'the key that this site publishes' }
    : { key: given, whose: 'the key that was given' };
}

/** @param {{ ok: boolean, checks: readonly import('./seal.js').Check[], uncovered?: readonly string[] }} report @param {string} whose */
function tell({ ok, checks, uncovered }, whose) {
  const notes = notCommitted(uncovered).map((detail) => ({ id: 'uncovered', ok: true, detail }));
  if (ok)
    show('sound', `${counted(checks.length, 'check')} passed, against ${whose}.`, [...checks, ...notes]);
  else
    show(
      'broken',
      `Against ${whose}, ${broken(checks).length} of ${checks.length} checks failed:`,
      broken(checks),
    );
}

function lookAtEvidence() {
  if (entryField !== null) entryField.hidden = !evidence.value.startsWith('c2sp.org/tlog-proof@');
}

evidence.addEventListener('input', lookAtEvidence);
async function openFile() {
  const [chosen] = file instanceof HTMLInputElement ? (file.files ?? []) : [];
  if (chosen === undefined) return;
  evidence.value = await chosen.text();
  lookAtEvidence();
}

file.addEventListener('change', () => void openFile());

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void verifying(async () => {
    const text = evidence.value.trim() === '' ? '' : evidence.value;
    if (text === '') return show('open', 'There is nothing to verify: paste a document first.');
    const { key, whose } = await trustedKey();
    tell(await judge(text, key, field('entry').value.trim()), whose);
  });
});

document.getElementById('verify-log')?.addEventListener('click', () => {
  void verifying(async () => {
    const { key, whose } = await trustedKey();
    const progress = (/** @type {number} */ done, /** @type {number} */ of) =>
      show('working', `${done} of ${of} entries of the log so far.`);
    tell(await verifyLogAt(root.href, { verifierKey: key, progress }), whose);
  });
});

if (form !== null) form.hidden = false;
