/**
 * The plain text that a caller was shown (contract §3 `result_text`), kept beside the result of a call that may be
 * repeated, so that the same request finds the same words. What the result holds already is not kept twice: the
 * words name the place in the result that they repeat, and say what stands there when they are read again, also
 * where a secret was taken out of it in between.
 */
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Result } from '../context.ts';
import type { Content } from '../../engine/act.ts';

/** Words as they stand, or a place in the result: member names and indexes from the top. */
type Piece = string | { readonly at: readonly (string | number)[] };

/** Shorter strings cost more by their place than by themselves. */
const repeatedCharsMin = 24;
/** Places that the words of one call may name. */
const leavesMax = 64;

interface Leaf {
  readonly at: readonly (string | number)[];
  readonly text: string;
}

/** Content of the entry of the outcome; absent for an empty text. */
export function resultTextContent({ text, result }: Result, withheld: boolean): Content[] {
  if (text === '') return [];
  return [{ field: 'told_sha', value: abridged(text, result), withheld }];
}

/** The words once more, out of what was kept of them and the result as it is now; nothing where none were kept. */
export function restoreText(kept: JsonValue, result: JsonObject): string | undefined {
  if (!Array.isArray(kept)) return undefined;
  return (kept as readonly Piece[])
    .map((piece) => (typeof piece === 'string' ? piece : stringAt(result, piece.at)))
    .join('');
}

function abridged(text: string, result: JsonObject): Piece[] {
  const leaves: Leaf[] = [];
  gather(result, [], leaves);
  // The longest first, and so many: an answer from outside may have thousands, each looked for in all of the words.
  const longest = leaves.sort((a, b) => b.text.length - a.text.length).slice(0, leavesMax);
  return longest.reduce<Piece[]>(
    (pieces, leaf) => pieces.flatMap((piece) => (typeof piece === 'string' ? without(piece, leaf) : piece)),
    [text],
  );
}

/** Strings of the result that the words may repeat. */
function gather(value: JsonValue, at: Leaf['at'], into: Leaf[]): void {
  if (typeof value === 'string') {
    if (value.length >= repeatedCharsMin) into.push({ at, text: value });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      gather(member as JsonValue, [...at, Array.isArray(value) ? Number(name) : name], into);
  }
}

/** The words with the leaf's place wherever it stands in them. */
function without(words: string, { text, at }: Leaf): Piece[] {
  const [first = '', ...rest] = words.split(text);
  return [first, ...rest.flatMap((piece): Piece[] => [{ at }, piece])].filter((piece) => piece !== '');
}

function stringAt(result: JsonObject, at: Leaf['at']): string {
  let value: unknown = result;
  for (const name of at) value = (value as Record<string | number, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}
