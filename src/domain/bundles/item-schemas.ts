/**
 * What an imported claim and an imported source may be made of (spec §4.3): every member that Colophon has ever
 * written, with its type and bounds, and no other. Content rules come after these, since they read texts as texts.
 */
import Type from 'typebox';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { sourceCharsMax } from '../articles/append-sources.ts';
import { claimsOf, sourcesOf, type ArticleState } from '../articles/state.ts';
import { judgeBySchema } from '../capabilities/fitting.ts';
import type { Violation } from '../violations.ts';
import { violation } from './opened.ts';
import { importedViolations } from '../../model/arguments.ts';
import { ImportedClaim } from '../../model/claim.ts';
import { platforms, softwareClasses } from '../../model/vocabulary.ts';

const closed = { additionalProperties: false };
const words = (maxLength: number) => Type.String({ maxLength });
const oneOf = (values: readonly string[]) => Type.Enum([...values]);
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const source = Type.Object(
  {
    id: Type.String(),
    type: words(sourceCharsMax.type),
    url: words(sourceCharsMax.url),
    title: words(sourceCharsMax.title),
    quote: words(sourceCharsMax.quote),
    summary: words(sourceCharsMax.summary),
    quality_score: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    source_role: orNull(words(sourceCharsMax.source_role)),
    platform: orNull(oneOf(platforms)),
    software_class: orNull(oneOf(softwareClasses)),
    // A typed name and the fingerprint behind it.
    found_by: words(300),
    accessed_at: words(100),
    violations: Type.Optional(importedViolations),
  },
  closed,
);

/** Every member of a claim or source that has no place in one, or another type. */
export function itemProblems(state: ArticleState): Violation[] {
  const sources = sourcesOf(state).map((row) => row.source);
  return [...misfits(ImportedClaim, claimsOf(state), '/claims'), ...misfits(source, sources, '/sources')];
}

function misfits(schema: Type.TSchema, items: readonly JsonObject[], at: string): Violation[] {
  return judgeBySchema(Type.Array(schema), items as unknown as JsonValue).violations.map(
    ({ at: place, message }) =>
      violation(at + place, `${at.slice(1)}/${message}`, 'Correct it where the bundle came from.'),
  );
}
