/** Filters the directory while the reader types. Without it the form does the same with a button. */

const form = document.getElementById('directory-filter');
const count = document.getElementById('directory-count');
const none = document.getElementById('directory-none');
const rows = [...document.querySelectorAll<HTMLElement>('.row-list > [data-words]')];

function filter(): void {
  const q = (document.getElementById('directory-q') as HTMLInputElement).value.toLowerCase();
  const who = (document.getElementById('directory-who') as HTMLSelectElement).value;
  const words = q.split(/\s+/);
  let shown = 0;
  for (const row of rows) {
    const { words: own = '', auth } = row.dataset;
    row.hidden = !(words.every((word) => own.includes(word)) && (who === '' || auth === who));
    if (!row.hidden) shown++;
  }
  for (const section of document.querySelectorAll<HTMLElement>('.directory > section'))
    section.hidden = section.querySelector('[data-words]:not([hidden])') === null;
  if (count !== null)
    count.textContent =
      shown === rows.length ? `${String(shown)} rows` : `${String(shown)} of ${String(rows.length)} rows`;
  if (none !== null) none.hidden = shown > 0;
}

form?.addEventListener('input', filter);
form?.querySelector('button')?.remove();
filter();
