/** A box that scrolls takes the focus, and says that it is one. */

function nameScrollers(): void {
  for (const box of document.querySelectorAll<HTMLElement>('pre, .scroll, .equation')) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    if (scrolls && !box.hasAttribute('tabindex')) {
      box.tabIndex = 0;
      box.setAttribute('role', 'group');
      const what = box.matches('pre') ? 'Code' : box.matches('.scroll') ? 'Table' : 'Formula';
      box.setAttribute('aria-label', `${what}, scrolls sideways`);
    } else if (!scrolls && box.hasAttribute('tabindex')) {
      for (const name of ['tabindex', 'role', 'aria-label']) box.removeAttribute(name);
    }
  }
}

nameScrollers();
const text = document.querySelector('.text') ?? document.querySelector('main');
if (text !== null) new ResizeObserver(nameScrollers).observe(text);
