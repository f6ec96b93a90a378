/**
 * When an article is verified (contract §8): at once where it is short, otherwise when the reader reaches its end or
 * asks for it, because the verifier and the article's chains are more bytes than the page.
 */

/** Blocks and claims of an article that is verified at once: its page, verifier and chains have some 60 KB together. */
const partsMax = 40;

const article = document.getElementById('article');
const seal = document.getElementById('seal');
const more = document.getElementById('seal-more');

if (article !== null && seal !== null && more instanceof HTMLDetailsElement) {
  const summary = more.querySelector('summary');
  let isStarted = false;
  let tries = 0;
  // Browsers remember that a module could not be loaded, by its address.
  const verifier = (): string => new URL(`verify.js${tries === 0 ? '' : `?${tries}`}`, import.meta.url).href;

  const start = (): void => {
    if (isStarted) return;
    isStarted = true;
    if (summary !== null) summary.textContent = 'details';
    // It shows what comes of it.
    import(verifier()).catch(() => {
      isStarted = false;
      tries++;
      if (summary !== null) summary.textContent = 'verify';
      const note = document.getElementById('seal-note');
      if (note !== null)
        note.textContent = 'The verifier could not be loaded. Try again when you are online.';
    });
  };

  const isShort = article.querySelectorAll('.div, .note').length <= partsMax;
  const isFrugal = matchMedia('(prefers-reduced-data: reduce)').matches;
  more.addEventListener('toggle', () => {
    if (more.open) start();
  });
  if (isShort && !isFrugal) start();
  else {
    if (summary !== null) summary.textContent = 'verify';
    const end = document.getElementById('colophon');
    if (end !== null && !isFrugal)
      new IntersectionObserver((seen, observer) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        start();
      }).observe(end);
  }
}
