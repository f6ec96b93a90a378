/** JSON texts of objects of which some members exist as text already: what was spelled once is not spelled again. */
import type { JsonObject } from './json-value.ts';

/** JSON of `object`, whose member names need no escaping; members that `spelled` has are put down as they stand there. */
export function spell(object: JsonObject, spelled: Readonly<Record<string, string | undefined>>): string {
  let text = '';
  for (const name in object) {
    const member = object[name];
    if (member !== undefined)
      text += `${text === '' ? '{' : ','}"${name}":${spelled[name] ?? JSON.stringify(member)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}
