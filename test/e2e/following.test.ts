/** The browser's own EventSource, and the page that uses it. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let browser: Browser;

const question = async (body: string): Promise<unknown> =>
  server.anybody('/api/articles/notes/mirror', { claim_id: '', kind: 'question', actor: 'ada', body });

/** Passes bytes on to the server, until it is told to cut every connection. */
async function wire(): Promise<{ readonly base: string; cut(): void; readonly proxy: Server }> {
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(new URL(server.base).port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  return {
    base: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    proxy,
  };
}

describe.skipIf(chromiumPath === undefined)(`following the log in a browser${needsChromium}`, () => {
  beforeAll(async () => {
    server = await startServer();
    await server.article('# Notes\n\nAmber floats.\n', { slug: 'notes' });
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('resumes an EventSource after the last received entry when its connection is lost', async () => {
    const { base, cut, proxy } = await wire();
    const { page, close } = await visit(browser, base, '/protocol');
    try {
      await page.evaluate(`new Promise((open) => {
        globalThis.told = [];
        const source = new EventSource('/api/events?kind=contribution');
        source.addEventListener('contribution.contribute', (event) => told.push([event.lastEventId, event.data]));
        source.addEventListener('open', open);
      })`);
      await question('Before?');
      await expect.poll(() => page.evaluate('told.length')).toBe(1);
      cut();
      await question('Meanwhile?');
      await question('And again?');
      await expect.poll(() => page.evaluate('told.length'), { timeout: 10_000 }).toBe(3);
      const told = await page.evaluate<readonly (readonly [string, string])[]>('told');
      expect(told.map(([id]) => Number(id) - Number(told[0]?.[0]))).toEqual([0, 2, 4]);
      expect(told.map(([, data]) => (JSON.parse(data) as { slug: string }).slug)).toEqual([
        'notes',
        'notes',
        'notes',
      ]);
    } finally {
      await close();
      cut();
      proxy.close();
    }
  }, 30_000);

  it('shows new entries on the open log page', async () => {
    const { page, complaints, close } = await visit(browser, server.base, '/log');
    const newest = (): Promise<string> => page.locator('.lines tbody tr').first().innerText();
    await page.getByText('This page follows the log').waitFor();
    const before = await newest();
    await question('Does it move?');
    await page.locator('.lines tr.new').first().waitFor();
    expect(await page.locator('.lines tr.new').allInnerTexts()).toMatchObject([
      expect.stringContaining('an anonymous caller contributed to Notes'),
    ]);
    expect(await newest()).not.toBe(before);
    const size = await page.locator('#live-log').getAttribute('data-size');
    expect(await page.locator('.lead').innerText()).toContain(`${size} entries`);
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows the full text of the log page without JavaScript and does not mention live updates', async () => {
    const { page, close } = await visit(browser, server.base, '/log', { javaScriptEnabled: false });
    expect(await page.locator('.lines tbody tr').count()).toBeGreaterThan(4);
    expect(await page.locator('#live-status').isVisible()).toBe(false);
    await close();
  });
});
