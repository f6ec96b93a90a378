/** Every page by axe-core (WCAG 2.2 AA and its good practices), in light and dark, on a desk and on a phone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { pageList } from './page-list.ts';
import { startSeededServer, type SeededServer } from './seeded-server.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const looks = [
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const;

let seeded: SeededServer;
let browser: Browser;

/** One line for each element that breaks a rule. */
async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await page.evaluate<AxeResults>('axe.run(document)');
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

describe.skipIf(chromiumPath === undefined)(`axe${needsChromium}`, () => {
  beforeAll(async () => {
    seeded = await startSeededServer();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await seeded?.server.stop();
  });

  it.each(Object.keys(pageList))('finds nothing on the page %s', async (name) => {
    const { page, close } = await visit(browser, seeded.server.base, seeded.pages[name] as string);
    await page.evaluate(axe);
    const found: Record<string, string[]> = {};
    for (const [colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      found[`${colorScheme} ${width}`] = await violations(page);
    }
    expect(found).toEqual({ 'light 1440': [], 'dark 1440': [], 'light 390': [], 'dark 390': [] });
    await close();
  });

  it('finds a text without contrast, and a field without a label', async () => {
    const { page, close } = await visit(browser, seeded.server.base, '/protocol');
    await page.evaluate(axe);
    await page.evaluate(() => {
      (document.querySelector('.lead') as HTMLElement).style.color = '#999';
      document.querySelector('main')?.insertAdjacentHTML('beforeend', '<input class="bare">');
    });
    expect(await violations(page)).toEqual(['color-contrast: .lead', 'label: .bare']);
    await close();
  });
});
