/**
 * Replacements of scrubbed contents (contract §1.4): a replacement cannot be compared with the original commitment, so an
 * entry of the scrub's chain names the content and commits to its replacement.
 */
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';

/** An object of the document, and where it stands. */
export interface Place {
  readonly object: JsonRecord;
  readonly at: string;
}

/** Where a content was: its entry, and the member that commits to it. */
export interface ContentPlace {
  readonly chain: Json | undefined;
  readonly n: Json | undefined;
  readonly field: string;
}

export class Scrubs {
  readonly #said = new Map<string, { readonly by: Json | undefined; readonly replacement: string }[]>();

  /** Whether the entries are held against the log; unlogged entries can be forged, so that nothing relies on them. */
  readonly areLogged: boolean;

  /** `opened` are all objects of the document that show an entry with its contents; each content is checked apart. */
  constructor(opened: readonly Place[], areLogged: boolean) {
    this.areLogged = areLogged;
    for (const { object } of opened) {
      const entry = object['entry'] as JsonRecord;
      const recorded = currentValue((object['contents'] as JsonRecord)['content_sha']);
      if (entry['action'] !== 'scrub' || !isRecord(recorded) || recorded['replacement'] === undefined)
        continue;
      const place = contentKey({ chain: entry['of'], n: entry['of_n'], field: String(entry['field']) });
      const known = this.#said.get(place) ?? [];
      known.push({ by: entry['chain'], replacement: canonical(recorded['replacement']) });
      this.#said.set(place, known);
    }
  }

  /** Whether the document has an entry about that content. */
  knows(place: ContentPlace): boolean {
    return this.#said.has(contentKey(place));
  }

  /** Whether a scrub entry commits to it; one of the chain `by`, where the document names that. */
  replaces(place: ContentPlace, replacement: Json, by?: Json): boolean {
    const recorded = this.#said.get(contentKey(place)) ?? [];
    return recorded.some(
      (each) =>
        each.replacement === canonical(replacement) && (by === undefined || by === null || by === each.by),
    );
  }
}

function contentKey({ chain, n, field }: ContentPlace): string {
  return `${String(chain)} ${String(n)} ${field}`;
}

/** The content as it stands: as committed, or what replaced it. */
export function currentValue(content: Json | undefined): Json | undefined {
  if (!isRecord(content)) return undefined;
  return content['value'] ?? content['replacement'] ?? undefined;
}
