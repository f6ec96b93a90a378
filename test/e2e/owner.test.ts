/** The owner's console in a browser, with and without JavaScript: from the login to a decision, and to a share. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';

describe.skipIf(chromiumPath === undefined)(`the owner's console${needsChromium}`, () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await startServer();
    await server.article('# On bees\n\nBees dance.\n', { slug: 'on-bees' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    expect(server.errors).toEqual([]);
  });

  const propose = (body: string) =>
    server.anybody('/api/dispatch', { key: 'MIRROR_APPEND', body: `on-bees||question|ada|${body}` });

  it('goes from login to a decision without JavaScript', async () => {
    await propose('Which way do they dance?');
    const { page, complaints, close } = await visit(browser, server.base, '/owner', {
      javaScriptEnabled: false,
    });
    await page.getByLabel('Owner key, share or API key').fill(terminalKey);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'Waiting' }).click();
    await page.getByLabel(/^Note on the question/).fill('A good one.');
    const item = page.getByRole('listitem').filter({ hasText: 'Which way do they dance?' });
    await item.getByRole('button', { name: 'Accept' }).click();
    expect(await page.locator('.console-notice').textContent()).toMatch(
      /^Accepted the question of on-bees\. Receipt inv_/,
    );
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(await page.getByLabel('Owner key, share or API key').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it('mints a share, whose token is shown once', async () => {
    const { page, complaints, close } = await visit(browser, server.base, '/owner');
    await page.getByLabel('Owner key, share or API key').fill(terminalKey);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page
      .getByRole('navigation', { name: 'Desk' })
      .getByRole('link', { name: 'Shares and keys' })
      .click();
    await page.getByLabel('Row keys').fill('MIRROR_FEED');
    await page.getByRole('button', { name: 'Mint the share' }).click();
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toMatch(/^sh\.[\w-]{48}$/);
    await page.goto(`${server.base}/owner/access`);
    expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
