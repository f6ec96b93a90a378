/**
 * What every read is made of (contract §1.5, §2, §5). A shape that is ours names all of its members; what a
 * caller may fill as it likes (`style`, `extra`) and the exact hashed `entry` stay open.
 */
import { protocolName, protocolVersion, untrusted } from './vocabulary.ts';
import type { Of } from './exact.ts';
import { tiers } from './vocabulary.ts';
import type { JsonObject, JsonValue } from '../kernel/json-value.ts';
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';

/** An object that has these members and no others. */
export const shape = <P extends TProperties>(members: P) =>
  Type.Object(members, { additionalProperties: false });
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const list = <S extends TSchema>(schema: S) => Type.Array(schema);
/** A schema as plain JSON. */
export const plainSchema = (schema: TSchema | JsonObject) => JSON.parse(JSON.stringify(schema)) as JsonObject;
/** Two values of one kind: a list, since TypeBox writes tuples as draft 7 had them. */
export const pair = <S extends TSchema>(schema: S) =>
  Type.Unsafe<readonly [Static<S>, Static<S>]>({
    type: 'array',
    items: schema,
    minItems: 2,
    maxItems: 2,
  });
/** An object that has these members among others. */
export const having = <P extends TProperties>(members: P) =>
  Type.Unsafe<JsonObject & Static<Type.TObject<P>>>(Type.Object(members));
/** Any JSON. */
export const anything = Type.Unsafe<JsonValue>(Type.Unknown());
/** An object whose members are its writer's own. */
export const open = Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown()));
/** One of some words, typed as those. */
export const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>(Type.Union(values.map((value) => Type.Literal(value))));

export const text = Type.String();
export const flag = Type.Boolean();
export const count = Type.Integer({ minimum: 0 });
export const time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$',
  description: 'ISO 8601, UTC',
});
/** A time that somebody typed, kept as it was. */
export const typedTime = Type.String({ minLength: 4 });
export const hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'lowercase hex of SHA-256' });
export const prev = Type.String({
  pattern: '^(?:genesis|[0-9a-f]{64})$',
  description: 'hash of the entry before, or genesis',
});
export const url = Type.String({ pattern: '^https?://', description: 'absolute, usable as it stands' });
export const slug = Type.String({ pattern: '^[a-z0-9-]{2,120}$' });
export const divId = Type.String({ pattern: '^d\\d+$' });
export const claimId = Type.String({ pattern: '^c\\d+$' });
export const sourceId = Type.String({ pattern: '^s\\d+$' });
export const questionId = Type.String({ pattern: '^qn_[a-z2-7]+$' });
export const inv = Type.String({ pattern: '^inv_[a-z2-7]{16}$' });
export const aid = Type.String({ pattern: '^art_[a-z2-7]+$' });
export const actor = Type.String({
  minLength: 1,
  description: 'owner, anonymous, system, or the fingerprint of a credential',
});

export const tier = oneOf(tiers);
export const weight = Type.Number({ minimum: 0, maximum: 1 });

/** The hashed object itself: the members that every entry has, and those of its verb (contract §1.1). */
const entryMembers = Type.Object({ chain: text, n: count, ts: time, actor, prev });
export const entry = Type.Unsafe<JsonObject & Static<typeof entryMembers>>(entryMembers);

/** The same with its hash beside its members. */
export const hashedEntry = Type.Unsafe<Static<typeof entry> & { hash: string }>(
  Type.Object({ ...entryMembers.properties, hash }),
);

/** Chain links of a listed object, and what opens its content. */
export const listed = {
  prev,
  hash,
  entry,
  salt: orNull(hash),
  content: oneOf(['present', 'scrubbed', 'withheld', 'none']),
};
const listedShape = shape(listed);
export type Listed = Of<typeof listedShape>;

/** An entry whole, with what opens each of its contents; nothing does where they are withheld. */
export const openedEntry = shape({
  at: count,
  entry,
  hash,
  contents: Type.Record(
    Type.String(),
    shape({
      salt: orNull(hash),
      value: anything,
      replacement: Type.Optional(anything),
      scrubbed_by: Type.Optional(orNull(Type.String())),
    }),
  ),
});

export type OpenedEntry = Of<typeof openedEntry>;

/** What differs from the ledger: where the chain breaks, or which content or projected row was altered. */
const brokenMembers = Type.Object({
  valid: Type.Literal(false),
  broken_at: orNull(count),
  reason: text,
  altered: Type.Optional(list(text)),
});
/** Over several chains, the broken one is named; beside DIVs stands the head of the provenance. */
const broken = Type.Unsafe<Static<typeof brokenMembers> & { chain?: string; head?: string }>(brokenMembers);

/** Computed from genesis over the bytes served (contract §1.8). */
export const verification = Type.Union([
  shape({ valid: Type.Literal(true), entries: count, head: prev }),
  broken,
]);

export type Verification = Of<typeof verification>;

/** The same over several chains. */
export const verifications = Type.Union([
  shape({ valid: Type.Literal(true), entries: count, chains: count, head: Type.Optional(prev) }),
  broken,
]);

export type Verifications = Of<typeof verifications>;

/** In a part that bears no `verification` while it is sound: how it differs from the ledger. */
export const alteredPart = { verification: Type.Optional(verifications) };

/** A list that comes whole, unless `from` or `chars` asks for a range of it. */
export const ranged = { total: Type.Optional(count), next: Type.Optional(orNull(url)) };

export const self = shape({
  protocol: Type.Literal(protocolName),
  version: Type.Literal(protocolVersion),
  kind: text,
  name: text,
  what: text,
  read: orNull(url),
  write: orNull(url),
  schema: orNull(url),
  next: list(url),
});

/** What a read tells, without the envelope around it. */
export const toldBy = ({ properties: { ok: _ok, trust: _trust, _self, ...members } }: TObject) =>
  shape(members);

/** A read's body: its members in the envelope (contract §2). */
export const read = <P extends TProperties>(members: P) =>
  shape({ ok: Type.Literal(true), trust: Type.Literal(untrusted), ...members, _self: self });

/** What a chain of an imported article held where it came from, under the hashes of its origin. */
const importedShape = shape({
  from: shape({ base: orNull(text), log: orNull(text), slug: orNull(text) }),
  chain: text,
  count,
  entries: list(
    shape({
      said: anything,
      salt: orNull(hash),
      entry: open,
      hash,
    }),
  ),
  // It may have been imported there in its turn.
  imported: Type.Optional(open),
});
export type Imported = Of<typeof importedShape>;
export const imported = Type.Optional(importedShape);
