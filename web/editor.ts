/**
 * The editor of `/owner/new` and `/owner/a/<slug>/edit` (contract §8): a Markdown editor over the textarea, a preview by
 * the server while one types, drafts in this browser, keys, and forms for claims and sources. Everything works without
 * it through the form itself.
 */
import { editorOver, type CodeEditor } from './editor/code.ts';
import {
  draftName,
  dropDraft,
  dropOldDrafts,
  findDrafts,
  keepDraft,
  markSubmitted,
  nameOfTab,
  type FoundDraft,
} from './editor/drafts.ts';
import { fieldsOf, openForm } from './editor/evidence.ts';
import { takeImages } from './editor/images.ts';
import { suggestTags } from './editor/tags.ts';
import './reading/scrollers.ts';

const previewPauseMs = 350;
const draftPauseMs = 500;

const editorForm = document.querySelector<HTMLFormElement>('#editor');
const area = editorForm?.querySelector<HTMLTextAreaElement>('textarea[name="text"]') ?? undefined;
const status = document.querySelector<HTMLElement>('#editor-status');
const preview = document.querySelector<HTMLElement>('#preview');
let code: CodeEditor | undefined;

/** Puts a text where the cursor is, in place of the selection; another module may call it. */
export function insertAtCursor(text: string): void {
  if (code !== undefined) code.insert(text);
  else if (area !== undefined) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

if (editorForm !== null) void start(editorForm);

async function start(form: HTMLFormElement): Promise<void> {
  dropOldDrafts();
  const tab = await nameOfTab();
  const name = draftName(form, tab);
  let changesText = status?.textContent ?? '';
  let savedText = '';
  let isTouched = false;
  const tell = (): void => {
    if (status !== null)
      status.textContent = [savedText, changesText].filter((each) => each !== '').join(' · ');
  };

  takeImages(form, insertAtCursor, (text) => {
    changesText = text;
    tell();
  });

  /** The fields that a draft keeps: not those that the page gives anew. */
  const fields = (): Record<string, string> => {
    if (code !== undefined && area !== undefined) area.value = code.text();
    const all = Object.fromEntries(fieldsOf(form));
    for (const each of ['form_token', 'once', 'workspace']) delete all[each];
    return withJoinedParts(all);
  };
  const initial = JSON.stringify(fields());
  const isUnsaved = (): boolean =>
    isTouched && (JSON.stringify(fields()) !== initial || form.dataset['sent'] !== undefined);
  let leaves = false;

  let draftTimer: ReturnType<typeof setTimeout> | undefined;
  const storeDraft = (): void => {
    clearTimeout(draftTimer);
    if (!isTouched) return;
    const now = fields();
    if (!isUnsaved()) {
      dropDraft(name);
      savedText = '';
    } else if (keepDraft(name, { fields: now, at: Date.now() })) {
      const time = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
      savedText = `Draft saved ${time}`;
    } else savedText = 'This browser keeps no draft';
    tell();
  };

  let previewTimer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  const renderPreview = async (): Promise<void> => {
    const address = form.dataset['preview'];
    if (preview === null || address === undefined) return;
    running?.abort();
    running = new AbortController();
    const body = new URLSearchParams(fields());
    body.set('form_token', tokenField(form)?.value ?? '');
    try {
      const answer = await fetch(address, { method: 'POST', body, signal: running.signal });
      if (answer.status === 401 || answer.status === 403) {
        changesText = (await renewToken(form))
          ? changesText
          : 'Your sign-in has ended: sign in again in another tab';
        tell();
        return;
      }
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const next = page.body.firstElementChild;
      showPictures(page.querySelector('#pictures'));
      suggest(page.querySelector<HTMLElement>('#suggested'));
      if (next instanceof HTMLElement) {
        replaceChanged(preview, document.importNode(next, true));
        changesText =
          next.dataset['changed'] === '0' || form.dataset['base'] === '0'
            ? ''
            : (next.dataset['summary'] ?? '');
        tell();
      }
    } catch {
      // Aborted by a newer text, or the server is away: the last preview stays.
    }
  };

  const changed = (): void => {
    isTouched = true;
    countWords();
    clearTimeout(draftTimer);
    draftTimer = setTimeout(storeDraft, draftPauseMs);
    clearTimeout(previewTimer);
    previewTimer = setTimeout(() => void renderPreview(), previewPauseMs);
  };

  if (area !== undefined) {
    code = editorOver(area, changed);
    document.querySelector('#preview-button')?.setAttribute('hidden', '');
    preview?.addEventListener('click', (event) => {
      const block = event.target instanceof Element ? event.target.closest('[data-line]') : null;
      const isLink = event.target instanceof Element && event.target.closest('a, summary') !== null;
      if (block instanceof HTMLElement && !isLink && getSelection()?.isCollapsed !== false)
        code?.goTo(Number(block.dataset['line']));
    });
  }
  form.addEventListener('input', changed);
  addEventListener('pagehide', storeDraft);
  addEventListener('pageshow', () => (leaves = false));
  addEventListener('beforeunload', (event) => {
    if (!leaves && isUnsaved()) event.preventDefault();
  });
  showPictures(document.querySelector('#pictures'));
  countWords();
  // What came back from the server is newer than any draft.
  if (form.dataset['sent'] !== undefined) {
    isTouched = true;
    storeDraft();
  } else
    await offerDrafts(form, tab, (kept) => {
      restore(form, kept);
      changed();
    });

  form.addEventListener('submit', (event) => {
    leaves = true;
    fields();
    const act = event.submitter instanceof HTMLButtonElement ? event.submitter.value : '';
    if (act === 'preview') return;
    isTouched = true;
    storeDraft();
    markSubmitted(name);
  });

  const block = form.querySelector<HTMLInputElement>('input[name="block"]')?.value;
  if (block !== undefined && preview !== null) {
    code?.focus();
    const shown = preview.querySelector<HTMLElement>(`[id="${block}"]`);
    if (shown !== null) preview.scrollTop = shown.offsetTop - preview.clientHeight / 3;
  }

  listenToKeys(form, () => {
    storeDraft();
    leaves = true;
  });
  decideConflicts(form);
  listenToTools();
  suggestTags();
}

/** A merge is kept as the text that it makes, with the decisions as they stand. */
function withJoinedParts({ parts, ...fields }: Record<string, string>): Record<string, string> {
  if (parts === undefined) return fields;
  const texts = (JSON.parse(parts) as (string | null)[]).map((part, i) => part ?? fields[`part.${i}`] ?? '');
  const others = Object.entries(fields).filter(([name]) => !name.startsWith('part.'));
  const text = texts.filter((part) => part.trim() !== '').join('\n\n');
  return { ...Object.fromEntries(others), text: `${text}\n` };
}

function tokenField(form: HTMLFormElement): HTMLInputElement | null {
  return form.querySelector<HTMLInputElement>('input[name="form_token"]');
}

/** After a new sign-in in another tab, the form needs the token of the new session. */
async function renewToken(form: HTMLFormElement): Promise<boolean> {
  const answer = await fetch(location.pathname);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.querySelector<HTMLInputElement>('#editor input[name="form_token"]')?.value;
  const own = tokenField(form);
  if (fresh === undefined || own === null) return false;
  own.value = fresh;
  return true;
}

/** Replaces only the blocks that differ, so that the page keeps its place. */
function replaceChanged(place: HTMLElement, next: HTMLElement): void {
  const current = place.firstElementChild;
  if (!(current instanceof HTMLElement) || !current.classList.contains('preview-blocks')) {
    place.replaceChildren(next);
    return;
  }
  const [old, fresh] = [[...current.children], [...next.children]];
  let first = 0;
  while (first < old.length && first < fresh.length && old[first]?.outerHTML === fresh[first]?.outerHTML)
    first++;
  let [endOld, endFresh] = [old.length, fresh.length];
  while (
    endOld > first &&
    endFresh > first &&
    old[endOld - 1]?.outerHTML === fresh[endFresh - 1]?.outerHTML
  ) {
    endOld--;
    endFresh--;
  }
  for (const each of old.slice(first, endOld)) each.remove();
  const before = current.children[first] ?? null;
  for (const each of fresh.slice(first, endFresh)) current.insertBefore(each, before);
  fresh[first]?.scrollIntoView({ block: 'nearest' });
}

/** The list of pictures follows the text; the boxes stay as they were set. */
function showPictures(next: HTMLElement | null): void {
  const shown = document.querySelector<HTMLElement>('#pictures');
  if (shown === null || next === null) return;
  // What failed is decided in the form as it came back.
  const hasFailed = shown.querySelector('.picture-failed') !== null;
  if (next !== shown && !hasFailed) {
    for (const box of next.querySelectorAll<HTMLInputElement>('input[type="checkbox"]'))
      box.checked = shown.querySelector<HTMLInputElement>(`input[name="${box.name}"]`)?.checked ?? false;
    if (shown.dataset['count'] !== next.dataset['count'])
      shown.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
    shown.dataset['count'] = next.dataset['count'] ?? '0';
  }
  shown.hidden = shown.dataset['count'] === '0' && !hasFailed;
}

/** What a new article is called where its fields are empty, and whether its address is free. */
function suggest(found: HTMLElement | null): void {
  const title = document.querySelector<HTMLInputElement>('#title');
  const slug = document.querySelector<HTMLInputElement>('#slug');
  if (found === null || title === null || slug === null) return;
  title.placeholder = found.dataset['title'] ?? '';
  slug.placeholder = found.dataset['slug'] ?? '';
  const told = found.dataset['taken'] ?? '';
  let line = document.querySelector<HTMLElement>('#slug-found');
  if (line === null) {
    line = document.createElement('p');
    line.id = 'slug-found';
    line.setAttribute('role', 'status');
    slug.after(line);
  }
  line.className = told === '' ? '' : 'finding finding-error';
  if (line.textContent !== told) line.textContent = told;
}

const countedCharsMax = 300_000;

function countWords(): void {
  const place = document.querySelector<HTMLElement>('#editor-words');
  if (place === null) return;
  const text = code?.text() ?? area?.value ?? '';
  if (text.length > countedCharsMax) place.textContent = '';
  else {
    let count = 0;
    const prose = text.replace(/\]\([^)\n]*\)/g, ']');
    for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(prose))
      if (isWordLike === true) count++;
    place.textContent = count === 1 ? '1 word' : `${count.toLocaleString()} words`;
  }
}

/** Asks whether to go on with drafts of this browser, and tells of a tab that is writing one. */
async function offerDrafts(
  form: HTMLFormElement,
  tab: string,
  accept: (fields: Readonly<Record<string, string>>) => void,
): Promise<void> {
  const own = draftName(form, tab);
  for (const found of await findDrafts(form, tab)) {
    const { draft, name } = found;
    const isSame =
      draft.fields['text'] === area?.value &&
      draft.fields['title'] === (titleField(form)?.value ?? undefined);
    if (isSame && !found.isOpen) dropDraft(name);
    else form.before(draftBox(form, found, own, accept));
  }
}

function draftBox(
  form: HTMLFormElement,
  { name, draft, isOpen }: FoundDraft,
  own: string,
  accept: (fields: Readonly<Record<string, string>>) => void,
): HTMLElement {
  const time = new Date(draft.at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  const from = draft.fields['version'];
  const isOlder = from !== undefined && from !== form.dataset['base'];
  const box = document.createElement('div');
  box.className = 'toast toast-note draft-offer';
  box.setAttribute('role', 'status');
  const words = document.createElement('p');
  words.textContent = isOpen
    ? `Another tab of this browser is writing this text, changed last ${time}. The tab that saves second is shown a merge.`
    : `A draft of ${time} is kept in this browser.${isOlder ? ` It was made from version ${from}; saving merges it with the newer text.` : ''}`;
  box.append(words);
  if (isOpen) return box;
  const button = (label: string, kind: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = `button button-${kind}`;
    made.textContent = label;
    made.addEventListener('click', () => {
      box.remove();
      act();
    });
    return made;
  };
  const buttons = document.createElement('p');
  buttons.className = 'buttons';
  buttons.append(
    button('Go on with it', 'primary', () => {
      accept(draft.fields);
      // It is this tab's draft from now on.
      if (name !== own) dropDraft(name);
    }),
    button('Discard it', 'quiet', () => dropDraft(name)),
  );
  box.append(buttons);
  return box;
}

function titleField(form: HTMLFormElement): HTMLInputElement | null {
  return form.querySelector<HTMLInputElement>('input[name="title"]');
}

/** Hidden fields too: a draft of an older version is saved against that version, and merged. */
function restore(form: HTMLFormElement, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const field = form.elements.namedItem(name);
    if (field instanceof RadioNodeList) field.value = value;
    else if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.value = value;
  }
  const text = fields['text'];
  if (text !== undefined) code?.replace(text);
}

function listenToKeys(form: HTMLFormElement, leave: () => void): void {
  const note = form.querySelector<HTMLInputElement>('input[name="note"]');
  const buttonOf = (act: string): HTMLButtonElement | null =>
    form.querySelector<HTMLButtonElement>(`button[name="act"][value="${act}"]`);
  let pending: HTMLButtonElement | null = null;
  const submit = (button: HTMLButtonElement | null): void => {
    if (note !== null && note.value.trim() === '') {
      pending = button;
      note.focus();
      note.placeholder = 'Say why, then press Enter';
    } else form.requestSubmit(button);
  };
  note?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    form.requestSubmit(pending ?? buttonOf('save'));
  });
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.altKey || document.querySelector('dialog[open]') !== null) return;
    const isMod = event.ctrlKey || event.metaKey;
    if (isMod && !event.shiftKey && event.key.toLowerCase() === 's') {
      event.preventDefault();
      submit(buttonOf('save'));
    } else if (isMod && event.key === 'Enter') {
      event.preventDefault();
      submit(buttonOf('publish') ?? buttonOf('save'));
    } else if (event.key === 'Escape' && !event.defaultPrevented) {
      leave();
      const address = form.dataset['leave'];
      if (address !== undefined) location.assign(address);
    }
  });
}

/** One click takes a whole side of a conflict. */
function decideConflicts(form: HTMLFormElement): void {
  for (const conflict of form.querySelectorAll<HTMLElement>('.conflict')) {
    const merged = conflict.querySelector('textarea');
    for (const side of conflict.querySelectorAll<HTMLElement>('.conflict-side[data-text]')) {
      const label = side.querySelector('.conflict-name')?.textContent ?? '';
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'button button-quiet';
      button.textContent = `Take ${label.toLowerCase()}`;
      button.addEventListener('click', () => {
        if (merged === null) return;
        merged.value = side.dataset['text'] ?? '';
        merged.dispatchEvent(new Event('input', { bubbles: true }));
        merged.focus();
      });
      side.append(button);
    }
  }
}

/** Claims and sources are made in a dialog, from the selected words. */
function listenToTools(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('#editor-tools a[data-dialog]')) {
    // The selection must outlive the press.
    link.addEventListener('mousedown', (event) => event.preventDefault());
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const { text, before } = code?.selected() ?? { text: '', before: '' };
      const words = plainWords(text);
      void openForm(link.href, { text: words, quote: words, section: headingAbove(before) }, (said) => {
        if (status !== null) status.textContent = said.trim();
      });
    });
  }
}

/** Selected Markdown without its marks. */
function plainWords(text: string): string {
  return text
    .replace(/^[#>\s-]+/, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function headingAbove(text: string): string {
  const found = [...text.matchAll(/^#{1,6}\s.*$/gm)].at(-1)?.[0];
  return found === undefined ? '' : plainWords(found);
}
