/**
 * `npm run pictures`: takes every page in light, dark, narrow and print into the folder that COLOPHON_PICTURES names,
 * for people to look at. Skipped without it.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { pageList } from './page-list.ts';
import { startSeededServer, type SeededServer } from './seeded-server.ts';

const folder = process.env['COLOPHON_PICTURES'] ?? '';

const looks = [
  ['light', 'light', 1440, 'screen'],
  ['dark', 'dark', 1440, 'screen'],
  ['narrow', 'light', 390, 'screen'],
  ['print', 'light', 800, 'print'],
] as const;

describe.skipIf(chromiumPath === undefined || folder === '')(`pictures${needsChromium}`, () => {
  let seeded: SeededServer;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    seeded = await startSeededServer();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await seeded?.server.stop();
  });

  it.each(Object.keys(pageList))(
    'are taken of the page %s',
    async (name) => {
      const { page, close } = await visit(browser, seeded.server.base, seeded.pages[name] as string);
      const file = name.replaceAll(/[^A-Za-z0-9]+/g, '-');
      for (const [look, colorScheme, width, media] of looks) {
        await page.emulateMedia({ colorScheme, media, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: join(folder, `${file}-${look}.png`), fullPage: true });
      }
      await close();
      expect(readdirSync(folder).filter((each) => each.startsWith(`${file}-`)).length).toBeGreaterThanOrEqual(
        looks.length,
      );
    },
    60_000,
  );
});
