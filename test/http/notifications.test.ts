/** Notifications (contract §8): signed webhooks, mail and a private feed, with recorded deliveries. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listTargets } from '../../src/app/reads/notifications.ts';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly path: string;
}

const received: Received[] = [];
/** Statuses that the receiver answers with before 200, by path. */
const refusing = new Map<string, number[]>();
const mails: string[] = [];

async function read(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const receiver = createServer((request, response) => {
  void read(request).then((body) => {
    const path = request.url ?? '';
    received.push({ headers: request.headers as Record<string, string>, body, path });
    response.statusCode = refusing.get(path)?.shift() ?? 200;
    // A body that nobody waits for.
    if (path.endsWith('/endless')) response.write('x'.repeat(100));
    else response.end();
  });
});
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      mails.push(Buffer.concat(chunks).toString('utf8'));
      done();
    });
  },
});
smtp.on('error', () => undefined);

const listen = (server: { listen(port: number, host: string, done: () => void): unknown }): Promise<void> =>
  new Promise((done) => void server.listen(0, '127.0.0.1', () => done()));
await listen(receiver);
await listen(smtp);
const hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const smtpPort = (smtp.server.address() as AddressInfo).port;

afterAll(async () => {
  await new Promise((done) => receiver.close(done));
  await new Promise<void>((done) => smtp.close(() => done()));
});

const call = async (server: TestServer, key: string, body: object): Promise<Answer> =>
  server.owner('/api/dispatch', { key, body: JSON.stringify(body) });

const at = (path: string): Received[] => received.filter((each) => each.path === path);
const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 20_000, interval: 100 });

onBothStores(
  'notifications',
  (server) => {
    let slug = '';
    const run = randomUUID();
    /** A path of the receiver for this server alone. */
    const hook = (name: string): string => `/${run}/${name}`;
    beforeAll(async () => {
      slug = await server().article('# Notified\n\nA paragraph.\n');
    });
    const contribute = async (body: string): Promise<void> => {
      await server().anybody(`/api/articles/${slug}/mirror`, { kind: 'question', actor: 'ada', body });
    };

    it('sends a webhook that standardwebhooks verifies, without contributed text', async () => {
      const { result, secret } = await call(server(), 'NOTIFY_PUT', {
        url: `${hooks}${hook('first')}`,
        events: ['contribution.proposed'],
      });
      await contribute('Does a secret phrase stay in the article?');
      await eventually(() => expect(at(hook('first'))).toHaveLength(1));
      const [{ headers, body }] = at(hook('first')) as [Received];
      const payload = new Webhook(String(secret)).verify(body, headers) as Answer;
      expect(payload['type']).toBe('contribution.proposed');
      expect(payload['data']['article']).toBe(slug);
      expect(payload['data']['url']).toBe(`${server().base}/a/${slug}`);
      expect(payload['data']['text']).toContain(slug);
      expect(body).not.toContain('phrase');
      expect(headers['webhook-id']).toBe(`msg_${String(result['id']).slice(5)}_0`);
      await eventually(async () => {
        const [target] = await listTargets(server().deployment.service, 'main');
        expect(target?.messages[0]?.delivery).toMatchObject({
          status: 'delivered',
          attempts: 1,
          answered: 200,
          next_at: '',
        });
      });
      await call(server(), 'NOTIFY_REMOVE', { id: result['id'] });
      await contribute('Is a removed target told of this?');
      await call(server(), 'NOTIFY_PUT', {
        url: `${hooks}${hook('later')}`,
        events: ['contribution.proposed'],
      });
      await contribute('Is a new target told of this?');
      await eventually(() => expect(at(hook('later'))).toHaveLength(1));
      expect(at(hook('first'))).toHaveLength(1);
    });

    it('sends a message again under the same id, and stops at 410', async () => {
      refusing.set(hook('again'), [500, 200, 410]);
      const { result } = await call(server(), 'NOTIFY_PUT', {
        url: `${hooks}${hook('again')}`,
        events: ['vote.cast'],
      });
      const test = await call(server(), 'NOTIFY_TEST', { id: result['id'] });
      await eventually(() => expect(at(hook('again'))).toHaveLength(2));
      expect(at(hook('again')).map(({ headers }) => headers['webhook-id'])).toEqual([
        test['result']['message'],
        test['result']['message'],
      ]);
      await call(server(), 'NOTIFY_TEST', { id: result['id'] });
      await eventually(() => expect(at(hook('again'))).toHaveLength(3));
      await eventually(async () => {
        const targets = await listTargets(server().deployment.service, 'main');
        const target = targets.find(({ row }) => row.id === result['id']);
        expect(target?.row.active).toBe(0);
        expect(target?.messages.map(({ delivery }) => delivery?.status)).toEqual(['gave_up', 'delivered']);
      });
    }, 40_000);

    it('counts a delivery by its status, although the body never ends', async () => {
      const { result } = await call(server(), 'NOTIFY_PUT', {
        url: `${hooks}${hook('endless')}`,
        events: ['vote.cast'],
      });
      await call(server(), 'NOTIFY_TEST', { id: result['id'] });
      await eventually(async () => {
        const targets = await listTargets(server().deployment.service, 'main');
        const target = targets.find(({ row }) => row.id === result['id']);
        expect(target?.messages[0]?.delivery).toMatchObject({ status: 'delivered', attempts: 1 });
      });
      expect(at(hook('endless'))).toHaveLength(1);
    });

    it('sends one mail about several events', async () => {
      await call(server(), 'NOTIFY_PUT', {
        mail: 'owner@example.org',
        events: ['contribution.proposed', 'discussion.entry'],
      });
      await contribute('Does a mail leave?');
      await eventually(() => expect(mails.some((mail) => mail.includes(server().base))).toBe(true));
      const mail = mails.find((each) => each.includes(server().base)) ?? '';
      expect(mail).toContain('To: owner@example.org');
      expect(mail).toContain('From: colophon@example.org');
      expect(mail).toContain(`${server().base}/a/${slug}`);
      expect(mail).not.toContain('Does a mail leave');
    });

    it('opens a private feed with its token alone', async () => {
      const { result, feed_url: feed } = await call(server(), 'NOTIFY_PUT', { feed: true, name: 'Mine' });
      await contribute('Does the feed show this?');
      const path = String(feed).slice(server().base.length);
      await eventually(async () => {
        const response = await server().fetch(path);
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('private, no-store');
        expect(response.headers.get('referrer-policy')).toBe('no-referrer');
        const text = await response.text();
        expect(text).toContain('<title>Colophon: Mine</title>');
        expect(text).toContain(`<link rel="alternate" type="text/html" href="${server().base}/a/${slug}"/>`);
        expect(text).not.toContain('Does the feed show');
      });
      const wrong = path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      expect((await server().fetch(wrong)).status).toBe(404);
      expect((await server().fetch(path.replace(/token=.*$/, 'token='))).status).toBe(404);
      await call(server(), 'NOTIFY_REMOVE', { id: result['id'] });
      expect((await server().fetch(path)).status).toBe(404);
    });

    it('makes its projections again from the ledger', async () => {
      await expectRebuilds(server());
    });
  },
  {
    COLOPHON_EGRESS_ALLOW: '127.0.0.0/8',
    COLOPHON_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    COLOPHON_MAIL_FROM: 'colophon@example.org',
  },
);

describe('targets of notifications', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const refusal = async (body: object, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ key: 'NOTIFY_PUT', body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as Answer) };
  };
  const owner = { 'x-terminal-key': 'tk_terminal-key-of-the-tests' };

  it('are the owner’s alone', async () => {
    expect((await refusal({ feed: true }))['status']).toBe(403);
  });

  it.each([
    [{}, 422],
    [{ feed: true, url: 'https://example.org/' }, 422],
    [{ mail: 'no address' }, 422],
    [{ url: 'http://127.0.0.1:1/' }, 422],
    [{ url: 'https://example.org/', events: [] }, 422],
    [{ url: 'https://example.org/', events: ['everything'] }, 422],
  ])('refuses %j', async (body, status) => {
    expect((await refusal(body, owner))['status']).toBe(status);
  });

  it('refuses mail where no server is configured', async () => {
    const refused = await refusal({ mail: 'owner@example.org' }, owner);
    expect(refused['fix']).toContain('COLOPHON_SMTP_URL');
  });

  it('tells a workspace’s targets nothing of another workspace', async () => {
    await server.owner('/api/dispatch', {
      key: 'WORKSPACE_CREATE',
      body: 'survey|The survey|Observations|open',
    });
    const { feed_url: feed, result } = await server.owner('/api/dispatch', {
      key: 'NOTIFY_PUT',
      workspace: 'survey',
      body: JSON.stringify({ feed: true }),
    });
    const own = await server.article('# Own\n\nText.\n', { slug: 'survey--own' });
    await server.article('# Other\n\nText.\n');
    const path = String(feed).slice(server.base.length);
    await eventually(async () => {
      const text = await (await server.fetch(path)).text();
      expect(text).toContain(own);
    });
    expect(await (await server.fetch(path)).text()).not.toContain('/a/other');
    await expect(call(server, 'NOTIFY_REMOVE', { id: result['id'] })).rejects.toThrow('404');
  });
});

describe('a copy that is tried out', () => {
  it('sends nothing, while a deployment beside it sends twice', async () => {
    const env = { COLOPHON_EGRESS_ALLOW: '127.0.0.1/32' };
    const copy = await startServer(env, { isCopy: true });
    const other = await startServer(env);
    const run = randomUUID();
    try {
      for (const [server, name] of [
        [copy, 'copy'],
        [other, 'other'],
      ] as const) {
        const { result } = await call(server, 'NOTIFY_PUT', {
          url: `${hooks}/${run}/${name}`,
          events: ['vote.cast'],
        });
        await call(server, 'NOTIFY_TEST', { id: result['id'] });
        if (server === copy) continue;
        for (const count of [1, 2]) {
          await eventually(() => expect(at(`/${run}/other`)).toHaveLength(count));
          await call(server, 'NOTIFY_TEST', { id: result['id'] });
        }
      }
      expect(at(`/${run}/copy`)).toEqual([]);
    } finally {
      await copy.stop();
      await other.stop();
    }
  }, 40_000);
});
