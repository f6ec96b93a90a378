/** Rendering off the main thread: short texts in place, long texts in a worker, none beyond the time limit. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { authorizeArticle } from '../../src/app/reads/article-access.ts';
import { viewArticle } from '../../src/app/reads/article-view.ts';
import { mainTenant } from '../../src/domain/articles/slugs.ts';
import { ArticlePages } from '../../src/doors/web/article-pages.ts';
import { articlePage } from '../../src/doors/web/article-page.tsx';
import { RenderPool, renderLimits, type Rendered } from '../../src/doors/web/render-pool.ts';
import { siteOf } from '../../src/doors/web/site.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { articleHtml } from '../../src/represent/article-html.ts';
import { startServer, type TestServer } from '../support/server.ts';

const pools: RenderPool[] = [];

function pool(limits: Partial<typeof renderLimits> = {}): RenderPool {
  const made = new RenderPool({ ...renderLimits, ...limits });
  pools.push(made);
  return made;
}

afterEach(async () => {
  for (const each of pools.splice(0)) await each.close();
});

const layoutOf = (text: string) => ({ lead: '', pieces: [{ div_id: 'd1', text, sep: '' }] });
/** Takes minutes on any machine. */
const endless = layoutOf('['.repeat(2_000_000));

describe('rendering', () => {
  it('gives the same result in a worker as in place', async () => {
    const layout = layoutOf('# T\n\n| a |\n|---|\n| b |\n\n<b onclick="x">c</b>\n');
    const elsewhere = await pool({ inPlaceMax: 0 }).render(layout);
    expect(elsewhere).toEqual(articleHtml(layout));
    expect(elsewhere).toEqual(await pool().render(layout));
  });

  it('renders long texts with mathematics or named code in a worker, and other texts in place', async () => {
    const none = pool({ workersMax: 0, waitingMax: 0 });
    for (const rich of ['$x$ ', '\\(x\\) ', '```js\nx\n```\n\n'])
      expect(await none.render(layoutOf(rich + 'word '.repeat(2000)))).toBe('busy');
    for (const text of [
      '$x$ ' + 'word '.repeat(1000),
      'word '.repeat(2000),
      '```\nx\n```\n' + 'word '.repeat(2000),
    ])
      expect(await none.render(layoutOf(text))).not.toBe('busy');
  });

  it('terminates a worker that exceeds the time limit, and renders the next text', async () => {
    const one = pool({ inPlaceMax: 0, timeMs: 1000, workersMax: 1 });
    const [slow, next] = await Promise.all([one.render(endless), one.render(layoutOf('next'))]);
    expect(slow).toBe('slow');
    expect(next).toEqual({ divs: [{ div_id: 'd1', html: '<p>next</p>' }], toc: [] });
  });

  it('returns busy when too many texts wait', async () => {
    const one = pool({ inPlaceMax: 0, timeMs: 1000, workersMax: 1, waitingMax: 1 });
    const [first, second, third] = await Promise.all([
      one.render(endless),
      one.render(layoutOf('a')),
      one.render(layoutOf('b')),
    ]);
    expect([first, (second as Exclude<Rendered, string>).divs.length, third]).toEqual(['slow', 1, 'busy']);
  });

  it('returns busy to waiting callers when the server stops', async () => {
    const one = pool({ inPlaceMax: 0, workersMax: 1 });
    const waiting = [one.render(endless), one.render(layoutOf('a'))];
    await one.close();
    expect(await Promise.all(waiting)).toEqual(['busy', 'busy']);
  });
});

describe('the page of a long text', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
    await server.article('# Long\n\nA <b>bold</b> text.\n', { slug: 'long' });
  });

  afterAll(async () => {
    await server.stop();
  });

  it('shows the source, the reason and its colophon when rendering timed out', async () => {
    const { service } = server.deployment;
    const access = await authorizeArticle(
      { ...service, tenant: mainTenant, viewer: { kind: 'anonymous' } },
      'long',
    );
    if (isFault(access)) throw new Error(access.message);
    const pieces = await articlePage(siteOf(service), await viewArticle(service, access), 'the host', 'slow');
    const page = pieces.join('');
    expect(page).toContain('Rendering this text took too long, so it is shown as it was written');
    expect(page).toContain('<pre class="unrendered">A &lt;b&gt;bold&lt;/b&gt; text.</pre>');
    expect(page).toContain('<h1 dir="auto">Long</h1>');
    expect(page).toContain('id="colophon"');
  });

  it('is not rendered again after a timeout until the text has changed', async () => {
    const { service } = server.deployment;
    let asked = 0;
    const answers: Rendered[] = ['slow', 'slow'];
    const counting = { render: async () => answers[asked++] ?? 'busy' } as unknown as RenderPool;
    const pages = new ArticlePages(siteOf(service), counting);
    const make = async () => {
      const access = await authorizeArticle(
        { ...service, tenant: mainTenant, viewer: { kind: 'anonymous' } },
        'long',
      );
      if (isFault(access)) throw new Error(access.message);
      return pages.article(access);
    };
    for (let i = 0; i < 3; i++) expect(await make()).toMatchObject({ cacheable: false });
    expect(asked).toBe(1);
    await server.owner('/api/protocol/voxel-edit', {
      slug: 'long',
      div_id: 'd2',
      text: 'Another.',
      expected_hash: (await server.read('/api/articles/long/voxels'))['divs'][1].vx_hash,
    });
    await make();
    expect(asked).toBe(2);
    await server.owner('/api/protocol/voxel-edit', {
      slug: 'long',
      div_id: 'd2',
      text: 'A third.',
      expected_hash: (await server.read('/api/articles/long/voxels'))['divs'][1].vx_hash,
    });
    expect(await make()).toMatchObject({ fault: 'overloaded' });
  });

  it('contains the text that a worker has rendered', async () => {
    const paragraphs = Array.from({ length: 4000 }, (_, i) => `Paragraph ${i} has *some* words in it.`).join(
      '\n\n',
    );
    await server.article(`# Very long\n\n${paragraphs}\n`, { slug: 'very-long' });
    const markup = await (await server.fetch('/a/very-long')).text();
    expect(markup).toContain('<p>Paragraph 3999 has <em>some</em> words in it.</p>');
    expect(server.errors).toEqual([]);
  });
});
