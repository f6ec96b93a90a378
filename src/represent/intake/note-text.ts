/**
 * The text of one note as an article has it (contract §8, importing): wikilinks become links, embedded images become
 * images of ours, comments and block ids go. Code stays as it is. What a link means is the caller's to say.
 */
import MarkdownIt from 'markdown-it';
import { parserOptions } from '../../domain/articles/blocks.ts';
import { decodedUri } from '../../kernel/text.ts';

/** What a link of a note names, as it is written. */
export interface NoteLink {
  /** '' for the note itself. */
  readonly target: string;
  /** A heading, or `^` and a block id; '' for the whole. */
  readonly part: string;
  /** The text of the link; '' where it has none of its own. */
  readonly text: string;
  /** `![[…]]` shows what it names. */
  readonly isEmbed: boolean;
  readonly isWiki: boolean;
}

export interface NoteText {
  readonly text: string;
  /** Block ids and the offsets in `text` behind the blocks that they name. */
  readonly blockIds: ReadonlyMap<string, number>;
  /** Comments that were left out. */
  readonly comments: number;
}

const markdown = new MarkdownIt(parserOptions);

/**
 * `resolve` answers with the Markdown in place of a link, or undefined to leave it as it is. A note that was exported
 * from here has no callouts and highlights of Obsidian: what looks like one is text.
 */
export function noteText(
  body: string,
  resolve: (link: NoteLink) => string | undefined,
  isExport = false,
): NoteText {
  let comments = 0;
  const shown = outsideCode(body, (text) =>
    text.replace(/%%[^]*?%%/g, () => {
      comments++;
      return '';
    }),
  );
  const plain = isExport ? shown : outsideCode(shown, withoutDialect);
  const linked = outsideCode(plain, (text) => withLinks(text, resolve));
  return { ...withoutBlockIds(linked), comments };
}

const calloutHead = /^([ \t]*(?:>[ \t]?)+)\[!([A-Za-z][\w-]{0,40})\][+-]?[ \t]*(.*)$/gm;
const highlight = /(?<![=\\])==(?![\s=])([^=\n]{1,1000}?)(?<![\s\\])==(?!=)/g;

/** Callouts become quotes that begin with their title in bold; highlights become `<mark>`. */
function withoutDialect(text: string): string {
  return text
    .replace(calloutHead, (_, marks: string, kind: string, title: string) => {
      const named =
        title.trim() === '' ? `${kind[0]?.toUpperCase()}${kind.slice(1).toLowerCase()}` : title.trim();
      return `${marks}**${named.replaceAll('**', '')}**\n${marks.trimEnd()}`;
    })
    .replace(highlight, '<mark>$1</mark>');
}

/** A note that was converted from another format: only links to files beside it mean something else here. */
export function convertedText(body: string, resolve: (link: NoteLink) => string | undefined): NoteText {
  const text = outsideCode(body, (each) => withFileLinks(each, resolve));
  return { text, blockIds: new Map(), comments: 0 };
}

const wiki = /(!?)\[\[([^[\]|#\n]{0,500}?)((?:#[^[\]|\n]{0,500}?)?)(?:\\?\|([^[\]\n]{0,500}))?\]\]/g;
const inline = /(?<![!\\\]])\[([^[\]\n]{0,500})\]\((?!\w+:|#|\/)(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}))\)/g;

function withLinks(text: string, resolve: (link: NoteLink) => string | undefined): string {
  const linked = text.replace(
    wiki,
    (all, mark: string, target: string, part: string, alias: string | undefined) => {
      const wanted = {
        target: target.trim(),
        part: lastPart(part),
        text: (alias ?? '').trim(),
        isEmbed: mark === '!',
        isWiki: true,
      };
      return resolve(wanted) ?? all;
    },
  );
  return withFileLinks(linked, resolve);
}

function withFileLinks(text: string, resolve: (link: NoteLink) => string | undefined): string {
  return text.replace(
    inline,
    (all, label: string, bracketed: string | undefined, plain: string | undefined) => {
      const [target = '', part = ''] = (bracketed ?? plain ?? '').split('#', 2);
      if (!notePath.test(target)) return all;
      const wanted = {
        target: decodedUri(target),
        part: decodedUri(part),
        text: label,
        isEmbed: false,
        isWiki: false,
      };
      return resolve(wanted) ?? all;
    },
  );
}

/** Files that become articles. */
export const notePath = /\.(?:md|markdown|txt|html?|xhtml)$/i;

/** Tags of Obsidian in a text, nested ones with their slashes: letters, digits, `_`, `-` and `/`, and no number alone. */
export function inlineTags(text: string): readonly string[] {
  const found: string[] = [];
  outsideCode(text, (each) => {
    for (const [, tag = ''] of each.matchAll(/(?<!\S)#([\p{L}\p{N}_/-]{1,60})(?![\p{L}\p{N}_/-])/gu))
      if (!/^[\d/]+$/.test(tag)) found.push(tag.replace(/^\/+|\/+$/g, ''));
    return each;
  });
  return [...new Set(found)].filter((tag) => tag !== '');
}

/** Of `#A#B`, the innermost heading. */
function lastPart(part: string): string {
  return part.split('#').at(-1)?.trim() ?? '';
}

/** Lines inside code blocks and runs of backticks are passed over. */
function outsideCode(text: string, change: (text: string) => string): string {
  const code = new Set<number>();
  for (const { type, map } of markdown.parse(text, {}))
    if (map !== null && (type === 'fence' || type === 'code_block'))
      for (let n = map[0]; n < map[1]; n++) code.add(n);
  const runs: { readonly isCode: boolean; lines: string[] }[] = [];
  for (const [n, line] of text.split('\n').entries()) {
    const last = runs.at(-1);
    if (last?.isCode === code.has(n)) last.lines.push(line);
    else runs.push({ isCode: code.has(n), lines: [line] });
  }
  return runs
    .map(({ isCode, lines }) => {
      const run = lines.join('\n');
      return isCode ? run : outsideSpans(run, change);
    })
    .join('\n');
}

const blank = '\uE000';

/** Code spans are taken out and put back, so that a comment or a link may stand around one. */
function outsideSpans(text: string, change: (text: string) => string): string {
  const spans: string[] = [];
  const without = text
    .replaceAll(blank, '')
    .replace(/(?<!`)(`+)(?!`)([^`]|(?!\1(?!`))`)*?\1(?!`)/g, (span) => {
      spans.push(span);
      return `${blank}${spans.length - 1}${blank}`;
    });
  return change(without).replace(/\uE000(\d+)\uE000/g, (_, n: string) => spans[Number(n)] ?? '');
}

const idAtEnd = /^(.*?)[ \t]+\^([A-Za-z0-9-]{1,100})[ \t]*$/;
const idAlone = /^[ \t]*\^([A-Za-z0-9-]{1,100})[ \t]*$/;

/** Block ids at the end of a block, or in a line of their own behind one. */
function withoutBlockIds(text: string): Pick<NoteText, 'text' | 'blockIds'> {
  const code = new Set<number>();
  for (const { type, map } of markdown.parse(text, {}))
    if (map !== null && (type === 'fence' || type === 'code_block'))
      for (let n = map[0]; n < map[1]; n++) code.add(n);
  const blockIds = new Map<string, number>();
  const kept: string[] = [];
  let length = 0;
  const push = (line: string): void => {
    kept.push(line);
    length += line.length + 1;
  };
  /** The offset of the last character that is kept and not blank. */
  const end = (): number => {
    let at = Math.max(0, length - 1);
    for (let i = kept.length - 1; i >= 0; i--) {
      const line = kept[i] ?? '';
      if (line.trim() !== '') return at - 1;
      at -= line.length + 1;
    }
    return 0;
  };
  for (const [n, line] of text.split('\n').entries()) {
    const [, alone] = code.has(n) ? [] : (idAlone.exec(line) ?? []);
    const [, before, id] = code.has(n) ? [] : (idAtEnd.exec(line) ?? []);
    if (alone !== undefined && kept.length > 0) {
      blockIds.set(alone, end());
      // The blank line before the id goes with it where another follows.
      if (kept.at(-1) === '') length -= (kept.pop() as string).length + 1;
    } else if (id !== undefined && before !== undefined && before.trim() !== '') {
      push(before);
      blockIds.set(id, end());
    } else push(line);
  }
  return { text: kept.join('\n'), blockIds };
}
