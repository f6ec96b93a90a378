/**
 * Invisible and bidirectional control characters that change or hide what a reader sees (Boucher and Anderson, "Trojan
 * Source"). Zero-width joiners are allowed: Persian, Indic scripts and emoji need them.
 */

/**
 * Control characters, format characters, tag characters and variation selectors. Excluded: line ends, tabs, joiners and
 * the number signs of Arabic and Syriac.
 */
export const invisibleCharacters =
  /[[\p{Cc}\p{Cf}\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]--[\n\t\u0600-\u0605\u06dd\u070f\u08e2\u200c\u200d]]/gv;

/** As `invisibleCharacters`, but without direction marks for a single neighbour and without carriage returns. */
const deceptive =
  /[[\p{Cc}\p{Cf}\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]--[\r\n\t\u0600-\u0605\u061c\u06dd\u070f\u08e2\u200c-\u200f]]|[\ufe00-\ufe0f]{2,}/v;

/**
 * Legitimate uses: tag sequences of the flags of England, Scotland and Wales; variation selectors of Han characters;
 * zero-width spaces between words in Khmer, Thai, Lao and Burmese; the Mongolian vowel separator.
 */
const spelling =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{Script=Han}[\u{e0100}-\u{e010f}]|[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}]\u200b(?=[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}])|\p{Script=Mongolian}\u180e(?=\p{Script=Mongolian})/gv;

/** Fast path: most texts hold only these characters. */
const ordinary = /^[\t\n\r\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff]*$/;

/** The first deceptive character with its index and name; undefined if there is none. */
export function findDeceptive(text: string): { readonly at: number; readonly name: string } | undefined {
  if (ordinary.test(text)) return undefined;
  const found = deceptive.exec(text.replace(spelling, (spelt) => 'x'.repeat(spelt.length)));
  return found === null ? undefined : { at: found.index, name: codePoint(found[0]) };
}

/** Unicode notation, such as `U+202E`. */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Splits a text at its deceptive characters: visible text, followed by the name of the hidden character. */
export function splitInvisible(text: string): readonly { readonly text: string; readonly hidden?: string }[] {
  const pieces: { text: string; hidden?: string }[] = [];
  let rest = text;
  for (let found = findDeceptive(rest); found !== undefined; found = findDeceptive(rest)) {
    pieces.push({ text: rest.slice(0, found.at), hidden: found.name });
    rest = rest.slice(found.at + String.fromCodePoint(rest.codePointAt(found.at) ?? 0).length);
  }
  return [...pieces, { text: rest }];
}
