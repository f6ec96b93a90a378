/**
 * Judging what stands in for scrubbed content (contract §1.4): nobody can check a replacement against the commitment
 * that was scrubbed, so an entry that names the content must commit to it. Pure; the caller brings the entries.
 */
import { canonicalJson, type JsonValue } from '../kernel/json.ts';

/** A content that is gone, where it was, and what stands in its place in the form that it had. */
export interface ScrubbedContent {
  readonly chain: string;
  readonly n: number;
  readonly field: string;
  readonly replacement: string | null;
  readonly scrubbedBy: string;
}

interface ScrubEntry {
  readonly text: string;
  readonly contents: readonly {
    readonly field: string;
    readonly body: string | null;
    readonly replacement?: string | null;
  }[];
}

/** What is wrong with it, given the entries of the chain that it names; nothing where one commits to it. */
export function troubleWithScrub(
  { chain, n, field, replacement, scrubbedBy }: ScrubbedContent,
  entries: readonly ScrubEntry[],
): string | undefined {
  for (const { text, contents } of entries) {
    const entry = JSON.parse(text) as Readonly<Record<string, JsonValue>>;
    if (
      entry['action'] !== 'scrub' ||
      entry['of'] !== chain ||
      entry['of_n'] !== n ||
      entry['field'] !== field
    )
      continue;
    const own = contents.find((each) => each.field === 'content_sha');
    const said = JSON.parse(own?.body ?? own?.replacement ?? 'null') as {
      readonly replacement?: JsonValue;
    } | null;
    if (said?.replacement === undefined) continue;
    // Plain text is replaced by plain text, everything else by its canonical JSON.
    if (replacement === said.replacement || replacement === canonicalJson(said.replacement)) return undefined;
  }
  return `what replaces the content of ${field} is not what a scrub entry of ${scrubbedBy} commits to`;
}

/**
 * What is wrong with a content that is gone without being scrubbed: nothing where its entry, or the first one of its
 * chain for an invocation, says that its row keeps commitments only.
 */
export function troubleWithGone(field: string, text: string, first: string | undefined): string | undefined {
  const withheld = (entry: string | undefined): boolean =>
    entry !== undefined && (JSON.parse(entry) as { readonly withheld?: unknown }).withheld === true;
  return withheld(text) || withheld(first)
    ? undefined
    : `the content of ${field} is gone, and no scrub entry says why`;
}
