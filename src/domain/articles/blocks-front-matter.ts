/**
 * What only the beginning of an article can hold: a byte order mark, and YAML front matter. Neither is
 * Markdown, so the block parser is started behind them (contract §5: front matter is a block too, a byte
 * order mark is the lead).
 */

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
