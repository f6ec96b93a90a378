/**
 * The owner's queue (contract §8): decides without leaving the page, so that the next item has the focus at once, and
 * chooses items by key. The keys of single items are those of `site/shortcuts.ts`; without a script every form works.
 */
import { passingToast } from './site/toast.ts';

const root = document.querySelector<HTMLElement>('[data-waiting]');
const together = document.querySelector<HTMLFormElement>('#together');

function items(): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[data-step]') ?? [])];
}

function boxes(): HTMLInputElement[] {
  return items().flatMap((item) => [
    ...item.querySelectorAll<HTMLInputElement>('input[type="checkbox"][form="together"]'),
  ]);
}

function chosen(): number {
  return boxes().filter(({ checked }) => checked).length;
}

/** Says how many are chosen; the bar stays in sight while some are. */
function count(): void {
  const many = chosen();
  const said = together?.querySelector('[data-chosen]');
  if (together === null || said == null) return;
  const text =
    many === 0 ? 'With the chosen ones' : many === 1 ? 'With the one chosen' : `With the ${many} chosen`;
  if (said.textContent !== text) said.textContent = text;
  together.classList.toggle('waiting-some', many > 0);
}

// Decisions on single items

root?.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  const item = form.closest<HTMLElement>('[data-step]');
  if (item === null || event.defaultPrevented) return;
  event.preventDefault();
  void decide(form, event.submitter, item);
});

async function decide(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  item: HTMLElement,
): Promise<void> {
  if (item.ariaBusy === 'true') return;
  item.ariaBusy = 'true';
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') fields.append(name, value);
  const answer = await fetch(form.action, { method: 'POST', body: fields }).catch(() => undefined);
  item.ariaBusy = 'false';
  if (answer === undefined || answer.status === 401 || answer.status >= 500) {
    passingToast(
      answer?.status === 401
        ? 'The login has ended. Log in in another tab and send it again.'
        : 'The server did not answer. Nothing typed is lost: send it again.',
    );
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const again = page.getElementById(item.id);
  if (!answer.ok && again !== null) {
    const shown = document.adoptNode(again);
    item.replaceWith(shown);
    (shown.querySelector<HTMLElement>('details[open] textarea') ?? shown).focus();
    return;
  }
  if (!answer.ok) {
    passingToast(page.querySelector('[role="status"], [role="alert"]')?.textContent ?? 'It was not done.');
    return;
  }
  decided(item, page);
}

/** The item leaves, the next one has the focus, and what is new in the answer takes its place at the end. */
function decided(item: HTMLElement, page: Document): void {
  passingToast(page.querySelector('[role="status"]')?.textContent.trim() ?? 'Done.');
  for (const part of ['.tabs', '.waiting-found', 'nav[aria-label="Pages"]', '.waiting-approvals'])
    take(part, page);
  const all = items();
  const [before, after] = [all[all.indexOf(item) - 1], all[all.indexOf(item) + 1]];
  const list = item.parentElement;
  item.remove();
  for (const each of page.querySelectorAll<HTMLElement>('.waiting-list > [data-step]')) {
    const shown = document.getElementById(each.id);
    if (shown === null) list?.append(document.adoptNode(each));
    // The decision has changed what others are about.
    else if (shown.dataset['now'] !== each.dataset['now']) renew(shown, document.adoptNode(each));
  }
  count();
  const next =
    (after === undefined ? null : document.getElementById(after.id)) ??
    items().at(before === undefined ? 0 : -1);
  if (next === undefined) return location.reload();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'center' });
}

/** The item as it is in the answer, with what was chosen and typed. */
function renew(shown: HTMLElement, fresh: HTMLElement): void {
  for (const name of ['input[type="checkbox"]', 'input[name="note"]']) {
    const [from, to] = [shown, fresh].map((item) => item.querySelector<HTMLInputElement>(name));
    if (from == null || to == null) continue;
    to.checked = from.checked;
    to.value = from.value;
  }
  shown.replaceWith(fresh);
}

/** A part of the page as it is in the answer. */
function take(selector: string, page: Document): void {
  const [old, fresh] = [root?.querySelector(selector), page.querySelector(selector)];
  if (fresh === null) old?.remove();
  else if (old == null) root?.append(document.adoptNode(fresh));
  else old.replaceWith(document.adoptNode(fresh));
}

// Choosing, and deciding what is chosen

root?.addEventListener('change', count);

/** The item that had the focus last. */
let current: HTMLElement | undefined;

root?.addEventListener('focusin', ({ target }) => {
  current = (target as HTMLElement).closest<HTMLElement>('[data-step]') ?? current;
});

let goUntil = 0;

addEventListener(
  'keydown',
  (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !keysAreOn()) return;
    if (key === 'Escape' && target instanceof HTMLElement && isTyping(target)) {
      // From the note of many, back to the item that one came from.
      (target.closest<HTMLElement>('[data-step]') ?? current)?.focus();
      return;
    }
    if (target instanceof HTMLElement && isTyping(target)) return;
    // The second key of `g` is not one of the queue's.
    const follows = Date.now() < goUntil;
    goUntil = key === 'g' ? Date.now() + 1500 : 0;
    const act = follows ? undefined : actionOf(key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  },
  { capture: true },
);

function actionOf(key: string): (() => void) | undefined {
  if (key === 'x') {
    const box = document.activeElement
      ?.closest('[data-step]')
      ?.querySelector<HTMLInputElement>('input[type="checkbox"][form="together"]');
    return box == null ? undefined : () => box.click();
  }
  if (key === 'm') {
    const mend = document.activeElement?.closest('[data-step]')?.querySelector('details');
    return mend == null ? undefined : () => (mend.open = true);
  }
  // With some chosen, the keys are those of the bar.
  if (together === null || chosen() === 0) return undefined;
  if (key === 'n') return () => together.querySelector<HTMLInputElement>('input[name="note"]')?.focus();
  const value = key === 'a' ? 'accept' : key === 'r' ? 'reject' : undefined;
  if (value === undefined) return undefined;
  const button = together.querySelector<HTMLButtonElement>(`button[value="${value}"]`);
  return button === null ? undefined : () => together.requestSubmit(button);
}

function isTyping(target: HTMLElement): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox')
  );
}

/** Readers can switch all keys off, on /docs/keys. */
function keysAreOn(): boolean {
  try {
    return localStorage.getItem('colophon.keys') !== 'off';
  } catch {
    return true;
  }
}

root?.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return;
    target.querySelector('textarea')?.focus();
  },
  { capture: true },
);

count();
