/** A read of a part of an article: what it is read from, and the check that its answer is what the schema says. */
import type { TObject } from 'typebox';
import type { Fault } from '../../kernel/fault.ts';
import type { Answer, NoExcess } from '../../model/exact.ts';
import type { Seen } from '../seen.ts';
import type { ReadContext } from '../read-context.ts';

/** Whose eyes, which article, and what was asked. */
export interface PartRequest {
  readonly context: ReadContext;
  readonly seen: Seen;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** A read whose answer has every member of its schema and no other, apart from the envelope; otherwise it does not compile. */
export function defineRead<S extends TObject, Given extends Answer<S> | Fault, Request = PartRequest>(
  _answer: S,
  read: (request: Request) => Promise<Given>,
  ..._excess: NoExcess<Answer<S>, Exclude<Given, Fault>>
): (request: Request) => Promise<Answer<S> | Extract<Given, Fault>> {
  return read as (request: Request) => Promise<Answer<S> | Extract<Given, Fault>>;
}
