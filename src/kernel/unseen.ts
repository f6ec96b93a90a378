/**
 * Characters that no reader sees: they reorder what is read, hide inside words, or hold text of their own (Boucher and
 * Anderson, "Trojan Source"). Joiners stay, which Persian, Indic scripts and emoji are written with.
 */

/**
 * Control characters, marks that reorder or hide text, tag characters and variation selectors in which text can be
 * written that no reader sees. Line ends, tabs, joiners and the number signs of Arabic and Syriac stay.
 */
export const unseen =
  /[[\p{Cc}\p{Cf}\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]--[\n\t\u0600-\u0605\u06dd\u070f\u08e2\u200c\u200d]]/gv;

/** The same without marks that name a direction for one sign beside them, and without carriage returns. */
const deceptive =
  /[[\p{Cc}\p{Cf}\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]--[\r\n\t\u0600-\u0605\u061c\u06dd\u070f\u08e2\u200c-\u200f]]|[\ufe00-\ufe0f]{2,}/v;

/**
 * Where such characters are spelling: the flags of England, Scotland and Wales, which are written with tags; a variant
 * of a Han character; the spaces without width that Khmer, Thai, Lao and Burmese part words by; a Mongolian vowel
 * that stands apart.
 */
const spelling =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{Script=Han}[\u{e0100}-\u{e010f}]|[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}]\u200b(?=[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}])|\p{Script=Mongolian}\u180e(?=\p{Script=Mongolian})/gv;

/** Most texts hold nothing beyond these, and are told at a glance. */
const ordinary = /^[\t\n\r\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff]*$/;

/** The first character of a text that deceives its readers, with its place; nothing where there is none. */
export function deceptiveIn(text: string): { readonly at: number; readonly name: string } | undefined {
  if (ordinary.test(text)) return undefined;
  const found = deceptive.exec(text.replace(spelling, (spelt) => 'x'.repeat(spelt.length)));
  return found === null ? undefined : { at: found.index, name: codePoint(found[0]) };
}

/** As Unicode writes it: `U+202E`. */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A text in pieces: what is seen as it stands, and between it the names of what is not. */
export function piecesSeen(text: string): readonly { readonly seen: string; readonly unseen?: string }[] {
  const pieces: { seen: string; unseen?: string }[] = [];
  let rest = text;
  for (let found = deceptiveIn(rest); found !== undefined; found = deceptiveIn(rest)) {
    pieces.push({ seen: rest.slice(0, found.at), unseen: found.name });
    rest = rest.slice(found.at + String.fromCodePoint(rest.codePointAt(found.at) ?? 0).length);
  }
  return [...pieces, { seen: rest }];
}
