/**
 * Checkpoints (C2SP tlog-checkpoint, contract §6): the log's origin, size and root, signed as a note. The
 * origin is the name of the key that signs for the log; a checkpoint signed by other known keys alone
 * (witnesses) is not the log's.
 */
import { hashBytes } from './merkle.ts';
import { openNote, type NoteSigner, type VerifierKey } from './note.ts';
import { fromBase64, fromDecimal, isRefusal, refuse, type Refusal } from './refusal.ts';

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** Opaque further lines; ours have none. */
  readonly extensions: readonly string[];
}

/** The note text of a checkpoint, ending in a newline. */
export function formatCheckpoint(origin: string, size: number, root: Uint8Array): string {
  if (origin === '' || origin.includes('\n')) throw new TypeError('an origin is one line');
  if (!Number.isSafeInteger(size) || size < 0) throw new TypeError('a log size is a count');
  if (root.length !== hashBytes) throw new TypeError(`a root has ${hashBytes} bytes`);
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** Reads the text of an opened note. */
export function parseCheckpoint(text: string): Checkpoint | Refusal {
  if (!text.endsWith('\n')) return refuse('the checkpoint does not end in a newline');
  const [origin = '', sizeText = '', rootText = '', ...extensions] = text.slice(0, -1).split('\n');
  if (origin === '') return refuse('the checkpoint has no origin');
  const size = fromDecimal(sizeText);
  if (size === undefined) return refuse('the checkpoint has no size');
  const root = fromBase64(rootText);
  if (root?.length !== hashBytes) return refuse('the checkpoint has no root');
  if (extensions.includes('')) return refuse('the checkpoint has an empty line');
  return { origin, size, root, extensions };
}

/** The signed checkpoint of a log whose origin is the signer's name. */
export function signCheckpoint(signer: NoteSigner, size: number, root: Uint8Array): string {
  return signer.sign(formatCheckpoint(signer.key.name, size, root));
}

/** A checkpoint that the log itself, one of `keys`, has signed. */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): Checkpoint | Refusal {
  const opened = openNote(note, keys);
  if (isRefusal(opened)) return opened;
  const checkpoint = parseCheckpoint(opened.text);
  if (isRefusal(checkpoint)) return checkpoint;
  if (!opened.signedBy.some(({ name }) => name === checkpoint.origin)) {
    return refuse(`the checkpoint of ${checkpoint.origin} is not signed by that log`);
  }
  return checkpoint;
}
