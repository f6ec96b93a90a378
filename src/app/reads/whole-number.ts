/** Whole-number parameters of a query, such as `limit`, and the text that refuses one out of bounds. */
import { type Fault, invalidParameter } from '../../kernel/fault.ts';

/** A parameter such as `limit` or `rev`: a whole number within its bounds (contract §2). */
export function wholeNumberOf(
  given: string | undefined,
  name: string,
  byDefault: number,
  max: number,
): number | Fault {
  if (given === undefined) return byDefault;
  const value = Number(given);
  if (/^\d{1,9}$/.test(given) && value >= 1 && value <= max) return value;
  return invalidParameter(
    name,
    `"${name}" must be a whole number from 1 to ${max}; got ${given.slice(0, 40)}.`,
    `Send a whole number from 1 to ${max}.`,
  );
}
