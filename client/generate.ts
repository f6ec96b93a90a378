/**
 * Makes `client/types.ts` from `/api/openapi.json`; `npm run client` writes it. The packages that do so need the compiler API of
 * TypeScript 5, which TypeScript 7 has not (ADR 54). Schemas use a small part of JSON Schema; anything else throws.
 */
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const methods = ['get', 'post', 'put', 'patch'] as const;
const typesFile = fileURLToPath(new URL('types.ts', import.meta.url));

/** The text of `client/types.ts`. */
export async function clientTypes({ paths, components }: OpenApiDocument): Promise<string> {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${typeName(name)} = ${typeOf(schema)};`,
  );
  if (new Set(Object.keys(components.schemas).map(typeName)).size !== schemas.length)
    throw new Error('two schemas have one name');
  const tables = methods.map((method) => {
    const members = Object.entries(paths).flatMap(([path, item]) => {
      const operation = item[method];
      const answer = operation === undefined ? undefined : answerType(operation);
      return operation === undefined || answer === undefined
        ? []
        : [`/** ${operation.summary} */\n'${path}': { input: ${inputType(operation)}; answer: ${answer} };`];
    });
    return `export interface ${typeName(method)}Operations {\n${members.join('\n')}\n}`;
  });
  const text = [
    '// Generated from /api/openapi.json by `npm run client`; not edited by hand.',
    'export type Json = string | number | boolean | null | readonly Json[] | JsonObject;',
    'export interface JsonObject { readonly [name: string]: Json | undefined }',
    ...schemas,
    ...tables,
  ].join('\n\n');
  return format(text, { ...(await resolveConfig(typesFile)), parser: 'typescript' });
}

/** `thread-state` becomes `ThreadState`. */
function typeName(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function typeOf(schema: Schema): string {
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) return typeName($ref.split('/').at(-1) as string);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const parts: string[] = [];
  const several = anyOf ?? oneOf;
  if (several !== undefined) parts.push(several.map(typeOf).join(' | '));
  if (allOf !== undefined) parts.push(...allOf.map(typeOf));
  if (Array.isArray(type)) parts.push((type as string[]).map((each) => plainType(each, schema)).join(' | '));
  else if (type !== undefined && (allOf === undefined || schema.properties !== undefined))
    parts.push(plainType(type as string, schema));
  if (parts.length === 0) return 'Json';
  return parts.length === 1 ? (parts[0] as string) : parts.map((part) => `(${part})`).join(' & ');
}

function plainType(type: string, schema: Schema): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `(${schema.items === undefined ? 'Json' : typeOf(schema.items)})[]`;
    case 'object':
      return objectType(schema);
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    default:
      throw new Error(`the type ${type} has no counterpart`);
  }
}

function objectType({ properties, required = [], additionalProperties, patternProperties }: Schema): string {
  if (properties === undefined || Object.keys(properties).length === 0) {
    const [values = additionalProperties] = Object.values(patternProperties ?? {});
    return typeof values === 'object' && Object.keys(values).length > 0
      ? `Record<string, ${typeOf(values)}>`
      : 'JsonObject';
  }
  const members = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  return `{ ${members.join(' ')} }`;
}

/** Text or JSON; nothing for pages, bytes and streams. */
function answerType({ tags, responses }: Operation): string | undefined {
  if (tags.includes('pages')) return undefined;
  const content = responses['200']?.content ?? {};
  const types = Object.keys(content);
  const json = types.find((type) => /^application\/(?:schema\+)?json$/.test(type));
  if (json !== undefined) return typeOf(content[json]?.schema as Schema);
  const isText = types.some((type) => type.startsWith('text/') || type.endsWith('xml'));
  return isText && !types.includes('text/event-stream') ? 'string' : undefined;
}

function inputType({ parameters = [], requestBody }: Operation): string {
  const placed = (where: string): string | undefined => {
    const own = parameters.filter((parameter) => parameter.in === where);
    if (own.length === 0) return undefined;
    const members = own.map(
      ({ name, required, schema }) =>
        `${JSON.stringify(name)}${required === true ? '' : '?'}: ${typeOf(schema)};`,
    );
    const isNeeded = own.some(({ required }) => required === true);
    return `${where}${isNeeded ? '' : '?'}: { ${members.join(' ')} };`;
  };
  const body = requestBody?.content['application/json']?.schema;
  const members = [
    placed('path'),
    placed('query'),
    body === undefined ? undefined : `body: ${typeOf(body)};`,
  ];
  return `{ ${members.filter((member) => member !== undefined).join(' ')} }`;
}
