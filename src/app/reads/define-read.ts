/** Reads of article parts: their request, the check of their answer against its schema, and whole-number parameters. */
import type { TObject } from 'typebox';
import type { ArticleAccess } from './article-access.ts';
import { type Fault, fault } from '../../kernel/fault.ts';
import type { Answer, NoExcess } from '../../model/exact.ts';
import type { ReadContext } from '../read-context.ts';

export interface PartRequest {
  readonly context: ReadContext;
  readonly seen: ArticleAccess;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** Types a read by its answer: a missing or extra member does not compile, apart from the envelope. */
export function defineRead<S extends TObject, Given extends Answer<S> | Fault, Request = PartRequest>(
  _answer: S,
  read: (request: Request) => Promise<Given>,
  ..._excess: NoExcess<Answer<S>, Exclude<Given, Fault>>
): (request: Request) => Promise<Answer<S> | Extract<Given, Fault>> {
  return read as (request: Request) => Promise<Answer<S> | Extract<Given, Fault>>;
}

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
  return fault(
    'invalid_request',
    `"${name}" is ${given.slice(0, 40)}.`,
    `Send a whole number from 1 to ${max}.`,
    { parameter: name },
  );
}
