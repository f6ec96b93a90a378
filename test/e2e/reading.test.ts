/** Every page in a real browser: quiet console, reflow, usable without script and by keyboard. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import { pageList } from './page-list.ts';
import { startSeededServer, type SeededServer } from './seeded-server.ts';

let seeded: SeededServer;
let browser: Browser;

describe.skipIf(chromiumPath === undefined)(`pages in a browser${needsChromium}`, () => {
  beforeAll(async () => {
    seeded = await startSeededServer();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await seeded?.server.stop();
  });

  describe.each(Object.keys(pageList))('the page %s', (name) => {
    const path = (): string => seeded.pages[name] as string;

    it('loads without errors, fits a narrow window, and is readable without JavaScript', async () => {
      const { page, complaints, strays, close } = await visit(browser, seeded.server.base, path());
      await settled(page);
      for (const width of [1024, 320]) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
          width,
          width,
        ]);
      }
      // Articles may show images from elsewhere; nothing else comes from there.
      if (!name.startsWith('article')) expect(strays).toEqual([]);
      expect(complaints.filter((text) => strays.length === 0 || !text.includes('ERR_FAILED'))).toEqual([]);

      const plain = await visit(browser, seeded.server.base, path(), { javaScriptEnabled: false });
      const text = await words(plain.page);
      expect(text).toContain((await page.locator('h1').innerText()).replace(/\s+/g, ' '));
      expect(text.length).toBeGreaterThan(150);
      // What script adds is the result of verifying, and the verifier's own form.
      expect(text.length).toBeGreaterThan((await words(page)).length * (name === 'verify' ? 0.7 : 0.85));
      await Promise.all([close(), plain.close()]);
    });
  });

  it('let the keyboard reach the text first, then everything in page order, with visible focus', async () => {
    const { page, close } = await visit(browser, seeded.server.base, seeded.pages['article'] as string);
    await settled(page);
    const order: {
      readonly text: string;
      readonly top: number;
      readonly outlined: boolean;
      readonly index: number;
    }[] = [];
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const all = [...document.querySelectorAll('*')];
        const style = getComputedStyle(element);
        return {
          text: (element.textContent ?? '').trim().slice(0, 30),
          top: element.getBoundingClientRect().top + scrollY,
          outlined: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
          index: all.indexOf(element),
        };
      });
      if (at.index === 0 || (order.length > 0 && at.index < (order[order.length - 1]?.index ?? 0))) break;
      order.push(at);
    }
    expect(order.slice(0, 2).map(({ text }) => text)).toEqual(['Skip to the text', 'Colophon']);
    expect(order.length).toBeGreaterThan(30);
    expect(order.filter(({ outlined }) => !outlined)).toEqual([]);
    await close();
  });

  it('begin with a link that skips the header', async () => {
    const { page, close } = await visit(browser, seeded.server.base, '/protocol');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await close();
  });

  it('have scrollable boxes that the keyboard can reach', async () => {
    const { page, close } = await visit(browser, seeded.server.base, seeded.pages['article'] as string, {
      viewport: { width: 360, height: 800 },
    });
    await settled(page);
    const boxes = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('pre, .scroll')]
        .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
        .map((box) => [box.tabIndex, box.getAttribute('aria-label')]),
    );
    expect(boxes).toEqual([[0, 'Code, scrolls sideways']]);
    await close();
  });

  it('place claims beside the section that they name, without overlap', async () => {
    const { page, close } = await visit(browser, seeded.server.base, seeded.pages['article'] as string);
    await settled(page);
    const places = await page.evaluate(() => {
      const heading = [...document.querySelectorAll('.text h2')].find(
        (each) => each.textContent === 'How they find home',
      ) as Element;
      const notes = [...document.querySelectorAll('.note')].map((note) => note.getBoundingClientRect());
      return {
        heading: heading.getBoundingClientRect().top,
        right: heading.getBoundingClientRect().right,
        notes: notes.map(({ top, bottom, left }) => ({ top, bottom, left })),
      };
    });
    const [whole, first, second] = places.notes;
    expect(places.notes).toHaveLength(3);
    expect(places.notes.every(({ left }) => left > places.right)).toBe(true);
    expect(whole?.top).toBeLessThan(places.heading);
    expect(first?.top).toBeGreaterThan(places.heading);
    expect((first?.top ?? Infinity) - places.heading).toBeLessThan(60);
    expect(second?.top).toBeGreaterThan(first?.bottom ?? Infinity);
    await close();
  });

  it('lay out an Arabic text from right to left, with its list, quotation and table', async () => {
    const slug = await seeded.server.article(
      '# سجل المصادر\n\nكل ادعاء له رقم.\n\n- عنصر أول\n\n> اقتباس قصير.\n\n| المصدر | الوزن |\n|---|---|\n| كتاب | 3 |\n\n## Appendix\n\nIn English.\n',
      { slug: 'arabic', title: 'سجل المصادر' },
    );
    const { page, close } = await visit(browser, seeded.server.base, `/a/${slug}`);
    const found = await page.evaluate(() =>
      [...document.querySelectorAll('.title h1, .text :is(p, ul, blockquote, table, h2)')].map((each) => {
        const { direction, textAlign } = getComputedStyle(each);
        return `${each.tagName} ${direction} ${textAlign}`;
      }),
    );
    expect(found).toEqual([
      'H1 rtl start',
      'P rtl start',
      'UL rtl start',
      'BLOCKQUOTE rtl start',
      'P rtl start',
      'TABLE rtl start',
      'H2 ltr start',
      'P ltr start',
    ]);
    const [first, second] = await Promise.all(
      ['المصدر', 'الوزن'].map((name) => page.getByRole('columnheader', { name }).boundingBox()),
    );
    expect(first?.x).toBeGreaterThan(second?.x ?? Infinity);
    await close();
  });

  it('show authorship and log entries completely on a phone', async () => {
    const cut = (page: Page, cells: string): Promise<string[]> =>
      page.evaluate(
        (wanted) =>
          [...document.querySelectorAll(wanted)]
            .filter((cell) => {
              const range = document.createRange();
              range.selectNodeContents(cell);
              return range.getBoundingClientRect().right > innerWidth;
            })
            .map((cell) => cell.textContent ?? ''),
        cells,
      );
    for (const [path, cells] of [
      [`/a/${seeded.slug}`, '.deeds td'],
      ['/log', '.lines td:nth-child(-n+3)'],
    ] as const) {
      const { page, close } = await visit(browser, seeded.server.base, path, {
        viewport: { width: 400, height: 800 },
      });
      expect(await page.locator(cells).count()).toBeGreaterThan(10);
      expect([path, await cut(page, cells)]).toEqual([path, []]);
      await close();
    }
  });

  it('print the text, its claims, sources and colophon without navigation', async () => {
    const { page, close } = await visit(browser, seeded.server.base, seeded.pages['article'] as string);
    await settled(page);
    await page.emulateMedia({ media: 'print' });
    const seen = await page.evaluate(() =>
      [...document.querySelectorAll('nav, .seal, .text, .notes, .sources, .colophon')].map((each) => [
        each.classList[0] ?? each.tagName,
        each.checkVisibility(),
      ]),
    );
    expect(Object.fromEntries(seen)).toEqual({
      NAV: false,
      contents: false,
      seal: false,
      text: true,
      notes: true,
      sources: true,
      colophon: true,
    });
    await close();
  });
});

/** Waits for the page's own scripts to say what they found; a long article is verified when its end is in view. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => {
    const seal = document.getElementById('seal');
    return seal === null || seal.hidden || ['sound', 'broken'].includes(seal.dataset['state'] ?? '');
  });
  await page.evaluate(() => window.scrollTo(0, 0));
}

async function words(page: Page): Promise<string> {
  return (await page.locator('main').innerText()).replace(/\s+/g, ' ');
}
