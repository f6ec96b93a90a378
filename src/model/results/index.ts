/**
 * The JSON Schema of every built-in row's `result` (spec §2.6 "output schema", ADR 37): strict enough that a member that
 * was renamed or left out is found, open where a row answers with what is not its own (the result of another row, a
 * provider's response). A test holds every row's answers to its own.
 */
import type { TSchema } from 'typebox';
import { articleResults } from './articles.ts';
import { otherResults } from './others.ts';
import { protocolResults } from './protocol.ts';
import { talkResults } from './talk.ts';

export const rowResults: Readonly<Record<string, TSchema>> = {
  ...articleResults,
  ...talkResults,
  ...protocolResults,
  ...otherResults,
};
