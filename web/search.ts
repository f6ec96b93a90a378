/**
 * Results while a reader types (contract §8): the page of the new words is fetched and its results put into this one, so
 * that there is one rendering. Arrow keys go through the results, Escape back to the field. An answer that a newer one
 * overtook is dropped.
 */

const pauseMs = 180;
const form = document.querySelector<HTMLFormElement>('#search');
const field = document.querySelector<HTMLInputElement>('#q');
const found = document.querySelector<HTMLElement>('#found');
const status = document.querySelector<HTMLElement>('#search-status');

if (form !== null && field !== null && found !== null && status !== null) {
  let timer = 0;
  let current = new AbortController();
  let shown = address(form);

  const look = async (): Promise<void> => {
    const wanted = address(form);
    if (wanted === shown || field.value.trim() === '') return;
    current.abort();
    const { signal } = (current = new AbortController());
    found.setAttribute('aria-busy', 'true');
    try {
      const response = await fetch(wanted, { signal });
      // What is there stays until there is something better: a busy server, no network.
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const come = page.querySelector('#found');
      if (come === null || signal.aborted) return;
      found.replaceChildren(...come.childNodes);
      shown = wanted;
      document.title = page.title;
      history.replaceState(null, '', wanted);
      const summary = found.querySelector('#results, [role="alert"]')?.textContent ?? '';
      const suggestion = found.querySelector('.did-you-mean')?.textContent ?? '';
      status.textContent = `${summary}. ${suggestion}`;
    } catch {
      // Overtaken, or without a network: Enter asks again.
    } finally {
      if (current.signal === signal) found.removeAttribute('aria-busy');
    }
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), pauseMs);
  });
  form.addEventListener('submit', () => {
    clearTimeout(timer);
    current.abort();
  });

  const step = (by: 1 | -1): void => {
    const links = [...found.querySelectorAll<HTMLElement>('.hit-link')];
    const at = links.findIndex((link) => link === document.activeElement) + by;
    (at < 0 ? field : links[at])?.focus();
  };
  for (const place of [field, found])
    place.addEventListener('keydown', (event) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (event.key === 'ArrowDown') step(1);
      else if (event.key === 'ArrowUp' && place === found) step(-1);
      else if (event.key === 'Escape' && place === found) field.focus();
      else return;
      event.preventDefault();
    });

  if (location.search === '') field.focus({ preventScroll: true });
}

/** The page of the words in the form. */
function address(from: HTMLFormElement): string {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(from))
    if (typeof value === 'string' && value !== '') query.set(name, value);
  return `${from.action}?${query.toString()}`;
}
