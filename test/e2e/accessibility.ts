/**
 * What a machine can check of WCAG 2.2 AA and good practice on a loaded page: the rules of axe-core, and what they leave
 * out: contrast of the borders of fields (1.4.11), reflow (1.4.10), one frame a page. Each finding is a sentence or a
 * rule with its element; a sound page has none.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The dark theme changes colours and nothing else, so that its rules are those of colours. */
const looks = [
  ['light', 1440, undefined],
  ['dark', 1440, ['color-contrast', 'link-in-text-block']],
  ['dark', 390, ['color-contrast', 'link-in-text-block']],
  ['light', 390, undefined],
] as const;

/** Findings in each look, of one loaded page; nothing for a look without any. */
export async function findingsInLooks(page: Page): Promise<Readonly<Record<string, string[]>>> {
  const found: Record<string, string[]> = {};
  for (const [colorScheme, width, rules] of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    const here = await findings(page, rules);
    if (here.length > 0) found[`${colorScheme} ${width}`] = here;
  }
  return found;
}

/** `rules` of axe; all of them without it. */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.waitForLoadState();
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, ${JSON.stringify({
      // What a rule found to be right is not asked for.
      resultTypes: ['violations'],
      ...(rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }),
    })})`,
  );
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`)),
    ...(await findingsBeyondAxe(page)),
  ];
}

/** Also of a page without JavaScript, where axe waits for timers that never fire. */
export function findingsBeyondAxe(page: Page): Promise<string[]> {
  return page.evaluate(beyondAxe);
}

function beyondAxe(): string[] {
  const found: string[] = [];
  type Rgba = readonly [number, number, number, number];
  const canvas = document
    .createElement('canvas')
    .getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
  const rgba = (color: string): Rgba => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top: Rgba, bottom: Rgba): Rgba => {
    const mix = (i: 0 | 1 | 2): number => top[i] * top[3] + bottom[i] * (1 - top[3]);
    return [mix(0), mix(1), mix(2), 1];
  };
  const backdrop = (element: Element | null): Rgba =>
    element === null
      ? rgba('white')
      : over(rgba(getComputedStyle(element).backgroundColor), backdrop(element.parentElement));
  const luminance = ([r, g, b]: Rgba): number => {
    const linear = (value: number): number =>
      value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  for (const field of document.querySelectorAll('input:not([type=hidden]), textarea, select, button')) {
    if (!field.checkVisibility({ visibilityProperty: true }) || field.getClientRects().length === 0) continue;
    const { borderTopWidth, borderTopColor } = getComputedStyle(field);
    // A button without a border is known by its name.
    const isBare = borderTopWidth === '0px' || (field.matches('button') && rgba(borderTopColor)[3] === 0);
    if (isBare) continue;
    const behind = backdrop(field.parentElement);
    const [dark, light] = [luminance(over(rgba(borderTopColor), behind)), luminance(behind)].sort(
      (a, b) => a - b,
    ) as [number, number];
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 3)
      found.push(
        `the border of ${field.tagName.toLowerCase()}${field.id === '' ? '' : `#${field.id}`} “${(field.textContent ?? '').trim().slice(0, 40)}” has a contrast of ${ratio.toFixed(2)}`,
      );
  }
  for (const part of ['main', 'header.site-head', 'footer.site-foot', 'nav[aria-label="Site"]']) {
    const count = document.querySelectorAll(part).length;
    if (count !== 1) found.push(`there are ${count} of ${part}`);
  }
  const wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wider > 0) found.push(`the page scrolls sideways by ${wider} pixels`);
  return found;
}
