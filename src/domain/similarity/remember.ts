/** Characters; what is longer is no word of a language, and would only take room. */
const lengthMax = 64;

/** Remembers what a pure function of a word answered, for the few thousand words that a language uses most. */
export function remembering<T, Rest extends readonly unknown[] = []>(
  of: (word: string, ...rest: Rest) => T,
  wordsMax = 2048,
): (word: string, ...rest: Rest) => T {
  const known = new Map<string, { readonly answer: T }>();
  return (word, ...rest) => {
    const remembered = known.get(word);
    if (remembered !== undefined) return remembered.answer;
    const answer = of(word, ...rest);
    if (word.length > lengthMax) return answer;
    if (known.size >= wordsMax) known.clear();
    known.set(word, { answer });
    return answer;
  };
}
