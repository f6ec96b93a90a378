/** Lines of words as a look-up: each word with the number of its line, the first one where it stands on several. */
export function grouped(lines: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [n, line] of lines.entries()) {
    for (const word of line.split(' ')) if (!numbers.has(word)) numbers.set(word, n);
  }
  return numbers;
}
