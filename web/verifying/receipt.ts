/**
 * Verifies a receipt in the browser: its public confirmation, against the key that this site publishes, and with the
 * witnesses of the policy that it publishes.
 */
import { parseDocument, verifyReceipt } from '../../verify/index.ts';
import { counted, notCommitted, onDemand, root, show, siteTrust, textAt, whoseTrust } from './seal.ts';
import { judgeWitnesses, type Written } from './witnesses.ts';

export function verifyReceiptPage(page: HTMLElement): void {
  const { inv = '', status = '' } = page.dataset;
  onDemand(() => verify(inv, status), true);
}

/** What is read of a confirmation once it has verified. */
export interface Confirmed {
  readonly id: string;
  readonly status: string;
  readonly entries: readonly { readonly hash: string; readonly ts: string }[];
  readonly proof: { readonly entry_hash: string };
  readonly latest?: { readonly entry_hash: string };
}

/** When the entry that a proof of a confirmation is about was written. */
export function writtenIn({ entries, proof, latest }: Confirmed, at: string): Written {
  const { entry_hash: proven } = at === 'latest' && latest !== undefined ? latest : proof;
  return { ts: entries.find(({ hash }) => hash === proven)?.ts, what: 'it' };
}

async function verify(inv: string, status: string): Promise<void> {
  const [trust, text] = await Promise.all([
    siteTrust(),
    textAt(new URL(`api/dispatch?confirm=${inv}`, root)),
  ]);
  const { checks, uncovered } = await verifyReceipt(text, trust);
  const confirmed = parseDocument(text) as object as Confirmed;
  const witnessed = judgeWitnesses(checks, (at) => writtenIn(confirmed, at));
  const { failures, verdict, sentence } = witnessed;
  if (failures.length > 0)
    return show('broken', `${failures.length} of ${checks.length} checks of this receipt failed:`, failures);
  if (confirmed.id !== inv)
    return show('broken', `This site answered with the receipt of ${confirmed.id} instead.`);
  if (confirmed.status !== status)
    return show('open', `The call is now ${confirmed.status}; this page was made before. Load it again.`);
  const passed = counted(checks.filter(({ ok }) => ok).length, 'check');
  return show(
    verdict,
    `${sentence === '' ? '' : `${sentence} `}${passed} passed, against ${whoseTrust(trust)}.`,
    [
      ...witnessed.checks,
      ...notCommitted(uncovered).map((detail) => ({ id: 'uncovered', ok: true, detail })),
    ],
  );
}
