/** `/owner/costs` (contract §8): figures of a workspace from what is stored, drawn, and with their tables. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFigures, type Figures } from '../../src/app/reads/figures.ts';
import { tenantOf } from '../../src/app/reads/workspaces.ts';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';

const question = (body: string): object => ({ kind: 'question', actor: 'ada', body });
const sum = (steps: readonly number[]): number => steps.reduce((all, n) => all + n, 0);

async function figuresOf({ deployment }: TestServer, workspace = 'main'): Promise<Figures> {
  const { service } = deployment;
  const tenant = (await tenantOf(service, { kind: 'owner' }, { workspace })) ?? '';
  const viewer = { kind: 'owner' } as const;
  return readFigures({ ...service, read: service.store.read, viewer, tenant }, 'month');
}

async function page(server: TestServer, path = '/owner/costs'): Promise<string> {
  const login = await server.fetch('/owner/login', {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.base },
    body: new URLSearchParams({ key: terminalKey }),
  });
  const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string;
  return (await server.fetch(path, { headers: { cookie } })).text();
}

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer((_request, reply) => {
    const text = { type: 'output_text', text: 'A checkpoint commits to all entries [c1].', annotations: [] };
    const message = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [text] };
    const usage = { input_tokens: 800, output_tokens: 50, total_tokens: 850 };
    const details = {
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    reply.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: 'gpt-test',
        error: null,
        incomplete_details: null,
        output: [message],
        usage: { ...usage, ...details },
      }),
    );
  });
});
afterAll(() => peer.stop());

describe('figures with a model', () => {
  onBothStores(
    'figures',
    (server) => {
      it('count calls, acts, articles, claims and contributions of the workspace', async () => {
        const slug = await server().article('# Logs\n\nA checkpoint is signed once a second.\n', {
          slug: 'logs',
        });
        await server().anybody(`/api/articles/${slug}/mirror`, question('Who signs?'));
        await server().anybody(`/api/articles/${slug}/mirror`, question('Who compares?'));
        await server().owner('/api/protocol/claim', {
          slug,
          tier: 'human',
          who_claims: 'RFC',
          text: 'A checkpoint commits to every entry before it.',
          why_material: 'Auditors rely on it.',
        });
        await expect(
          server().owner('/api/protocol/retract', { slug, claim_id: 'c9', reason: 'no such claim' }),
        ).rejects.toThrow('404');
        const { growth, acts, calls, steps } = await figuresOf(server());
        expect(steps).toHaveLength(7);
        expect(growth.articles).toEqual({ total: 1, added: [0, 0, 0, 0, 0, 0, 1] });
        expect(growth.claims).toEqual({ total: 1, added: [0, 0, 0, 0, 0, 0, 1] });
        expect(growth.contributions).toEqual({ total: 2, added: [0, 0, 0, 0, 0, 0, 2] });
        expect(sum(growth.entries.added)).toBe(growth.entries.total);
        expect(acts.contributions.at(-1)).toBe(2);
        expect(acts.published.at(-1)).toBe(1);
        expect(calls.byRow.find(({ key }) => key === 'MIRROR_APPEND')).toEqual({
          key: 'MIRROR_APPEND',
          succeeded: 2,
          refused: 0,
        });
        expect(calls.byRow.find(({ key }) => key === 'CLAIM_RETRACT')).toEqual({
          key: 'CLAIM_RETRACT',
          succeeded: 0,
          refused: 1,
        });
        expect([calls.succeeded.at(-1), calls.failed.at(-1), calls.denied.at(-1)]).toEqual([4, 1, 0]);
      });

      it('sum up what calls spent by row, caller and step', async () => {
        for (const why of ['What does a checkpoint commit to?', 'Which entry does a checkpoint commit to?'])
          await server().owner('/api/dispatch', {
            key: 'ARTICLE_ASK',
            body: JSON.stringify({ slug: 'logs', question: why }),
          });
        const { spending } = await figuresOf(server());
        // 800 tokens at $2.50 and 50 at $10 a million are $0.0025.
        expect(spending.byRow).toMatchObject([
          { name: 'ARTICLE_ASK', calls: 2, tokens: 1700, usdMicros: 5000 },
        ]);
        expect(spending.byCaller).toMatchObject([{ name: 'owner', calls: 2, usdMicros: 5000 }]);
        expect(spending.usdMicros.get('ARTICLE_ASK')?.at(-1)).toBe(5000);
        expect(sum(spending.used) + sum(spending.wasted)).toBe(1700);
        expect(spending.unpriced).toBe(0);
      });

      it('tell one workspace nothing of another', async () => {
        await server().owner('/api/dispatch', {
          key: 'WORKSPACE_CREATE',
          body: 'survey|The survey|Observations|open',
        });
        const slug = await server().article('# Own\n\nText.\n', { slug: 'survey--own' });
        await server().anybody(`/api/articles/${slug}/mirror`, question('Whose is this?'));
        const survey = await figuresOf(server(), 'survey');
        expect([survey.growth.articles.total, survey.growth.contributions.total]).toEqual([1, 1]);
        expect(survey.growth.claims.total).toBe(0);
        expect(survey.acts.contributions.at(-1)).toBe(1);
        expect(survey.spending.byRow).toEqual([]);
        expect(survey.calls.byRow.map(({ key }) => key)).not.toContain('ARTICLE_ASK');
        const main = await figuresOf(server());
        expect([main.growth.articles.total, main.growth.contributions.total]).toEqual([1, 2]);
      });

      it('are made again from the ledger', async () => {
        await expectRebuilds(server());
      });
    },
    {
      COLOPHON_MODEL: 'openai:gpt-test',
      COLOPHON_MODEL_PRICES: 'gpt-test=2.5/10',
      OPENAI_API_KEY: 'key-of-openai-for-tests',
      get OPENAI_BASE_URL() {
        return `${peer.base}/openai`;
      },
    },
  );
});

describe('the page of costs and growth', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  it('teaches what will stand where nothing is counted yet', async () => {
    const html = await page(server);
    expect(html).toContain('Nothing is written yet.');
    expect(html).toContain('Nothing was called in this span.');
    expect(html).toContain('No act on an article in this span.');
    expect(html).toContain('Nothing was paid in this span.');
  });

  it('shows each plot in two widths with the same values as a table, without styles', async () => {
    const slug = await server.article('# Logs\n\nA checkpoint is signed once a second.\n');
    await server.anybody(`/api/articles/${slug}/mirror`, question('Who signs?'));
    const html = await page(server, '/owner/costs?span=hours');
    expect(html).toContain('<a href="/owner/costs?span=hours" aria-current="page">48 hours</a>');
    const figures = [...html.matchAll(/<figure class="plot">(.*?)<\/figure>/gs)].map(([, inner]) =>
      String(inner),
    );
    const titles = figures.map((figure) => /<strong>([^<]*)<\/strong>/.exec(figure)?.[1]);
    expect(titles).toEqual([
      'Articles',
      'Contributions',
      'Entries of the log',
      'Calls',
      'Calls by row',
      'Requests',
      'What came of it',
    ]);
    for (const figure of figures) {
      expect(figure.match(/<svg /g)).toHaveLength(2);
      expect(figure).toContain('in figures</summary>');
    }
    expect(html).not.toMatch(/<[^>]*\sstyle\s*=/);
    expect(html).not.toContain('<style');
    // The same value at the pointer and in the table.
    const calls = figures[titles.indexOf('Calls')] ?? '';
    expect(calls).toMatch(/\nsucceeded: 2<\/title>/);
    expect(calls).toMatch(/:00 UTC<\/th><td class="number">2<\/td><\/tr><\/tbody>/);
  });
});
