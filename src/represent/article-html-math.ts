/**
 * Mathematics in articles (contract §8): TeX between `$…$`, `$$…$$`, `\(…\)` and `\[…\]`, or in a fence named
 * `math`, written as MathML. TeX is found before Markdown reads escapes, so that `$\{a_k\}$` arrives whole; prices
 * stay text. The TeX is hostile input: its length and nesting are bounded, it may define no macros, and only listed
 * elements and attributes of the result are kept. TeX that cannot be read is shown as it was written.
 */
import { createRequire } from 'node:module';
import type { MarkdownIt as Parser } from 'markdown-it';
import type Temml from 'temml';

/** The TeX at one place of a text. */
interface Found {
  readonly tex: string;
  readonly display: boolean;
  /** Offset after the closing delimiter. */
  readonly end: number;
}

const inlineCharsMax = 1000;
const displayCharsMax = 4000;

/** A markdown-it plugin: tokens of the type `math`, whose `info` is `display` for a formula on a line of its own. */
export function mathematics(markdown: Parser): void {
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    const { src, pos, posMax } = state;
    const found = findMath(src, pos, posMax);
    if (found === undefined) return false;
    if (!silent) {
      const token = state.push('math', '', 0);
      token.content = src.slice(pos, found.end);
      token.markup = found.tex;
      token.info = found.display ? 'display' : '';
    }
    state.pos = found.end;
    return true;
  });
}

/** Exported for its table of tests. */
export function findMath(text: string, at: number, end = text.length): Found | undefined {
  const first = text[at];
  if (first === '$')
    return text[at + 1] === '$' ? betweenPairs(text, at, end) : betweenDollars(text, at, end);
  if (first !== '\\') return undefined;
  if (text[at + 1] === '(') return betweenBackslashed(text, at, end, '\\)');
  if (text[at + 1] === '[') return betweenBackslashed(text, at, end, '\\]');
  return undefined;
}

function betweenPairs(text: string, at: number, end: number): Found | undefined {
  const close = text.indexOf('$$', at + 2);
  if (close < 0 || close + 2 > end) return undefined;
  const tex = text.slice(at + 2, close).trim();
  if (tex === '' || tex.length > displayCharsMax) return undefined;
  return { tex, display: isAlone(text, at, close + 2), end: close + 2 };
}

/**
 * The next dollar that is not escaped closes or nothing does, so that the search is linear. An opening dollar stands
 * before no blank and after no letter, digit or address; a closing one stands after no blank and before no word but an
 * ending (`$n$th`), as "$5 and $10" and "$HOME/$PATH" do.
 */
function betweenDollars(text: string, at: number, end: number): Found | undefined {
  if (
    /[\s$]/.test(text[at + 1] ?? ' ') ||
    (/[\p{L}\p{N}$\\]/u.test(text[at - 1] ?? ' ') && !isCjk(text[at - 1]))
  )
    return undefined;
  let close = at;
  do close = text.indexOf('$', close + 1);
  while (close > 0 && isEscaped(text, close));
  if (close < 0 || close >= end || close - at - 1 > inlineCharsMax) return undefined;
  const tex = text.slice(at + 1, close);
  if (/\s$/.test(tex) || text[close + 1] === '$' || /\n\s*\n/.test(tex)) return undefined;
  if (
    /^[A-Za-z0-9]/.test(text.slice(close + 1, close + 2)) &&
    !/^(?:th|st|nd|rd|s)(?![A-Za-z0-9])/.test(text.slice(close + 1, close + 4))
  )
    return undefined;
  // "$5 for the first, 6$ for the second": an amount and then words.
  if (/^[\d.,]+(?:[kKmM]|bn)?\s+\p{L}{2,}/u.test(tex)) return undefined;
  return isInAddress(text, at) ? undefined : { tex, display: false, end: close + 1 };
}

/** Markdown escapes brackets in the same way, so that what stands between them must look like TeX. */
function betweenBackslashed(text: string, at: number, end: number, closer: '\\)' | '\\]'): Found | undefined {
  const display = closer === '\\]';
  if (display && !startsLine(text, at)) return undefined;
  // Within bounds, so that many openings without an end take no time squared.
  const length = text.slice(at + 2, at + 2 + (display ? displayCharsMax : inlineCharsMax)).indexOf(closer);
  const close = at + 2 + length;
  if (length < 0 || close + 2 > end) return undefined;
  const tex = text.slice(at + 2, close).trim();
  if (!/[\\^_={}<>+]/.test(tex) && !/^[A-Za-z](?:[\s,'()*/-]{0,3}[A-Za-z0-9])?$/.test(tex)) return undefined;
  if (display && !isAlone(text, at, close + 2)) return undefined;
  return { tex, display, end: close + 2 };
}

/** Whether nothing else stands on the lines of a formula. */
function isAlone(text: string, from: number, to: number): boolean {
  const lineEnd = text.indexOf('\n', to);
  return startsLine(text, from) && /^[\s.,;]*$/.test(text.slice(to, lineEnd < 0 ? undefined : lineEnd));
}

function startsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return before < 0 || text[before] === '\n';
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function isCjk(character: string | undefined): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character ?? '');
}

const addressCharsMax = 200;

function isInAddress(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - addressCharsMax), at);
  return before.slice(before.search(/\S*$/)).includes('://');
}

/*
 * TeX to MathML. Temml writes presentation MathML as text; it is read here tag by tag and written anew from the lists
 * below, so that nothing of it reaches a page unlisted.
 */

let temml: typeof Temml | undefined;

/** Large, and needed by few articles. */
function loadTemml(): typeof Temml {
  const require = createRequire(import.meta.url);
  return (temml ??= require('temml') as typeof Temml);
}

const bracesMax = 60;
const resultDepthMax = 200;
const resultCharsMax = 400_000;
/** What defines macros, changes how TeX is read, or leads elsewhere. */
const refused =
  /\\(?:[egx]?def|g?let|futurelet|global|long|(?:re|provide)?newcommand|(?:re)?newenvironment|DeclareMathOperator|csname|expandafter|noexpand|char|href|url|includegraphics|class|id|style|data|(?:eq)?ref|label)(?![A-Za-z])/;

/** MathML of a formula; undefined for TeX that cannot be read or asks for too much. */
export function texToMathML(tex: string, display: boolean): string | undefined {
  if (tex.length > displayCharsMax || refused.test(tex) || !isShallow(tex)) return undefined;
  try {
    const written = loadTemml().renderToString(keepNumbers(tex), {
      displayMode: display,
      throwOnError: true,
      maxExpand: 200,
      maxSize: [40, 40],
      trust: false,
      strict: false,
      macros: {},
    });
    return written.length > resultCharsMax ? undefined : listedMathML(written, display);
  } catch {
    return undefined;
  }
}

/** Temml keeps only the first digit of a number in an upright or italic name, such as \\mathrm{SHA256}: it is written as text. */
function keepNumbers(tex: string): string {
  return tex.replaceAll(/\\math(rm|it)\{([A-Za-z][A-Za-z\d]{1,60})\}/g, (all, font: string, name: string) =>
    /\d\d/.test(name) ? `\\text${font}{${name}}` : all,
  );
}

function isShallow(tex: string): boolean {
  let depth = 0;
  let unbraced = 0;
  for (const [part] of tex.matchAll(
    /[{}]|\\(?:left|begin|right|end)(?![A-Za-z])|\\[A-Za-z]+|[\^_]|[^\s\\{}^_]/g,
  )) {
    // Commands that follow each other without an argument nest too: \sqrt\sqrt\sqrt …
    unbraced = part.length > 1 || part === '^' || part === '_' ? unbraced + 1 : 0;
    if (part === '{' || part === '\\left' || part === '\\begin') depth++;
    else if (part === '}' || part === '\\right' || part === '\\end') depth--;
    if (depth > bracesMax || unbraced > bracesMax) return false;
  }
  return true;
}

// prettier-ignore
const elements = new Set([
  'math', 'menclose', 'merror', 'mfrac', 'mi', 'mmultiscripts', 'mn', 'mo', 'mover', 'mpadded', 'mphantom', 'mprescripts', 'mroot', 'mrow', 'ms',
  'mspace', 'msqrt', 'mstyle', 'msub', 'msubsup', 'msup', 'mtable', 'mtd', 'mtext', 'mtr', 'munder', 'munderover', 'none',
]);

const yesNo = /^(?:true|false)$/;
const length = /^-?\d{0,2}(?:\.\d{1,6})?(?:em|ex|pt|px|mu|%)?$/;
const checks: Readonly<Record<string, RegExp>> = {
  accent: yesNo,
  accentunder: yesNo,
  columnspan: /^\d{1,2}$/,
  depth: length,
  display: /^block$/,
  displaystyle: yesNo,
  fence: yesNo,
  form: /^(?:prefix|infix|postfix)$/,
  height: length,
  largeop: yesNo,
  linethickness: length,
  lspace: length,
  mathsize: length,
  mathvariant: /^normal$/,
  maxsize: length,
  minsize: length,
  movablelimits: yesNo,
  notation: /^[a-z ]{1,60}$/,
  rspace: length,
  scriptlevel: /^[+-]?\d$/,
  separator: yesNo,
  stretchy: yesNo,
  symmetric: yesNo,
  voffset: length,
  width: length,
};

/** Declarations of inline styles, which pages forbid, as classes of `web/reading.css`. */
const styleClasses: readonly (readonly [RegExp, string])[] = [
  [/(?:^|;)padding-left:0(?:em|pt);/, 'tml-l0'],
  [/(?:^|;)padding-left:1em;/, 'tml-l1'],
  [/(?:^|;)padding-right:0(?:em|pt);/, 'tml-r0'],
  [/(?:^|;)border-left:[^;]*;/, 'tml-bl'],
  [/(?:^|;)border-right:[^;]*;/, 'tml-br'],
  [/(?:^|;)border-top:[^;]*;/, 'tml-bt'],
  [/(?:^|;)border-bottom:[^;]*;/, 'tml-bb'],
];

function listedMathML(written: string, display: boolean): string | undefined {
  const open: string[] = [];
  let out = '';
  let at = 0;
  for (const tag of written.matchAll(/<(\/?)([a-z]+)((?:\s[^<>]*)?)>/g)) {
    const [whole, slash, name = '', attributes = ''] = tag;
    const text = written.slice(at, tag.index);
    if (/[<>]/.test(text) || !elements.has(name)) return undefined;
    // Temml leaves quotes as they are, and writes entities for the rest.
    out += text.replace(/&(?!(?:amp|lt|gt|quot);)/g, '&amp;');
    at = tag.index + whole.length;
    if (slash === '/') {
      if (open.pop() !== name) return undefined;
      out += `</${name}>`;
    } else {
      if (open.push(name) > resultDepthMax) return undefined;
      const isRoot = open.length === 1;
      if ((name === 'math') !== isRoot) return undefined;
      out += `<${name}${isRoot && display ? ' display="block"' : ''}${isRoot ? '' : listedAttributes(attributes)}>`;
    }
  }
  return open.length === 0 && at === written.length && at > 0 ? out : undefined;
}

function listedAttributes(source: string): string {
  let out = '';
  const classes: string[] = [];
  for (const [, name = '', value = ''] of source.matchAll(/\s([a-z-]+)="([^"]*)"/g)) {
    if (name === 'class')
      classes.push(...value.split(' ').filter((each) => /^(?:tml|chr|wbk|ffx)-[a-z-]{1,30}$/.test(each)));
    else if (name === 'style') {
      for (const [declaration, styled] of styleClasses)
        if (declaration.test(`${value};`)) classes.push(styled);
    } else if (checks[name]?.test(value) === true) out += ` ${name}="${value}"`;
  }
  return classes.length === 0 ? out : `${out} class="${[...new Set(classes)].join(' ')}"`;
}
