/**
 * The Markdown that articles are written in, parsed and written: GFM with footnotes, under the same options
 * that divide it. A DIV with HTML of its own goes through the sanitiser; what Markdown alone makes is written
 * from known tokens, whose attributes pass the same checks.
 */
import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { parserOptions } from '../domain/articles/blocks.ts';
import type { Cleaner } from './article-html-clean.ts';
import { anchorPrefix } from './article-html-headings.ts';
import { footnotes } from './article-html-notes.ts';

const markdown = new MarkdownIt({ ...parserOptions, linkify: true, xhtmlOut: true });
markdown.linkify.add('ftp:', null).add('//', null);
markdown.use(footnotes, `${anchorPrefix}note.`);
// GFM strikes text out with <del>, markdown-it with <s>.
markdown.renderer.rules['s_open'] = () => '<del>';
markdown.renderer.rules['s_close'] = () => '</del>';
markdown.core.ruler.push('tasks', (state) => tickBoxes(state.tokens));

/** All tokens of a text; `env` takes its link definitions. */
export function parseMarkdown(text: string, env: Env): Token[] {
  return markdown.parse(text, env);
}

/**
 * The HTML of a DIV's tokens. One that opens too much at once to be sanitised in time shows its `source` as
 * code.
 */
export function writeHtml(tokens: Token[], env: Env, clean: Cleaner, source: string): string {
  if (!needsCleaning(tokens)) return writeTokens(tokens, env, clean);
  return clean.html(markdown.renderer.render(tokens, markdown.options, env)) ?? writeCode(source);
}

export function writeCode(source: string, language?: string): string {
  const attribute = language === undefined ? '' : ` class="language-${language}"`;
  return `<pre><code${attribute}>${markdown.utils.escapeHtml(source)}\n</code></pre>\n`;
}

const inlineNestingMax = 100;

/** Whether the sanitiser has to see a DIV: for HTML of its own, and for emphasis nested beyond all sense. */
function needsCleaning(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) =>
      token.type === 'html_block' ||
      token.children?.some((child) => child.type === 'html_inline' || child.level > inlineNestingMax),
  );
}

function writeTokens(tokens: Token[], env: Env, clean: Cleaner): string {
  for (const token of tokens) {
    for (const each of [token, ...(token.children ?? [])]) {
      if (each.attrs !== null || each.tag === 'img') {
        const given = (each.attrs ?? []).map(([name, value]) => [name, String(value)] as const);
        each.attrs = Object.entries(clean.attributes(each.tag, Object.fromEntries(given)));
      }
    }
    if (token.type === 'fence') token.info = languageOf(token.info);
  }
  return markdown.renderer.render(tokens, markdown.options, env);
}

function languageOf(info: string): string {
  const [language = ''] = markdown.utils.unescapeAll(info).trim().split(/\s/);
  return /^[\w+#.-]{1,40}$/.test(language) ? language : '';
}

/**
 * GFM task list items: a ballot box in place of `[ ]` and `[x]`, since the HTML may hold no form elements.
 */
function tickBoxes(tokens: readonly Token[]): void {
  for (let i = 2; i < tokens.length; i++) {
    if (tokens[i]?.type !== 'inline' || tokens[i - 2]?.type !== 'list_item_open') continue;
    const first = tokens[i]?.children?.[0];
    const box = first?.type === 'text' ? /^\[([ xX])\][ \t]/.exec(first.content) : null;
    if (first === undefined || box === null) continue;
    first.content = `${box[1] === ' ' ? '☐' : '☑'} ${first.content.slice(box[0].length)}`;
  }
}
