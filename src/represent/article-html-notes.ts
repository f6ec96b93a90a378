/**
 * Footnotes where they stand. Neither CommonMark nor the GFM specification has them, so dividing sees
 * paragraphs; but authors write `[^1]` and `[^1]: …`, and readers expect the two to be linked. A definition
 * keeps its place and its DIV; only the marks become links and anchors. Definitions that are also valid link
 * definitions stay links.
 */
import type { MarkdownIt, Token } from 'markdown-it';

const definition = /(?:^|\n)\[\^([^\]\s[]{1,100})\]:/g;
const reference = /\[\^([^\]\s[]{1,100})\]/y;

/** A markdown-it plugin. The anchor of note `x` is `idPrefix` followed by its number in the article. */
export function footnotes(markdown: MarkdownIt, idPrefix: string): void {
  markdown.core.ruler.before('inline', 'notes', (state) => {
    const notes = new Map<string, string>();
    for (const token of state.tokens) {
      if (token.type !== 'inline' || !token.content.includes('[^')) continue;
      for (const [, name] of token.content.matchAll(definition)) {
        if (name !== undefined && !notes.has(name)) notes.set(name, `${idPrefix}${notes.size + 1}`);
      }
    }
    state.env['notes'] = notes;
    state.env['notesDefined'] = new Set<string>();
  });
  markdown.inline.ruler.before('link', 'note', (state, silent) => {
    const { src, pos } = state;
    if (src.charCodeAt(pos) !== 0x5b || src.charCodeAt(pos + 1) !== 0x5e) return false;
    reference.lastIndex = pos;
    const name = reference.exec(src)?.[1];
    const end = reference.lastIndex;
    if (name === undefined || end > state.posMax) return false;
    const id = (state.env['notes'] as ReadonlyMap<string, string>).get(name);
    if (id === undefined) return false;
    const defines = src[end] === ':' && (pos === 0 || src[pos - 1] === '\n');
    // A reference inside a link's text would be a link inside a link.
    if (!defines && state.linkLevel > 0) return false;
    state.pos = end + (defines ? 1 : 0);
    if (silent) return true;
    const open = state.push('note_open', 'sup', 1);
    const defined = state.env['notesDefined'] as Set<string>;
    if (defines && !defined.has(name)) {
      defined.add(name);
      open.attrSet('id', id);
    }
    if (!defines) state.push('note_link_open', 'a', 1).attrSet('href', `#${id}`);
    pushText(state.push('text', '', 0), name);
    if (!defines) state.push('note_link_close', 'a', -1);
    state.push('note_close', 'sup', -1);
    return true;
  });
}

function pushText(token: Token, content: string): void {
  token.content = content;
}
