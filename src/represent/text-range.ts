/**
 * A range of a long Markdown text (contract §7), for readers whose tool cuts or refuses long answers. It ends at the end
 * of a line where one is near, and names the address of the rest.
 */
import { untrusted } from '../model/vocabulary.ts';

export interface TextRange {
  /** Characters of the text before the range. */
  readonly from: number;
  /** Characters of the range at most. */
  readonly chars: number;
}

/** `urlAt` makes the address of the range that begins at a character. */
export function rangeOfText(
  text: string,
  { from, chars }: TextRange,
  urlAt: (from: number) => string,
): string {
  const start = Math.min(from, text.length);
  const end = endOfRange(text, start, chars);
  const notice = start === 0 ? '' : `> ${untrusted}\n\n`;
  const rest = end < text.length ? ` The rest: ${urlAt(end)}` : ' The text ends here.';
  return `${notice}${text.slice(start, end)}\n\n> Characters ${start} to ${end} of ${text.length}.${rest}\n`;
}

/** Behind the last line break of the second half of the range; never inside a surrogate pair. */
function endOfRange(text: string, start: number, chars: number): number {
  const end = start + chars;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (line > start + chars / 2) return line;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
