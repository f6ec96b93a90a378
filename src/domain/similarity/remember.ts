/** Remembers what a pure function of a word answered, for the few thousand words that a language uses most. */
export function remembering<T>(of: (word: string) => T, wordsMax = 2048): (word: string) => T {
  const known = new Map<string, { readonly answer: T }>();
  return (word) => {
    const remembered = known.get(word);
    if (remembered !== undefined) return remembered.answer;
    const answer = of(word);
    if (known.size >= wordsMax) known.clear();
    known.set(word, { answer });
    return answer;
  };
}
