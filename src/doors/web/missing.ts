/** What pages say of what is not there. */
import { nearestKeys } from '../../app/reads/nearest.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Site } from './site.ts';

export function noRow({ service }: Site, key: string): Fault {
  const near = nearestKeys(key, [...service.rows.keys()]);
  return fault(
    'unknown_key',
    `There is no row ${key.slice(0, 80)}.`,
    near.length === 0 ? 'The directory lists the rows that exist.' : `The nearest are ${near.join(', ')}.`,
  );
}

export function noReceipt(): Fault {
  return fault(
    'not_found',
    'The ledger has no invocation of that id.',
    'An id is inv_ and 16 letters and digits.',
  );
}
