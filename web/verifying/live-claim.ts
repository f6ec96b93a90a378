/**
 * Verifies the claim of the home page: its text against the hash in the record, and the receipt of its wording against
 * the key that this site publishes, and with its witnesses.
 */
import { parseDocument, verifyReceipt } from '../../verify/index.ts';
import { type Confirmed, writtenIn } from './receipt.ts';
import { counted, notCommitted, onDemand, root, show, siteTrust, textAt } from './seal.ts';
import { judgeWitnesses } from './witnesses.ts';

export function verifyLiveClaim(section: HTMLElement): void {
  const { inv = '', hash = '' } = section.dataset;
  const text = document.getElementById('live-claim-text')?.textContent ?? '';
  onDemand(() => verify(inv, hash, text), true);
}

async function verify(inv: string, hash: string, text: string): Promise<void> {
  const [trust, served] = await Promise.all([
    siteTrust(),
    textAt(new URL(`api/dispatch?confirm=${inv}`, root)),
  ]);
  const { checks, uncovered } = await verifyReceipt(served, trust);
  const own = await sha256(text);
  const all = [
    {
      id: 'claim',
      ok: own === hash,
      detail:
        own === hash
          ? `the words of the claim hash to ${hash}`
          : `the words of the claim hash to ${own}, the record says ${hash}`,
    },
    ...checks,
  ];
  const confirmed = parseDocument(served) as object as Confirmed;
  const witnessed = judgeWitnesses(all, (at) => writtenIn(confirmed, at));
  const { failures, verdict, sentence } = witnessed;
  if (failures.length > 0)
    return show('broken', `${failures.length} of ${all.length} checks of this claim failed:`, failures);
  const { id } = confirmed;
  if (id !== inv) return show('broken', `This site answered with the receipt of ${id} instead.`);
  const passed = counted(all.filter(({ ok }) => ok).length, 'check');
  return show(
    verdict,
    `The words are those of the record, and its receipt is in the signed log: ${passed} passed.${sentence === '' ? '' : ` ${sentence}`}`,
    [
      ...witnessed.checks,
      ...notCommitted(uncovered).map((detail) => ({ id: 'uncovered', ok: true, detail })),
    ],
  );
}

async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
