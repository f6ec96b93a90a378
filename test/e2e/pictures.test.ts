/**
 * `npm run pictures`: takes every page in light, dark, narrow and print into the folder that COLOPHON_PICTURES names,
 * for people to look at. Skipped without it.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium } from '../support/browser.ts';
import { startJudgedPages, type JudgedPages } from './judged-pages.ts';
import { pageNames } from './page-list.ts';

const folder = process.env['COLOPHON_PICTURES'] ?? '';

const looks = [
  ['light', 'light', 1440, 'screen'],
  ['dark', 'dark', 1440, 'screen'],
  ['narrow', 'light', 390, 'screen'],
  ['print', 'light', 800, 'print'],
] as const;

describe.skipIf(chromiumPath === undefined || folder === '')(`pictures${needsChromium}`, () => {
  let pages: JudgedPages;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    pages = await startJudgedPages();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await pages?.seeded.server.stop();
  });

  it.each(pageNames)(
    'are taken of the page %s',
    async (name) => {
      const page = await pages.open(browser, name);
      const file = name.replaceAll(/[^A-Za-z0-9]+/g, '-');
      for (const [look, colorScheme, width, media] of looks) {
        await page.emulateMedia({ colorScheme, media, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: join(folder, `${file}-${look}.png`), fullPage: true });
      }
      expect(readdirSync(folder).filter((each) => each.startsWith(`${file}-`)).length).toBeGreaterThanOrEqual(
        looks.length,
      );
    },
    60_000,
  );
});
