/** Parameters that mean the same wherever they are taken; a route adds its own in its declaration. */
import Type, { type TSchema } from 'typebox';

export const words = (description: string) => Type.String({ description });
/** A value out of a few. */
export const choice = (values: readonly string[], description: string) =>
  Type.Enum([...values], { description });
/** A switch that is thrown by 1. */
export const switched = (description: string) => choice(['1'], description);

export interface WholeNumber extends TSchema {
  readonly default?: number;
  readonly maximum: number;
}

/** A whole number from 1; `byDefault` 0 stands for none. */
export function wholeNumberUpTo(maximum: number, description: string, byDefault = 0): WholeNumber {
  return Type.Integer({
    description,
    minimum: 1,
    maximum,
    ...(byDefault === 0 ? {} : { default: byDefault }),
  }) as unknown as WholeNumber;
}

export const limit = wholeNumberUpTo(500, 'how many at most', 50);
export const cursor = words('where the page before ended: follow next as it stands');
export const share = words('a token that begins with sh.');
export const workspace = words('the workspace that is meant; main without it');
export const actor = words('a name for display, of up to 200 characters');
export const purpose = words('what it is for, of up to 500 characters');
export const once = words('repeated with the same value, it answers with what happened the first time');
export const slugList = words('slugs, separated by commas');

/** Who reads, and which workspace; every list takes both. */
export const place = { workspace, share };
/** For routes whose workspace is told by the slug. */
export const shared = { share };
/** One page of a list. */
export const paged = { limit, cursor };
export const formatOf = (...formats: readonly string[]) => choice(formats, `${formats[0]} without it`);
