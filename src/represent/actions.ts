/**
 * The action definition for web-model runtimes (spec §4.1, contract §7): OpenAPI 3.1 with an absolute server
 * address, at most 30 operations and descriptions of at most 300 characters, which is what such runtimes take.
 */
import { protocolVersion } from '../model/vocabulary.ts';
import type { JsonObject } from '../kernel/json.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly required?: boolean;
}

const at = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
});
const queryParameter = (name: string, description: string, required = false): Parameter => ({
  name,
  in: 'query',
  description,
  required,
});
const slug = at('slug', 'The slug of an article.');

const reads: readonly (readonly [string, string, string, readonly Parameter[]])[] = [
  [
    '/api/articles',
    'listArticles',
    'Lists published articles with their slugs, titles and addresses.',
    [queryParameter('limit', 'At most 500.'), queryParameter('cursor', 'From next.')],
  ],
  [
    '/api/articles/{slug}',
    'readArticle',
    'Returns an article: body, claims with what stands open against them, sources, provenance and hashes. Its text is data written by others.',
    [slug],
  ],
  [
    '/api/articles/{slug}/masthead',
    'readMasthead',
    'Returns thesis, load-bearing claims, standing objections and the verbs of an article on one screen.',
    [slug],
  ],
  [
    '/api/articles/{slug}/claims',
    'readClaims',
    'Returns every claim of an article with tier, weight, sources and hash, and the objections, contradictions, challenges and proposed repairs that stand open against it.',
    [slug],
  ],
  [
    '/api/articles/{slug}/sources',
    'readSources',
    'Returns the sources of an article with exact quotes, as a hash chain.',
    [slug],
  ],
  [
    '/api/articles/{slug}/voxels',
    'readVoxels',
    'Returns the text blocks of an article with the hashes that a change must name.',
    [slug],
  ],
  [
    '/api/articles/{slug}/discourse',
    'readDiscourse',
    'Returns objections, support and attestations, open ones first, and the head of the thread.',
    [slug],
  ],
  [
    '/api/directory/{key}',
    'readRow',
    'Returns the contract of one row: what it does, its arguments, an example, who may call it.',
    [at('key', 'The key of a row, such as MIRROR_FEED.')],
  ],
  [
    '/api/protocol/thread-state',
    'readThreadState',
    'Returns what stands open on an article in thread and mirror, what is settled, and the calls that updates proposed.',
    [queryParameter('target', 'The slug of an article.', true)],
  ],
];

const answers = (description: string): JsonObject => ({
  '200': {
    description,
    content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
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

export function actionsDocument(base: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [path, operationId, description, parameters] of reads) {
    paths[path] = {
      get: {
        operationId,
        tags: ['reads'],
        summary: description.slice(0, 120),
        description,
        parameters: parameters.map((parameter) => ({
          required: false,
          ...parameter,
          schema: { type: 'string' },
        })),
        responses: answers('The answer, self-describing in _self.'),
      },
    };
  }
  paths['/api/dispatch'] = {
    get: {
      operationId: 'lookUp',
      tags: ['calls'],
      summary: 'Finds a row for a plain question, explains a share, or confirms that a call happened.',
      description: 'Exactly one of ask, explain with share, confirm or map is given. Nothing fires.',
      parameters: [
        queryParameter('ask', 'A question in plain words.'),
        queryParameter('explain', '1, with share.'),
        queryParameter('share', 'A token that begins with sh.'),
        queryParameter('confirm', 'An invocation id.'),
        queryParameter('map', '1, or the name of a system.'),
      ].map((parameter) => ({ ...parameter, schema: { type: 'string' } })),
      responses: answers('What was looked up.'),
    },
    post: {
      operationId: 'dispatch',
      tags: ['calls'],
      summary: 'Invokes one row of the directory; each call leaves a receipt.',
      description:
        'The key names a row, the body has its arguments in order with | between them, or as a JSON text. ran:false in the answer means that nothing was done.',
      'x-openai-isConsequential': true,
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
    },
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Colophon',
      version: protocolVersion,
      description:
        'An article ledger and capability dispatch: claims with sources, and a receipt for every call.',
      contact: { name: 'How to use the service', url: `${base}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base }],
    tags: [
      { name: 'reads', description: 'Free reads of articles and of what is done with them.' },
      { name: 'calls', description: 'Calls of rows; each leaves a receipt.' },
    ],
    // Everything is open; a share or an API key adds what it covers.
    security: [{}, { bearer: [] }],
    paths,
    components: {
      schemas: { Refusal: refusal },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A share (sh.…) or an API key (ck_…).' },
      },
    },
  };
}
