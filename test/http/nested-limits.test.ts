/**
 * Limits of open intake (contract §3, §4) apply to nested calls: before a nested call runs, it is charged to the
 * client's address and to the article in its parsed arguments, whatever its syntax and the endpoint.
 */
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { connect } from './mcp-client.ts';

const env = { COLOPHON_RATE_LIMIT: 'on', COLOPHON_TRUST_PROXY: '127.0.0.1' };
/** The article of the updates, and the one that their tags name. */
const articles = ['talk', 'other'] as const;

async function seed(server: TestServer): Promise<void> {
  const { articles: listed } = await server.read('/api/articles');
  if ((listed as readonly unknown[]).length > 0) return;
  for (const slug of articles) await server.article(`# ${slug}\n\nOne.\n`, { slug });
}

async function post(
  server: TestServer,
  address: string,
  path: string,
  body: string | object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await server.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { ...((await response.json()) as Answer), http: response.status };
}

async function landed(server: TestServer, slug: string): Promise<number> {
  return Number((await server.read(`/api/articles/${slug}/discourse`))['counts'].total);
}

function tags(name: string, count: number): string {
  return Array.from(
    { length: count },
    (_, i) => `[MODEL_CHAT_INTAKE]other|ada|${name} ${i}.[/MODEL_CHAT_INTAKE]`,
  ).join(' ');
}

type Send = (server: TestServer, address: string, text: string) => Promise<Answer>;
const byDispatch =
  (write: (text: string) => string): Send =>
  (server, address, text) =>
    post(server, address, '/api/dispatch', write(text));
const call = (body: string | object): string => JSON.stringify({ key: 'THREAD_UPDATE', body });
const inObject = (text: string): string => JSON.stringify({ actor: 'ada', target: 'talk', raw_text: text });

const spellings: Readonly<Record<string, Send>> = {
  'as they stand in a positional body': byDispatch((text) => call(`ada|talk|${text}`)),
  'in a body with the arguments by name': byDispatch((text) => call(JSON.parse(inObject(text)) as object)),
  'in JSON inside a string': byDispatch((text) => call(inObject(text))),
  'in JSON inside a string, their slashes escaped': byDispatch((text) =>
    call(inObject(text).replaceAll('/', '\\/')),
  ),
  'in JSON inside a string, their brackets escaped': byDispatch((text) =>
    call(inObject(text).replaceAll('[', '\\u005b')),
  ),
  'with escaped slashes in the request itself': byDispatch((text) =>
    call(`ada|talk|${text}`).replaceAll('/', '\\/'),
  ),
  'behind a password that holds a pipe': byDispatch((text) =>
    call(`https://ada:s3cr|et99x@example.org|talk|${text}`),
  ),
  'in the raw_text of /api/protocol': (server, address, text) =>
    post(server, address, '/api/protocol/thread-update', inObject(text).replaceAll('/', '\\/')),
  'in a tool call': async (server, address, text) => {
    const client = await connect(server.base, { 'x-forwarded-for': address });
    try {
      const { answer } = await client.call('THREAD_UPDATE', { actor: 'ada', target: 'talk', raw_text: text });
      return { ...answer, http: answer['ok'] === true ? 200 : 429 };
    } finally {
      await client.close();
    }
  },
  'in the arguments of the dispatch tool': async (server, address, text) => {
    const client = await connect(server.base, { 'x-forwarded-for': address });
    try {
      const body = inObject(text).replaceAll('/', '\\/');
      const { answer } = await client.call('dispatch', { key: 'THREAD_UPDATE', body });
      return { ...answer, http: answer['ok'] === true ? 200 : 429 };
    } finally {
      await client.close();
    }
  },
};

onBothStores(
  'the rate limit per client',
  (server) => {
    it.each(Object.entries(spellings).map(([name, send], i) => [name, send, i] as const))(
      'counts router tags %s',
      async (name, send, i) => {
        await seed(server());
        const address = `198.51.100.${i + 1}`;
        const before = await landed(server(), 'other');
        const answers: Answer[] = [];
        for (let n = 0; n < 4; n++) answers.push(await send(server(), address, tags(`${name}, ${n}`, 10)));
        expect(answers.map(({ http }) => http)).toEqual([200, 200, 200, 429]);
        // Three updates and 27 tags are 30 calls.
        expect((await landed(server(), 'other')) - before).toBe(27);
      },
    );

    it('refuses tags over the limit with a retry time and without a receipt', async () => {
      await seed(server());
      const address = '198.51.100.40';
      for (const n of [1, 2])
        await post(server(), address, '/api/dispatch', call(`ada|talk|${tags(`${n}`, 14)}`));
      const refused = await post(server(), address, '/api/dispatch', call(`ada|talk|${tags('late', 1)}`));
      expect(refused['http']).toBe(429);
      const other = '198.51.100.41';
      await post(server(), other, '/api/dispatch', call(`ada|talk|${tags('a', 20)}`));
      const said = await post(server(), other, '/api/dispatch', call(`ada|talk|${tags('b', 10)}`));
      expect(said['result'].calls.map(({ ok }: Answer) => ok)).toEqual([
        ...Array.from({ length: 8 }, () => true),
        false,
        false,
      ]);
      expect(said['result'].calls[9]).toMatchObject({
        status: 'denied',
        invocation: null,
        error: 'rate_limited',
        fix: expect.stringMatching(/^Wait \d+ seconds and send it again\.$/) as string,
      });
    });

    it('counts the reads that tags request, and runs none over the limit', async () => {
      await seed(server());
      const reads = (count: number): string =>
        Array.from({ length: count }, () => '[MIRROR_FEED]other[/MIRROR_FEED]').join(' ');
      const address = '198.51.100.42';
      await post(server(), address, '/api/dispatch', call(`ada|talk|${reads(20)}`));
      const said = await post(server(), address, '/api/dispatch', call(`ada|talk|once more ${reads(20)}`));
      expect(said['result'].calls.filter(({ ok }: Answer) => ok === true)).toHaveLength(8);
    });

    it('counts batch operations under a share narrowed from a free lease, and in a webhook', async () => {
      await server().owner('/api/build-landscape', {
        action: 'queue_targets',
        cohort: 'servers',
        open: true,
        query: 'Servers',
        captured_at: '2026-03-01T12:00:00Z',
        targets: [{ name: 'One' }, { name: 'Two' }],
      });
      const lease = async (address: string): Promise<Answer> => {
        const from = { headers: { 'x-forwarded-for': address } };
        const entered = await server().fetch('/api/workspace/main/enter?role=contributor', from);
        const { token } = ((await entered.json()) as Answer)['credential'];
        const leased = await server().fetch(`/api/build-landscape?next=1&lane=field&share=${token}`, from);
        return (await leased.json()) as Answer;
      };
      const source = (i: number): object => ({
        type: 'review',
        url: `https://example.org/${i}`,
        title: `T${i}`,
        quote: `Quote ${i}.`,
      });
      const first = await lease('198.51.100.50');
      const bearer = { authorization: `Bearer ${first['share']}` };
      const batch = await post(
        server(),
        '198.51.100.50',
        '/api/protocol/voxel-batch',
        {
          assignment_id: first['assignment_id'],
          operations: Array.from({ length: 40 }, (_, i) => ({ op: 'source', sources: [source(i)] })),
        },
        bearer,
      );
      // The lease and the batch are two calls.
      expect([batch['landed'], batch['results'][28].error]).toEqual([28, 'rate_limited']);
      const { article } = first['assignment'].target;
      const webhook = await post(
        server(),
        '198.51.100.50',
        `/api/articles/${article}/webhook`,
        { kind: 'source', ...source(100) },
        bearer,
      );
      expect([webhook['http'], webhook['error']]).toEqual([429, 'rate_limited']);
    });
  },
  { ...env, COLOPHON_LIMITS: 'intake_per_article=10000' },
);

onBothStores(
  'the rate limit per article',
  (server) => {
    it('counts each tag against the article that it names, across all clients', async () => {
      await seed(server());
      const before = await landed(server(), 'other');
      for (let n = 0; n < 3; n++)
        await post(server(), `203.0.113.${n}`, '/api/dispatch', call(`ada|talk|${tags(`${n}`, 10)}`));
      expect((await landed(server(), 'other')) - before).toBe(12);
      const direct = { key: 'MODEL_CHAT_INTAKE', body: 'other|ada|Once more.' };
      expect(await post(server(), '203.0.113.9', '/api/dispatch', direct)).toMatchObject({
        http: 429,
        limit: 12,
      });
      const elsewhere = { key: 'MODEL_CHAT_INTAKE', body: 'talk|ada|Once more.' };
      expect(await post(server(), '203.0.113.9', '/api/dispatch', elsewhere)).toMatchObject({ http: 200 });
    });

    it.each([
      ['replays', '/api/dispatch', (id: string) => ({ replay: id })],
      [
        'repairs',
        '/api/dispatch',
        (id: string, n: number) => ({ repairs: id, body: `again|ada|Turn ${n}.` }),
      ],
    ])('counts %s against the article of the original call', async (what, path, made) => {
      await server()
        .article('# Again\n\nOne.\n', { slug: 'again' })
        .catch(() => undefined);
      const address = what === 'replays' ? '203.0.113.20' : '203.0.113.21';
      const from = { headers: { 'x-forwarded-for': address } };
      const entered = await server().fetch('/start', from);
      const share = String(((await entered.json()) as Answer)['credential'].token);
      const sent = (body: object): Promise<Answer> => post(server(), address, path, { share, ...body });
      const bodies = what === 'replays' ? 'again|ada|First.' : 'again';
      const seen = await sent({ key: 'MODEL_CHAT_INTAKE', body: bodies });
      const id = String(seen['invocation'].id);
      const answers: Answer[] = [];
      for (let n = 0; n < 14; n++) answers.push(await sent(made(id, n)));
      const limits = answers.filter(({ http }) => http === 429).map(({ limit }) => limit);
      expect(limits.length).toBeGreaterThanOrEqual(2);
      expect(new Set(limits)).toEqual(new Set([12]));
      expect(await landed(server(), 'again')).toBeLessThanOrEqual(12);
    });

    it('does not apply to the owner', async () => {
      await seed(server());
      const owner = { 'x-terminal-key': terminalKey };
      const said = await post(
        server(),
        '203.0.113.60',
        '/api/dispatch',
        call(`ada|talk|${tags('own', 20)}`),
        owner,
      );
      expect(said['result'].calls.every(({ ok }: Answer) => ok === true)).toBe(true);
    });
  },
  { ...env, COLOPHON_LIMITS: 'intake_per_client=1000, intake_per_article=12' },
);
