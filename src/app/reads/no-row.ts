/** What everybody is told who names a row that there is not (spec §7): what is near, and where to ask. */
import { links } from '../../domain/links.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { DirectoryContext } from '../read-context.ts';
import { nearestKeys } from './nearest.ts';

export function noRow(context: DirectoryContext, key: string): Fault {
  const shown = key.slice(0, 80).toWellFormed();
  return fault(
    'unknown_key',
    `There is no row ${shown}.`,
    'Use one of did_you_mean, or ask in plain words.',
    {
      did_you_mean: nearestKeys(key, [...context.rows.keys()]).map((near) => ({
        key: near,
        url: links.contract(context.base, near),
      })),
      ask: links.ask(context.base, shown),
    },
  );
}
