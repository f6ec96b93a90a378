/** Spans of secrets, the marker that replaces them, and which texts can be searched for as a secret (contract §5 "Secrets"). */
import { textProblem } from '../kernel/json.ts';

/** A secret in a text; `token` if it is a token of ours, which may be recorded by fingerprint. */
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

export const secretCharsMin = 8;
export const secretCharsMax = 65_536;

/** Why a text cannot be searched for as a secret; undefined if it can. */
export function secretProblem(secret: string): string | undefined {
  const bad = textProblem(secret);
  if (bad !== undefined) return `it cannot stand in a text: ${bad}`;
  if (secret.trim().length < secretCharsMin)
    return `it has fewer than ${secretCharsMin} characters, and would be found in texts that hold no secret`;
  if (secret.length > secretCharsMax) return `it has more than ${secretCharsMax} characters`;
  if (redactionMarker.includes(secret)) return 'it is part of the marker that would replace it';
  return undefined;
}
