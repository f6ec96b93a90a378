/**
 * Whether a text has the owner's name (spec §1 rule 6). The parts of the name count in any order and any case,
 * with or without accents, run together or apart, also in letters of another alphabet that look the same.
 */
export const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  с: 'c',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  у: 'y',
  х: 'x',
  α: 'a',
  β: 'b',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
};

export function namesOwner(text: string, ownerName: string | undefined): boolean {
  const parts = partsOf(ownerName ?? '');
  if (parts.length === 0) return false;
  const words = partsOf(text);
  if (parts.every((part) => words.includes(part))) return true;
  // A long last name alone tells who it is.
  const last = parts.at(-1) as string;
  if (last.length >= 5 && words.includes(last)) return true;
  // Run together, the parts are told from chance by their length.
  const joined = parts.join('');
  return joined.length >= 6 && words.join('').includes(joined);
}

/** Letters and digits of each word, folded; initials are too common to mean somebody. */
function partsOf(text: string): string[] {
  return folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1);
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[^\p{ASCII}]/gu, (letter) => lookAlikes[letter] ?? letter);
}
