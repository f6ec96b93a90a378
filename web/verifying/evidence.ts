/** The verifier of the verification page: evidence that is pasted or opened, or the whole log. */
import { verifyBundle, verifyLogAt, verifyProofText, type Report } from '../../verify/index.ts';
import { broken, counted, notCommitted, root, show, siteKey, verifying } from './seal.ts';

export function verifyEvidencePage(form: HTMLElement): void {
  const evidence = field('document');
  const file = field('file');

  evidence.addEventListener('input', showEntryField);
  file.addEventListener('change', () => void openFile());
  form.addEventListener('submit', (event) => {
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
      const progress = (done: number, of: number) =>
        show('working', `${done} of ${of} entries of the log so far.`);
      tell(await verifyLogAt(root.href, { verifierKey: key, progress }), whose);
    });
  });
  form.hidden = false;

  async function openFile(): Promise<void> {
    const [chosen] = file instanceof HTMLInputElement ? (file.files ?? []) : [];
    if (chosen === undefined) return;
    evidence.value = await chosen.text();
    showEntryField();
  }

  /** A bare proof names no entry, so the reader has to. */
  function showEntryField(): void {
    const entryField = document.getElementById('entry-field');
    if (entryField !== null) entryField.hidden = !evidence.value.startsWith('c2sp.org/tlog-proof@');
  }
}

/** `entry` is what a bare proof is about: an entry's hash, or the entry as JSON. */
async function judge(text: string, key: string, entry: string): Promise<Report> {
  if (text.startsWith('c2sp.org/tlog-proof@')) {
    if (entry === '') throw new Error('a proof is about an entry, and none was given');
    return verifyProofText(text.endsWith('\n') ? text : `${text}\n`, key, entry);
  }
  return verifyBundle(text, key);
}

function field(id: string): HTMLTextAreaElement | HTMLInputElement {
  const found = document.getElementById(id);
  if (!(found instanceof HTMLTextAreaElement || found instanceof HTMLInputElement))
    throw new Error(`the page has no field ${id}`);
  return found;
}

async function trustedKey(): Promise<{ readonly key: string; readonly whose: string }> {
  const given = field('trusted-key').value.trim();
  return given === ''
    ? { key: await siteKey(), whose: 'the key that this site publishes' }
    : { key: given, whose: 'the key that was given' };
}

function tell({ ok, checks, uncovered }: Report, whose: string): void {
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
