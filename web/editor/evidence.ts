/**
 * Claims and sources made beside the editor: their forms in a dialog, filled with the selected words, checked by the
 * server while one types, and sent without leaving the text.
 */

const pauseMs = 400;

/** Tells which rules the fields break so far. Nothing is written. */
export function checkWhileTyping(form: HTMLFormElement): void {
  const told = form.querySelector<HTMLElement>('[data-findings]');
  takeWords(form);
  if (told === null) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  const check = async (): Promise<void> => {
    running?.abort();
    running = new AbortController();
    const body = fieldsOf(form);
    body.set('act', 'check');
    try {
      const answer = await fetch(form.action, { method: 'POST', body, signal: running.signal });
      if (!answer.ok) return;
      told.replaceChildren(...partsOf(await answer.text()));
      placeFindings(form, told);
    } catch {
      // The form says the same when it is sent.
    }
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void check(), pauseMs);
  });
}

/** Puts each finding below the field that it is about; what is announced stays in the list. */
function placeFindings(form: HTMLFormElement, told: HTMLElement): void {
  for (const old of form.querySelectorAll('.field > .finding')) old.remove();
  const found = new Map<string, HTMLElement[]>();
  for (const each of told.querySelectorAll<HTMLElement>('[data-field]')) {
    const name = each.dataset['field'] ?? '';
    found.set(name, [...(found.get(name) ?? []), each]);
  }
  for (const control of form.querySelectorAll<HTMLElement>('[name]')) {
    const field = control.closest('.field');
    const own = found.get(control.getAttribute('name') ?? '') ?? [];
    if (field === null) continue;
    const id = `${control.id}-found`;
    const described = (control.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .filter((each) => each !== '' && each !== id);
    if (control.hasAttribute('data-checked')) control.removeAttribute('aria-invalid');
    if (described.length > 0) control.setAttribute('aria-describedby', described.join(' '));
    else control.removeAttribute('aria-describedby');
    if (own.length === 0) continue;
    control.setAttribute('data-checked', '');
    if (own.some((each) => each.classList.contains('finding-error')))
      control.setAttribute('aria-invalid', 'true');
    // The error of the last answer is about other words.
    field.querySelector('.field-error')?.remove();
    const [first, ...others] = own;
    first?.setAttribute('id', id);
    for (const each of others) first?.append(' ', ...each.childNodes);
    control.setAttribute('aria-describedby', [...described, id].join(' '));
    if (first !== undefined) field.append(first);
  }
}

/** A chosen sentence is taken at once; the button that does it without a script goes. */
function takeWords(form: HTMLFormElement): void {
  const place = form.querySelector<HTMLElement>('.take-words');
  const menu = place?.querySelector('select');
  if (place == null || menu == null) return;
  place.querySelector('button')?.remove();
  menu.addEventListener('change', () => {
    const { text, section } = menu.selectedOptions[0]?.dataset ?? {};
    if (text === undefined) return;
    for (const [name, value] of [
      [place.dataset['into'] ?? '', text] as const,
      ['section', section ?? ''] as const,
    ]) {
      const field = form.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.value = value;
    }
    form.dispatchEvent(new Event('input'));
  });
}

export function fieldsOf(form: HTMLFormElement): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
  return fields;
}

function partsOf(html: string): readonly Node[] {
  return [...new DOMParser().parseFromString(html, 'text/html').body.childNodes].map((node) =>
    document.importNode(node, true),
  );
}

/** Opens the form that a link leads to in a dialog; `fill` sets its fields; `done` is called with the result. */
export async function openForm(
  href: string,
  fill: Readonly<Record<string, string>>,
  done: (said: string) => void,
): Promise<void> {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog evidence-dialog';
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'dialog-close';
  close.setAttribute('aria-label', 'Close');
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  const submit = async (own: HTMLFormElement): Promise<void> => {
    const said = await send(own, show);
    if (said === undefined) return;
    dialog.close();
    done(said);
  };
  const show = (page: Document): boolean => {
    const form = page.querySelector<HTMLFormElement>('form.evidence-form');
    const title = page.querySelector('h1');
    if (form === null || title === null) return false;
    const head = document.createElement('div');
    head.className = 'dialog-head';
    const heading = document.createElement('h2');
    heading.id = 'evidence-title';
    heading.textContent = title.textContent;
    head.append(heading, close);
    const own = document.importNode(form, true);
    // Its address is relative to the page that it was taken from.
    own.action = new URL(form.getAttribute('action') ?? '', location.href).href;
    dialog.setAttribute('aria-labelledby', heading.id);
    dialog.replaceChildren(head, own);
    checkWhileTyping(own);
    own.addEventListener('submit', (event) => {
      event.preventDefault();
      void submit(own);
    });
    return true;
  };
  const answer = await fetch(href);
  if (!show(new DOMParser().parseFromString(await answer.text(), 'text/html'))) {
    location.assign(href);
    return;
  }
  document.body.append(dialog);
  dialog.showModal();
  const form = dialog.querySelector('form');
  for (const [name, value] of Object.entries(fill)) {
    const field = form?.elements.namedItem(name);
    if (value !== '' && (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement))
      field.value = value;
  }
  form?.querySelector<HTMLElement>('textarea, input:not([type="hidden"])')?.focus();
  form?.dispatchEvent(new Event('input'));
}

/** What the page after a successful form says; undefined where the form came back, which is shown then. */
async function send(form: HTMLFormElement, show: (page: Document) => boolean): Promise<string | undefined> {
  const answer = await fetch(form.action, { method: 'POST', body: fieldsOf(form) });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (answer.redirected && answer.ok)
    return page.querySelector('.console-notice, .toast')?.textContent ?? 'Done.';
  if (!show(page)) location.assign(form.action);
  return undefined;
}
