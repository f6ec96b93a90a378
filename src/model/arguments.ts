/** Types of what callers send that several schemas share. */
import Type from 'typebox';

export const slug = Type.String({
  minLength: 2,
  maxLength: 120,
  pattern: '^[a-z0-9-]+$',
  description: 'the article',
});
/** An article, or a claim or DIV of it. */
export const partAddress = Type.String({
  minLength: 2,
  maxLength: 129,
  pattern: '^[a-z0-9-]+(?:/[cd][0-9]{1,7})?$',
  description: 'the article, or a claim or DIV of it, such as what-the-ledger-is/c2',
});
export const divId = Type.String({ pattern: '^d[0-9]{1,7}$', description: 'a DIV id such as d3' });
export const hash = Type.String({ minLength: 1, maxLength: 128, description: 'the vx_hash that was read' });
export const optionalActor = Type.Optional(
  Type.String({ maxLength: 200, description: 'a name for display' }),
);
/** Counted in the article's `energy.models`. Unlike `actor` it is never an identity. */
export const optionalModel = Type.Optional(
  Type.String({ maxLength: 200, description: 'the model that wrote it, as it names itself' }),
);
/** One of a few words, which the schema itself names. */
export const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: values, description });
export const optionalOneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Optional(oneOf(values, description));
export const words = (maxLength: number, description: string) => Type.String({ maxLength, description });
/** What anybody may write, as long as the deployment lets it be. */
export const intake = (what: string) =>
  words(32_000, `${what}; at most 8,000 characters where the deployment sets nothing else`);
export const optionalWords = (maxLength: number, description: string) =>
  Type.Optional(words(maxLength, description));

/** One of a few words, as plain `enum`. */
export const oneWordOf = <T extends string>(values: readonly T[]) => Type.Unsafe<T>(Type.Enum([...values]));

/** What a bundle brings: `owner`, `anonymous`, `system` or a fingerprint. */
export const importedActor = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' });
export const importedTime = Type.String({
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$`,
  description: 'an instant in ISO 8601, UTC, such as 2026-03-01T12:00:00.000Z',
});
/** Codes of the content rules that an imported claim or source breaks. */
export const importedViolations = Type.Array(Type.String({ pattern: '^[a-z_]{1,40}$' }), { maxItems: 100 });
