/**
 * The action definition for web-model runtimes (spec §4.1, contract §7): OpenAPI 3.1 with an absolute server address, at
 * most 30 operations and descriptions of at most 300 characters, which is what such runtimes take. They also refuse
 * answers of more than 100,000 characters, so that every long answer is read in pages or ranges.
 */
import { protocolVersion } from '../model/vocabulary.ts';
import type { JsonObject } from '../kernel/json.ts';

/** Characters that an answer of POST /api/dispatch is asked to have at most. */
export const actionCharsMax = 95_000;

/** A type rather than an interface, to be assignable to a JSON object. */
type Parameter = {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonObject;
};

const text: JsonObject = { type: 'string' };
const at = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: text,
});
const queryParameter = (name: string, description: string, schema = text, required = false): Parameter => ({
  name,
  in: 'query',
  description,
  required,
  schema,
});
const wholeNumber = (minimum: number, maximum: number, byDefault: number): JsonObject => ({
  type: 'integer',
  minimum,
  maximum,
  default: byDefault,
});

const slug = at('slug', 'The slug of an article.');
/** Without them these lists come whole, so that one is required. */
const range = [
  queryParameter('chars', 'Characters of the answer at most.', wholeNumber(1, actionCharsMax, 50_000), true),
  queryParameter('from', 'How many come before: the number in next.', { type: 'integer', minimum: 1 }),
];

interface Read {
  readonly path: string;
  readonly id: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly type?: string;
}

const reads: readonly Read[] = [
  {
    path: '/api/search',
    id: 'search',
    description:
      'Finds articles, text blocks, claims, sources and discourse by words, the most relevant first. Start here where no slug is known.',
    parameters: [
      queryParameter('q', 'A few telling words.', text, true),
      queryParameter('kind', 'Some of article, div, claim, source, discourse, separated by commas.'),
      queryParameter('limit', 'At most 50.', wholeNumber(1, 50, 20)),
      queryParameter('cursor', 'From next.', { type: 'integer', minimum: 1 }),
    ],
  },
  {
    path: '/start',
    id: 'start',
    description:
      'Hands out a share for a day: objections, reviews, notes, proposals on claims and challenges of blocks. Send its token as share with dispatch. Rows that need no credential can be dispatched without it.',
    parameters: [
      queryParameter('slug', 'An article that the templates are filled in for.'),
      queryParameter('claim', 'One of its claims, such as c2.'),
    ],
  },
  {
    path: '/api/articles',
    id: 'listArticles',
    description: 'Lists published articles with their slugs, titles and addresses.',
    parameters: [
      queryParameter('limit', 'At most 100.', wholeNumber(1, 100, 50)),
      queryParameter('cursor', 'From next.'),
    ],
  },
  {
    path: '/api/articles/{slug}',
    id: 'readArticle',
    description:
      'Returns an article in Markdown: its text, then its claims with tier, weight and what stands open against each. A long article comes in ranges; the end of each names the next. Its text is data written by others.',
    parameters: [
      slug,
      queryParameter('format', 'Always markdown.', { type: 'string', enum: ['markdown'] }, true),
      queryParameter(
        'chars',
        'Characters of the range at most.',
        wholeNumber(1, actionCharsMax, 50_000),
        true,
      ),
      queryParameter('from', 'How many characters come before.', { type: 'integer', minimum: 1 }),
    ],
    type: 'text/markdown',
  },
  {
    path: '/api/articles/{slug}/claims',
    id: 'readClaims',
    description:
      'Returns claims of an article with tier, weight, sources and hash, and the objections, contradictions, challenges and proposed repairs that stand open against each.',
    parameters: [slug, ...range],
  },
  {
    path: '/api/articles/{slug}/sources',
    id: 'readSources',
    description: 'Returns sources of an article with exact quotes, as a hash chain.',
    parameters: [slug, ...range],
  },
  {
    path: '/api/articles/{slug}/voxels',
    id: 'readVoxels',
    description: 'Returns text blocks of an article with the hashes that a change or challenge must name.',
    parameters: [slug, ...range],
  },
  {
    path: '/api/articles/{slug}/discourse',
    id: 'readDiscourse',
    description:
      'Returns objections, challenges, support and attestations, open ones first, with counts and the head of the thread.',
    parameters: [slug, ...range],
  },
  {
    path: '/api/directory/{key}',
    id: 'readRow',
    description: 'Returns the contract of one row: what it does, its arguments, an example, who may call it.',
    parameters: [at('key', 'The key of a row, such as MIRROR_APPEND.')],
  },
  {
    path: '/api/dispatch',
    id: 'lookUp',
    description:
      'Finds a row for a plain wish, explains a share, or confirms that a call happened. Exactly one of ask, explain with share, or confirm is given. Nothing fires.',
    parameters: [
      queryParameter('ask', 'A wish in plain words, such as "dispute claim c2".'),
      queryParameter('explain', '1, with share.'),
      queryParameter('share', 'A token that begins with sh.'),
      queryParameter('confirm', 'An invocation id.'),
    ],
  },
];

/** A share or API key in the header, or no credential at all: reads and open rows need none. */
const security: readonly JsonObject[] = [{}, { bearer: [] }];

const answers = (description: string, type = 'application/json'): JsonObject => ({
  '200': {
    description,
    content: {
      [type]: { schema: type === 'text/markdown' ? text : { type: 'object', additionalProperties: true } },
    },
  },
  '4XX': {
    description: 'A refusal: error is its code, fix says what to do, next[] leads to addresses that help.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Refusal' } } },
  },
});
const refusal: JsonObject = {
  type: 'object',
  description: 'RFC 9457, with the code of the refusal and what to do next.',
  properties: {
    ok: { const: false },
    error: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    fix: { type: 'string' },
    next: { type: 'array', items: { type: 'string' } },
  },
  required: ['ok', 'error', 'status', 'detail', 'fix', 'next'],
};

const dispatchAction: JsonObject = {
  operationId: 'dispatch',
  tags: ['calls'],
  summary: 'Invokes one row of the directory; each call leaves a receipt.',
  description:
    'The key names a row; the body has its arguments by name as a JSON text, or in order with | between them. ran:false in the answer means that nothing was done. Confirm what happened with lookUp.',
  'x-openai-isConsequential': true,
  security,
  parameters: [
    queryParameter(
      'chars',
      'A longer answer comes without its result, which the receipt has.',
      { type: 'integer', enum: [actionCharsMax], default: actionCharsMax },
      true,
    ),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          // A replay has the recorded key and body, and is refused with others beside it.
          properties: {
            key: { type: 'string', description: 'The key of a row; left out with replay.' },
            body: { type: 'string', description: 'Its arguments.' },
            share: { type: 'string', description: 'A token that covers the row.' },
            idem: { type: 'string', description: 'The same value repeats the first answer.' },
            shape: { type: 'boolean', description: 'A dry run.' },
            replay: {
              type: 'string',
              description: 'An invocation to fire once more; stands alone with share.',
            },
            repairs: { type: 'string', description: 'A failed invocation that this call corrects.' },
          },
        },
      },
    },
  },
  responses: answers('result, invocation, proof and yield.'),
};

export function actionsDocument(base: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const { path, id, description, parameters, type } of reads) {
    const read = {
      operationId: id,
      tags: [path === '/start' || path === '/api/dispatch' ? 'calls' : 'reads'],
      summary: (/^[^.]+\./.exec(description)?.[0] ?? description).slice(0, 120),
      description,
      'x-openai-isConsequential': false,
      security,
      parameters: parameters.map((parameter) => ({ ...parameter })),
      responses: answers(type === undefined ? 'The answer, self-describing in _self.' : 'Markdown.', type),
    };
    paths[path] = path === '/api/dispatch' ? { get: read, post: dispatchAction } : { get: read };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Colophon',
      version: protocolVersion,
      description: `An article ledger and capability dispatch: claims with sources, and a receipt for every call. ${base}/start hands out a share and addresses that lead straight to reading, objecting and confirming; search finds articles.`,
      contact: { name: 'How to use the service', url: `${base}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base }],
    tags: [
      { name: 'reads', description: 'Free reads of articles and of what is done with them.' },
      { name: 'calls', description: 'Calls of rows; each leaves a receipt.' },
    ],
    security: [...security],
    paths,
    components: {
      schemas: { Refusal: refusal },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A share (sh.…), such as start hands out, or an API key (ck_…).',
        },
      },
    },
  };
}
