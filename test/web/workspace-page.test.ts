import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unmarked } from '../support/unmarked.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe("a workspace's page", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await server.owner('/api/workspace', {
      name: 'tide-pools',
      title: 'The <b>tide-pool</b> survey',
      purpose: 'What lives between the marks.',
    });
    await server.article('# Limpets\n\nText.\n', { slug: 'tide-pools--limpets', title: 'Limpets' });
    await server.article('# Eels\n\nText.\n', { slug: 'tide-pools--eels', title: 'Eels', status: 'draft' });
  });
  afterAll(async () => {
    await server.stop();
    expect(server.errors).toEqual([]);
  });
  const page = async (path: string): Promise<string> => (await server.fetch(path)).text();

  it('shows its purpose, its published articles and how to enter each role', async () => {
    const html = await page('/workspace/tide-pools');
    expect(html).toContain('The &lt;b>tide-pool&lt;/b> survey');
    expect(html).toContain('What lives between the marks.');
    expect(html).toContain('href="/a/tide-pools--limpets"');
    expect(html).not.toContain('tide-pools--eels');
    for (const role of ['observer', 'contributor'])
      expect(html).toContain(`${server.base}/api/workspace/tide-pools/enter?role=${role}</code>`);
    for (const role of ['reviewer', 'editor', 'owner'])
      expect(html).toContain(`enter?role=${role}&amp;share={invitation}</code>`);
  });

  it('leads to its own search', async () => {
    const html = await page('/workspace/tide-pools');
    expect(html).toContain('href="/search?workspace=tide-pools"');
    expect(await page('/search?workspace=tide-pools')).toMatch(/<option value="tide-pools" selected/);
  });

  it('links to no address that issues a credential', async () => {
    expect(await page('/workspace/tide-pools')).not.toMatch(/href="[^"]*enter/);
  });

  it('is rendered again when its content changes', async () => {
    await server.fetch('/workspace/tide-pools');
    const set = {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-terminal-key': 'tk_terminal-key-of-the-tests' },
    };
    const answer = await server.fetch('/api/workspace/tide-pools', { ...set, body: '{"title":"Renamed"}' });
    expect(answer.status).toBe(200);
    expect(await page('/workspace/tide-pools')).toContain('<h1 dir="auto">Renamed</h1>');
    await server.article('# Whelks\n\nText.\n', { slug: 'tide-pools--whelks', title: 'Whelks' });
    expect(await page('/workspace/tide-pools')).toContain('href="/a/tide-pools--whelks"');
  });

  it('is linked from the home page while it is open, and is not found when it is closed', async () => {
    expect(await page('/')).toContain('href="/workspace/tide-pools"');
    await server.owner('/api/dispatch', {
      key: 'WORKSPACE_SET',
      body: '{"name":"tide-pools","status":"closed"}',
    });
    expect(await page('/')).not.toContain('tide-pools');
    const [closed, absent] = await Promise.all(
      ['/workspace/tide-pools', '/workspace/nobody-here'].map((path) => server.fetch(path)),
    );
    expect([closed?.status, absent?.status]).toEqual([404, 404]);
    expect(unmarked((await closed?.text()) ?? '').replaceAll('tide-pools', '')).toBe(
      unmarked((await absent?.text()) ?? '').replaceAll('nobody-here', ''),
    );
  });
});
