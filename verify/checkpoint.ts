/** The text of a checkpoint (C2SP tlog-checkpoint): the log's origin, its size and its root. */
import { fromBase64, type Bytes } from './bytes.ts';
import { hashBytes } from './merkle.ts';
import { InvalidEvidence } from './report.ts';

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const bytes = fromBase64(root);
  const wellFormed =
    origin !== '' &&
    isDecimal(size) &&
    bytes?.length === hashBytes &&
    rest.length > 0 &&
    rest.indexOf('') === rest.length - 1;
  if (!wellFormed) throw new InvalidEvidence('checkpoint', 'the checkpoint is malformed');
  return { origin, size: Number(size), root: bytes };
}

export function isDecimal(text: string): boolean {
  return /^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
}
