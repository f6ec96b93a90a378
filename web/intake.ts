/**
 * Dropping files onto a field of the desk, and pasting an image into it (contract §8). Without this module the field is
 * an ordinary one.
 */

for (const area of document.querySelectorAll<HTMLElement>('[data-drop]')) {
  const field = area.querySelector<HTMLInputElement>('input[type="file"]');
  if (field !== null) takeFiles(area, field);
}

function takeFiles(area: HTMLElement, field: HTMLInputElement): void {
  const take = (files: FileList | null | undefined): boolean => {
    if (files === null || files === undefined || files.length === 0) return false;
    const taken = new DataTransfer();
    for (const file of field.multiple ? files : [...files].slice(0, 1)) taken.items.add(file);
    field.files = taken.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
    return true;
  };
  area.addEventListener('dragover', (event) => {
    event.preventDefault();
    area.setAttribute('data-over', '');
  });
  area.addEventListener('dragleave', () => area.removeAttribute('data-over'));
  area.addEventListener('drop', (event) => {
    event.preventDefault();
    area.removeAttribute('data-over');
    take(event.dataTransfer?.files);
  });
  document.addEventListener('paste', (event) => {
    if (take(event.clipboardData?.files)) event.preventDefault();
  });
}

/** A text that is pasted with its formatting is sent with it, as long as it is not changed afterwards. */
for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-rich]'))
  keepFormatting(area);

function keepFormatting(area: HTMLTextAreaElement): void {
  const said = document.querySelector<HTMLElement>('[data-pasted]');
  const before = said?.textContent ?? '';
  const hidden = document.createElement('input');
  hidden.type = 'hidden';
  hidden.name = area.dataset['rich'] ?? '';
  area.after(hidden);
  said?.setAttribute('role', 'status');
  const keep = (html: string): void => {
    hidden.value = html;
    if (said !== null)
      said.textContent =
        html === ''
          ? before
          : 'The formatting is kept: links, lists and tables too. Change the text to send it plain.';
  };
  let pasted = '';
  area.addEventListener('paste', (event) => {
    const html = event.clipboardData?.getData('text/html') ?? '';
    // Only a whole text: formatting of a part of it would replace the rest.
    pasted = area.value.trim() === '' ? html : '';
  });
  area.addEventListener('input', () => {
    keep(pasted);
    pasted = '';
  });
}
