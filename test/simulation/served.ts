/**
 * Reads a cosigned checkpoint without the product's code, so that the laws do not trust what they judge: size and root from
 * its lines, and the Ed25519 cosignatures (C2SP tlog-cosignature) that verify.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { CosignerKey } from '../../src/ledger/cosignature.ts';

export interface ServedCheckpoint {
  readonly size: number;
  readonly root: Buffer;
  /** The names of the keys whose cosignatures verify. */
  readonly by: ReadonlySet<string>;
}

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const verified = new Map<string, boolean>();

export function readServed(note: string, keys: readonly CosignerKey[]): ServedCheckpoint {
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [, size, root] = text.split('\n');
  const by = new Set<string>();
  for (const line of note.slice(end + 2).split('\n')) {
    const [, name = '', encoded = ''] = line.split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    for (const key of keys)
      if (
        key.name === name &&
        bytes.length === 76 &&
        bytes.readUInt32BE() === key.id &&
        isSigned(key, text, bytes)
      )
        by.add(name);
  }
  return { size: Number(size), root: Buffer.from(root ?? '', 'base64'), by };
}

/** `bytes`: key id, time, signature. */
function isSigned(key: CosignerKey, text: string, bytes: Buffer): boolean {
  const name = `${key.text} ${text} ${bytes.toString('hex')}`;
  let known = verified.get(name);
  if (known === undefined) {
    const message = Buffer.from(`cosignature/v1\ntime ${bytes.readBigUInt64BE(4)}\n${text}`);
    const publicKey = createPublicKey({
      key: Buffer.concat([spkiPrefix, key.publicBytes]),
      format: 'der',
      type: 'spki',
    });
    verified.set(name, (known = verify(null, message, publicKey, bytes.subarray(12))));
    if (verified.size > 1000) verified.clear();
  }
  return known;
}
