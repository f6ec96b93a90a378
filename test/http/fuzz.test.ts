import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../fault/random.ts';
import { problemsOf } from '../fault/ledger.ts';
import { removeFolders, startServer, type RunningServer } from '../support/process-server.ts';
import { send, type HttpAnswer } from './client.ts';
import { Requests, type Known, type Schema } from './fuzz-requests.ts';
import { routesOf, type Route } from './routes.ts';
import { openLocal } from './local.ts';
import { expectProblem } from './problem.ts';

const count = Number(process.env['COLOPHON_FUZZ'] ?? '2000');
const seed = Number(process.env['COLOPHON_SEED'] ?? '20261121');
const lanes = 8;

let server: RunningServer;
let routes: readonly Route[];

beforeAll(async () => {
  const local = await openLocal();
  const app = local.deployment.http();
  routes = await routesOf(app);
  await local.end();
  server = await startServer();
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

/** Articles, claims, sources, shares and receipts for the fuzzer to meet. */
async function populate(): Promise<Known> {
  const headers = { 'x-terminal-key': server.terminalKey };
  const post = async (
    path: string,
    body: object,
    as: Record<string, string> = headers,
  ): Promise<Record<string, unknown>> =>
    JSON.parse((await send(server.base, { path, headers: as, body })).body) as Record<string, unknown>;
  const receipts: string[] = [];
  const hashes: string[] = [];
  const slugs = ['alpha', 'beta', 'gamma-draft'];
  for (const slug of slugs) {
    const made = await post('/api/protocol/voxel-batch', {
      document: {
        slug,
        title: slug,
        markdown: `# ${slug}\n\nOne.\n\nTwo.\n\n- three\n- four\n\n\`\`\`\nfive\n\`\`\`\n`,
        status: slug.endsWith('draft') ? 'draft' : 'published',
      },
    });
    receipts.push((made['receipt'] as { id: string }).id);
    hashes.push(...(made['divs'] as { vx_hash: string }[]).map(({ vx_hash: hash }) => hash));
  }
  await post('/api/protocol/sources', {
    slug: 'alpha',
    sources: [
      {
        type: 'review',
        url: 'https://www.rfc-editor.org/rfc/rfc6962',
        title: 'RFC 6962',
        quote: 'Merkle Hash Trees',
      },
    ],
  });
  await post('/api/protocol/claim', {
    slug: 'alpha',
    text: 'A Merkle tree of two leaves has one inner node.',
    tier: 'system',
    who_claims: 'RFC 6962',
    source_ids: ['s1'],
  });
  await post('/api/articles/alpha/mirror', {
    kind: 'question',
    actor: 'ada',
    body: 'Which leaf is the left one?',
    claim_id: 'c1',
  });
  const shares: string[] = [];
  const fingerprints: string[] = [];
  for (const grant of [
    { scope: 'act', max_uses: 0 },
    { scope: 'read', max_uses: 0 },
    { scope: 'pfx', keys: ['VOXEL_'], max_uses: 0, risk_ceiling: 'high' },
    { scope: 'rows', keys: ['VOXEL_BURN', 'CLAIM_POST'], max_uses: 0, risk_ceiling: 'high' },
    { scope: 'row', key: 'MIRROR_APPEND', max_uses: 5 },
    { scope: 'act', max_uses: 0, article: 'alpha', owner_gate: true },
  ]) {
    const { share, result } = (await post('/api/dispatch', {
      key: 'CAP_MINT',
      body: { ttl: 2_000_000, ...grant },
    })) as { share: string; result: { fingerprint: string } };
    shares.push(share);
    fingerprints.push(result.fingerprint);
  }
  const registry = JSON.parse(
    (await send(server.base, { path: '/api/dispatch?registry=1&limit=500' })).body,
  ) as {
    rows: { key: string; input_schema: Schema }[];
  };
  return {
    rows: Object.fromEntries(registry.rows.map(({ key, input_schema: schema }) => [key, schema])),
    shares,
    terminalKey: server.terminalKey,
    values: {
      slug: [...slugs, 'nowhere'],
      target: ['alpha', 'd2', 'c1', 'nowhere'],
      div_id: ['d1', 'd2', 'd3', 'd4', 'd99'],
      id: ['d2', receipts[0] as string],
      ids: ['d2'],
      hash: hashes,
      content_hash: hashes,
      claim_id: ['c1', '', 'c9'],
      source_id: ['s1', 's9'],
      inv: receipts,
      receipt: receipts,
      confirm: receipts,
      fingerprint: fingerprints,
      token: [...fingerprints, ...shares],
      share: shares,
      key: registry.rows.map(({ key }) => key),
      object_id: registry.rows.map(({ key }) => key),
      part: [
        'voxels',
        'claims',
        'sources',
        'provenance',
        'mirror',
        'contributions',
        'discourse',
        'objections',
        'revisions',
        'masthead',
        'health',
        'topology',
        'bundle',
        'ledger',
        'skill',
        'votes',
        'd1',
        'c1',
        'history',
        'graph',
      ],
      text: [
        'One, edited.',
        '# Heading\n\nTwo blocks.',
        '```\ncode\n```',
        '- a\n- b',
        '| a |\n|---|\n| b |',
        '<!-- open',
        '[a]: /x',
      ],
      markdown: ['# Made by the fuzzer\n\nText.\n', '---\ntitle: x\n---\n', '\n\n'],
      kind: ['question', 'objection', 'source', 'repair'],
      stance: ['challenge', 'support', 'upgrade'],
      tier: ['human', 'system', 'magic'],
      scope: ['row', 'act', 'read', 'pfx', 'rows'],
      op: ['edit', 'claim', 'source', 'move', 'attest', 'vote', 'challenge', 'x'],
      status: ['draft', 'published', 'archived', 'success'],
      decision: ['ratified', 'rejected', 'deferred'],
      vote_id: ['vote_aaaaaaaaaaaaaaaa'],
      rev: ['1', '2', '99', '-1', '1e9'],
      at: ['0', '5', '99999', '2026-01-01', 'x'],
      expected_thread_head: ['genesis', ...hashes.slice(0, 1)],
    },
  };
}

describe('random requests against every route', () => {
  it(
    `never cause an internal server error (${count} requests)`,
    { timeout: 60_000 + count * 20 },
    async () => {
      console.log(`fuzz ${count}, seed ${seed}, ${routes.length} routes`);
      expect(routes.length).toBeGreaterThan(45);
      expect(routes.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          '/api/dispatch',
          '/api/articles/:slug/:part',
          '/api/protocol/voxel-batch',
          '/tile/*',
          '/a/:slug',
        ]),
      );
      const requests = new Requests(routes, await populate(), seededRandom(seed));
      const statuses = new Map<number, number>();
      const reached = new Map<string, number>();
      const failures: string[] = [];
      let next = 0;
      const lane = async (): Promise<void> => {
        while (next < count && failures.length < 20) {
          const i = next++;
          const { route, ...request } = requests.make(i);
          const what = `request ${i}: ${request.method} ${request.path.slice(0, 300)} ${JSON.stringify(request.headers)} ${request.body === undefined ? '' : String(request.body).slice(0, 600)}`;
          let answer: HttpAnswer;
          try {
            answer = await send(server.base, request);
          } catch (error) {
            failures.push(`${what}\n  → ${(error as Error).message}`);
            continue;
          }
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (answer.status < 400)
            reached.set(
              `${route.method} ${route.path}`,
              (reached.get(`${route.method} ${route.path}`) ?? 0) + 1,
            );
          const wrong = wrongWith(answer, route);
          if (wrong !== undefined) failures.push(`${what}\n  → ${wrong}`);
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      console.log(JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b))));
      expect(failures).toEqual([]);
      expect(reached.size).toBeGreaterThan(25);
      expect((await send(server.base, { path: '/healthz' })).status).toBe(200);
      expect(server.output()).not.toMatch(/uncaught|unhandled|"level":50/i);
      await server.kill();
      expect(await problemsOf(server.folder)).toEqual([]);
    },
  );
});

function wrongWith({ status, headers, body }: HttpAnswer, { path }: Route): string | undefined {
  // A row may lack a setting that this server was not given, which is no internal server error.
  const notGiven = status === 502 && body.includes('"reason":"not_configured"');
  if (status >= 500 && status !== 501 && !notGiven) return `status ${status}: ${body.slice(0, 600)}`;
  if (path === '/mcp' && /"code":-32603|"error":"internal"/.test(body)) return `an error within: ${body}`;
  if (status < 400 || body === '') return undefined;
  if (path === '/mcp' && String(headers['content-type']).startsWith('application/json'))
    return /"jsonrpc":"2\.0".*"error":\{"code":-32\d{3},/.test(body) ? undefined : `no JSON-RPC: ${body}`;
  if (!String(headers['content-type']).startsWith('application/problem+json'))
    return /^text\/(?:html|plain)/.test(String(headers['content-type']))
      ? undefined
      : `status ${status} of type ${String(headers['content-type'])}`;
  try {
    expectProblem({ status, headers, body }, (JSON.parse(body) as { error: string }).error);
    return undefined;
  } catch (error) {
    return `a problem that is none: ${(error as Error).message.slice(0, 300)} in ${body.slice(0, 600)}`;
  }
}
