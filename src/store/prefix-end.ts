/** Names that begin alike are one range in order of their bytes; both adapters read the chains of a thing by it. */

/** The first name behind all that begin with `prefix`, which ends in an ASCII character. */
export function prefixEnd(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
