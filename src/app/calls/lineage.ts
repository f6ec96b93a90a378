/**
 * Lineage between invocations (spec §2.8, §3): a repair that succeeds is entered on the chain of what it
 * repaired, once, in the same act as its own success.
 */
import { repairedEvent } from '../../domain/capabilities/invocation.ts';
import type { Tx } from '../../engine/act.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { leafHash, type Entry } from '../../ledger/entry.ts';

/** Why an invocation cannot be repaired (any more), as its chain stands in this transaction. */
export function unrepairable(tx: Tx, failed: string): Fault | undefined {
  const actions = tx.chain(failed).map(({ text }) => JSON.parse(text) as Entry);
  const repaired = actions.find((entry) => entry['action'] === 'repaired_by');
  if (repaired === undefined) return undefined;
  return fault(
    'already_decided',
    `${failed} was repaired by ${String(repaired['by'])}.`,
    'Read that receipt; a further change is a call of its own.',
    { repaired_by: String(repaired['by']) },
  );
}

/** Enters on the failed invocation's chain by which one it was repaired. */
export function closeLineage(
  tx: Tx,
  failed: string,
  by: string,
  at: { readonly ts: string; readonly actor: string },
): void {
  const last = tx.chain(failed).at(-1);
  if (last === undefined || unrepairable(tx, failed) !== undefined) return;
  const { n, ts } = JSON.parse(last.text) as Entry;
  const head = { n, ts, hash: Buffer.from(leafHash(last.text)).toString('hex') };
  tx.append(repairedEvent(failed, head, at, by));
}
