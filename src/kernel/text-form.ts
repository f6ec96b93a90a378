/**
 * JSON texts that are alike but for a few values, such as the answers of one row: what they share is spelled once, and
 * each is put together around its own values. The form is made from a value like any other, in which holes stand.
 */
import type { JsonObject } from './json-value.ts';

/** Stands in no URL and no name of ours, and JSON writes it as it is. */
const mark = '\x7f';

/** A place for text inside a string of the form; what fills it needs no escaping in JSON. */
export function holeIn(name: string): string {
  return `${mark}${name}${mark}`;
}

/** A place for a whole value, which is filled with JSON text. */
export function holeFor(name: string): string {
  return `${mark}=${name}${mark}`;
}

const holes = new RegExp(`"${mark}=([a-z_]+)${mark}"|${mark}([a-z_]+)${mark}`);

export class TextForm<Name extends string> {
  readonly #first: string;
  /** What fills a hole, and the text up to the next one. */
  readonly #rest: readonly { readonly name: Name; readonly text: string }[];

  /** Throws where the holes of `value` are not just those of `names`. */
  constructor(value: JsonObject, names: readonly Name[]) {
    // Splitting at a pattern of two groups gives text, group, group, text, and so on.
    const [first = '', ...parts] = JSON.stringify(value).split(holes);
    this.#first = first;
    const rest: { name: Name; text: string }[] = [];
    for (let i = 0; i < parts.length; i += 3)
      rest.push({ name: (parts[i] ?? parts[i + 1]) as Name, text: parts[i + 2] as string });
    this.#rest = rest;
    const found = new Set(rest.map(({ name }) => name));
    if (found.size !== names.length || !names.every((name) => found.has(name)))
      throw new Error(`the form has holes for ${[...found].join(', ')} instead of ${names.join(', ')}`);
  }

  spell(values: Readonly<Record<Name, string>>): string {
    let text = this.#first;
    for (const part of this.#rest) text += values[part.name] + part.text;
    return text;
  }
}
