/** Parameters that several routes share. */
import Type, { type TInteger } from 'typebox';

export const stringParam = (description: string) => Type.String({ description });
/** One of a few values. */
export const choice = (values: readonly string[], description: string) =>
  Type.Enum([...values], { description });
/** A flag that is set by 1. */
export const flag = (description: string) => choice(['1'], description);

export type WholeNumber = TInteger & { readonly default?: number; readonly maximum: number };

/** An integer from 1; `byDefault` 0 means no default. */
export function wholeNumberUpTo(maximum: number, description: string, byDefault = 0): WholeNumber {
  return Type.Integer({
    description,
    minimum: 1,
    maximum,
    ...(byDefault === 0 ? {} : { default: byDefault }),
  }) as WholeNumber;
}

export const limit = wholeNumberUpTo(500, 'how many at most', 50);
export const cursor = stringParam('where the page before ended: follow next as it stands');
export const share = stringParam('a token that begins with sh.');
export const workspace = stringParam('the workspace that is meant; main without it');
export const actor = stringParam('a name for display, of up to 200 characters');
export const purpose = stringParam('what it is for, of up to 500 characters');
export const nonce = stringParam(
  'repeated with the same value, it answers with what happened the first time',
);
export const slugList = stringParam('slugs, separated by commas');

/** Parameters of every list. */
export const workspaceAndShare = { workspace, share };
/** For routes whose slug implies the workspace. */
export const shareOnly = { share };
/** One page of a list. */
export const paging = { limit, cursor };
export const formatOf = (...formats: readonly string[]) => choice(formats, `${formats[0]} without it`);
