/** Small operations on texts, which strangers write. */

/**
 * `text` without the characters at its end that `trimmed` matches, one by one, in linear time. A regular expression that
 * is anchored at the end, such as `/[.,]+$/`, takes time squared on a run of such characters that does not end the text.
 */
export function trimEndOf(text: string, trimmed: RegExp): string {
  let end = text.length;
  while (end > 0 && trimmed.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** At most `charsMax` UTF-16 units of `text` and, where it is longer, an ellipsis. Half a character becomes U+FFFD. */
export function excerptOf(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax).toWellFormed()}…` : text;
}

/** What percent-encoding stands for; `text` itself where it is malformed. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
