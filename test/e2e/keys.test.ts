/** The keys of every page in a real browser: search, the list of keys, steps, places, never while typing, and off. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let browser: Browser;

describe.skipIf(chromiumPath === undefined)(`keys${needsChromium}`, () => {
  beforeAll(async () => {
    server = await startServer();
    await server.article('# On bees\n\nThe first.\n\nThe second.\n', { slug: 'on-bees' });
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('lead to the search box, through the blocks and to other places, and are text where a reader types', async () => {
    const { page, complaints, close } = await visit(browser, server.base, '/a/on-bees');
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused()).toBe('d3');
    await page.keyboard.press('k');
    expect(await focused()).toBe('d2');
    await page.keyboard.press('/');
    expect(await focused()).toBe('site-search');
    await page.keyboard.type('gj/?');
    expect(await page.locator('#site-search').inputValue()).toBe('gj/?');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await page.locator('h1').click();
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    await page.waitForURL('**/verify');
    expect(complaints).toEqual([]);
    await close();
  });

  it('are listed with the states by a question mark, and can be switched off there', async () => {
    const { page, close } = await visit(browser, server.base, '/a/on-bees');
    await page.keyboard.press('?');
    const dialog = page.locator('dialog[open]');
    expect(await dialog.innerText()).toMatch(/search[^]*contested/);
    await dialog.getByRole('checkbox', { name: 'Keys are on in this browser' }).uncheck();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await page.locator('dialog').count()).toBe(0);
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).not.toBe('site-search');
    await page.goto(`${server.base}/docs/keys`);
    await page.getByRole('checkbox', { name: 'Keys are on in this browser' }).check();
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('site-search');
    await close();
  });
});
