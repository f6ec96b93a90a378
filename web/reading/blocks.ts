/** Copies what is cited: the permalink of a block, and the forms of a citation. */
import { passingToast } from '../site/toast.ts';

function copy(text: string, said: string): void {
  navigator.clipboard.writeText(text).then(
    () => passingToast(said),
    () => passingToast('This browser does not let the page copy.'),
  );
}

// Absent on pages that come over plain HTTP.
if (isSecureContext) {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.acts > a:first-of-type')) {
    link.textContent = 'copy';
    link.setAttribute('aria-label', 'Copy the address of this block');
    link.setAttribute('role', 'button');
  }
  document.addEventListener('click', (event) => {
    const link =
      event.target instanceof Element
        ? event.target.closest<HTMLAnchorElement>('.acts > a:first-of-type')
        : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    copy(link.href, 'Copied the address of this block');
  });

  for (const form of document.querySelectorAll<HTMLElement>('pre[data-cite]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button button-quiet';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${form.dataset['cite'] ?? ''}`);
    button.addEventListener('click', () => copy(form.textContent, `Copied ${form.dataset['cite'] ?? ''}`));
    form.after(button);
  }
}

// Links to the citation open it.
function openCitation(): void {
  const cite = document.getElementById('cite');
  if (location.hash === '#cite' && cite instanceof HTMLDetailsElement) cite.open = true;
}
openCitation();
addEventListener('hashchange', openCitation);

// What was opened closes by Escape and by a click beside it.
function closeOpened(except: Element | null): void {
  for (const opened of document.querySelectorAll<HTMLDetailsElement>(
    '.acts[open], .seal-brief > details[open]',
  ))
    if (except === null || !opened.contains(except)) opened.open = false;
}
document.addEventListener('click', (event) =>
  closeOpened(event.target instanceof Element ? event.target : null),
);
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  const within = document.activeElement?.closest<HTMLDetailsElement>(
    '.acts[open], .seal-brief > details[open]',
  );
  closeOpened(null);
  within?.querySelector('summary')?.focus();
});
