/**
 * Keys that do what a page offers (docs/keys). A control names its own key in `aria-keyshortcuts`; a link that `g`
 * leads to names the second key in `data-go`; `j` and `k` go through the entries of the page. No key does anything
 * while a reader types, and all of them can be switched off (WCAG 2.1.4).
 */

const root = new URL('../../', import.meta.url);
const switchedOff = 'colophon.keys';
const secondKeyMs = 1500;
/** What `j` and `k` go through: what a page marks, or else the blocks of a text and the entries of lists. */
const entries = '[data-step], .text .div, .hits > li, .queue > li';

let goUntil = 0;

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  // The Markdown editor stands in a shadow root, for which `target` would name its host.
  if (isTyping(event.composedPath()[0] ?? null) || document.querySelector('dialog[open]') !== null || !isOn())
    return;
  const act = actionOf(event.key);
  goUntil = event.key === 'g' && Date.now() >= goUntil ? Date.now() + secondKeyMs : 0;
  if (act === undefined) return;
  event.preventDefault();
  act();
});

function actionOf(key: string): (() => void) | undefined {
  if (Date.now() < goUntil) return pressed(`[data-go="${CSS.escape(key)}"]`, document);
  if (key === '?') return () => void showKeys();
  if (key === 'j') return () => step(1);
  if (key === 'k') return () => step(-1);
  const control = `[aria-keyshortcuts~="${CSS.escape(key)}"]`;
  const current = document.activeElement?.closest(entries);
  if (key === 'e' && current != null) {
    const edits = editing(current.id);
    if (edits !== undefined) return edits;
  }
  return (current == null ? undefined : pressed(control, current)) ?? pressed(control, document);
}

/** The editor of the block that a reader has stepped to, where the page leads to the editor of its text. */
function editing(block: string): (() => void) | undefined {
  const link = document.querySelector<HTMLAnchorElement>('a[aria-keyshortcuts~="e"][href$="/edit"]');
  return link === null || !/^d\d+$/.test(block)
    ? undefined
    : () => location.assign(`${link.href}?block=${block}`);
}

/** Uses the first control that is there: in the current entry, or on the page outside of all entries. */
function pressed(selector: string, within: ParentNode): (() => void) | undefined {
  const found = [...within.querySelectorAll<HTMLElement>(selector)].find(
    (control) => control.checkVisibility() && (within !== document || control.closest(entries) === null),
  );
  if (found === undefined) return undefined;
  if (!(found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement))
    return () => found.click();
  return () => {
    found.focus();
    found.select();
  };
}

function step(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(entries)].filter((each) => each.checkVisibility());
  const current = document.activeElement?.closest<HTMLElement>(entries) ?? null;
  const at = current === null ? nearestTo(all, by) : all.indexOf(current) + by;
  const next = all[at];
  if (next === undefined) return;
  if (!next.hasAttribute('tabindex')) next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'center' });
}

/** Where a reader who has not stepped yet begins: at what is on the screen. */
function nearestTo(all: readonly HTMLElement[], by: 1 | -1): number {
  const below = all.findIndex((each) => each.getBoundingClientRect().top >= 0);
  if (below === -1) return all.length - 1;
  return by === 1 ? below : below - 1;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement &&
        !['checkbox', 'radio', 'button', 'submit'].includes(target.type)))
  );
}

function isOn(): boolean {
  try {
    return localStorage.getItem(switchedOff) !== 'off';
  } catch {
    return true;
  }
}

/** The list of keys, from the page that has it, in a dialog. */
async function showKeys(): Promise<void> {
  const address = new URL('docs/keys', root);
  if (location.pathname === address.pathname) return;
  const response = await fetch(address).catch(() => undefined);
  const page = new DOMParser().parseFromString((await response?.text()) ?? '', 'text/html');
  const list = page.getElementById('keys');
  if (response?.ok !== true || list === null) return location.assign(address);
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog dialog-keys';
  dialog.setAttribute('aria-label', 'Keys and states');
  dialog.innerHTML =
    '<form method="dialog"><button type="submit" class="dialog-close" aria-label="Close"></button></form>';
  dialog.append(document.adoptNode(list));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  wireSwitch(dialog);
  dialog.showModal();
}

function wireSwitch(within: ParentNode): void {
  const place = within.querySelector<HTMLElement>('.keys-switch');
  const box = place?.querySelector('input');
  if (place == null || box == null) return;
  place.hidden = false;
  box.checked = isOn();
  box.addEventListener('change', () => {
    if (box.checked) localStorage.removeItem(switchedOff);
    else localStorage.setItem(switchedOff, 'off');
  });
}

wireSwitch(document);
