/**
 * Claims and sources made beside the editor: their forms in a dialog, filled with the selected words, checked by the
 * server while one types, and sent without leaving the text.
 */

const pauseMs = 400;

/** Tells which rules the fields break so far. Nothing is written. */
export function checkWhileTyping(form: HTMLFormElement): void {
  const told = form.querySelector<HTMLElement>('[data-findings]');
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
      if (answer.ok) told.replaceChildren(...partsOf(await answer.text()));
    } catch {
      // The form says the same when it is sent.
    }
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void check(), pauseMs);
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
