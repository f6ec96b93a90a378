/**
 * What an imported claim and an imported source may be made of (spec §4.3): every member that Colophon has ever
 * written, with its type and bounds, and no other. Content rules come after these, since they read texts as texts.
 */
import Type from 'typebox';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { claimsOf, sourcesOf, type ArticleState } from '../articles/state.ts';
import { collectSchemaErrors } from '../capabilities/schema-errors.ts';
import type { Violation } from '../violations.ts';
import { violation } from './opened.ts';
import { ImportedClaim } from '../../model/claim.ts';
import { ImportedSource } from '../../model/source.ts';

/** Every member of a claim or source that has no place in one, or another type. */
export function itemProblems(state: ArticleState): Violation[] {
  const sources = sourcesOf(state).map((row) => row.source);
  return [
    ...misfits(ImportedClaim, claimsOf(state), '/claims'),
    ...misfits(ImportedSource, sources, '/sources'),
  ];
}

function misfits(schema: Type.TSchema, items: readonly JsonObject[], at: string): Violation[] {
  return collectSchemaErrors(Type.Array(schema), items as unknown as JsonValue).violations.map(
    ({ at: place, message }) =>
      violation(at + place, `${at.slice(1)}/${message}`, 'Correct it where the bundle came from.'),
  );
}
