/** A list of the protocol, a page at a time. */
import { fault } from '../../kernel/fault.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export const foreignCursor = fault(
  'invalid_request',
  'The cursor is not one of ours.',
  'Send nextCursor as it was given.',
  { parameter: 'cursor' },
);
