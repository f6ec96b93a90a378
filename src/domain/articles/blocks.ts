/**
 * The top-level blocks of a Markdown text, by exact source offsets (contract §5, "Dividing"). markdown-it's
 * block parser alone does the work: its line maps say where a block begins, every byte up to the next
 * beginning belongs to it, and the blank lines at its end are kept apart.
 */
import MarkdownIt, { type Env, type Token } from 'markdown-it';

// prettier-ignore
export const divKinds = [
  'heading', 'paragraph', 'list', 'code', 'quote', 'table', 'html', 'rule', 'definition', 'front_matter', 'mixed',
] as const;
export type DivKind = (typeof divKinds)[number];

/** Options under which texts are divided; rendering must parse with the same ones. */
export const parserOptions = { html: true } as const;

const markdown = new MarkdownIt(parserOptions);

export interface BlockSpan {
  /** UTF-16 offset of the first line of the block, its indentation included. */
  readonly start: number;
  /** Offset after its last line that is not blank, the line end excluded. */
  readonly end: number;
  /** Its first line, from 0. */
  readonly line: number;
  readonly kind: DivKind;
  /** 1 to 6 for a heading, else 0. */
  readonly level: number;
  /** Index of its first token in `tokens`; -1 for front matter, which markdown-it doesn't know. */
  readonly token: number;
}

export interface BlockScan {
  readonly spans: readonly BlockSpan[];
  readonly tokens: readonly Token[];
  /** Holds the link definitions found, in `references`. */
  readonly env: Env;
}

/**
 * Finds the blocks of `source`. `atStart` says that it begins an article: only there a byte order mark is
 * skipped and `---` opens front matter.
 */
export function scanBlocks(source: string, atStart: boolean): BlockScan {
  const bom = atStart ? bomLength(source) : 0;
  const text = bom === 0 ? source : source.slice(bom);
  const normalized = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const env: Env = {};
  const tokens: Token[] = [];
  const state = new BlockState(normalized, markdown, env, tokens);
  const front = atStart ? frontMatterLines(normalized) : 0;
  markdown.block.tokenize(state, front, state.lineMax);

  const starts = normalized === text ? state.bMarks : lineStarts(text);
  const spans: BlockSpan[] = [];
  let open = front > 0 ? { line: 0, kind: 'front_matter' as DivKind, level: 0, token: -1 } : undefined;
  const close = (nextLine: number): void => {
    if (open === undefined) return;
    let last = nextLine - 1;
    while (last > open.line && state.isEmpty(last)) last--;
    const end = at(starts, last) + at(state.eMarks, last) - at(state.bMarks, last);
    spans.push({ start: bom + at(starts, open.line), end: bom + end, ...open });
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.level !== 0 || token.nesting === -1) continue;
    const line = (token.map as [number, number])[0];
    close(line);
    open = {
      line,
      kind: kindOfToken(token),
      level: token.type === 'heading_open' ? Number(token.tag[1]) : 0,
      token: i,
    };
  }
  close(state.lineMax);
  return { spans, tokens, env };
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] as number;
}

function kindOfToken(token: Token): DivKind {
  switch (token.type) {
    case 'heading_open':
      return 'heading';
    case 'paragraph_open':
      return 'paragraph';
    case 'bullet_list_open':
    case 'ordered_list_open':
      return 'list';
    case 'code_block':
    case 'fence':
      return 'code';
    case 'blockquote_open':
      return 'quote';
    case 'table_open':
      return 'table';
    case 'html_block':
      return 'html';
    case 'hr':
      return 'rule';
    case 'reference_definition':
      return 'definition';
    default:
      throw new Error(`markdown-it found a block of unknown type ${token.type}`);
  }
}

/** Offsets at which the lines of a text with carriage returns begin. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  const lineEnd = /\r\n?|\n/g;
  while (lineEnd.exec(text) !== null) starts.push(lineEnd.lastIndex);
  return starts;
}

/**
 * Tokens with the members, values and methods of markdown-it's, but created at once. markdown-it defines each member
 * separately, which takes a third of the time of dividing.
 */
const { State } = new MarkdownIt().block;
type Nesting = Token['nesting'];

class BlockToken {
  readonly type: string;
  tag: string;
  attrs = null;
  map = null;
  nesting: Nesting;
  level = 0;
  children = null;
  content = '';
  markup = '';
  info = '';
  meta = null;
  block = true;
  hidden = false;

  constructor(type: string, tag: string, nesting: Nesting) {
    this.type = type;
    this.tag = tag;
    this.nesting = nesting;
  }
}
Object.setPrototypeOf(
  BlockToken.prototype,
  new State('', new MarkdownIt(), {}, []).push('hr', 'hr', 0).constructor.prototype as object,
);

class BlockState extends State {
  override push(type: string, tag: string, nesting: Nesting): Token {
    const token = new BlockToken(type, tag, nesting) as Token;
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
}

/** 1 where a text begins with a byte order mark. */
export function bomLength(text: string): 0 | 1 {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

const frontMatterOpening = /^---[ \t]*\n["']?[\p{L}_][\p{L}\p{N}_.-]*["']?[ \t]*:(?:[ \t\n]|$)/u;
const frontMatterClosing = /\n(?:---|\.\.\.)[ \t]*(?:\n|$)/g;

/**
 * Whether a text opens YAML front matter: `---`, then at once a `key:` line. Without that line it is a
 * thematic break, as CommonMark has it, so that no prose between two breaks is taken for metadata.
 */
export function opensFrontMatter(text: string): boolean {
  return frontMatterOpening.test(text.slice(bomLength(text)).replace(/\r\n?/g, '\n'));
}

/**
 * How many lines of front matter a text with normalised line ends begins with; 0 without any or without its
 * end.
 */
export function frontMatterLines(text: string): number {
  if (!text.startsWith('---') || !frontMatterOpening.test(text)) return 0;
  frontMatterClosing.lastIndex = text.indexOf('\n') + 1;
  const closing = frontMatterClosing.exec(text);
  if (closing === null) return 0;
  let lines = 2;
  for (let i = text.indexOf('\n'); i !== closing.index; i = text.indexOf('\n', i + 1)) lines++;
  return lines;
}
