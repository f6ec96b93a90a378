/** The owner's console in a browser, with and without JavaScript: from the login to a decision, and for everybody's eyes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { findings } from './accessibility.ts';

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

  it.each(['light', 'dark'] as const)('passes the accessibility checks, %s', async (colorScheme) => {
    await propose(`Who saw it in the ${colorScheme}?`);
    const { page, close } = await visit(browser, server.base, '/owner', { colorScheme });
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Owner key, share or API key').fill(terminalKey);
    await page.getByRole('button', { name: 'Log in' }).click();
    for (const name of ['Waiting', 'Shares and keys', 'Landscape', 'Costs', 'Scrub']) {
      await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name }).click();
      await page.waitForLoadState('load');
      expect([name, await findings(page)]).toEqual([name, []]);
    }
    await page
      .getByRole('navigation', { name: 'Desk' })
      .getByRole('link', { name: 'Shares and keys' })
      .click();
    await page.getByLabel('Row keys').fill('MIRROR_FEED');
    await page.getByRole('button', { name: 'Mint the share' }).click();
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toMatch(/^sh\.[\w-]{48}$/);
    await page.waitForLoadState('load');
    expect(await findings(page)).toEqual([]);
    await close();
  });
});
