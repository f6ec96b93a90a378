/** `/owner/articles`: the table is filtered while one types. Without this the form asks the server. */

const field = document.querySelector<HTMLInputElement>('#filter');
const told = document.querySelector<HTMLElement>('#matching');
const rows = [...document.querySelectorAll<HTMLTableRowElement>('.articles-table tbody tr')];

field?.addEventListener('input', () => {
  const words = field.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  let count = 0;
  for (const row of rows) {
    const text = row.dataset['text'] ?? '';
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) count++;
  }
  if (told !== null)
    told.textContent =
      words.length === 0
        ? ''
        : count === 0
          ? 'No article here matches; Enter looks through all.'
          : `${count} of ${rows.length} shown.`;
});
