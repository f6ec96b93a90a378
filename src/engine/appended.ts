/** What an act appends: the contents it commits to by salted hashes, and the description of the entry. */
import { canonicalText } from '../kernel/canonical-text.ts';
import { randomBytes } from '../kernel/ids.ts';
import type { JsonValue } from '../kernel/json.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { commitment, type Sealed } from '../ledger/entry.ts';
import type { Appended, Content, Scrub, StoredContent, StoredEvent } from './act.ts';

/** An appended entry; its committed texts are built on demand. */
export class AppendedEntry implements Appended {
  readonly seq: number;
  readonly sealed: Sealed;
  readonly #stored: readonly StoredContent[];
  readonly #contents: readonly Content[];

  constructor(
    seq: number,
    sealed: Sealed,
    stored: readonly StoredContent[],
    contents: readonly Content[] = [],
  ) {
    this.seq = seq;
    this.sealed = sealed;
    this.#stored = stored;
    this.#contents = contents;
  }

  contentText(value: JsonValue): string | undefined {
    const at = this.#contents.findIndex((content) => content.value === value && content.plain !== true);
    return this.#stored[at]?.body ?? undefined;
  }

  get contents(): Appended['contents'] {
    return this.#stored.map(({ field, salt }) => ({
      field,
      sha: this.sealed.entry[field] as string,
      salt: salt === null ? null : Buffer.from(salt).toString('hex'),
    }));
  }
}

export function withScrub<E extends StoredEvent>(event: E, { slot, replacement, scrubbedBy }: Scrub): E {
  const contents = event.contents.map((content, i) =>
    i === slot ? { field: content.field, salt: null, body: null, replacement, scrubbedBy } : content,
  );
  return { ...event, contents };
}

export function commitContent(content: Content): {
  readonly stored: StoredContent;
  readonly sha: string;
} {
  if (content.plain === true) {
    if (typeof content.value !== 'string') throw new TypeError(`plain content ${content.field} must be text`);
    return {
      stored: { field: content.field, salt: null, body: content.value },
      sha: sha256Hex(content.value),
    };
  }
  const salt = randomBytes(32);
  const body = canonicalText(content.value);
  const { field } = content;
  const stored = content.withheld === true ? { field, salt: null, body: null } : { field, salt, body };
  return { stored, sha: commitment(salt, body) };
}
