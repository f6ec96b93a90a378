/**
 * Holds answers to what `/api/openapi.json` declares of their operation, by a validator that shares nothing with
 * the server's. The document is read once in a process, and a schema is compiled when its first answer comes.
 */
import type { FastifyInstance } from 'fastify';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** What is looked at of an answer. */
export interface Answered {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  /** Empty for an answer without a body. */
  readonly mediaType: string;
  /** Only of JSON. */
  readonly body?: string;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Content>> };
}

/**
 * A validator for every schema that is served, without the formats and keywords that OpenAPI adds. Making its code
 * shorter takes longer than running it.
 */
export function foreignValidator(): Ajv2020 {
  return new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
}

export class DeclaredAnswers {
  readonly #document: ApiDocument;
  readonly #ajv = foreignValidator();
  readonly #paths: readonly { readonly template: string; readonly pattern: RegExp }[];
  /** Operations of which an answer was judged. */
  readonly answered = new Set<string>();
  readonly #compiled = new Map<string, ValidateFunction | undefined>();

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv.addSchema(document, 'api');
    const variables = (template: string): number => template.split('{').length;
    this.#paths = Object.keys(document.paths)
      .toSorted((a, b) => variables(a) - variables(b) || b.length - a.length)
      .map((template) => ({ template, pattern: patternOf(template) }));
  }

  /** How an answer differs from its declaration; nothing where it fits, or where no operation is declared. */
  misfit({ method, path, status, mediaType, body }: Answered): string | undefined {
    const at = path.replace(/[?#].*$/, '');
    const template = this.#paths.find(({ pattern }) => pattern.test(at))?.template;
    const operation =
      template === undefined ? undefined : this.#document.paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation === undefined) return undefined;
    const { operationId } = operation;
    this.answered.add(operationId);
    const content = this.#contentOf(operation, String(status));
    const types = Object.keys(content ?? {});
    if (content === undefined || (mediaType !== '' && !types.some((type) => fitsType(type, mediaType))))
      return `${operationId} ${status} ${mediaType} is not declared: ${method} ${path}`;
    if (body === undefined) return undefined;
    const value = JSON.parse(body) as { readonly ok?: boolean; readonly status?: number };
    // A refusal that was asked for as a 200.
    const isSoft = status === 200 && mediaType === 'application/problem+json';
    const told = String(isSoft ? value.status : status);
    const name = `${operationId} ${told} ${mediaType}`;
    if (!this.#compiled.has(name)) this.#compiled.set(name, this.#compile(operation, told, mediaType));
    const validate = this.#compiled.get(name);
    if (validate === undefined) return `${name} is not declared: ${method} ${path}`;
    if (validate(value)) return undefined;
    return `${name} does not fit: ${method} ${path}: ${this.#ajv.errorsText(validate.errors?.slice(0, 3) ?? [])}`;
  }

  /** What a status is declared to hold; nothing where the status is not declared. */
  #contentOf({ responses }: Operation, status: string): Required<Content>['content'] | undefined {
    const declared = responses[status];
    if (declared === undefined) return undefined;
    const { $ref } = declared;
    const response =
      $ref === undefined ? declared : this.#document.components.responses[$ref.split('/').at(-1) ?? ''];
    return response?.content ?? {};
  }

  #compile(operation: Operation, status: string, mediaType: string): ValidateFunction | undefined {
    const content = this.#contentOf(operation, status)?.[mediaType];
    if (content === undefined) return undefined;
    const { schema = {} } = content;
    return this.#ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object);
  }
}

/** `image/*` stands for each of its subtypes. */
function fitsType(declared: string, type: string): boolean {
  return declared.endsWith('/*') ? type.startsWith(declared.slice(0, -1)) : declared === type;
}

/** `{path}` and `{n}` stand for the rest of an address, every other variable for one segment. */
function patternOf(template: string): RegExp {
  const literal = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll(/\{(?:path|n)\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

let declared: DeclaredAnswers | undefined;

/** Reads the document of a server, unless another one's was read in this process. The app is made for this alone. */
export async function readDeclarations(open: () => FastifyInstance): Promise<void> {
  if (declared !== undefined) return;
  const app = open();
  declared = new DeclaredAnswers((await app.inject('/api/openapi.json')).json());
  await app.close();
}

/** Throws where an answer is not what its operation declares. Bodies other than JSON are not looked at. */
export function expectDeclared(
  method: string,
  path: string,
  status: number,
  type: string,
  body: string,
): void {
  const mediaType = type.replace(/;.*$/, '');
  const json = /^application\/(?:problem\+)?json$/.test(mediaType) ? { body } : {};
  const misfit = declared?.misfit({ method, path, status, mediaType, ...json });
  if (misfit !== undefined) throw new Error(`an answer differs from its declaration: ${misfit}`);
}
