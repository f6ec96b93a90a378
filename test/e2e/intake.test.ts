/** Bringing things in, in a browser (contract §8): an import without JavaScript, and an image in the editor. */
import { strToU8, zipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { png } from '../support/images.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { findings } from './accessibility.ts';

describe.skipIf(chromiumPath === undefined)(`bringing things in${needsChromium}`, () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await startServer();
    await server.article('# Bees\n\nThey dance.\n', { slug: 'bees', title: 'Bees' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    expect(server.errors).toEqual([]);
  });

  const signIn = async (page: Page): Promise<void> => {
    await page.locator('input[name="key"]').fill(terminalKey);
    await page.getByRole('button', { name: 'Log in' }).click();
  };

  it('goes from a vault to its report without JavaScript', async () => {
    const { page, complaints, close } = await visit(browser, server.base, '/owner', {
      javaScriptEnabled: false,
    });
    await signIn(page);
    await page.goto(`${server.base}/owner/import`);
    expect(await findings(page)).toEqual([]);
    const vault = zipSync({
      'Wasps.md': strToU8('They sting [[Ants]].\n\n![[a.png]]\n'),
      'a.png': png(30, 20),
    });
    await page
      .getByLabel('Files')
      .setInputFiles({ name: 'vault.zip', mimeType: 'application/zip', buffer: Buffer.from(vault) });
    await page.getByRole('button', { name: 'Show what would be written' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('What would be written');
    expect(await page.getByText('“Ants” is not among the files').isVisible()).toBe(true);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Write what is chosen' }).click();
    expect(await page.getByRole('status').textContent()).toBe('1 of 1 written.');
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('stores an image from the editor and puts its Markdown at the cursor', async () => {
    const { page, complaints, strays, close } = await visit(browser, server.base, '/owner');
    await signIn(page);
    await page.goto(`${server.base}/owner/a/bees/edit`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Add an image' }).click();
    await (await chooser).setFiles({ name: 'dance.png', mimeType: 'image/png', buffer: png(30, 20) });
    await page.getByText('The image is stored.').waitFor();
    expect(await page.locator('.cm-content').textContent()).toMatch(/!\[dance\]\(\/blobs\/[0-9a-f]{64}\)/);
    expect([complaints, strays]).toEqual([[], []]);
    await close();
  });
});
