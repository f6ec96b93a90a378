/**
 * What a machine can check of WCAG 2.2 AA on a loaded page: contrast of every text by its computed colours
 * (1.4.3, 1.4.11 for form fields), names of controls (4.1.2), one main landmark and one h1 (1.3.1), unique ids,
 * target size (2.5.8), reflow (1.4.10). Each finding is a sentence; a sound page has none.
 */
import type { Page } from 'playwright-core';

export async function findings(page: Page): Promise<string[]> {
  await page.waitForLoadState();
  return page.evaluate(() => {
    const found: string[] = [];
    const shown = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: false, visibilityProperty: true }) &&
      element.getClientRects().length > 0;
    const name = (element: Element): string =>
      `${element.tagName.toLowerCase()}${element.id === '' ? '' : `#${element.id}`} “${(element.textContent ?? '').trim().slice(0, 40)}”`;

    type Rgba = readonly [number, number, number, number];
    const canvas = document
      .createElement('canvas')
      .getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
    const colors = new Map<string, Rgba>();
    const rgba = (color: string): Rgba => {
      const known = colors.get(color);
      if (known !== undefined) return known;
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
      const read: Rgba = [r, g, b, a / 255];
      colors.set(color, read);
      return read;
    };
    const over = (top: Rgba, bottom: Rgba): Rgba => {
      const mix = (i: 0 | 1 | 2): number => top[i] * top[3] + bottom[i] * (1 - top[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const backdrops = new Map<Element, Rgba>();
    const backdrop = (element: Element): Rgba => {
      const known = backdrops.get(element);
      if (known !== undefined) return known;
      const { parentElement: parent } = element;
      const behind = parent === null ? rgba('white') : backdrop(parent);
      const seen = over(rgba(getComputedStyle(element).backgroundColor), behind);
      backdrops.set(element, seen);
      return seen;
    };
    const luminance = ([r, g, b]: Rgba): number => {
      const linear = (value: number): number =>
        value <= 10.31475 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
      return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    };
    const contrast = (a: Rgba, b: Rgba): number => {
      const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
      return (light + 0.05) / (dark + 0.05);
    };

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const judged = new Set<Element>();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (
        element === null ||
        judged.has(element) ||
        (node.textContent ?? '').trim() === '' ||
        !shown(element)
      )
        continue;
      judged.add(element);
      const style = getComputedStyle(element);
      const pixels = Number.parseFloat(style.fontSize);
      const needed = pixels >= 24 || (pixels >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      const behind = backdrop(element);
      const ratio = contrast(over(rgba(style.color), behind), behind);
      if (ratio < needed)
        found.push(`${name(element)} has a contrast of ${ratio.toFixed(2)}, less than ${needed}`);
    }
    for (const field of document.querySelectorAll('input:not([type=hidden]), textarea, select, button')) {
      if (!shown(field) || getComputedStyle(field).borderTopWidth === '0px') continue;
      const ratio = contrast(
        rgba(getComputedStyle(field).borderTopColor),
        backdrop(field.parentElement as Element),
      );
      if (ratio < 3) found.push(`the border of ${name(field)} has a contrast of ${ratio.toFixed(2)}`);
    }

    for (const control of document.querySelectorAll<HTMLElement>('a[href], button, summary')) {
      const label = control.getAttribute('aria-label') ?? control.textContent ?? '';
      const images = [...control.querySelectorAll('img')].map((image) => image.alt).join('');
      if (shown(control) && `${label}${images}`.trim() === '')
        found.push(`${control.outerHTML.slice(0, 80)} has no name`);
    }
    for (const field of document.querySelectorAll<HTMLInputElement>(
      'input:not([type=hidden]), textarea, select',
    )) {
      if (field.labels === null || field.labels.length === 0) found.push(`${name(field)} has no label`);
    }
    for (const image of document.querySelectorAll('img:not([alt])'))
      found.push(`${image.outerHTML.slice(0, 80)} has no alt`);
    for (const landmark of ['main', 'header.site-head', 'footer.site-foot', 'nav[aria-label="Site"]']) {
      const count = document.querySelectorAll(landmark).length;
      if (count !== 1) found.push(`there are ${count} of ${landmark}`);
    }
    const names = [...document.querySelectorAll('nav')].map((nav) => nav.getAttribute('aria-label'));
    if (new Set(names).size !== names.length)
      found.push(`two navigations have the same name: ${names.join(', ')}`);
    if (document.querySelectorAll('h1').length !== 1)
      found.push(`there are ${document.querySelectorAll('h1').length} h1`);
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    const once = new Set<string>();
    for (const id of ids.filter((each) => once.size === once.add(each).size))
      found.push(`the id ${id} stands twice`);

    // Targets in a line of text are excepted (2.5.8), and so are those with room around them.
    const targets = [
      ...document.querySelectorAll('a[href], button, summary, select, input:not([type=hidden])'),
    ].filter(
      (target) => shown(target) && target.closest('p, li > :not(a), td, dd, dt, h1, h2, pre, .text') === null,
    );
    const boxes = targets.map((target) => target.getBoundingClientRect());
    for (const [i, box] of boxes.entries()) {
      if (box.width >= 24 && box.height >= 24) continue;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const near = boxes.some(
        (other, j) =>
          j !== i &&
          Math.hypot(
            Math.max(other.left - x, 0, x - other.right),
            Math.max(other.top - y, 0, y - other.bottom),
          ) < 12,
      );
      if (near)
        found.push(
          `${name(targets[i] as Element)} is ${box.width.toFixed(0)} by ${box.height.toFixed(0)} pixels, with another target close by`,
        );
    }
    const wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (wider > 0) found.push(`the page scrolls sideways by ${wider} pixels`);
    return found;
  });
}
