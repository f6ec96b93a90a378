/** A button that copies beside each id, hash or address that is marked with `data-copy`. */
import { passingToast } from './toast.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  // Absent on pages that come over plain HTTP.
  if (!isSecureContext) break;
  const { copy = '' } = element.dataset;
  const text = copy === '' ? element.textContent : copy;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.setAttribute('aria-label', `Copy ${element.textContent}`);
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(
      () => passingToast(`Copied ${element.textContent}`),
      () => passingToast('This browser does not let the page copy.'),
    );
  });
  element.append(button);
}
