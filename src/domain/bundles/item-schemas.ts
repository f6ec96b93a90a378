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
import { evidenceClasses, platforms, slots, softwareClasses, tiers } from '../../model/vocabulary.ts';

const closed = { additionalProperties: false };
const words = (maxLength: number) => Type.String({ maxLength });
const oneOf = (values: readonly string[]) => Type.Enum([...values]);
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** `owner`, `anonymous`, `system` or a fingerprint. */
const actor = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' });
const instant = Type.String({
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$`,
  description: 'an instant in ISO 8601, UTC, such as 2026-03-01T12:00:00.000Z',
});
const brokenRules = Type.Array(Type.String({ pattern: '^[a-z_]{1,40}$' }), { maxItems: 100 });

const claim = Type.Object(
  {
    id: Type.String(),
    text: words(4000),
    tier: oneOf(tiers),
    source_ids: Type.Array(Type.String({ pattern: '^s[1-9][0-9]{0,6}$' }), { maxItems: 1000 }),
    source_status: oneOf(['sourced', 'unsourced']),
    why_material: orNull(words(2000)),
    evidence_basis: orNull(words(200)),
    materiality: Type.Boolean(),
    weight: Type.Number({ minimum: 0, maximum: 1 }),
    status: oneOf(['active', 'retracted']),
    falsifier: orNull(words(1000)),
    who_claims: words(300),
    posted_by: Type.Object(
      {
        actor,
        channel: Type.String({ pattern: '^[a-z_]{1,40}$' }),
        ts: instant,
        model: orNull(words(200)),
        // The body of a contribution that was accepted may be its rationale.
        rationale: orNull(words(32_000)),
      },
      closed,
    ),
    slot: orNull(oneOf(slots)),
    section: orNull(words(200)),
    source_role: orNull(words(100)),
    extra: Type.Object(
      {
        evidence_class: Type.Optional(oneOf(evidenceClasses)),
        comparison: Type.Optional(
          Type.Object(
            {
              population: Type.Optional(words(500)),
              axis: Type.Optional(words(500)),
              captured_at: Type.Optional(words(100)),
              selection: Type.Optional(words(500)),
            },
            closed,
          ),
        ),
        actor_name: Type.Optional(words(200)),
        contributions: Type.Optional(Type.Array(Type.String({ pattern: '^mc_[a-z2-7]{16}$' }))),
        retracted: Type.Optional(
          Type.Object(
            {
              reason: words(32_000),
              at: instant,
              by: actor,
              receipt: Type.String({ pattern: '^inv_[a-z2-7]{16}$' }),
            },
            closed,
          ),
        ),
        imported_from: Type.Optional(orNull(Type.String({ pattern: '^https?://', maxLength: 4000 }))),
        violations: Type.Optional(brokenRules),
      },
      closed,
    ),
    hash: Type.String(),
    version: Type.Integer({ minimum: 1 }),
  },
  closed,
);

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
    violations: Type.Optional(brokenRules),
  },
  closed,
);

/** Every member of a claim or source that has no place in one, or another type. */
export function itemProblems(state: ArticleState): Violation[] {
  const sources = sourcesOf(state).map((row) => row.source);
  return [...misfits(claim, claimsOf(state), '/claims'), ...misfits(source, sources, '/sources')];
}

function misfits(schema: Type.TSchema, items: readonly JsonObject[], at: string): Violation[] {
  return judgeBySchema(Type.Array(schema), items as unknown as JsonValue).violations.map(
    ({ at: place, message }) =>
      violation(at + place, `${at.slice(1)}/${message}`, 'Correct it where the bundle came from.'),
  );
}
