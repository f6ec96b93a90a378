/**
 * What a fetched page says, as plain text (contract §3 WEB_FETCH, §8 "fetched pages are data"). The attacker controls
 * the whole input: only words survive, without markup, scripts, what the page hides from its readers, and the
 * characters that hide or reorder text.
 */
import { Parser } from 'htmlparser2';
import { invisibleCharacters } from '../kernel/invisible-characters.ts';

export interface PageText {
  readonly title: string;
  readonly text: string;
  /** Whether the text was longer than `charsMax` and was cut there. */
  readonly truncated: boolean;
}

// prettier-ignore
const unread = new Set([
  'script', 'style', 'template', 'noscript', 'svg', 'math', 'iframe', 'object', 'embed', 'canvas', 'audio', 'video',
  'select', 'textarea', 'button', 'dialog', 'title',
]);
// prettier-ignore
const blocks = new Set([
  'address', 'article', 'aside', 'blockquote', 'br', 'caption', 'dd', 'details', 'div', 'dl', 'dt', 'fieldset', 'figcaption',
  'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'li', 'main', 'nav', 'ol', 'p', 'pre',
  'section', 'summary', 'table', 'tr', 'ul',
]);

/** The parser's work grows with open elements; no page for readers has this many. */
const openTagsMax = 1000;

/** The readable text of HTML; undefined where it nests beyond all sense. */
export function pageText(html: string, charsMax: number): PageText | undefined {
  const words: string[] = [];
  let title = '';
  let inTitle = false;
  let open = 0;
  let hiddenSince = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        open++;
        if (open > openTagsMax) parser.pause();
        if (name === 'title') inTitle = title === '';
        if (hiddenSince > 0) return;
        if (unread.has(name) || isHidden(attributes)) hiddenSince = open;
        else if (blocks.has(name)) words.push(name === 'li' ? '\n- ' : '\n');
        else if (name === 'td' || name === 'th') words.push(' ');
      },
      ontext(text) {
        if (inTitle) title += text;
        if (hiddenSince === 0) words.push(text);
      },
      onclosetag(name) {
        if (name === 'title') inTitle = false;
        if (open === hiddenSince) hiddenSince = 0;
        else if (hiddenSince === 0 && blocks.has(name)) words.push('\n');
        open--;
      },
    },
    { decodeEntities: true },
  );
  parser.write(html);
  if (open > openTagsMax) return undefined;
  parser.end();
  return { title: plainText(title, 300).text.replaceAll('\n', ' '), ...plainText(words.join(''), charsMax) };
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  return (
    attributes['hidden'] !== undefined ||
    attributes['aria-hidden'] === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes['style'] ?? '')
  );
}

/** Text without what no reader sees; runs of blanks and empty lines become one. */
export function plainText(text: string, charsMax: number): { text: string; truncated: boolean } {
  const plain = text
    .replace(/\r\n?/g, '\n')
    .toWellFormed()
    .replace(invisibleCharacters, '')
    .split('\n')
    .map((line) => line.replace(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return plain.length <= charsMax
    ? { text: plain, truncated: false }
    : { text: plain.slice(0, charsMax).toWellFormed(), truncated: true };
}
