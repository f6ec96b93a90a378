/**
 * What an owner's row says that it answers (spec §2.6, ADR 37): a JSON Schema of the answer of its target. What came back
 * is kept as it came, since it happened; where it does not fit, the result says so, so that a client that relies on a member
 * learns of it. Patterns and references stay out: an answer from outside is checked here, in the process of everybody.
 */
import Type, { type TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Result } from '../context.ts';
import type { RowDefinition } from './tables.ts';
import { isObject } from '../../kernel/json-value.ts';

export const outputSchemaCharsMax = 8000;
const mismatchesMax = 5;

/** Keywords that another address or a regular expression of the schema's author stands behind. */
const refused = new Set(['$ref', '$dynamicRef', '$recursiveRef', 'pattern', 'patternProperties', 'format']);

/** What is wrong with a schema, or nothing. */
export function outputSchemaProblem(schema: JsonObject): string | undefined {
  if (JSON.stringify(schema).length > outputSchemaCharsMax)
    return `output_schema has more than ${outputSchemaCharsMax} characters`;
  const keyword = refusedIn(schema);
  if (keyword !== undefined) return `output_schema holds ${keyword}, which is not taken`;
  try {
    Check(schema, null);
    return undefined;
  } catch {
    return 'output_schema is no JSON Schema';
  }
}

/** Under these a schema keeps further ones by names of its author's choosing: a property may be called format. */
const named = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** And under these plain values, which are compared and never read as a schema. */
const values = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);

/** The first refused keyword. Unknown keywords are searched like known ones. */
function refusedIn(schema: JsonValue | undefined): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if (Array.isArray(schema)) return firstIn(schema);
  for (const [keyword, member] of Object.entries(schema)) {
    if (refused.has(keyword)) return keyword;
    if (values.has(keyword)) continue;
    const inside =
      named.has(keyword) && isObject(member) ? firstIn(Object.values(member)) : refusedIn(member);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function firstIn(schemas: readonly (JsonValue | undefined)[]): string | undefined {
  for (const schema of schemas) {
    const inside = refusedIn(schema);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** The definition with another schema of answers. What a built-in row answers is the program's to say. */
export function replaceOutputSchema(
  key: string,
  definition: RowDefinition | null,
  schema: JsonObject | undefined,
): RowDefinition | Fault | null {
  if (schema === undefined) return definition;
  if (definition === null)
    return fault(
      'body_mismatch',
      `${key} is a row of the service itself, which says what its own rows answer.`,
      'Leave output_schema out.',
    );
  const problem = outputSchemaProblem(schema);
  if (problem === undefined) return { ...definition, output_schema: schema };
  return fault('body_mismatch', `The row cannot be revised: ${problem}.`, 'Correct what is named.');
}

/** The schema of the whole `result` of an http row, whose target answers with the body of it. */
export function httpOutput(schema: JsonObject): TSchema {
  return Type.Object(
    {
      untrusted: Type.Literal(true),
      status: Type.Integer({ minimum: 200, maximum: 299 }),
      content_type: Type.String(),
      body: Type.Unsafe(schema),
    },
    { additionalProperties: false },
  );
}

/** The result with what does not fit in it, or as it came. */
export function checkOutput(schema: TSchema | JsonObject, result: Result): Result {
  const [fits, errors] = Errors(schema, result.result);
  if (fits) return result;
  const mismatch = errors
    .slice(0, mismatchesMax)
    .map(({ instancePath, message }) => ({ at: instancePath, message: message.slice(0, 200) }));
  return {
    ...result,
    result: { ...result.result, output_mismatch: mismatch },
    text: `${result.text}\n[It does not fit the row's output_schema: ${mismatch.map(({ at, message }) => `${at} ${message}`).join('; ')}.]`,
  };
}
