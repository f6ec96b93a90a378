/**
 * The notice to reading models about the texts in a representation (contract §8): in Markdown after the front matter, in
 * JSON as the member `trust`, over MCP in front. Exports, the vault and `raw=1` stay exact.
 */
import { bomLength, frontMatterLines } from '../domain/articles/blocks.ts';
import { untrusted } from '../model/vocabulary.ts';

/** Markdown with the notice as a block quote behind its front matter, which has to stay at the very beginning. */
export function labelledMarkdown(markdown: string): string {
  const from = bomLength(markdown);
  const front = frontMatterLines(markdown.slice(from).replace(/\r\n?/g, '\n'));
  let at: number = from;
  for (let line = 0; line < front; line++) {
    const end = /\r\n?|\n/g;
    end.lastIndex = at;
    at = end.exec(markdown) === null ? markdown.length : end.lastIndex;
  }
  const opening = markdown.slice(0, at);
  return `${opening}${front === 0 || /[\r\n]$/.test(opening) ? '' : '\n'}> ${untrusted}\n\n${markdown.slice(at)}`;
}
