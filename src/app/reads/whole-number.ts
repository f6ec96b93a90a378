/** Whole numbers out of a URL, such as `limit` and `rev`: within their bounds, or refused by name (contract §2). */
import { fault, type Fault } from '../../kernel/fault.ts';

export function wholeNumberOf(
  given: string | undefined,
  name: string,
  byDefault: number,
  max: number,
): number | Fault {
  if (given === undefined) return byDefault;
  const value = Number(given);
  if (/^\d{1,9}$/.test(given) && value >= 1 && value <= max) return value;
  return fault(
    'invalid_request',
    `"${name}" is ${given.slice(0, 40)}.`,
    `Send a whole number from 1 to ${max}.`,
    { parameter: name },
  );
}
