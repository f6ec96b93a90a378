/** Marks the present place in the contents, and folds them where they would cover what they lead to. */

const nav = document.querySelector<HTMLElement>('.contents');
const fold = nav?.querySelector('details');
const here = nav?.querySelector('.contents-here');
const wide = matchMedia('(min-width: 84rem)');

if (nav !== null && nav !== undefined) {
  nav.dataset['live'] = '';
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of nav.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')) {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (target !== null) links.set(target, link);
  }
  const places = [...links.keys()];
  const backwards = [...places].reverse();
  let current: HTMLAnchorElement | undefined;

  /** The last place whose beginning is above the upper third of the window. */
  const mark = (): void => {
    const limit = innerHeight / 3;
    const place = backwards.find((each) => each.getBoundingClientRect().top <= limit) ?? places[0];
    const link = place === undefined ? undefined : links.get(place);
    if (link === current) return;
    current?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'location');
    current = link;
    if (here !== null && here !== undefined)
      here.textContent = link?.closest('.contents-parts')
        ? (link.textContent ?? '').replace(/ [\d,]+$/, '')
        : (link?.textContent ?? '');
    if (link !== undefined && wide.matches && nav.scrollHeight > nav.clientHeight)
      nav.scrollTop = link.offsetTop - nav.clientHeight / 2;
  };

  // Asked only when a beginning passes a line, not at every step of scrolling.
  const observer = new IntersectionObserver(mark, { rootMargin: '9999999px 0px -66% 0px' });
  for (const place of places) observer.observe(place);
  mark();

  nav.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a') !== null && !wide.matches)
      fold?.removeAttribute('open');
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && fold?.open === true && !wide.matches) fold.open = false;
  });
}
