/** Row keys suggested behind what was typed already: the browser completes a whole field, and here one of a list. */

const field = document.querySelector<HTMLInputElement>('#keys');
const list = document.querySelector<HTMLDataListElement>('#keys-suggestions');

if (field !== null && list !== null) {
  const all = [...list.options].map(({ value, label }) => ({ value, label }));
  field.addEventListener('input', () => {
    const [head = ''] = /^.*[\s,]/s.exec(field.value) ?? [];
    const named = new Set(head.split(/[\s,]+/));
    list.replaceChildren(
      ...all
        .filter(({ value }) => !named.has(value))
        .map(({ value, label }) => new Option(label, `${head}${value}`)),
    );
  });
}
