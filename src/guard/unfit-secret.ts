/** Which texts can be looked for as a secret that somebody names (contract §5 "Secrets"). */
import { textProblem } from '../kernel/json.ts';
import { redactionMarker } from './secret-span.ts';

export const secretCharsMin = 8;
export const secretCharsMax = 65_536;

/** Why a text cannot be looked for, or nothing. */
export function unfitSecret(secret: string): string | undefined {
  const bad = textProblem(secret);
  if (bad !== undefined) return `it cannot stand in a text: ${bad}`;
  if (secret.trim().length < secretCharsMin)
    return `it has fewer than ${secretCharsMin} characters, and would be found in texts that hold no secret`;
  if (secret.length > secretCharsMax) return `it has more than ${secretCharsMax} characters`;
  if (redactionMarker.includes(secret)) return 'it is part of the marker that would replace it';
  return undefined;
}
