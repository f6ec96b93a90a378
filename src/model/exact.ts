/**
 * Types of schemas, and the check that a value has the members of its schema and no others. TypeScript itself lets
 * further members pass wherever an object is spread or comes out of a function.
 */
import type { Static, TObject, TSchema } from 'typebox';
import type { JsonObject, JsonValue } from '../kernel/json-value.ts';

/** The type of a schema's values, read-only throughout. */
export type Of<S extends TSchema> = ReadOnly<Static<S>>;

/** The type of an answer without the envelope, which the doors add. */
export type Answer<S extends TObject> = Omit<Of<S>, 'ok' | 'trust' | '_self'>;

type ReadOnly<T> = [JsonValue] extends [T] ? T : ReadOnlyEach<T>;
type ReadOnlyEach<T> = T extends Scalar
  ? T
  : IsOpen<T> extends true
    ? T
    : { readonly [K in keyof T]: ReadOnly<T[K]> };
/** An object with any members; one whose members are all optional is none. */
type IsOpen<T> = string extends keyof T ? (JsonObject extends T ? true : false) : false;
type Scalar = string | number | boolean | null | undefined;

/** Paths of the members of `Given`, at any depth, that `Wanted` does not have. */
export type Excess<Wanted, Given> = [JsonValue] extends [Wanted]
  ? never
  : true extends (Wanted extends unknown ? IsOpen<Wanted> : never)
    ? never
    : Given extends Scalar
      ? never
      : Given extends readonly (infer Item)[]
        ? Excess<ItemOf<Wanted>, Item>
        : { [K in keyof Given & string]-?: ExcessAt<Wanted, K, Given[K]> }[keyof Given & string];
type ExcessAt<Wanted, K extends string, Given> =
  K extends KeyOf<Wanted> ? `${K}.${Excess<MemberOf<Wanted, K>, Given>}` : K;
type KeyOf<T> = T extends unknown ? keyof T : never;
type MemberOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

/** A last parameter that takes no argument unless there are members too many; the compiler's error then names them. */
export type NoExcess<Wanted, Given> = [Excess<Wanted, Given>] extends [never]
  ? []
  : [notInTheSchema: Excess<Wanted, Given>];

/** The value, which must have every member of the schema and no other. */
export function exactly<S extends TSchema, Given extends Of<S>>(
  _schema: S,
  value: Given,
  ..._excess: NoExcess<Of<S>, Given>
): Of<S> {
  return value;
}

/** The same of an answer, whose envelope the doors add. */
export function exactAnswer<S extends TObject, Given extends Answer<S>>(
  _schema: S,
  value: Given,
  ..._excess: NoExcess<Answer<S>, Given>
): Answer<S> {
  return value;
}
