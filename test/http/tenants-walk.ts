/**
 * Every request that a server takes, pointed at what a workspace holds: each of its routes with each name that an
 * address, a parameter or a body can hold. The same requests for other names differ in nothing else.
 */
import { canonicalJson, type JsonValue } from '../../src/kernel/json.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { argumentsOf } from '../../src/domain/capabilities/arguments.ts';
import type { Row } from '../../src/domain/capabilities/row.ts';
import { partReaders } from '../../src/app/reads/article-parts.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { send, type HttpAnswer, type HttpRequest } from './client.ts';
import { routesOf, type Route } from './routes.ts';
import { headersOf, message } from './mcp-client.ts';
import type { Names } from './tenants-world.ts';

const pageParts = ['history', 'links', 'graph', 'd1', 'c1', 's1'];
const parts = [...Object.keys(partReaders), ...pageParts, 'nothing'];

/**
 * What is everybody's: the one log of the deployment, and what is public by its unguessable id, whoever asks. A
 * receipt's page and `?confirm=` say that something happened and no more (contract §3); a blob has the hash of its bytes
 * for a name (ADR 16).
 */
const everybodys = new Set(['/log', '/receipt/:inv', '/blobs/:sha256']);

/** Parameters of addresses, each with the values to try. A route with another one has to be thought about here. */
const ofPath: Readonly<Record<string, (names: Names, path: string) => readonly string[]>> = {
  slug: ({ slug, draft }) => [slug, draft],
  part: () => parts,
  claim: () => ['c1'],
  id: ({ contribution }) => [contribution],
  inv: ({ inv }) => [inv],
  fingerprint: ({ fingerprint }) => [fingerprint],
  key: ({ row }) => [row],
  name: ({ workspace }, path) => [path.includes('/workspace/') ? workspace : 'API_KEY'],
  // What belongs to nobody: files, tiles, results by their hash, pages that are not built.
  hash: () => ['0'],
  sha256: () => ['0'.repeat(64)],
  cohort: () => ['cohort'],
  label: () => ['amber'],
  file: () => ['site.css'],
  entry: ({ post }) => [post],
  '*': () => ['0/000'],
};

function pathsOf(path: string, names: Names): string[] {
  const found = /:(\w+)|\*/.exec(path);
  if (found === null) return [path];
  const name = found[1] ?? '*';
  const values = ofPath[name];
  if (values === undefined) throw new Error(`${path}: nobody said what :${name} can hold`);
  return values(names, path).flatMap((value) => pathsOf(path.replace(found[0], value), names));
}

/** Parameters that name something, with what some routes want beside them. */
function queriesOf({ workspace, slug, draft, row, inv }: Names): string[] {
  return [
    '',
    ...[
      '',
      'q=amber',
      'object_id=MIRROR_FEED',
      'registry=1',
      'key=MIRROR_FEED',
      'map=1',
      'ask=weather',
      'self_scope=1',
      'role=editor',
      'role=observer',
    ].map((beside) => `workspace=${workspace}&${beside}`),
    ...[slug, draft].flatMap((one) => [
      `slugs=${one}`,
      `slugs=notes,${one}`,
      `target=${one}`,
      ...['article', 'claim', 'source', 'div', 'vote', 'invocation'].map(
        (kind) => `from=${one}&kind=${kind}`,
      ),
    ]),
    `receipt=${inv}`,
    `key=${row}`,
    `invoke=${row}&body=Bern`,
    `object_id=${row}`,
  ].map((query) => query.replace(/&$/, ''));
}

function areKnown(query: string, known: readonly string[] | undefined): boolean {
  return known === undefined || [...new URLSearchParams(query).keys()].every((name) => known.includes(name));
}

/** What the places of an example hold; a new place has to be thought about here. */
const places: Readonly<Record<string, (names: Names) => string>> = {
  article_version: () => '1',
  assignment_id: ({ assignment }) => assignment,
  bundle_json: () => '{}',
  content_hash: () => '0'.repeat(64),
  contribution_id: ({ contribution }) => contribution,
  entry_id: ({ post }) => post,
  failed_invocation_id: ({ inv }) => inv,
  hook_id: ({ hook }) => hook,
  hash_of_c1: () => '0'.repeat(64),
  invocation_id: ({ inv }) => inv,
  key_fingerprint: ({ fingerprint }) => fingerprint,
  proposal_id: ({ inv }) => inv,
  share_fingerprint: ({ fingerprint }) => fingerprint,
  thread_head: () => 'genesis',
  vote_id: ({ vote }) => vote,
  vx_hash_of_d2: () => '0'.repeat(64),
  vx_hash_of_d3: () => '0'.repeat(64),
};

/** A row's own example, for what the workspace holds. */
function bodyOf(row: Row, names: Names): string {
  return row.contract.example
    .replaceAll(/what-the-ledger-is|field-notes/g, names.slug)
    .replaceAll(/\bsurvey\b/g, names.workspace)
    .replaceAll(/qn_[a-z2-7]{16}/g, names.question)
    .replaceAll(/\bWEATHER\b/g, names.row)
    .replaceAll(/<([a-z0-9_]+)>/g, (place, name: string) => {
      const value = places[name];
      if (value === undefined) throw new Error(`${row.key}: nobody said what ${place} can hold`);
      return value(names);
    });
}

export function argsOf(row: Row, names: Names): object {
  const args = argumentsOf(row, bodyOf(row, names));
  return isFault(args) ? {} : args;
}

export interface Walk {
  readonly routes: readonly Route[];
  readonly rows: ReadonlyMap<string, Row>;
  /** The row that a route writes by, as the server told: method and path. */
  readonly rowOf: ReadonlyMap<string, string>;
  /** The parameters that a GET route takes, as the server told; a route that is not here takes any. */
  readonly known: ReadonlyMap<string, readonly string[]>;
}

/** The requests, in an order that is the same for all names. Writes are not repeated where they took effect. */
export function requestsFor({ routes, rows, rowOf, known }: Walk, names: Names): HttpRequest[] {
  const requests: HttpRequest[] = [];
  for (const { method, path } of routes) {
    if (everybodys.has(path)) continue;
    const row = rows.get(rowOf.get(`${method} ${path}`) ?? '');
    for (const address of pathsOf(path, names)) {
      if (method === 'GET')
        requests.push(
          ...queriesOf(names)
            // What an address names already needs no query.
            .filter((query) => query === '' || !path.includes(':slug'))
            .filter((query) => areKnown(query, known.get(path)))
            // Pages take what names something in their address alone.
            .filter((query) => /^(?:workspace=\w+)?$/.test(query) || path.startsWith('/api/'))
            .map((query) => ({ method, path: query === '' ? address : `${address}?${query}` })),
        );
      else
        requests.push(
          { method, path: address, body: row === undefined ? {} : argsOf(row, names) },
          { method, path: `${address}?workspace=${names.workspace}`, body: {} },
        );
    }
  }
  for (const row of rows.values()) {
    const body = bodyOf(row, names);
    const call = { key: row.key, body };
    requests.push(
      { path: '/api/dispatch', body: call },
      { path: '/api/dispatch', body: { ...call, shape: true } },
      { path: '/api/dispatch', body: { ...call, workspace: names.workspace } },
      { path: `/api/dispatch?${new URLSearchParams({ invoke: row.key, body }).toString()}` },
    );
  }
  requests.push(...messagesFor(rows, names));
  requests.push(
    { path: '/api/dispatch', body: { key: names.row, body: 'Bern' } },
    { path: '/api/dispatch', body: { replay: names.inv } },
    // Ids beside an article of main, which a caller there may write to.
    {
      path: '/api/dispatch',
      body: { key: 'MIRROR_RESOLVE', body: `notes|${names.contribution}|accepted|x` },
    },
    { path: '/api/dispatch', body: { key: 'THREAD_SETTLE', body: `notes|${names.post}|x` } },
    {
      path: '/api/dispatch',
      body: {
        key: 'ARTICLE_INGEST',
        body: { slug: 'notes', evidence: 'Amber floats.', question_node_id: names.question },
      },
    },
    { path: '/api/dispatch', body: { repairs: names.inv, key: 'CLAIM_POST', body: '{}' } },
    {
      path: '/api/dispatch',
      body: { key: 'CAP_MINT', body: { key: 'MIRROR_APPEND', workspace: names.workspace } },
    },
    { path: '/api/dispatch', body: { key: 'CAP_MINT', body: { key: 'MIRROR_APPEND', article: names.slug } } },
    {
      path: '/api/protocol/voxel-batch',
      body: {
        operations: [
          {
            op: 'challenge',
            slug: names.slug,
            target_div: 'd1',
            expected_hash: 'x',
            expected_thread_head: 'genesis',
            body: 'No.',
            actor: 'x',
          },
          {
            op: 'claim',
            slug: names.slug,
            text: 'Amber sinks.',
            tier: 'system',
            who_claims: 'x',
            rationale: 'x',
          },
        ],
      },
    },
    // A batch takes its article from its assignment, and a dry run shows the arguments that it would run with.
    ...[{ operations: [{ op: 'source', sources: [] }] }, { document: { markdown: '# Amber\n' } }].map(
      (work) => ({
        path: '/api/dispatch',
        body: { key: 'VOXEL_BATCH', body: { ...work, assignment_id: names.assignment }, shape: true },
      }),
    ),
    {
      path: '/api/protocol/thread-update',
      body: {
        actor: 'x',
        target: names.slug,
        raw_text: `[MIRROR_FEED]${names.slug}|5[/MIRROR_FEED] [ARTICLE_INSPECT]${names.slug}[/ARTICLE_INSPECT]`,
      },
    },
    { path: `/api/articles/${names.slug}/webhook`, body: { kind: 'claim', text: 'Amber sinks.' } },
  );
  return requests;
}

/** The same over MCP: every row, and everything that is read or listed there. */
function messagesFor(rows: ReadonlyMap<string, Row>, names: Names): HttpRequest[] {
  const { slug, draft, workspace } = names;
  const asked = (method: string, params: object, path = '/mcp'): HttpRequest => {
    const body = message(method, params as Record<string, unknown>);
    const { name, uri } = params as { readonly name?: string; readonly uri?: string };
    return { path, headers: headersOf(method, name ?? uri), body };
  };
  const call = (name: string, args: object): HttpRequest => asked('tools/call', { name, arguments: args });
  return [
    ...['tools/list', 'resources/list'].map((method) => asked(method, {}, `/mcp?workspace=${workspace}`)),
    // A receipt that the caller may not open is its public confirmation, here as at `?confirm=`.
    ...[slug, draft].flatMap((target) => [
      call('read', { target }),
      call('read', { target, part: 'voxels' }),
    ]),
    ...[...rows.values()].flatMap((row) => [
      call(row.key, argsOf(row, names)),
      call('dispatch', { key: row.key, body: bodyOf(row, names), shape: true }),
    ]),
    call(names.row, { city: 'Bern' }),
  ];
}

/**
 * What an answer says but for the name that it was asked for and what no two answers share: receipts of their own,
 * times, and the proofs of those.
 */
export function saidBy({ status, headers, body }: HttpAnswer, names: Names): object {
  let text = body;
  for (const [member, name] of Object.entries(names).sort(([, a], [, b]) => b.length - a.length))
    text = text.replaceAll(name, `<${member}>`);
  let said: unknown = text;
  if (/json/.test(String(headers['content-type']))) {
    said = JSON.parse(text, (member, value: unknown) =>
      [
        'invocation',
        'receipt',
        'proof',
        'duration_ms',
        'instance',
        'affordances',
        'idempotent_replay',
      ].includes(member)
        ? undefined
        : value,
    );
    said = canonicalJson(said as JsonValue);
  }
  const plain = String(said)
    // The mark of a page is a hash of its text, names included.
    .replaceAll(/<code>[0-9a-f]{24}<\/code>/g, '<code>mark</code>')
    .replaceAll(/inv_[a-z2-7]{16}/g, 'inv')
    // An answer in a text of another, as MCP gives it.
    .replaceAll(/\\+"duration_ms\\+":\d+/g, '')
    .replaceAll(/cap_[0-9a-f]{16}/g, 'cap')
    .replaceAll(/sh\.[\w-]{48}/g, 'share')
    .replaceAll(/[0-9a-f]{64}/g, 'hash')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    // The home page counts the entries of the whole log, which grows meanwhile.
    .replaceAll(/[\d,]+ entries by now/g, 'entries by now');
  return {
    status,
    type: headers['content-type'],
    cache: headers['cache-control'],
    authenticate: headers['www-authenticate'],
    plain,
  };
}

/** Which parameters a route takes and which row it writes by, learnt from what the owner is told of wrong ones. */
export async function walkOf(server: TestServer, names: Names): Promise<Walk> {
  const app = server.deployment.http();
  const routes = await routesOf(app);
  await app.close();
  const { rows } = server.deployment.service;
  const rowOf = new Map<string, string>();
  const known = new Map<string, readonly string[]>();
  for (const { method, path } of routes) {
    if (method !== 'GET' || !path.startsWith('/api/') || path.includes(':')) continue;
    const told = (await send(server.base, { path: `${path}?unheard-of=1` })).body;
    const { error, known: list } = JSON.parse(told) as Answer;
    if (error === 'invalid_request' && Array.isArray(list)) known.set(path, list as string[]);
  }
  const bare: Walk = { routes, rows: new Map(), rowOf, known };
  for (const { method, path, body } of requestsFor(bare, names)) {
    if (method === undefined || method === 'GET' || path.includes('?') || body === undefined) continue;
    const answer = await send(server.base, {
      method,
      path,
      headers: { 'x-terminal-key': terminalKey },
      body: {},
    });
    // The console's forms answer with pages, and to no key.
    if (!/json/.test(String(answer.headers['content-type']))) continue;
    const { invocation } = JSON.parse(answer.body) as Answer;
    const key = (invocation as Answer | undefined)?.['key'];
    const route = routes.find((each) => each.method === method && patternOf(each.path).test(path));
    if (typeof key === 'string' && route !== undefined) rowOf.set(`${method} ${route.path}`, key);
  }
  return { routes, rows, rowOf, known };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+|\*/g, '[^/]+')}$`);
}
