/**
 * What a row wants done: data with a name. `app/plans` has one file for each kind, which adds its shape to `Plans` and
 * carries it out; rows name a kind and know nothing of that file.
 */
import type { JsonObject } from '../../kernel/json.ts';

/** The shape of each kind by its name, filled in by the files of `app/plans`. */
// oxlint-disable-next-line typescript/no-empty-interface -- every kind adds its member
export interface Plans {}

export type PlanName = keyof Plans;

export type PlanOf<K extends PlanName> = { [Name in K]: { readonly do: Name } & Plans[Name] }[K];

export type Plan = PlanOf<PlanName>;

/** A call of a row by its arguments, inside a batch. */
export interface BatchOperation {
  readonly key: string;
  readonly args: JsonObject;
}
