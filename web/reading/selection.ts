/**
 * A menu beside words that are selected in an article (contract §8): object to them, propose other words, cite them; on
 * the page of those who write the article also make a claim of them. Its links open the form with the words quoted and
 * the block or claim known. It is the next stop of the keyboard behind the words, and closes by Escape.
 */
import { passingToast } from '../site/toast.ts';

/** Where words may be selected. */
const areas = '#text, .title, .notes, .note, .desk-text, .record .sentence, .record .excerpt';
/** Addresses stay short enough for every proxy. */
const quoteCharsMax = 1200;
const waitMs = 250;

interface Place {
  readonly slug: string;
  /** What the words belong to: `d5` or `c2`. */
  readonly target: string;
  readonly isDesk: boolean;
}

const [, root = '', desk, slug = ''] = /^(.*?)\/(owner\/)?a\/([a-z0-9-]+)/.exec(location.pathname) ?? [];
let menu: HTMLElement | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let isPressed = false;

function update(): void {
  clearTimeout(timer);
  if (!isPressed) timer = setTimeout(show, waitMs);
}

function show(): void {
  const selection = getSelection();
  if (menu?.contains(document.activeElement) === true) return;
  hide();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return;
  const range = selection.getRangeAt(0);
  const holder = elementOf(range.startContainer);
  const block = holder?.closest<HTMLElement>('.div[id], .note[id]');
  if (holder === null || holder.closest(areas) === null || holder.closest('form, summary') !== null) return;
  const target = block?.id ?? targetOfPage();
  const words = wordsOf(range);
  if (words === '' || target === undefined) return;
  menu = menuFor({ slug, target, isDesk: desk !== undefined }, words);
  (block ?? holder).append(menu);
  place(menu, range);
}

function hide(): void {
  menu?.remove();
  menu = undefined;
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** On the page of one block or claim. */
function targetOfPage(): string | undefined {
  return /\/a\/[a-z0-9-]+\/([cd]\d+)$/.exec(location.pathname)?.[1];
}

/** The selected words as they are read, without marks and menus that stand between them. */
function wordsOf(range: Range): string {
  const copy = range.cloneContents();
  for (const extra of copy.querySelectorAll('.acts, .mark, .refs, .selection-menu, .note, script'))
    extra.remove();
  for (const block of copy.querySelectorAll('p, li, pre, blockquote, h1, h2, h3, h4, h5, h6, tr, br'))
    block.append('\n');
  const text = (copy.textContent ?? '').replace(/[^\S\n]+/g, ' ').replace(/ ?\n[\s]*/g, '\n');
  return [...text.trim()].slice(0, quoteCharsMax).join('');
}

function menuFor(at: Place, words: string): HTMLElement {
  const bar = document.createElement('div');
  bar.className = 'selection-menu';
  bar.setAttribute('role', 'toolbar');
  bar.setAttribute('aria-label', 'With the selected words');
  if (at.isDesk) bar.append(link('Make a claim', `${root}/owner/a/${at.slug}/claim`, { text: words }));
  if (isPublic(at)) {
    const isClaim = at.target.startsWith('c');
    const form = (as: string, quote: string) => ({ on: at.target, as, quote });
    const discuss = `${root}/a/${at.slug}/discuss`;
    bar.append(
      link('Object', discuss, form(isClaim ? 'objection' : 'challenge', words)),
      link('Propose wording', discuss, form(isClaim ? 'repair' : 'upgrade', words)),
    );
  }
  const cite = document.createElement('button');
  cite.type = 'button';
  cite.textContent = 'Cite';
  cite.addEventListener('click', () => copyCitation(bar, citation(at, words)));
  bar.append(cite);
  return bar;
}

/** Drafts and earlier revisions have no discussion. */
function isPublic(at: Place): boolean {
  if (document.querySelector('.past') !== null) return false;
  return !at.isDesk || document.querySelector(`a[href="${root}/a/${at.slug}"]`) !== null;
}

function link(name: string, path: string, query: Readonly<Record<string, string>>): HTMLAnchorElement {
  const to = document.createElement('a');
  to.textContent = name;
  to.href = `${path}?${new URLSearchParams(query).toString()}`;
  to.rel = 'nofollow';
  return to;
}

/** The words with where they stand, for any text. */
function citation(at: Place, words: string): string {
  const title = document.querySelector('h1')?.textContent.replace(/\s+/g, ' ').trim() ?? at.slug;
  const version = document.getElementById('article')?.dataset['version'];
  const stood = version === undefined ? '' : `, version ${version}`;
  return `“${words}” (${title}${stood}, ${at.target}) ${location.origin}${root}/a/${at.slug}/${at.target}`;
}

/** Copies it where the browser lets a page copy, and shows it to be copied by hand where not. */
function copyCitation(bar: HTMLElement, text: string): void {
  const byHand = (): void => {
    const field = document.createElement('textarea');
    field.readOnly = true;
    field.rows = 4;
    field.value = text;
    field.setAttribute('aria-label', 'The words with their address, to copy');
    bar.append(field);
    field.focus();
    field.select();
  };
  if (!isSecureContext) {
    byHand();
    return;
  }
  const copied = (): void => {
    passingToast('Copied the words with their address');
    hide();
  };
  navigator.clipboard.writeText(text).then(copied, byHand);
}

/** Below the last line of the words: above them, touch screens show a menu of their own. */
function place(bar: HTMLElement, range: Range): void {
  const lines = range.getClientRects();
  const last = lines[lines.length - 1] ?? range.getBoundingClientRect();
  const frame = (bar.offsetParent ?? document.body).getBoundingClientRect();
  const left = Math.min(Math.max(last.left, 8), document.documentElement.clientWidth - bar.offsetWidth - 8);
  bar.style.top = `${last.bottom - frame.top + 8}px`;
  bar.style.left = `${Math.max(left, 8) - frame.left}px`;
}

if (slug !== '') {
  document.addEventListener('selectionchange', update);
  document.addEventListener('pointerdown', (event) => {
    isPressed = event.pointerType === 'mouse' && !(menu?.contains(event.target as Node) ?? false);
  });
  for (const end of ['pointerup', 'pointercancel'] as const)
    document.addEventListener(end, () => {
      isPressed = false;
      update();
    });
  document.addEventListener('keydown', (event) => {
    if (menu === undefined) return;
    if (event.key === 'Escape') {
      hide();
      getSelection()?.removeAllRanges();
    }
    // Browsers do not agree on where the keyboard stands after a selection.
    if (event.key === 'Tab' && !event.shiftKey && !menu.contains(document.activeElement)) {
      event.preventDefault();
      menu.querySelector<HTMLElement>('a, button')?.focus();
    }
  });
}
