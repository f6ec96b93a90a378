import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samples } from '../unit/guard/secret-samples.ts';
import { removeFolders, startServer, type RunningServer } from '../support/process-server.ts';
import { send, sendBytes, type HttpAnswer, type HttpRequest } from './client.ts';

let server: RunningServer;
let owner: Record<string, string>;
/** A share that works, one that was revoked, and one that the ledger never saw used. */
let tokens: { readonly live: string; readonly revoked: string; readonly unused: string };
const answers: [string, HttpAnswer][] = [];

async function keep(request: HttpRequest): Promise<HttpAnswer> {
  const answer = await send(server.base, request);
  answers.push([
    `${request.method ?? 'GET/POST'} ${request.path.slice(0, 100)}`,
    { ...answer, body: withoutOwnShare(request.path, answer.body) },
  ]);
  return answer;
}

/**
 * A refusal's addresses repeat the share of the request's own address, so that a client that can only open addresses
 * can go on (contract §2). They alone may.
 */
function withoutOwnShare(path: string, body: string): string {
  const own = new URL(path, server.base).searchParams.get('share');
  if (own === null) return body;
  const { next, did_you_mean: near, ...rest } = JSON.parse(body) as Record<string, unknown>;
  if (rest['ok'] !== false) return body;
  const addresses = JSON.stringify([next, near]).replaceAll(`share=${encodeURIComponent(own)}`, 'share=own');
  return `${JSON.stringify(rest)}${addresses}`;
}

beforeAll(async () => {
  server = await startServer({ env: { COLOPHON_LOG: 'trace' } });
  owner = { 'x-terminal-key': server.terminalKey };
  await send(server.base, {
    path: '/api/protocol/voxel-batch',
    headers: owner,
    body: { document: { slug: 'alpha', title: 'Alpha', markdown: '# Alpha\n\nOne.\n' } },
  });
  const mint = async (): Promise<{ share: string; result: { fingerprint: string } }> =>
    JSON.parse(
      (
        await send(server.base, {
          path: '/api/dispatch',
          headers: owner,
          body: { key: 'CAP_MINT', body: { scope: 'act', max_uses: 0 } },
        })
      ).body,
    ) as never;
  const [live, revoked, unused] = [await mint(), await mint(), await mint()];
  await send(server.base, {
    path: '/api/dispatch',
    headers: owner,
    body: { key: 'CAP_REVOKE', body: revoked.result.fingerprint },
  });
  tokens = { live: live.share, revoked: revoked.share, unused: unused.share };
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

/** Everything that the deployment keeps, and everything that it said but for the one answer that shows a new token. */
function everythingKept(): [string, string][] {
  const kept: [string, string][] = [['the log', server.output()]];
  for (const name of readdirSync(server.folder)) {
    const path = join(server.folder, name);
    if (statSync(path).isFile()) kept.push([name, readFileSync(path, 'latin1')]);
  }
  for (const [what, { body, headers }] of answers)
    kept.push([`the answer to ${what}`, `${JSON.stringify(headers)}\n${body}`]);
  return kept;
}

/** The token as it is, and its body without the prefix: escapes may hide `sh.` but not 48 characters. */
function placesOf(secret: string): string[] {
  const body = secret.replace(/^sh\./, '');
  return everythingKept().flatMap(([where, text]) => (text.includes(body) ? [where] : []));
}

describe('a share', () => {
  it('appears in no stored data and no answer, wherever a request contained it', async () => {
    for (const token of Object.values(tokens)) {
      const encoded = [...token].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
      const escaped = [...token]
        .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('');
      const share = { share: tokens.live };
      const dispatch = (key: string, body: unknown, more: object = share): HttpRequest => ({
        path: '/api/dispatch',
        body: { key, body, ...more },
      });
      const requests: HttpRequest[] = [
        // As a credential, in each place where one may stand.
        dispatch('MIRROR_FEED', 'alpha', { share: token }),
        dispatch('OIP_TREE', '', { share: token }),
        dispatch('VOXEL_EDIT', '{}', { share: token }),
        { path: `/api/dispatch?invoke=MIRROR_FEED&body=alpha&share=${token}` },
        { path: `/api/dispatch?invoke=MIRROR_APPEND&body=alpha%7C%7Cquestion%7Cada%7Cx&share=${encoded}` },
        { path: `/api/dispatch?explain=1&share=${token}` },
        { path: `/api/articles/alpha?share=${token}` },
        { path: `/api/articles/nowhere?share=${token}` },
        { path: `/api/invocations?object_id=MIRROR_FEED&share=${token}` },
        { path: '/api/articles/alpha', headers: { authorization: `Bearer ${token}` } },
        { path: '/api/protocol/claim', body: { slug: 'alpha', key: token, text: 'x' } },
        {
          path: `/api/articles/alpha/mirror?share=${token}`,
          body: { kind: 'question', actor: 'ada', body: 'b' },
        },
        // As a value of what is no credential.
        dispatch('CAP_EXPLAIN', token),
        dispatch('CAP_EXPLAIN', { token }),
        dispatch('CAP_REVOKE', token),
        { path: `/api/dispatch?invoke=CAP_EXPLAIN&body=${token}&share=${tokens.live}` },
        { path: `/api/dispatch?invoke=CAP_EXPLAIN&body=${encoded}&share=${tokens.live}` },
        dispatch('MIRROR_APPEND', `alpha||question|${token}|My token is ${token}, keep it.`),
        dispatch('MIRROR_APPEND', {
          slug: 'alpha',
          claim_id: '',
          kind: 'question',
          actor: token,
          body: `x ${token}`,
        }),
        dispatch('MIRROR_APPEND', `alpha|${token}|question|ada|x`),
        dispatch('MIRROR_APPEND', `${token}||question|ada|x`),
        dispatch('MIRROR_APPEND', `alpha||${token}|ada|x`),
        dispatch('MIRROR_FEED', 'alpha', { ...share, purpose: `to show ${token}`, actor: token }),
        {
          path: `/api/dispatch?invoke=MIRROR_FEED&body=alpha&purpose=${token}&actor=${encoded}&share=${tokens.live}`,
        },
        dispatch('MIRROR_FEED', 'alpha', { ...share, idem: token }),
        {
          path: '/api/dispatch',
          headers: { 'idempotency-key': token },
          body: { key: 'MIRROR_FEED', body: 'alpha' },
        },
        {
          path: `/api/dispatch?invoke=MIRROR_APPEND&body=alpha%7C%7Caudit%7Cada%7Cy&n=${token}&share=${tokens.live}`,
        },
        dispatch('CAP_MINT', {
          scope: 'row',
          key: 'MIRROR_FEED',
          purpose: `for ${token}`,
          actor: token,
          body_fixed: token,
        }),
        // In a body that fits nothing, plain and behind escapes.
        dispatch('MIRROR_APPEND', { [token]: 1 }),
        dispatch('MIRROR_APPEND', `{"slug":"alpha","${escaped}":1}`),
        dispatch(
          'MIRROR_APPEND',
          `{"slug":"alpha","claim_id":"","kind":"question","actor":"a","body":"${escaped}"}`,
        ),
        dispatch('MIRROR_APPEND', `{"slug":"${escaped}"}`),
        dispatch('MIRROR_APPEND', `{"slug":"alpha",  ${escaped}`),
        dispatch('VOXEL_CONSOLIDATE', `alpha|["${escaped}"]|x`, { share: tokens.live }),
        {
          path: '/api/dispatch',
          headers: { 'content-type': 'application/json' },
          body: `{"key":"MIRROR_APPEND","share":"${escaped}","body":"alpha||audit|a|b"}`,
        },
        { path: '/api/dispatch', body: { key: token, body: '' } },
        { path: '/api/dispatch', body: { key: 'MIRROR_FEED', body: 'alpha', [token]: 1 } },
        {
          path: '/api/dispatch',
          headers: { 'content-type': 'application/json' },
          body: `{"key":"MIRROR_FEED","share":"${token}"`,
        },
        // In articles.
        {
          path: '/api/protocol/voxel-batch',
          headers: owner,
          body: {
            document: {
              title: `Title ${token}`,
              tags: [token.slice(0, 60)],
              category: token,
              markdown: `# ${token}\n\n\`${token}\`\n\n[x](https://h.test/?share=${token})\n`,
            },
          },
        },
        {
          path: '/api/protocol/voxel-edit',
          headers: owner,
          body: { slug: 'alpha', div_id: 'd2', expected_hash: token, text: token },
        },
        {
          path: '/api/protocol/claim',
          headers: owner,
          body: {
            slug: 'alpha',
            text: `The token ${token} opens this article.`,
            tier: 'system',
            who_claims: token,
            why_material: token,
            rationale: token,
            model: token,
          },
        },
        {
          path: '/api/protocol/sources',
          headers: owner,
          body: {
            slug: 'alpha',
            sources: [
              {
                type: 'review',
                url: `https://h.test/x?share=${token}`,
                title: token,
                quote: token,
                summary: token,
              },
            ],
          },
        },
        {
          path: '/api/protocol/voxel-batch',
          headers: owner,
          body: {
            slug: 'alpha',
            operations: [
              { op: token.slice(0, 40) },
              { op: 'claim', text: token },
              { op: 'claim', [token]: 1 },
            ],
          },
        },
        {
          path: '/api/articles/alpha/objections',
          body: { actor: token, objection: `It leaks ${token}.`, surface: 'S1', minimum_patch: token },
        },
        // In addresses and parameters.
        { path: `/api/articles/${token}` },
        { path: `/api/articles/${encoded}` },
        { path: `/api/articles/alpha/${token}` },
        { path: `/api/${token}` },
        { path: `/${token}` },
        { path: `/a/${token}` },
        { path: `/a/alpha/${token}` },
        { path: `/receipt/${token}` },
        { path: `/cap/${token}` },
        { path: `/directory/${token}` },
        { path: `/search?q=${token}` },
        { path: `/search?q=Alpha&kind=${token}` },
        { path: `/api/search?q=${token}` },
        { path: `/api/search?q=Alpha+One+${token}&limit=1` },
        { path: `/api/search?q=Alpha&kind=${token}` },
        { path: `/api/articles/alpha/graph-topology?question=${token}` },
        { path: '/api/protocol/ask', headers: owner, body: { slug: 'alpha', question: `Is it ${token}?` } },
        {
          path: '/api/protocol/ingest',
          headers: owner,
          body: { slug: 'alpha', evidence: `It is ${token}.` },
        },
        { path: '/api/articles/alpha/question-graph' },
        { path: '/api/articles/alpha/prompts' },
        { path: `/api/directory/${token}` },
        { path: `/api/dispatch?invoke=${token}` },
        { path: `/api/dispatch?key=${token}` },
        { path: `/api/dispatch?ask=${token}` },
        { path: `/api/dispatch?receipt=${token}` },
        { path: `/api/dispatch?confirm=${token}` },
        { path: `/api/dispatch?${token}=1` },
        { path: `/api/dispatch?foo=${encoded}` },
        { path: `/api/articles?cursor=${token}` },
        { path: `/api/articles?limit=${token}` },
        { path: `/api/invocations?object_id=${token}` },
        { path: `/api/invocations?object_id=MIRROR_FEED&status=${token}` },
        { path: `/api/articles/alpha?rev=${token}` },
        { path: `/api/articles/alpha?at=${token}` },
        {
          path: '/api/articles/alpha',
          headers: {
            'if-none-match': token,
            'user-agent': token,
            'x-forwarded-for': token,
            referer: `http://x/?share=${token}`,
          },
        },
        { method: 'DELETE', path: `/api/articles/${token}` },
        { method: 'PUT', path: `/api/dispatch?share=${token}` },
      ];
      for (const request of requests) {
        const answer = await keep(request);
        expect([500, 502, 503, 504], `${request.path} ${answer.body.slice(0, 300)}`).not.toContain(
          answer.status,
        );
      }
      for (const bytes of [
        `GET /api/articles/${token}%zz HTTP/1.1\r\nHost: x\r\n\r\n`,
        `GET /api/articles/${token}${'x'.repeat(400)} HTTP/1.1\r\nHost: x\r\n\r\n`,
        `${token}\r\n\r\n`,
      ]) {
        answers.push([bytes.slice(0, 30), await sendBytes(server.port, bytes)]);
      }
    }
    // What was written is read again, as the owner reads it and as everybody does.
    for (const path of [
      '/',
      '/api/articles',
      '/api/articles/alpha',
      '/a/alpha',
      '/api/articles/alpha/mirror',
      '/api/articles/alpha/provenance',
      '/api/articles/alpha/sources',
      '/api/articles/alpha/discourse',
      '/log',
      '/api/dispatch?registry=1',
    ])
      await keep({ path });
    const { invocations } = JSON.parse(
      (await keep({ path: '/api/invocations?object_id=MIRROR_APPEND&limit=500', headers: owner })).body,
    ) as { invocations: { id: string }[] };
    for (const { id } of invocations) {
      await keep({ path: `/api/dispatch?receipt=${id}`, headers: owner });
      await keep({ path: `/receipt/${id}` });
    }
    expect(invocations.length).toBeGreaterThanOrEqual(20);
    // A minted token is shown once, so those of this test are not looked for in the answers that mint.
    for (const token of Object.values(tokens)) expect(placesOf(token)).toEqual([]);
    expect(placesOf(server.terminalKey.slice(3))).toEqual([]);
    expect(server.output()).toContain('Colophon is at');
  }, 60_000);
});

describe('a third-party secret', () => {
  it('is scrubbed before the first commit on every write path, and the receipt names what was removed', async () => {
    const before = answers.length;
    for (const [i, { text, secret }] of samples.entries()) {
      const markdown = `Secret number ${i}:\n\n${text}\n`;
      const sent = [
        await keep({
          path: '/api/dispatch',
          body: { key: 'MIRROR_APPEND', body: `alpha||audit|ada|${markdown}` },
        }),
        await keep({
          path: '/api/protocol/voxel-batch',
          headers: owner,
          body: { document: { slug: `secret-${i}`, markdown } },
        }),
        await keep({
          path: '/api/dispatch',
          body: { key: 'MIRROR_FEED', body: 'alpha', purpose: text.slice(0, 500) },
        }),
      ];
      for (const answer of sent)
        expect([`${i}: ${answer.body.slice(0, 300)}`, answer.status]).toEqual([
          `${i}: ${answer.body.slice(0, 300)}`,
          200,
        ]);
      const { id } = (JSON.parse((sent[0] as HttpAnswer).body) as { receipt: { id: string } }).receipt;
      const { json } = {
        json: JSON.parse((await keep({ path: `/api/dispatch?receipt=${id}`, headers: owner })).body) as {
          entries: { action: string; count?: number }[];
          request: { body: string };
        },
      };
      expect([text.slice(0, 60), json.entries.map(({ action }) => action)]).toEqual([
        text.slice(0, 60),
        ['success', 'scrub'],
      ]);
      expect(json.entries[1]?.count).toBeGreaterThan(0);
      expect(json.request.body).not.toContain(secret);
    }
    expect(answers.length).toBeGreaterThan(before + samples.length);
    const kept = everythingKept();
    // Stored as JSON, a key of several lines has its line ends escaped: any long line of it would be too much.
    const pieces = (secret: string): string[] =>
      secret.split(/\r?\n|\\n/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
    const leaked = samples.filter(({ secret }) =>
      [secret, ...pieces(secret)].some((piece) =>
        kept.some(([, text]) => text.includes(Buffer.from(piece, 'utf8').toString('latin1'))),
      ),
    );
    expect(leaked.map(({ rule, kind }) => `${rule} ${kind}`)).toEqual([]);
  }, 60_000);
});
