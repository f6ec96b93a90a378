/**
 * Highlighted code (contract §8): the text of a fence with spans that have class names only; `web/reading.css` gives
 * them colours. Languages are those that the fence names, never guessed. Pure; bounded by size, since grammars are
 * regular expressions and the text is hostile.
 */
import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';

const charsMax = 12_000;
/** The time of a grammar may grow with the square of a line, or of blank lines in a row. */
const lineCharsMax = 300;
const blankLinesMax = 8;

/** Beside the common ones. */
// prettier-ignore
export const highlightedLanguages = [
  'clojure', 'dart', 'dockerfile', 'elixir', 'haskell', 'http', 'julia', 'latex', 'nginx', 'powershell', 'protobuf', 'scala',
];

let highlighter: HLJSApi | undefined;

/** Loaded with the first code that names its language: common languages and `highlightedLanguages`. */
function loadHighlighter(): HLJSApi {
  if (highlighter !== undefined) return highlighter;
  const require = createRequire(import.meta.url);
  const loaded = require('highlight.js/lib/common') as HLJSApi;
  for (const name of highlightedLanguages)
    loaded.registerLanguage(name, require(`highlight.js/lib/languages/${name}`) as LanguageFn);
  return (highlighter = loaded);
}

/** HTML of the code; undefined for a language that is unknown or code that is too long. */
export function highlighted(code: string, language: string): string | undefined {
  if (language === '' || code.length > charsMax) return undefined;
  if (!isReadable(code)) return undefined;
  const api = loadHighlighter();
  if (api.getLanguage(language) === undefined) return undefined;
  const html = api.highlight(code, { language, ignoreIllegals: true }).value.replaceAll('&#x27;', "'");
  return isListed(html) ? html : undefined;
}

/** Code with very long lines or many blank ones (minified code, data) is not highlighted. */
function isReadable(code: string): boolean {
  let blank = 0;
  return code.split('\n').every((line) => {
    blank = line.trim() === '' ? blank + 1 : 0;
    return line.length <= lineCharsMax && blank <= blankLinesMax;
  });
}

const span = /<span class="(?:hljs|language)-[\w -]{1,60}">|<\/span>/g;

/** Whether the HTML has no other tags than spans, all of them closed. */
function isListed(html: string): boolean {
  if (/[<>]/.test(html.replace(span, ''))) return false;
  let open = 0;
  for (const [tag] of html.matchAll(span)) {
    open += tag === '</span>' ? -1 : 1;
    if (open < 0) return false;
  }
  return open === 0;
}
