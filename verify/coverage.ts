/**
 * Which members of a document are covered by evidence (contract §6). Each check marks the members that it compared with an
 * entry, a commitment or a signed log; the report lists all others as `uncovered`: only the server vouches for them.
 */
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, type Check } from './report.ts';

const everything = 'the whole document';

export class Coverage {
  readonly #whole = new Set<Json>();
  readonly #members = new Map<JsonRecord, Set<string>>();
  readonly #lists = new Set<Json>();
  readonly #named = new Set<string>();

  /** Members of an object, each with everything below it. */
  members(of: JsonRecord, ...names: readonly string[]): void {
    const known = this.#members.get(of) ?? new Set<string>();
    for (const name of names) known.add(name);
    this.#members.set(of, known);
  }

  /** Members that turned out not to be vouched for. */
  forget(of: JsonRecord, ...names: readonly string[]): void {
    for (const name of names) this.#members.get(of)?.delete(name);
  }

  /** An object or an array with everything below it. */
  whole(value: Json): void {
    if (typeof value === 'object' && value !== null) this.#whole.add(value);
  }

  /** Which items an array has, and in which order; the items themselves are marked one by one. */
  list(items: readonly Json[]): void {
    this.#lists.add(items);
  }

  /** An object that was judged by itself, and the places in it that nothing proves. */
  judged(object: JsonRecord, at: string, uncovered: readonly string[]): void {
    if (uncovered.includes(everything)) return;
    this.whole(object);
    for (const place of uncovered) this.name(`${at}.${place}`.replaceAll(/\[\d+\]/g, '[]'));
  }

  /** What an entry commits to and the document does not show, or a part of a text that nothing vouches for. */
  name(place: string): void {
    this.#named.add(place);
  }

  /**
   * Places that nothing proves, in the order of the document. `claims[].permalink` is a member of every claim;
   * `claims[]` says that nothing proves which claims there are and in which order, `claims[].*` that nothing proves
   * any member of a claim.
   */
  uncovered(document: Json): string[] {
    const found: string[] = [];
    if (!this.#walk(document, '', found)) found.push(everything);
    return [...new Set([...found, ...this.#named])];
  }

  /** Whether anything here is covered; what is not goes to `found`. */
  #walk(value: Json, at: string, found: string[]): boolean {
    if (this.#whole.has(value)) return true;
    if (Array.isArray(value)) return this.#walkList(value as readonly Json[], `${at}[]`, found);
    if (!isRecord(value)) return false;
    const covered = this.#members.get(value);
    const missing: string[] = [];
    let some = false;
    for (const [name, member] of Object.entries(value)) {
      const place = at === '' ? name : `${at}.${name}`;
      if (covered?.has(name) === true || this.#walk(member, place, missing)) some = true;
      else missing.push(place);
    }
    if (some) found.push(...missing);
    return some;
  }

  #walkList(items: readonly Json[], at: string, found: string[]): boolean {
    const missing: string[] = this.#lists.has(items) ? [] : [at];
    let some = this.#lists.has(items);
    for (const item of items) {
      if (this.#walk(item, at, missing)) some = true;
      else missing.push(`${at}.*`);
    }
    if (some) found.push(...missing);
    return some;
  }
}

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
