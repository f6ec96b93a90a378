/** One operation as OpenAPI has it: parameters, the body it takes, what it answers, and who may call it. */
import type { Row } from '../../domain/capabilities/row.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { plainSchema } from '../../model/parts.ts';
import { ref, refusalOf } from './components.ts';
import type { Caller, Operation, Taken } from './operation.ts';

type Rows = ReadonlyMap<string, Row>;

const inAddresses: Readonly<Record<string, string>> = {
  slug: 'the slug of an article, such as what-the-ledger-is',
  part: 'd3 for a DIV, c1 for a claim, history or graph',
  key: 'the key of a row, such as MIRROR_FEED',
  name: 'its name',
  id: 'the id of a contribution',
  sha256: 'lowercase hex of SHA-256',
  level: 'the level of the tile, from 0',
  n: 'the number of the tile, such as 000 or x001/234; .p/<width> behind it for one that is not full',
  hash: 'the hash of all assets',
  path: 'the rest of the address',
  inv: 'the id of an invocation',
  fingerprint: 'cap_ and 16 hexadecimal digits',
  cohort: 'the name of a cohort',
};

export function operationJson(at: string, operation: Operation, rows: Rows): JsonObject {
  const { id, summary, tag } = operation;
  const row = typeof operation.row === 'string' ? rowOf(rows, operation.row) : undefined;
  const caller = operation.caller ?? callerOf(row);
  const body = bodyOf(operation, rows);
  const parameters = [
    ...[...at.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => inAddress(name)),
    ...inQuery(operation, caller),
    ...Object.entries(operation.headers ?? {}).map(([name, schema]) =>
      parameter('header', name, plainSchema(schema), false),
    ),
    ...(operation.row === undefined ? [] : [{ $ref: '#/components/parameters/idempotencyKey' }]),
  ];
  return {
    operationId: id,
    summary,
    ...(row === undefined ? {} : { description: `Calls the row ${row.key}. ${row.contract.when}` }),
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [mediaTypeOf(operation)]: { schema: body } } } }),
    responses: { ...answersOf(operation, row), ...refusalsOf(at, operation, caller, body !== undefined) },
    security: securityOf(caller, operation.query),
  };
}

function mediaTypeOf({ form }: Operation): string {
  return form === true ? 'application/x-www-form-urlencoded' : 'application/json';
}

function rowOf(rows: Rows, key: string): Row {
  const row = rows.get(key);
  if (row === undefined) throw new Error(`a route calls ${key}, and there is no such row`);
  return row;
}

function callerOf(row: Row | undefined): Caller {
  if (row === undefined || row.auth === 'none') return 'anybody';
  return row.auth === 'owner' ? 'owner' : 'holder';
}

function inAddress(name: string): JsonObject {
  const description = inAddresses[name];
  if (description === undefined) throw new Error(`nobody says what {${name}} means in an address`);
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** A share that authorizes is declared as a security scheme, although it is sent in the query. */
function inQuery({ query, needed = [], lenient }: Operation, caller: Caller): JsonObject[] {
  if (query === undefined) return [];
  const own = Object.entries(query)
    .filter(([name]) => name !== 'share' || caller === 'owner')
    .map(([name, schema]) => parameter('query', name, plainSchema(schema), needed.includes(name)));
  const everywhere = ['soft', 'self'].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return lenient === true ? own : [...own, ...everywhere];
}

function parameter(
  where: string,
  name: string,
  { description, ...schema }: JsonObject,
  required: boolean,
): JsonObject {
  return { name, in: where, required, description: description ?? name, schema };
}

/** A body has the arguments of its row by name, what the route adds, and `key` for a credential. */
function bodyOf(operation: Operation, rows: Rows): JsonObject | undefined {
  const { row, body = {}, required = [] } = operation;
  if (typeof row === 'object')
    return {
      oneOf: Object.entries(row).map(([action, key]) =>
        objectOf(operation, rowOf(rows, key), { action: { const: action } }, ['action']),
      ),
    };
  if (row === undefined && operation.body === undefined) return undefined;
  const members = Object.fromEntries(
    Object.entries(body).map(([name, schema]) => [name, plainSchema(schema)]),
  );
  return objectOf(operation, row === undefined ? undefined : rowOf(rows, row), members, required);
}

function objectOf(
  { fixed = [], optional = [], open, form }: Operation,
  row: Row | undefined,
  members: JsonObject,
  required: readonly string[],
): JsonObject {
  const { properties = {}, required: needed = [] } = (row === undefined ? {} : plainSchema(row.input)) as {
    readonly properties?: JsonObject;
    readonly required?: readonly string[];
  };
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !fixed.includes(name)));
  const credential =
    row === undefined && (open !== true || form === true)
      ? {}
      : { key: { type: 'string', description: 'an API key or a share' } };
  return {
    type: 'object',
    properties: { ...credential, ...own, ...members },
    required: [...required, ...needed.filter((name) => !fixed.includes(name) && !optional.includes(name))],
    ...(open === true ? {} : { additionalProperties: false }),
  };
}

function answersOf(operation: Operation, called: Row | undefined): JsonObject {
  const { types = [], json, row } = operation;
  const told: Record<string, JsonValue> = {};
  if (json !== false) {
    const names = answerNames(operation);
    told['application/json'] = {
      schema: names.length === 1 ? ref(names[0] as string) : { anyOf: names.map(ref) },
    };
  }
  for (const type of types) told[type] = {};
  const waits = { description: 'It waits for the owner, or runs on.', content: told };
  if (row === undefined) {
    const answer = { description: 'The answer.', content: told };
    return callsRow(operation) ? { '200': answer, '202': waits } : { '200': answer };
  }
  const members = operation.caller === undefined ? membersOf(called) : undefined;
  const done =
    members === undefined ? told : { 'application/json': { schema: { allOf: [ref('Written'), members] } } };
  return {
    '200': { description: 'Done, with its receipt.', content: done },
    '202': waits,
  };
}

function answerNames({ answers, row, id }: Operation): readonly string[] {
  if (answers !== undefined) return answers;
  if (row !== undefined) return ['Written'];
  return [id === 'dispatch' || id === 'look' ? 'Called' : 'Envelope'];
}

/** Whether it calls a row, or may where its query says so. */
function callsRow(operation: Operation): boolean {
  const names = answerNames(operation);
  return operation.row !== undefined || names.includes('Called') || names.includes('Written');
}

/** What the row answers, open for the receipt that stands beside it. A row with several shapes says too little here. */
function membersOf(row: Row | undefined): JsonObject | undefined {
  const { properties, required } = (
    row?.output === undefined ? {} : JSON.parse(JSON.stringify(row.output))
  ) as {
    readonly properties?: JsonObject;
    readonly required?: readonly string[];
  };
  return properties === undefined
    ? undefined
    : { type: 'object', properties, ...(required === undefined ? {} : { required }) };
}

function refusalsOf(at: string, operation: Operation, caller: Caller, takesBody: boolean): JsonObject {
  const { query, lenient, json, row } = operation;
  const calls = callsRow(operation);
  const statuses = new Set([429, 500, 503]);
  if (query !== undefined && lenient !== true) statuses.add(400);
  if (caller !== 'nobody') for (const status of [401, 403]) statuses.add(status);
  // What the address or the query names may not exist.
  const names = at.includes('{') || (query !== undefined && Object.hasOwn(query, 'workspace'));
  if (names || caller === 'anybody' || row !== undefined) statuses.add(404);
  // A credential in a header is judged before a body is read.
  if (takesBody || calls) for (const status of [400, 401, 404, 409, 413, 415, 422]) statuses.add(status);
  if (calls || takesBody) for (const status of [502, 504]) statuses.add(status);
  // A row that writes is not called by a GET.
  if (calls && row === undefined) statuses.add(405);
  const page = lenient === true && json === false;
  return Object.fromEntries(
    [...statuses]
      .toSorted((a, b) => a - b)
      .map((status) => [String(status), page ? refusedPage : refused(status)]),
  );
}

function refused(status: number): JsonObject {
  return { $ref: `#/components/responses/${refusalOf(status)}` };
}

const refusedPage = {
  description: 'The refusal as a page; as problem details where it is refused before the page is looked for.',
  content: {
    'text/html': {},
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  },
};

/** An empty requirement stands for a call without any credential. */
function securityOf(caller: Caller, query: Taken | undefined): JsonObject[] {
  if (caller === 'nobody') return [];
  if (caller === 'owner') return [{ terminalKey: [] }];
  if (caller === 'console') return [{ consoleLogin: [] }];
  return [
    ...(caller === 'anybody' ? [{}] : []),
    { bearer: [] },
    { terminalKey: [] },
    ...(query !== undefined && 'share' in query ? [{ share: [] }] : []),
  ];
}
