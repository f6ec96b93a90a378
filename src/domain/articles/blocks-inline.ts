/**
 * Inline content, where dividing and its boundaries need it: the plain title of a heading, and the meaning of
 * a text under given link definitions.
 */
import MarkdownIt, { type Env, type RendererRule, type Token } from 'markdown-it';
import { parserOptions, type BlockScan, type BlockSpan } from './blocks.ts';

const markdown = new MarkdownIt(parserOptions);
// Escapes and entities stay tokens of their own where only the inline parser runs.
markdown.renderer.rules['text_special'] = markdown.renderer.rules['text'] as RendererRule;

const titleCharsMax = 200;
const markupCharsMax = 65_536;

/**
 * A reader of heading titles for one scan: their text without markup, at most 200 characters, for lists of
 * contents and heading paths. Parsing inline markup is slow on hostile text, so it stops after so many
 * characters of it; the titles after that keep their markup. No article written to be read comes near.
 */
export function titleReader(scan: BlockScan): (span: BlockSpan) => string {
  let charsLeft = markupCharsMax;
  return (span) => {
    const { content } = scan.tokens[span.token + 1] as Token;
    let plain = content;
    // Most headings are plain text.
    if (/[\\`*_~[\]<>!&\n]/.test(content) && content.length <= charsLeft) {
      charsLeft -= content.length;
      plain = plainText(inlineTokens(content, scan.env));
    }
    return shortTitle(plain);
  };
}

function shortTitle(text: string): string {
  const title = text.replace(/\s+/g, ' ').trim();
  if (title.length <= titleCharsMax) return title;
  return `${title.slice(0, titleCharsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The title that parsed inline content stands for, at most 200 characters. */
export function titleOf(tokens: readonly Token[]): string {
  return shortTitle(plainText(tokens));
}

function plainText(tokens: readonly Token[]): string {
  let out = '';
  for (const token of tokens) {
    if (token.type === 'image') out += plainText(token.children ?? []);
    else if (token.type === 'softbreak' || token.type === 'hardbreak') out += ' ';
    else if (token.type !== 'html_inline') out += token.content;
  }
  return out;
}

function inlineTokens(content: string, env: Env): Token[] {
  const tokens: Token[] = [];
  markdown.inline.parse(content, markdown, env, tokens);
  return tokens;
}

/** The HTML of inline content under the link definitions of `env`: equal HTML, equal meaning. */
export function inlineHtml(content: string, env: Env): string {
  return markdown.renderer.renderInline(inlineTokens(content, env), markdown.options, env);
}
