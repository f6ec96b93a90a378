/** The owner decides what waits in a browser: by keyboard, many at once, a wording mended; and without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';

describe.skipIf(chromiumPath === undefined).each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])(
  `deciding on %s${needsChromium}`,
  (kind) => {
    let server: TestServer;
    let database: TestDatabases | undefined;
    let browser: Browser;

    beforeAll(async () => {
      if (kind === 'PostgreSQL') database = await sharedPostgres();
      server = await startServer(database === undefined ? {} : { DATABASE_URL: await database.database() });
      await server.article('# On bees\n\nBees dance.\n', { slug: 'on-bees' });
      await server.owner('/api/dispatch', {
        key: 'CLAIM_POST',
        body: {
          slug: 'on-bees',
          text: 'Bees dance to tell where food is.',
          tier: 'system',
          who_claims: 'ada',
          why_material: 'It is the subject.',
        },
      });
      browser = await launchBrowser();
    });
    afterAll(async () => {
      await browser.close();
      await server.stop();
      await database?.stop();
      expect(server.errors).toEqual([]);
    });

    const propose = (body: object) =>
      server.anybody('/api/dispatch', {
        key: 'MIRROR_APPEND',
        body: { slug: 'on-bees', claim_id: '', actor: 'ada', kind: 'question', ...body },
      });
    const signIn = async (page: Page, key = terminalKey): Promise<void> => {
      await page.getByLabel('Owner key, share or API key').fill(key);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: 'Waiting' }).click();
      await page.waitForLoadState('load');
    };
    const items = (page: Page) => page.locator('.waiting-item');

    it('clears the queue with the keyboard, without a click', async () => {
      for (let i = 1; i <= 5; i++) await propose({ body: `Which way does bee ${i} dance?` });
      const { page, complaints, close } = await visit(browser, server.base, '/owner');
      await signIn(page);
      expect(await items(page).count()).toBe(5);
      await page.locator('.waiting-item').first().focus();
      await page.keyboard.press('a');
      await expect.poll(() => items(page).count(), { timeout: 10_000 }).toBe(4);
      await page.keyboard.press('n');
      await page.keyboard.type('Not about bees.');
      await page.keyboard.press('Escape');
      await page.keyboard.press('r');
      await expect.poll(() => items(page).count(), { timeout: 10_000 }).toBe(3);
      // The rest together: each chosen by key, one note for all.
      for (let left = 3; left > 0; left--) {
        await page
          .locator('.waiting-item')
          .nth(3 - left)
          .focus();
        await page.keyboard.press('x');
      }
      expect(await page.locator('[data-chosen]').textContent()).toBe('With the 3 chosen');
      await page.keyboard.press('n');
      await page.keyboard.type('Asked before.');
      await page.keyboard.press('Escape');
      await page.locator('.waiting-item').first().focus();
      await page.keyboard.press('r');
      await page.getByRole('heading', { name: '3 of 3 decisions are on the ledger' }).waitFor();
      expect(await page.getByText('Nothing waits here.').isVisible()).toBe(true);
      const notes = (await (await fetch(`${server.base}/api/articles/on-bees/mirror`)).json()) as {
        contributions: { note: string }[];
      };
      expect(notes.contributions.map(({ note }) => note).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
        '',
        'Asked before.',
        'Asked before.',
        'Asked before.',
        'Not about bees.',
      ]);
      expect(complaints).toEqual([]);
      await close();
    });

    it('clears twenty contributions of thirty in at most thirty keys and three notes', async () => {
      for (let i = 1; i <= 30; i++) await propose({ body: `How high does bee ${i} fly?` });
      const { page, complaints, close } = await visit(browser, server.base, '/owner');
      await signIn(page);
      let keys = 0;
      const press = async (key: string): Promise<void> => {
        keys++;
        await page.keyboard.press(key);
      };
      const left = async (): Promise<number> =>
        Number((await page.locator('.tab-count').first().textContent())?.trim());
      expect([await left(), await items(page).count()]).toEqual([30, 25]);
      await press('j');
      for (let done = 1; done <= 20; done++) {
        if (done % 7 === 0) {
          await press('n');
          await page.keyboard.insertText('It is not about height.');
          await press('Escape');
        }
        await press(done % 3 === 0 ? 'r' : 'a');
        await expect.poll(left, { timeout: 10_000 }).toBe(30 - done);
      }
      expect(keys).toBeLessThanOrEqual(30);
      // The next ones of the queue have come in from behind, and the focus is on one of them.
      expect(await items(page).count()).toBe(10);
      expect(await page.locator('.waiting-item:focus').count()).toBe(1);
      // The others together: choose all, one note, one key.
      for (let i = 0; i < 10; i++) {
        await press('x');
        if (i < 9) await press('j');
      }
      await press('n');
      await page.keyboard.insertText('Asked before.');
      await press('Escape');
      await press('r');
      await page.getByRole('heading', { name: '10 of 10 decisions are on the ledger' }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    });

    it('mends a wording that breaks a rule where it stands, and accepts it', async () => {
      await propose({
        claim_id: 'c1',
        kind: 'repair',
        body: 'Bees dance to tell their sisters where food is.',
      });
      const { page, close } = await visit(browser, server.base, '/owner');
      await signIn(page);
      const item = items(page).first();
      expect(await item.locator('.diff-side').first().textContent()).toContain(
        'Bees dance to tell where food is.',
      );
      await item.focus();
      await page.keyboard.press('m');
      const wording = page.getByLabel('The wording that is accepted');
      await wording.fill('Bees dance to tell where food is. They also hum.');
      await item.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('Not done.').waitFor();
      expect(await wording.inputValue()).toBe('Bees dance to tell where food is. They also hum.');
      await wording.fill('Bees dance to tell each other where food is.');
      await item.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('Nothing waits here.').waitFor();
      const { claims } = (await (await fetch(`${server.base}/api/articles/on-bees/claims`)).json()) as {
        claims: { text: string }[];
      };
      expect(claims.map(({ text }) => text)).toEqual(['Bees dance to tell each other where food is.']);
      await close();
    });

    it('decides many without JavaScript, and settles an objection', async () => {
      for (const body of ['Do they sleep?', 'Do they dream?']) await propose({ body });
      await server.anybody('/api/dispatch', {
        key: 'OBJECTION_LOG',
        body: { slug: 'on-bees/d2', objection: 'Not all of them do.', actor: 'ada' },
      });
      const { page, complaints, close } = await visit(browser, server.base, '/owner', {
        javaScriptEnabled: false,
      });
      await signIn(page);
      for (const question of ['Do they sleep?', 'Do they dream?'])
        await items(page).filter({ hasText: question }).getByRole('checkbox').check();
      await page.getByLabel('One note').fill('Both are worth a node.');
      await page
        .getByRole('form', { name: 'Decide the chosen items' })
        .getByRole('button', { name: 'Accept' })
        .click();
      await page.getByRole('heading', { name: '2 of 2 decisions are on the ledger' }).waitFor();
      await page.getByLabel(/^Note on the objection/).fill('It says so in d2.');
      await page.getByRole('button', { name: 'Settle' }).click();
      expect(await page.getByText('Settled an entry of the discussion of on-bees.').isVisible()).toBe(true);
      expect(complaints).toEqual([]);
      await close();
    });

    it('shows a reviewer what the share permits', async () => {
      await propose({ body: 'Who may decide this?' });
      const minted = (await server.owner('/api/dispatch', {
        key: 'CAP_MINT',
        body: { role: 'reviewer', ttl: 600, max_uses: 0 },
      })) as unknown as { share: string };
      const { page, close } = await visit(browser, server.base, '/owner');
      await signIn(page, minted.share);
      expect(await items(page).filter({ hasText: 'Who may decide this?' }).count()).toBe(1);
      expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Shares and keys' }).count()).toBe(0);
      await page.setViewportSize({ width: 320, height: 700 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await close();
    });
  },
);
