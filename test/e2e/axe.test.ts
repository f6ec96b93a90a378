/** Every page by axe-core (WCAG 2.2 AA and its good practices), in light and dark, on a desk and on a phone. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium } from '../support/browser.ts';
import { findings, findingsInLooks } from './accessibility.ts';
import { startJudgedPages, type JudgedPages } from './judged-pages.ts';
import { pageNames } from './page-list.ts';

let pages: JudgedPages;
let browser: Browser;

describe.skipIf(chromiumPath === undefined)(`axe${needsChromium}`, () => {
  beforeAll(async () => {
    pages = await startJudgedPages();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await pages?.seeded.server.stop();
  });

  it.each(pageNames)('finds nothing on the page %s', async (name) => {
    expect(await findingsInLooks(await pages.open(browser, name))).toEqual({});
  });

  it('finds a text without contrast, a field without a label, and a page that scrolls sideways', async () => {
    const page = await pages.open(browser, 'protocol');
    await page.evaluate(() => {
      (document.querySelector('.lead') as HTMLElement).style.color = '#999';
      document
        .querySelector('main')
        ?.insertAdjacentHTML(
          'beforeend',
          '<input class="bare"><p class="broad">Broad.</p><footer class="site-foot"></footer>',
        );
      (document.querySelector('.bare') as HTMLElement).style.border = '1px solid #eee';
      (document.querySelector('.broad') as HTMLElement).style.minWidth = '2000px';
    });
    expect(await findings(page)).toEqual([
      'color-contrast: .lead',
      'label: .bare',
      expect.stringMatching(/^the border of input “” has a contrast of 1\.\d\d$/),
      'there are 2 of footer.site-foot',
      expect.stringMatching(/^the page scrolls sideways by \d+ pixels$/),
    ]);
  });
});
