/** A reader takes part in a discussion in a browser, without JavaScript, and learns what came of it (contract §8). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { findings } from './accessibility.ts';

const claimed = {
  tier: 'human',
  who_claims: 'a keeper',
  why_material: 'It is what the article is about.',
};

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('discussing on %s', (kind) => {
  let server: TestServer;
  let database: TestDatabases | undefined;

  beforeAll(async () => {
    if (kind === 'PostgreSQL') database = await sharedPostgres();
    server = await startServer(database === undefined ? {} : { DATABASE_URL: await database.database() });
    await server.article('# On bees\n\nBees dance.\n\nWasps build with paper.\n', { slug: 'on-bees' });
    await server.owner('/api/protocol/claim', {
      slug: 'on-bees',
      text: 'Honey bees dance in the dark.',
      ...claimed,
    });
    await server.owner('/api/protocol/claim', {
      slug: 'on-bees',
      text: 'Wasps build with paper.',
      ...claimed,
    });
  });
  afterAll(async () => {
    await server.stop();
    await database?.stop();
    expect(server.errors).toEqual([]);
  });

  describe.skipIf(chromiumPath === undefined)(`a reader with an objection${needsChromium}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser.close());

    it('objects to a claim in two clicks, gets a receipt, and finds the owner’s answer', async () => {
      const reader = await visit(browser, server.base, '/a/on-bees', { javaScriptEnabled: false });
      const { page } = reader;
      await page.getByRole('link', { name: 'Object to c1' }).click();
      expect(await page.locator('.discuss-text p').textContent()).toBe('Honey bees dance in the dark.');
      expect(await page.getByRole('radio', { name: 'Object', exact: true }).isChecked()).toBe(true);
      await page.getByLabel('Text', { exact: true }).fill('Nobody could have seen it.');
      await page.getByLabel('Name (optional)').fill('ada');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      expect(page.url()).toMatch(/\/a\/on-bees\/discuss\/dx_[a-z2-7]{16}\?said=inv_[a-z2-7]{16}$/);
      expect(await page.getByRole('status').innerText()).toMatch(/^Recorded\. It is public now/);
      expect(await page.locator('.entry-whole').innerText()).toMatch(
        /^A\s*“ada”\s*objection\s*open[^]*Nobody could have seen it\./,
      );
      const entry = /dx_[a-z2-7]{16}/.exec(page.url())?.[0];
      const own = page.url().replace(/\?.*/, '');
      await page.getByRole('status').getByRole('link').first().click();
      expect(page.url()).toMatch(/\/receipt\/inv_[a-z2-7]{16}$/);

      await server.owner('/api/dispatch', {
        key: 'THREAD_SETTLE',
        body: JSON.stringify({ slug: 'on-bees', entry, note: 'It was filmed in red light.' }),
      });
      await page.goto(own);
      expect(await page.locator('.entry-decision').innerText()).toMatch(
        /^Settled by the owner, .*: “It was filmed in red light\.” Receipt$/,
      );
      await page.goto(`${server.base}/a/on-bees/discuss`);
      expect(await page.getByRole('heading', { name: 'Honey bees dance in the dark.' }).count()).toBe(1);
      expect(reader.complaints).toEqual([]);
      await reader.close();
    });

    it('gets a refused form back with the typed text and each error at its field', async () => {
      const { page, close } = await visit(browser, server.base, '/a/on-bees/discuss?on=c2', {
        javaScriptEnabled: false,
      });
      await page.getByRole('radio', { name: 'Add a source' }).check();
      await page.getByLabel('Address of the page').fill('somewhere');
      await page.getByLabel('Name (optional)').fill('ada\u202e');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      expect(await page.getByRole('alert').innerText()).toMatch(
        /^Nothing was recorded; what you typed is below\. See the fields that are marked\./,
      );
      expect(await page.getByLabel('Address of the page').inputValue()).toBe('somewhere');
      expect(await page.getByLabel('Address of the page').getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByLabel('Exact words on that page').getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByLabel('Name (optional)').getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByRole('radio', { name: 'Add a source' }).isChecked()).toBe(true);
      await close();
    });

    it('selects words and objects to them in three clicks, with the words quoted', async () => {
      const reader = await visit(browser, server.base, '/a/on-bees');
      const { page } = reader;
      // 1: a double click selects a word.
      await page
        .locator('#d3')
        .getByText('Wasps')
        .dblclick({ position: { x: 12, y: 12 } });
      const menu = page.getByRole('toolbar', { name: 'With the selected words' });
      await menu.waitFor();
      expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Object', 'Propose wording']);
      // 2
      await menu.getByRole('link', { name: 'Object' }).click();
      await page.waitForURL(/\/discuss\?/);
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('> Wasps\n\n');
      expect(await page.getByRole('radio', { name: 'Object', exact: true }).isChecked()).toBe(true);
      await page.keyboard.press('Control+End');
      await page.keyboard.type('Which of them?');
      // 3
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Recorded.').waitFor();
      const { entries } = await server.read('/api/articles/on-bees/discourse');
      expect(entries).toContainEqual(
        expect.objectContaining({ stance: 'challenge', target: 'd3', body: '> Wasps\n\nWhich of them?' }),
      );
      expect(reader.complaints).toEqual([]);
      await reader.close();
    });

    it('reaches the menu of selected words by keyboard, and closes it by Escape', async () => {
      const { page, close } = await visit(browser, server.base, '/a/on-bees');
      const menu = page.getByRole('toolbar', { name: 'With the selected words' });
      await page.locator('#d2 p').selectText();
      await menu.waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Object');
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await menu.count()).toBe(0);
      await close();
    });

    it('proposes another wording of a claim from its own words, on a touch screen', async () => {
      const { page, close } = await visit(browser, server.base, '/a/on-bees', {
        hasTouch: true,
        isMobile: true,
        viewport: { width: 390, height: 800 },
      });
      await page.locator('.notes summary').tap();
      await page.locator('#c2 .claim-text').selectText();
      await page.getByRole('toolbar').getByRole('link', { name: 'Propose wording' }).tap();
      await page.waitForURL(/\/a\/on-bees\/discuss\?on=c2&as=repair&quote=/);
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('Wasps build with paper.');
      await close();
    });

    it('makes a claim of selected words on the page of those who write the article', async () => {
      const owner = await visit(browser, server.base, '/owner');
      const { page } = owner;
      await page.getByLabel('Key', { exact: false }).first().fill(terminalKey);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForLoadState();
      await page.goto(`${server.base}/owner/a/on-bees`);
      await page.locator('.desk-text #d3 p').selectText();
      const menu = page.getByRole('toolbar', { name: 'With the selected words' });
      await menu.waitFor();
      expect(await menu.getByRole('link').allInnerTexts()).toEqual([
        'Make a claim',
        'Object',
        'Propose wording',
      ]);
      await menu.getByRole('link', { name: 'Make a claim' }).click();
      await page.waitForURL(/\/owner\/a\/on-bees\/claim\?text=/);
      expect(await page.locator('textarea[name=text]').inputValue()).toBe('Wasps build with paper.');
      expect(owner.complaints).toEqual([]);
      await owner.close();
    });

    it('copies selected words with their address', async () => {
      const { page, close } = await visit(browser, server.base, '/a/on-bees', {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await page.locator('#d2 p').selectText();
      await page.getByRole('toolbar').getByRole('button', { name: 'Cite' }).click();
      await page.getByText('Copied the words with their address').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
        /^“Bees dance\.” \(On bees, version \d+, d2\) http:.*\/a\/on-bees\/d2$/,
      );
      await close();
    });

    it('sees what was said and changed meanwhile in another tab, and sends again by one click', async () => {
      const first = await visit(browser, server.base, '/a/on-bees/discuss?on=d2&as=challenge');
      await first.page.getByLabel('Text', { exact: true }).fill('All of them at all times?');
      const { divs } = await server.read('/api/articles/on-bees/voxels');
      await server.owner('/api/protocol/voxel-edit', {
        slug: 'on-bees',
        div_id: 'd2',
        expected_hash: divs[1].vx_hash,
        text: 'Bees dance at night.',
      });
      const second = await visit(browser, server.base, '/a/on-bees/discuss?on=d2&as=support');
      await second.page.getByLabel('Text', { exact: true }).fill('I have seen it at dusk.');
      await second.page.getByRole('button', { name: 'Send', exact: true }).click();
      await second.page.getByText('Recorded.').waitFor();
      await first.page.getByRole('button', { name: 'Send', exact: true }).click();
      const alert = first.page.getByRole('alert');
      expect(await alert.innerText()).toMatch(/Block d2 was changed while you wrote, and 1 entry came in/);
      expect(await alert.locator('ins').allInnerTexts()).toEqual([' at night']);
      expect(await alert.innerText()).toContain('I have seen it at dusk.');
      expect(await first.page.getByLabel('Text', { exact: true }).inputValue()).toBe(
        'All of them at all times?',
      );
      expect(await findings(first.page)).toEqual([]);
      await first.page.getByRole('button', { name: 'Send again' }).click();
      await first.page.getByText('Recorded.').waitFor();
      await first.close();
      await second.close();
    });

    it('sees only the fields of the kind that is chosen', async () => {
      const { page, close } = await visit(browser, server.base, '/a/on-bees/discuss?on=c2&as=vote', {
        javaScriptEnabled: false,
      });
      expect(await page.getByLabel('This claim should').isVisible()).toBe(true);
      expect(await page.getByLabel('Address of the page').isVisible()).toBe(false);
      await page.getByRole('radio', { name: 'Add a source' }).check();
      expect(await page.getByLabel('This claim should').isVisible()).toBe(false);
      expect(await page.getByLabel('Address of the page').isVisible()).toBe(true);
      await close();
    });

    it('finds what was typed again after a reload, and the name in the next form', async () => {
      const reader = await visit(browser, server.base, '/a/on-bees/discuss?on=d2');
      const { page } = reader;
      await page.getByLabel('Text', { exact: true }).fill('Which bees dance?');
      await page.reload();
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('Which bees dance?');
      await page.getByLabel('Name (optional)').fill('Noor');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Recorded.').waitFor();
      await page.goto(`${server.base}/a/on-bees/discuss?on=d2`);
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('');
      expect(await page.getByLabel('Name (optional)').inputValue()).toBe('Noor');
      expect(reader.complaints).toEqual([]);
      await reader.close();
    });
  });

  it('shows an accepted contribution however many were proposed after it', async () => {
    await server.article('# Flood\n\nA text.\n', { slug: 'flood' });
    await server.owner('/api/protocol/claim', { slug: 'flood', text: 'Rivers rise in spring.', ...claimed });
    const propose = (body: string) =>
      server.anybody('/api/articles/flood/mirror', { claim_id: 'c1', kind: 'audit', actor: 'ada', body });
    const first = await propose('Measured at three gauges.');
    const id = (first['contribution'] as { id: string }).id;
    await server.owner(`/api/articles/flood/mirror/${id}/resolve`, { decision: 'accepted' });
    for (let i = 0; i < 51; i++) await propose(`Measurement ${i} of many.`);
    const page = await (await server.fetch('/a/flood')).text();
    expect([
      page.includes(`<a href="#${id}">audit accepted</a>`),
      page.includes('Measured at three gauges.'),
      page.includes('Measurement 0 of many.'),
      page.includes('51 of 52 contributions, the newest and all that were accepted'),
    ]).toEqual([true, true, false, true]);
    // The discussion goes on on further pages.
    const [second, third] = await Promise.all(
      [2, 3].map(async (n) => (await server.fetch(`/a/flood/discuss?page=${n}`)).text()),
    );
    expect(second).toContain('Measurement 0 of many.');
    expect(second).toContain('Page 2 of 2');
    expect(third).not.toContain('Measurement');
  });
});
