/**
 * Forms of a discussion (contract §8): what was typed survives a reload and a way back, in this browser only, until it is
 * sent; the name is remembered.
 */
import { mayStore } from './forms/drafts.ts';

const drafts = mayStore('sessionStorage');
const names = mayStore('localStorage');
const nameKey = 'colophon name';

for (const form of document.querySelectorAll<HTMLFormElement>('form.say')) {
  const target = form.querySelector<HTMLInputElement>('input[name=on]')?.value ?? '';
  const key = `colophon say ${location.pathname} ${target}`;
  const text = form.querySelector<HTMLTextAreaElement>('textarea[name=text]');
  const name = form.querySelector<HTMLInputElement>('input[name=actor]');
  if (text === null || name === null) continue;
  const kept = drafts?.getItem(key) ?? '';
  if (text.value === '' && kept !== '') {
    text.value = kept;
    const disclosure = form.closest('details');
    if (disclosure !== null) disclosure.open = true;
  }
  if (name.value === '') name.value = names?.getItem(nameKey) ?? '';
  text.addEventListener('input', () => drafts?.setItem(key, text.value));
  form.addEventListener('submit', () => names?.setItem(nameKey, name.value));
}

// A form that was taken leads to a page that says so: its draft is no longer needed.
if (document.querySelector('.recorded') !== null && drafts !== undefined) {
  const base = location.pathname.replace(/\/discuss\/.*$/, '/discuss');
  for (const key of Object.keys(drafts)) if (key.startsWith(`colophon say ${base} `)) drafts.removeItem(key);
}
