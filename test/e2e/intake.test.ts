/** Bringing things in, in a browser (contract §8): an import without JavaScript, and an image in the editor. */
import { strToU8, zipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { png } from '../support/images.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { findings, findingsBeyondAxe } from './accessibility.ts';

const kinds = hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'];

describe.skipIf(chromiumPath === undefined).each(kinds)(
  `bringing things in on %s${needsChromium}`,
  (kind) => {
    let postgres: TestDatabases | undefined;
    let server: TestServer;
    let browser: Browser;

    beforeAll(async () => {
      if (kind === 'PostgreSQL') postgres = await sharedPostgres();
      server = await startServer(postgres === undefined ? {} : { DATABASE_URL: await postgres.database() });
      await server.article('# Bees\n\nThey dance.\n', { slug: 'bees', title: 'Bees' });
      browser = await launchBrowser();
    });
    afterAll(async () => {
      await browser.close();
      await server.stop();
      await postgres?.stop();
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
      expect(await findingsBeyondAxe(page)).toEqual([]);
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
      expect(await findingsBeyondAxe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Write what is chosen' }).click();
      expect(await page.getByRole('status').textContent()).toBe('1 of 1 written.');
      expect(await findingsBeyondAxe(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    });

    it('keeps what was typed where a bibliography lacks something, without JavaScript, and writes it then', async () => {
      const { page, complaints, close } = await visit(browser, server.base, '/owner', {
        javaScriptEnabled: false,
        viewport: { width: 320, height: 800 },
      });
      await signIn(page);
      await page.goto(`${server.base}/owner/import`);
      await page.getByRole('button', { name: 'Show what would be written' }).click();
      expect(await page.getByLabel('Files').getAttribute('aria-invalid')).toBe('true');
      const bib = '@misc{a, title={On dances}, url={https://example.org/a}}\n@book{b, title={No address}}';
      await page
        .getByLabel('Files')
        .setInputFiles({ name: 'bees.bib', mimeType: 'text/plain', buffer: Buffer.from(bib) });
      await page.getByRole('button', { name: 'Show what would be written' }).click();
      await page.getByLabel('Article').fill('no-such');
      await page.getByRole('button', { name: 'Show what would be written' }).click();
      expect(await page.getByText('There is no article no-such.').isVisible()).toBe(true);
      expect(await findingsBeyondAxe(page)).toEqual([]);
      await page.getByLabel('Article').fill('bees');
      await page.getByRole('button', { name: 'Show what would be written' }).click();
      await page.getByLabel('Exact quote').nth(0).fill('They dance.');
      await page.getByLabel('Exact quote').nth(1).fill('Words that were typed.');
      await page.getByRole('button', { name: 'Write the sources with a quote' }).click();
      expect(await page.getByRole('alert').textContent()).toContain('1 of 2 entries with a quote');
      expect(await page.getByLabel('Exact quote').nth(1).inputValue()).toBe('Words that were typed.');
      expect(await page.getByLabel('Address').nth(1).getAttribute('aria-invalid')).toBe('true');
      expect(await findingsBeyondAxe(page)).toEqual([]);
      const width = await page.locator('html').boundingBox();
      expect(width?.width).toBe(320);
      await page.getByLabel('Exact quote').nth(1).fill('');
      await page.getByRole('button', { name: 'Write the sources with a quote' }).click();
      expect(await page.getByRole('status').textContent()).toBe('1 of 2 written.');
      // The pages that answer 422 are noted by the browser.
      expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
      await close();
    });

    it('turns annotations into discussion at the block that holds their words', async () => {
      const { page, complaints, close } = await visit(browser, server.base, '/owner');
      await signIn(page);
      await page.goto(`${server.base}/owner/import`);
      const note = {
        type: 'Annotation',
        creator: { name: 'Ada' },
        body: { type: 'TextualBody', value: 'Not in the rain.' },
        target: {
          source: 'https://x.example',
          selector: { type: 'TextQuoteSelector', exact: 'They dance.' },
        },
      };
      await page.getByLabel('Files').setInputFiles({
        name: 'a.jsonld',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify([note])),
      });
      await page.getByRole('button', { name: 'Show what would be written' }).click();
      await page.getByLabel('Article').fill('bees');
      await page.getByRole('button', { name: 'Show what would be written' }).click();
      await page.getByLabel('Objection').check();
      expect(await findings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Write what is chosen' }).click();
      expect(await page.getByRole('status').textContent()).toBe('1 of 1 written.');
      await page.goto(`${server.base}/a/bees/discuss`);
      expect(await page.getByText('On “They dance.”: Not in the rain.').first().isVisible()).toBe(true);
      expect(complaints).toEqual([]);
      await close();
    });

    it('keeps the formatting of a pasted text until it is changed', async () => {
      const { page, complaints, close } = await visit(browser, server.base, '/owner');
      await signIn(page);
      const paste = async (): Promise<void> => {
        await page.goto(`${server.base}/owner/import`);
        await page.getByLabel('Or a text').focus();
        await page.evaluate(() => {
          const area = document.querySelector('textarea') as HTMLTextAreaElement;
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/html', '<h1>Pasted bees</h1><p>They <b>dance</b>.</p>');
          area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
        });
        await page.keyboard.insertText('Pasted bees. They dance.');
      };
      const shown = async (): Promise<string> => {
        await page.getByRole('button', { name: 'Show what would be written' }).click();
        return (await page.locator('.intake-text').textContent()) ?? '';
      };
      await paste();
      expect(await page.getByText('The formatting is kept').isVisible()).toBe(true);
      expect((await shown()).trim()).toBe('# Pasted bees\n\nThey **dance**.');
      await paste();
      await page.keyboard.type('!');
      expect(await page.getByText('The formatting is kept').isVisible()).toBe(false);
      expect((await shown()).trim()).toBe('Pasted bees. They dance.!');
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
  },
);
