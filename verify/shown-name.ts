/** Names of foreign keys for people: anybody may have chosen them to deceive. */

const charactersMax = 120;

/** Bounded, and with characters that cannot be seen, or that change others, spelled out as `<U+202E>`. */
export function shownName(name: string): string {
  const characters = Array.from(name.slice(0, 2 * charactersMax));
  const shown = characters
    .slice(0, charactersMax)
    .map((each) => (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(each) ? each : `<${codePoint(each)}>`))
    .join('');
  return characters.length > charactersMax ? `${shown}…` : shown;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
