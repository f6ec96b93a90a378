/**
 * Images in the editor (contract §8): chosen with a button, pasted or dropped, they are stored by `/owner/images`, and
 * the Markdown that shows them is put where the cursor is. Without this module that page does the same.
 */

const imageTypes = 'image/png,image/jpeg,image/gif,image/webp,image/avif';

/** `insert` puts a text at the cursor; `tell` says what happens. */
export function takeImages(
  form: HTMLFormElement,
  insert: (text: string) => void,
  tell: (text: string) => void,
): void {
  const store = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      tell(`Storing ${file.name} …`);
      tell(await storeOne(form, file, insert));
    }
  };
  const field = document.createElement('input');
  field.type = 'file';
  field.accept = imageTypes;
  field.multiple = true;
  field.addEventListener('change', () => {
    void store([...(field.files ?? [])]);
    field.value = '';
  });
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button button-quiet';
  button.textContent = 'Add an image';
  button.addEventListener('click', () => field.click());
  form.querySelector('.editor-actions')?.append(button);

  // Before the code editor sees the event, which would put in the file's name.
  const take = (event: Event, data: DataTransfer | null): void => {
    // Documents come with a picture of themselves beside their text.
    if (data?.types.includes('text/plain') === true) return;
    const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
    if (files.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    void store(files);
  };
  form.addEventListener('paste', (event) => take(event, event.clipboardData), { capture: true });
  form.addEventListener('drop', (event) => take(event, event.dataTransfer), { capture: true });
  form.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault();
  });
}

async function storeOne(form: HTMLFormElement, file: File, insert: (text: string) => void): Promise<string> {
  const body = new FormData();
  body.set('form_token', form.querySelector<HTMLInputElement>('input[name="form_token"]')?.value ?? '');
  body.set('alt', file.name.replace(/\.\w+$/, ''));
  body.set('image', file);
  const address = new URL(form.action).pathname.replace(/\/owner\/.*$/, '/owner/images');
  try {
    const answer = await fetch(address, { method: 'POST', body, headers: { accept: 'application/json' } });
    const told = (await answer.json()) as { ok?: boolean; markdown?: string; detail?: string; fix?: string };
    if (told.ok !== true || told.markdown === undefined)
      return `The image was not stored. ${told.detail ?? ''} ${told.fix ?? ''}`.trim();
    insert(told.markdown);
    return 'The image is stored. Say in its brackets what it shows.';
  } catch {
    return 'The image was not stored: the server did not answer, or your sign-in has ended.';
  }
}
