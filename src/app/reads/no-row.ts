/** What everybody is told who names a row that there is not (spec §7): what is near, and where to ask. */
import { links } from '../../domain/links.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Service } from '../service.ts';
import { nearestKeys } from './nearest.ts';

export function noRow(service: Service, key: string): Fault {
  const shown = key.slice(0, 80).toWellFormed();
  return fault(
    'unknown_key',
    `There is no row ${shown}.`,
    'Use one of did_you_mean, or ask in plain words.',
    {
      did_you_mean: nearestKeys(key, [...service.rows.keys()]).map((near) => ({
        key: near,
        url: links.contract(service.base, near),
      })),
      ask: links.ask(service.base, shown),
    },
  );
}
