/** What operations have in common: the envelope, refusals by their status, and how a caller shows a credential (contract §2, §4). */
import Type, { type TSchema } from 'typebox';
import { faultCodes, gateNames, subjectKinds, type FaultCode } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { answerSchemas } from '../../model/answers.ts';
import { readSchemas } from '../../model/index.ts';
import {
  count,
  flag,
  hash,
  inv,
  list,
  oneOf,
  open,
  orNull,
  plainSchema,
  self,
  text,
  url,
} from '../../model/parts.ts';
import { untrusted } from '../../model/vocabulary.ts';

const proof = Type.Object({
  ok: flag,
  entry: orNull(open),
  entry_hash: orNull(hash),
  log_index: orNull(count),
  tlog_proof: orNull(text),
  receipt: url,
  confirm: url,
  say_to_user: text,
});
const spent = Type.Object({
  tokens: Type.Object({ in: count, out: count, total: count }),
  // Null where tokens were spent and no price is known.
  cost: Type.Object({ usd: orNull(Type.Number()) }),
  material: list(Type.Object({ kind: text, id: text, url: text })),
  waste: Type.Integer(),
});
const invocation = Type.Object({ id: inv, key: text, status: text, url });
const receipt = Type.Object({ id: inv, url, confirm: url });
const repeated = Type.Optional(
  Type.Literal(true, { description: 'The first answer of this request, once more.' }),
);
/** Secrets that were taken out before anything was recorded; absent where there were none. */
const scrubbed = Type.Optional(list(Type.Object({ path: text, kind: text, count })));

/**
 * Sets the member `examples` apart where `schema` is a member, too: linters take such a list of members for a media
 * type with examples.
 */
function apart(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(apart);
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [name, apart(member as JsonValue)]),
  );
  const { properties, required, additionalProperties, ...rest } = object as Readonly<{
    properties?: JsonObject;
    required?: readonly string[];
    additionalProperties?: JsonValue;
  }>;
  if (properties?.['schema'] === undefined || properties['examples'] === undefined) return object;
  const { examples, ...others } = properties;
  return {
    ...rest,
    allOf: [
      {
        type: 'object',
        properties: others,
        required: (required ?? []).filter((name) => name !== 'examples'),
      },
      { type: 'object', properties: { examples }, required: ['examples'] },
    ],
    ...(additionalProperties === false ? { unevaluatedProperties: false } : {}),
  };
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Schemas by name: those of `/api/schemas`, and the envelopes of everything else. */
export function schemas(): JsonObject {
  const shared: Readonly<Record<string, TSchema>> = {
    Called: Type.Object(
      {
        ok: flag,
        trust: Type.Literal(untrusted),
        ran: flag,
        kind: text,
        result: orNull(open),
        result_text: text,
        invocation,
        receipt,
        proof,
        yield: spent,
        affordances: list(url),
        cut: Type.Optional(
          Type.Object({ chars: count, read: url }, { description: 'With chars: where the result is.' }),
        ),
        scrubbed,
        idempotent_replay: repeated,
        _self: self,
      },
      { description: 'What the call of a row came to; `result` is what the row declares.' },
    ),
    Written: Type.Object(
      {
        // False where operations of a batch were refused.
        ok: flag,
        trust: Type.Literal(untrusted),
        receipt,
        invocation,
        proof,
        yield: spent,
        scrubbed,
        idempotent_replay: repeated,
        _self: self,
      },
      { description: 'The result of the row stands at top level, beside its receipt.' },
    ),
    Problem: Type.Object(
      {
        type: url,
        title: text,
        status: Type.Integer({ minimum: 400, maximum: 599 }),
        detail: text,
        instance: text,
        ok: Type.Literal(false),
        error: Type.Enum([...faultCodes], { description: 'stable; texts are not' }),
        gate: orNull(oneOf(gateNames)),
        retryable: flag,
        charged: flag,
        invocation: orNull(invocation),
        fix: text,
        next: Type.Array(url, {
          maxItems: 5,
          description: 'Addresses that mend this refusal, ready to open; none of them does what was refused.',
        }),
        templates: Type.Optional(list(text)),
        about: Type.Optional(
          Type.Object(
            { kind: oneOf(subjectKinds), id: text, slug: Type.Optional(text) },
            { description: 'The object that the refusal is about, as the caller named it.' },
          ),
        ),
        did_you_mean: Type.Optional(
          Type.Array(Type.Object({ id: Type.Optional(text), key: Type.Optional(text), url }), {
            maxItems: 3,
            description: 'Names near a misspelt one, among what the caller may read.',
          }),
        ),
        _self: self,
      },
      { description: 'RFC 9457, with the code, the gate and what to do next.' },
    ),
  };
  const named = Object.entries(readSchemas).map(([name, { schema, what }]): [string, JsonObject] => [
    name,
    { description: what, ...plainSchema(schema) },
  ]);
  return {
    ...Object.fromEntries(
      Object.entries({ ...shared, ...answerSchemas }).map(([name, schema]) => [
        name,
        apart(plainSchema(schema)),
      ]),
    ),
    ...Object.fromEntries(named),
  };
}

/** One response for each status that a refusal can have, with its codes. */
export function refusals(
  statusOf: Readonly<Record<FaultCode, number>>,
  isUsed: (name: string) => boolean,
): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const status of new Set(Object.values(statusOf))) {
    if (!isUsed(refusalOf(status))) continue;
    const codes = faultCodes.filter((code) => statusOf[code] === status);
    responses[refusalOf(status)] = {
      description: codes.join(', '),
      content: {
        'application/problem+json': {
          schema: { allOf: [ref('Problem'), { type: 'object', properties: { error: { enum: codes } } }] },
        },
      },
    };
  }
  return responses;
}

export function refusalOf(status: number): string {
  return `Refused${status}`;
}

export const securitySchemes: JsonObject = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A share (sh.…) or an API key (ck_…). Writes take it as the member key of the body, too.',
  },
  terminalKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-terminal-key',
    description: "The owner's key. It stands in no URL and no body.",
  },
  consoleLogin: {
    type: 'apiKey',
    in: 'cookie',
    name: 'colophon_owner',
    description: "A login at the owner's console; good for its pages alone.",
  },
  share: {
    type: 'apiKey',
    in: 'query',
    name: 'share',
    description: 'A share (sh.…); nothing else stands in a URL.',
  },
};

/** Parameters of every operation that refuses unknown ones, and of every write. */
export const sharedParameters = {
  soft: {
    name: 'soft',
    in: 'query',
    description: '1: a GET answers a refusal as 200, with the same body',
    schema: { type: 'string' },
  },
  self: {
    name: 'self',
    in: 'query',
    description: 'full: all of _self',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'the same key repeats the first answer, for a day; another request under it is refused',
    schema: { type: 'string' },
  },
} as const;
