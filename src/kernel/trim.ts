/**
 * Trimming in linear time. A regular expression that is anchored at the end, such as `/[.,]+$/`, takes time squared on
 * a run of such characters that does not end the text, and texts here are written by strangers.
 */

/** `text` without the characters at its end that `trimmed` matches, one by one. */
export function trimEndOf(text: string, trimmed: RegExp): string {
  let end = text.length;
  while (end > 0 && trimmed.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
