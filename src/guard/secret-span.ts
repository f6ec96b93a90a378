/** Where a secret lies in a text, and what stands in its place (contract §5 "Secrets"). */

/** A stretch of text that is a secret; `token` is the token of ours that it is, which may be recorded by fingerprint. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  readonly token: string | undefined;
}

/** What stands in place of a secret. */
export const redactionMarker = '[redacted:secret]';

/** The password that says the user name is a token; the npm rule takes that. */
export const tokenAsUser = 'x-oauth-basic';

export function add(spans: Span[], start: number, end: number, kind: string, token?: string): void {
  spans.push({ start, end, kind, token });
}
