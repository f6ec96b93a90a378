/** Every write endpoint reports which secrets were scrubbed from the request and where (contract §5 "Secrets"). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../support/desk.ts';
import { claim } from './articles.ts';
import { message, sendMessage } from './mcp-client.ts';
import { openLocal, owner, terminalKey, type LocalServer, type Reply } from './local.ts';

/** In two parts, so that no scanner takes this file for a leak. */
const token = ['ghp_a1B2c3D4e5F6g7H8i9J0', 'k1L2m3N4o5P6q7R8'].join('');
const found = (path: string, count = 1): object[] => [{ path, kind: 'github', count }];

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal({ env: { COLOPHON_EGRESS_ALLOW: '127.0.0.1' } });
  await server.deployment.did('VOXEL_BATCH', { document: { slug: 'wall', markdown: 'A wall.\n' } });
});

afterAll(async () => {
  await server.end();
});

const post = (path: string, body: object, headers: Record<string, string> = owner): Promise<Reply> =>
  server.send({ path, headers, body });

function expectTold({ status, json, body }: Reply, path: string, count = 1): void {
  expect([status, status === 200 ? json['scrubbed'] : body]).toEqual([200, found(path, count)]);
  expect(body).not.toContain(token);
}

describe('a scrubbed write reports what was scrubbed', () => {
  it('to dispatch, for positional, named and escaped arguments', async () => {
    expectTold(await server.call('OBJECTION_LOG', `wall|It shows ${token} and ${token}.`), '/objection', 2);
    const named = { slug: 'wall', claim_id: '', kind: 'question', actor: 'a', body: `Why ${token}?` };
    expectTold(await server.call('MIRROR_APPEND', named), '/body');
    const escaped = JSON.stringify({ ...named, kind: 'audit' }).replace('ghp_', 'gh\\u0070_');
    expectTold(await server.call('MIRROR_APPEND', escaped), '/body');
  });

  it('on protocol routes, in document mode, in objections and over the webhook', async () => {
    const why = `See ${token}.`;
    expectTold(
      await post('/api/protocol/claim', {
        slug: 'wall',
        ...claim,
        text: 'The wall stands.',
        why_material: why,
      }),
      '/why_material',
    );
    expectTold(
      await post('/api/protocol/voxel-batch', { document: { title: 'N', markdown: `Use ${token}.\n` } }),
      '/document/markdown',
    );
    expectTold(
      await post('/api/articles/wall/objections', { actor: 'a', objection: `No: ${token}.` }, {}),
      '/objection',
    );
    const { secret } = (await server.call('WEBHOOK_SECRET', 'wall', {}, owner)).json as { secret: string };
    const payload = JSON.stringify({ kind: 'claim', ...claim, text: 'The wall is old.', why_material: why });
    const at = new Date();
    expectTold(
      await server.send({
        path: '/api/articles/wall/webhook',
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign('msg_1', at, payload),
        },
        body: payload,
      }),
      '/why_material',
    );
  });

  it('for each operation of a batch', async () => {
    const vote = { op: 'vote', slug: 'wall', target: 'd1', proposal: 'should_burn', actor: 'a' };
    const answer = await post('/api/protocol/voxel-batch', {
      operations: [
        { ...vote, rationale: 'It is old.' },
        { ...vote, rationale: `See ${token}.` },
      ],
    });
    expectTold(answer, '/operations/1/rationale');
    const [first, second] = answer.json['results'] as Record<string, unknown>[];
    expect([first?.['scrubbed'], second?.['scrubbed']]).toEqual([undefined, found('/rationale')]);
  });

  it('over MCP, in text content and in structured content', async () => {
    const { body } = await sendMessage(
      server.base,
      message('tools/call', {
        name: 'OBJECTION_LOG',
        arguments: { slug: 'wall', objection: `Over MCP ${token}.` },
      }),
    );
    const { structuredContent, content } = (JSON.parse(body) as { result: unknown }).result as {
      structuredContent: object;
      content: { text: string }[];
    };
    expect(structuredContent).toMatchObject({ scrubbed: found('/objection') });
    expect(content.map(({ text }) => text).join('')).toContain('"scrubbed":[{');
  });

  it('for a fetched page, and again on replay', async () => {
    const page = createServer((_request, response) =>
      response.setHeader('content-type', 'text/plain').end(`It is ${token}.`),
    );
    await new Promise<void>((done) => page.listen(0, '127.0.0.1', done));
    const { port } = page.address() as AddressInfo;
    const fetched = await server.call('WEB_FETCH', `GET|http://127.0.0.1:${port}/||`, {}, owner);
    page.close();
    expect(fetched.json['scrubbed']).toEqual([...found('/result/text'), ...found('/text')]);
    const send = (): Promise<Reply> =>
      server.call('OBJECTION_LOG', `wall|Once more ${token}.`, { idem: 'once' });
    expectTold(await send(), '/objection');
    const again = await send();
    expect(again.json['idempotent_replay']).toBe(true);
    expectTold(again, '/objection');
  });

  it('on the response page of a form, for readers and for the owner', async () => {
    const form = (path: string, fields: object, headers: object = {}): Promise<Reply> =>
      server.send({
        path,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.base, ...headers },
        body: new URLSearchParams(Object.entries(fields)).toString(),
      });
    const told = 'One secret was taken out of what you sent before it was stored (github)';
    const proposed = await form('/a/wall/discuss', {
      on: '',
      as: 'audit',
      actor: 'a',
      text: `It shows ${token}!`,
    });
    expect([proposed.status, proposed.body.includes(token)]).toEqual([200, false]);
    expect(proposed.body).toContain(told);
    expect(proposed.body).toContain('<strong>Recorded.</strong>');
    const clean = await form('/a/wall/discuss', {
      on: '',
      as: 'audit',
      actor: 'a',
      text: 'It shows nothing.',
    });
    expect(clean.status).toBe(303);

    const { json } = await server.call('MIRROR_APPEND', 'wall||question|ada|Who built it?');
    const { id } = (json['result'] as { contribution: { id: string } }).contribution;
    const { cookie, formToken: form_token } = await signIn(server.base, terminalKey);
    const fields = { form_token, workspace: 'main', row: 'MIRROR_RESOLVE', section: 'waiting' };
    const decision = { slug: 'wall', contribution_id: id, decision: 'rejected', note: `Not ${token}.` };
    const decided = await form('/owner/call', { ...fields, ...decision }, { cookie });
    expect([decided.status, decided.body.includes(token)]).toEqual([200, false]);
    expect(decided.body).toContain(told);
  });

  it('only if something was scrubbed', async () => {
    expect((await server.call('OBJECTION_LOG', 'wall|It is a wall.')).json).not.toHaveProperty('scrubbed');
  });
});
