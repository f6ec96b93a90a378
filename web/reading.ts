/**
 * Comforts of reading that need a script: claims move beside the section that they name, a long contents list
 * opens where it has a column of its own, and boxes that scroll can be reached by keyboard. Without it the
 * page has all of its text.
 */
import './reading/selection.ts';

const wide = matchMedia('(min-width: 66rem)');
const wider = matchMedia('(min-width: 84rem)');
const gapPx = 24;

/** Puts each note at the height of its DIV, or below the note before it where that is lower. */
function alignNotes() {
  const text = document.getElementById('text');
  const notes = [...document.querySelectorAll('.note')].filter((note) => note instanceof HTMLElement);
  for (const note of notes) note.style.marginTop = '';
  if (text === null || !wide.matches) return;
  const top = text.getBoundingClientRect().top;
  const heights = notes.map((note) => note.offsetHeight);
  let bottom = 0;
  for (const [i, note] of notes.entries()) {
    const div = note.dataset['at'] === undefined ? null : document.getElementById(note.dataset['at']);
    const heading = div?.querySelector('h1, h2, h3, h4, h5, h6') ?? div;
    const wanted = heading === null || heading === undefined ? 0 : heading.getBoundingClientRect().top - top;
    const at = Math.max(wanted, bottom);
    note.style.marginTop = `${at - (bottom === 0 ? 0 : bottom - gapPx)}px`;
    note.style.marginBottom = '0';
    bottom = at + (heights[i] ?? 0) + gapPx;
  }
}

function openContents() {
  const contents = document.querySelector('.contents details');
  if (contents instanceof HTMLDetailsElement && wider.matches) contents.open = true;
}

/** A box that scrolls takes the focus, and says that it is one. */
function nameScrollers() {
  for (const box of document.querySelectorAll('pre, .scroll')) {
    if (!(box instanceof HTMLElement)) continue;
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    if (scrolls && !box.hasAttribute('tabindex')) {
      box.tabIndex = 0;
      box.setAttribute('role', 'group');
      box.setAttribute(
        'aria-label',
        box.matches('pre') ? 'Code, scrolls sideways' : 'Table, scrolls sideways',
      );
    } else if (!scrolls && box.hasAttribute('tabindex')) {
      for (const name of ['tabindex', 'role', 'aria-label']) box.removeAttribute(name);
    }
  }
}

function settle() {
  openContents();
  nameScrollers();
  alignNotes();
}

settle();
wide.addEventListener('change', alignNotes);
wider.addEventListener('change', openContents);
const text = document.getElementById('text');
if (text !== null) new ResizeObserver(settle).observe(text);
