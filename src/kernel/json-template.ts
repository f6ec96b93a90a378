/**
 * JSON templates: the text that the answers of one row share is serialized once, and each answer fills in its own values.
 * A template is made from an ordinary value that contains slots.
 */
import type { JsonObject } from './json-value.ts';

/** Delimits slots. It occurs in no URL and no name of ours, and JSON does not escape it. */
const mark = '\x7f';

/** A slot inside a string; the text that fills it must not need JSON escapes. */
export function slot(name: string): string {
  return `${mark}${name}${mark}`;
}

/** A slot for a whole value; JSON text fills it. */
export function jsonSlot(name: string): string {
  return `${mark}=${name}${mark}`;
}

const slotPattern = new RegExp(`"${mark}=([a-z_]+)${mark}"|${mark}([a-z_]+)${mark}`);

export class JsonTemplate<Name extends string> {
  readonly #first: string;
  /** Each slot with the fixed text behind it. */
  readonly #rest: readonly { readonly name: Name; readonly text: string }[];

  /** Throws unless the slots of `value` are exactly `names`. */
  constructor(value: JsonObject, names: readonly Name[]) {
    // Splitting at a pattern of two groups gives text, group, group, text, and so on.
    const [first = '', ...parts] = JSON.stringify(value).split(slotPattern);
    this.#first = first;
    const rest: { name: Name; text: string }[] = [];
    for (let i = 0; i < parts.length; i += 3)
      rest.push({ name: (parts[i] ?? parts[i + 1]) as Name, text: parts[i + 2] as string });
    this.#rest = rest;
    const found = new Set(rest.map(({ name }) => name));
    if (found.size !== names.length || !names.every((name) => found.has(name)))
      throw new Error(`the template has slots ${[...found].join(', ')} instead of ${names.join(', ')}`);
  }

  render(values: Readonly<Record<Name, string>>): string {
    let text = this.#first;
    for (const part of this.#rest) text += values[part.name] + part.text;
    return text;
  }
}
