/** Addresses of contributors as IRIs (RFC 3987), which hold fewer characters than URLs do. */

/** A page on the web; undefined for anything else. */
export function webIri(address: string): string | undefined {
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  return url === null ? undefined : iriText(url.href);
}

/** Percent-encodes what an IRI may not hold. */
export function iriText(address: string): string {
  return address.replace(/[\p{Cc} <>"{}|^`\\]/gu, (character) => encodeURIComponent(character));
}
