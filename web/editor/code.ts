/**
 * The Markdown editor over a textarea. It stands in a shadow root, whose styles are constructed sheets: the policy of
 * the pages permits no others.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { markdownOf } from './rich-text.ts';

export interface CodeEditor {
  readonly host: HTMLElement;
  text(): string;
  replace(text: string): void;
  selected(): { readonly text: string; readonly before: string };
  insert(text: string): void;
  goTo(line: number): void;
  focus(): void;
}

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--paper)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.875rem', lineHeight: '1.65' },
  '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 0.9rem' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--rule)' },
  '.cm-panels': { color: 'var(--ink)', backgroundColor: 'var(--wash)', borderTop: '1px solid var(--rule)' },
  '.cm-panels input, .cm-panels button': { font: 'inherit', color: 'inherit', background: 'var(--paper)' },
  '.cm-searchMatch': { backgroundColor: 'var(--add)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--accent)' },
});

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700', color: 'var(--ink)' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.monospace, color: 'var(--good)' },
  { tag: tags.quote, color: 'var(--quiet)' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta], color: 'var(--quiet)' },
]);

/** Puts an editor behind a textarea, which it hides. Calls `changed` on every change of the text. */
export function editorOver(area: HTMLTextAreaElement, changed: () => void): CodeEditor {
  const host = document.createElement('div');
  host.className = 'editor-code';
  const root = host.attachShadow({ mode: 'open' });
  area.after(host);
  const label = document.querySelector(`label[for="${area.id}"]`);
  const view = new EditorView({
    doc: area.value,
    root,
    parent: root,
    extensions: [
      history(),
      search(),
      keymap.of([
        // The form has its own meaning for these.
        ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
        ...historyKeymap,
        ...searchKeymap,
      ]),
      markdown(),
      syntaxHighlighting(colours),
      look,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': label?.textContent ?? 'Text',
        // A box that scrolls has something to focus.
        tabindex: '0',
        spellcheck: 'true',
        autocorrect: 'on',
        autocapitalize: 'sentences',
      }),
      EditorView.domEventHandlers({
        paste(event, target) {
          const html = event.clipboardData?.getData('text/html') ?? '';
          const text = html === '' ? undefined : markdownOf(html);
          if (text === undefined) return false;
          event.preventDefault();
          target.dispatch(target.state.replaceSelection(text), {
            userEvent: 'input.paste',
            scrollIntoView: true,
          });
          return true;
        },
      }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) changed();
      }),
    ],
  });
  area.hidden = true;
  area.required = false;
  label?.addEventListener('click', (event) => {
    event.preventDefault();
    view.focus();
  });
  return {
    host,
    text: () => view.state.doc.toString(),
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    selected() {
      const { from, to } = view.state.selection.main;
      return { text: view.state.sliceDoc(from, to), before: view.state.sliceDoc(0, from) };
    },
    insert(text) {
      view.dispatch(view.state.replaceSelection(text));
      view.focus();
    },
    goTo(line) {
      const at = view.state.doc.line(Math.min(line + 1, view.state.doc.lines)).from;
      view.dispatch({
        selection: { anchor: at },
        effects: EditorView.scrollIntoView(at, { y: 'start', yMargin: 60 }),
      });
      view.focus();
    },
    focus: () => view.focus(),
  };
}
