/**
 * Shows a claim, a source or a footnote beside the link that names it, from what the page has already: on hover, on
 * focus, and on a first tap. Escape and leaving close it; it may itself be pointed at (WCAG 1.4.13).
 */

const openAfterMs = 180;
const closeAfterMs = 250;
const gapPx = 6;

const box = document.createElement('div');
box.className = 'peek';
box.id = 'peek';
box.setAttribute('role', 'tooltip');
box.hidden = true;

let shownFor: HTMLAnchorElement | undefined;
let opening: ReturnType<typeof setTimeout> | undefined;
let closing: ReturnType<typeof setTimeout> | undefined;

/** The claim, source or note that a link of this page names. */
function targetOf(link: HTMLAnchorElement): HTMLElement | null {
  if (link.closest('.contents, .peek, .acts') !== null) return null;
  const ofClaim = /\/a\/[^/?#]+\/([cs]\d+)$/.exec(link.pathname)?.[1];
  const isHere = link.pathname === location.pathname;
  const id = isHere
    ? decodeURIComponent(link.hash.slice(1))
    : link.pathname === `${location.pathname}/${ofClaim ?? ''}`
      ? (ofClaim ?? '')
      : '';
  if (!/^(?:[cs]\d+|h-note__\d+)$/.test(id)) return null;
  const target = document.getElementById(id);
  const whole = id.startsWith('h-') ? (target?.closest('p, li') ?? null) : target;
  // What is read already needs no preview.
  return whole instanceof HTMLElement && !whole.contains(link) ? whole : null;
}

/** A copy without ids, and without links and buttons, which a tooltip must not hold. */
function copyOf(target: HTMLElement): readonly Node[] {
  const copy = target.cloneNode(true) as HTMLElement;
  for (const each of copy.querySelectorAll('[id]')) each.removeAttribute('id');
  for (const each of copy.querySelectorAll('.respond, .acts, button, .source-foot')) each.remove();
  for (const link of copy.querySelectorAll('a')) {
    const text = document.createElement('span');
    text.append(...link.childNodes);
    link.replaceWith(text);
  }
  if (!target.matches('p')) return [...copy.childNodes];
  const paragraph = document.createElement('p');
  paragraph.append(...copy.childNodes);
  return [paragraph];
}

function place(link: HTMLAnchorElement): void {
  const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
  const left = Math.max(gapPx, Math.min(at.left, innerWidth - box.offsetWidth - gapPx * 2));
  const below = at.bottom + gapPx;
  const top =
    below + box.offsetHeight > innerHeight && at.top > box.offsetHeight + gapPx
      ? at.top - box.offsetHeight - gapPx
      : below;
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

function show(link: HTMLAnchorElement, target: HTMLElement): void {
  clearTimeout(closing);
  if (shownFor === link) return;
  hide();
  box.replaceChildren(...copyOf(target));
  box.lang = target.closest<HTMLElement>('[lang]')?.lang ?? '';
  box.hidden = false;
  if (!box.isConnected) document.body.append(box);
  place(link);
  link.setAttribute('aria-describedby', box.id);
  shownFor = link;
}

function hide(): void {
  clearTimeout(opening);
  clearTimeout(closing);
  shownFor?.removeAttribute('aria-describedby');
  shownFor = undefined;
  box.hidden = true;
}

function hideSoon(): void {
  clearTimeout(opening);
  clearTimeout(closing);
  closing = setTimeout(hide, closeAfterMs);
}

function linkAt(event: Event): HTMLAnchorElement | null {
  return event.target instanceof Element ? event.target.closest('a') : null;
}

document.addEventListener('pointerover', (event) => {
  if (event.pointerType !== 'mouse') return;
  if (event.target instanceof Node && box.contains(event.target)) return clearTimeout(closing);
  const link = linkAt(event);
  const target = link === null ? null : targetOf(link);
  if (link === null || target === null) return shownFor === undefined ? clearTimeout(opening) : hideSoon();
  clearTimeout(opening);
  clearTimeout(closing);
  opening = setTimeout(() => show(link, target), openAfterMs);
});
document.addEventListener('focusin', (event) => {
  const link = linkAt(event);
  const target = link === null ? null : targetOf(link);
  if (link !== null && target !== null && link.matches(':focus-visible')) show(link, target);
  else if (shownFor !== undefined) hide();
});
document.addEventListener('focusout', hideSoon);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') hide();
});
addEventListener('scroll', hide, { passive: true });

// A first tap shows, a second follows the link.
document.addEventListener('click', (event) => {
  if (!(event instanceof PointerEvent) || event.pointerType === 'mouse' || event.pointerType === '') return;
  const link = linkAt(event);
  const target = link === null ? null : targetOf(link);
  if (link !== null && target !== null && shownFor !== link) {
    event.preventDefault();
    show(link, target);
  } else if (!(event.target instanceof Node) || !box.contains(event.target)) hide();
});
