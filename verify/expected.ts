/** Comparing a member that a document shows with the value that its evidence gives. */
import type { Coverage } from './coverage.ts';
import { canonical, type Json, type JsonRecord } from './json.ts';
import { failed, type Check } from './report.ts';

/** One failed check for each member that is shown otherwise, or left out; the members count as covered. */
export function checkMembers(
  object: JsonRecord,
  expected: Readonly<Record<string, Json | undefined>>,
  what: { readonly id: string; readonly name: string; readonly at: string; readonly by?: string },
  coverage: Coverage,
): Check[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const shown = object[name];
    coverage.members(object, name);
    if (shown !== undefined && canonical(shown) === canonical(value)) return [];
    const how =
      shown === undefined ? 'is left out' : `is shown otherwise than ${what.by ?? 'the provenance'} has it`;
    return [failed(what.id, `${name}${what.name === '' ? '' : ` of ${what.name}`} ${how}`, what.at)];
  });
}
