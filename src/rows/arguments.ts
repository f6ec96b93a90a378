/** Argument types that several rows share. */
import Type from 'typebox';

export const slug = Type.String({
  minLength: 2,
  maxLength: 120,
  pattern: '^[a-z0-9-]+$',
  description: 'the article',
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
