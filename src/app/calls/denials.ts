/**
 * Refusals of one token beyond the first 25 are counted here and entered on its chain as one summary each
 * minute (contract §3), so that a loop with a refused token cannot fill the ledger.
 */
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import { writes } from '../../engine/act.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import type { Store } from '../../engine/store.ts';

export class Denials {
  readonly #counts = new Map<string, number>();

  count(fingerprint: string): void {
    this.#counts.set(fingerprint, (this.#counts.get(fingerprint) ?? 0) + 1);
  }

  /** Enters what was counted; what the store refuses is counted on. */
  async flush(service: { readonly store: Store; now(): number }): Promise<void> {
    for (const [fingerprint, count] of Array.from(this.#counts)) {
      this.#counts.delete(fingerprint);
      const ts = new Date(service.now()).toISOString();
      const done = await service.store.run({
        name: 'summarise denials',
        keys: [writes(capabilityTable.name, fingerprint)],
        decide(tx) {
          const row = tx.row(capabilityTable, fingerprint);
          if (row === undefined)
            return fault('not_found', `There is no capability ${fingerprint}.`, 'Nothing to do.');
          return tx.append({
            draft: { chain: fingerprint, ts, actor: 'system', action: 'denials', count },
            head: row.head,
          });
        },
      });
      if (isFault(done)) this.#counts.set(fingerprint, (this.#counts.get(fingerprint) ?? 0) + count);
    }
  }
}
