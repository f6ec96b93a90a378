/** Obfuscated share tokens in texts, through every interface that writes (contract §4, §5 "Secrets"). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disguises } from '../support/disguises.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';
import { claim } from './articles.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';
import { expectReplays } from './replays.ts';

const grant = { scope: 'act', ttl: 600, max_uses: 0 };

describe.each(storeKinds().map(({ name }) => name))('an obfuscated share token on %s', (name) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    const databaseUrl = await database?.database();
    const env = { COLOPHON_EGRESS_ALLOW: '127.0.0.1' };
    server = await openLocal(databaseUrl === undefined ? { env } : { env, databaseUrl });
    await server.deployment.did('VOXEL_BATCH', { document: { slug: 'wall', markdown: 'A wall.\n' } });
  });

  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  const stateOf = async (fingerprint: string): Promise<unknown> =>
    (await server.call('CAP_EXPLAIN', fingerprint, {}, owner)).json['result'];
  const stored = async (): Promise<string> => {
    await server.size();
    const texts: string[] = [];
    for (let from = 0; ; from += 500) {
      const page = await server.deployment.service.store.read.entries(from, 500);
      for (const { contents } of page) texts.push(JSON.stringify(contents));
      if (page.length < 500) return texts.join('\n');
    }
  };
  const post = (path: string, body: object, headers: Record<string, string> = owner): Promise<Reply> =>
    server.send({ path, headers, body });

  let n = 0;
  const doors: Readonly<Record<string, (text: string) => Promise<Reply>>> = {
    'open intake as a body of parts': (text) => server.call('OBJECTION_LOG', `wall|It says ${text} here.`),
    'open intake by name': (text) =>
      server.call('MIRROR_APPEND', {
        slug: 'wall',
        claim_id: '',
        kind: 'question',
        actor: 'a',
        body: `Why ${text}?`,
      }),
    'the objections of an article': (text) =>
      post('/api/articles/wall/objections', { actor: 'a', objection: `It says ${text} here.` }, {}),
    'document mode': (text) =>
      post('/api/protocol/voxel-batch', {
        document: { title: `Note ${n++}`, markdown: `# It\n\nUse ${text} now.\n` },
      }),
    'an operation of a batch': (text) =>
      post('/api/protocol/voxel-batch', {
        slug: 'wall',
        operations: [
          { op: 'vote', target: 'd1', proposal: 'should_burn', rationale: `See ${text}.`, actor: 'a' },
        ],
      }),
    'a claim': (text) =>
      post('/api/protocol/claim', {
        slug: 'wall',
        ...claim,
        text: `Wall ${n++} stands.`,
        why_material: `See ${text}.`,
      }),
  };

  it.each(Object.keys(doors))('is revoked and neither stored nor returned: %s', async (door) => {
    const written = new Map<string, string>();
    for (const [form, write] of Object.entries(disguises)) {
      const { share, fingerprint } = await server.mint(grant);
      const held = write(share);
      written.set(form, held);
      const { status, body } = await (doors[door] as (text: string) => Promise<Reply>)(held);
      expect([form, status, status === 200 ? '' : body]).toEqual([form, 200, '']);
      expect([form, body.includes(held)]).toEqual([form, false]);
      expect([form, await stateOf(fingerprint)]).toMatchObject([form, { revoked_at: expect.any(String) }]);
    }
    const contents = await stored();
    for (const [form, held] of written)
      expect([form, contents.includes(JSON.stringify(held).slice(1, -1))]).toEqual([form, false]);
    await expectReplays(server);
  });

  it('is scrubbed from a fetched page and revoked', async () => {
    let text = '';
    const page = createServer((_request, response) =>
      response.setHeader('content-type', 'text/plain').end(text),
    );
    await new Promise<void>((done) => page.listen(0, '127.0.0.1', done));
    const { port } = page.address() as AddressInfo;
    for (const [form, write] of Object.entries(disguises)) {
      const { share, fingerprint } = await server.mint(grant);
      text = `Somebody wrote ${write(share)} down.`;
      const fetched = await server.call('WEB_FETCH', `GET|http://127.0.0.1:${port}/||`, {}, owner);
      expect([form, fetched.status, fetched.body.includes(write(share))]).toEqual([form, 200, false]);
      expect([form, await stateOf(fingerprint)]).toMatchObject([form, { revoked_at: expect.any(String) }]);
    }
    page.close();
  });
});
