/** Reads of article parts: their request, and the check of their answer against its schema. */
import type { TObject } from 'typebox';
import type { ArticleAccess } from './article-access.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Answer, NoExcess } from '../../model/exact.ts';
import type { ReadContext } from '../read-context.ts';

export interface PartRequest {
  readonly context: ReadContext;
  readonly access: ArticleAccess;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** Types a read by its answer: a missing or extra member does not compile, apart from the envelope. */
export function defineRead<
  S extends TObject,
  Given extends Answer<S> | Fault,
  Request extends readonly unknown[] = readonly [PartRequest],
>(
  _answer: S,
  read: (...request: Request) => Promise<Given>,
  ..._excess: NoExcess<Answer<S>, Exclude<Given, Fault>>
): (...request: Request) => Promise<Answer<S> | Extract<Given, Fault>> {
  return read as (...request: Request) => Promise<Answer<S> | Extract<Given, Fault>>;
}
