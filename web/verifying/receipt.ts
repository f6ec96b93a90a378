/** Verifies a receipt in the browser: its public confirmation, against the key that this site publishes. */
import { parseDocument, verifyReceipt } from '../../verify/index.ts';
import { broken, counted, notCommitted, onDemand, root, show, siteKey, textAt } from './seal.ts';

export function verifyReceiptPage(page: HTMLElement): void {
  const { inv = '', status = '' } = page.dataset;
  onDemand(() => verify(inv, status), true);
}

async function verify(inv: string, status: string): Promise<void> {
  const [key, text] = await Promise.all([siteKey(), textAt(new URL(`api/dispatch?confirm=${inv}`, root))]);
  const { ok, checks, uncovered } = await verifyReceipt(text, key);
  if (!ok)
    return show(
      'broken',
      `${broken(checks).length} of ${checks.length} checks of this receipt failed:`,
      broken(checks),
    );
  const confirmed = parseDocument(text) as { readonly id: string; readonly status: string };
  if (confirmed.id !== inv)
    return show('broken', `This site answered with the receipt of ${confirmed.id} instead.`);
  if (confirmed.status !== status)
    return show('open', `The call is now ${confirmed.status}; this page was made before. Load it again.`);
  return show(
    'sound',
    `${counted(checks.length, 'check')} passed, against the key that this site publishes.`,
    [...checks, ...notCommitted(uncovered).map((detail) => ({ id: 'uncovered', ok: true, detail }))],
  );
}
