/**
 * A cosigned proof of one entry, the policy that accepts it, and what the tables of changes (`cosigned-proofs.ts`,
 * `cosigned-policies.ts`) make others of.
 */
import { formatCheckpoint } from '../../src/ledger/checkpoint.ts';
import { cosignerFromSeed, type Cosigner } from '../../src/ledger/cosignature.ts';
import { signatureLine, signerFromSeed, type NoteSigner } from '../../src/ledger/note.ts';
import { formatProof } from '../../src/ledger/proof.ts';
import { leafOf, oraclePath, oracleRoot } from '../unit/ledger/support.ts';

export const size = 600;
export const index = 300;
export const leaves = Array.from({ length: size }, (_, i) => leafOf(i));
export const leaf = leaves[index] as Uint8Array;
export const root = oracleRoot(leaves);
export const path = oraclePath(index, leaves);

export const log = signerFromSeed('log.example', Buffer.alloc(32, 9));
export const witnesses = [1, 2, 3].map((n) =>
  cosignerFromSeed(`w${n}.example`, n === 3 ? 'ml-dsa-44' : 'ed25519', Buffer.alloc(32, n)),
) as [Cosigner, Cosigner, Cosigner];
export const [w1, w2, w3] = witnesses;
export const stranger = cosignerFromSeed('w4.example', 'ed25519', Buffer.alloc(32, 4));
export const otherLog = signerFromSeed('other.example', Buffer.alloc(32, 10));

export const text = formatCheckpoint('log.example', size, root);
export const time = 1_790_000_000;
/** The signature line of a cosigner. */
export const by = (cosigner: Cosigner, of = text, when = time): string => cosigner.cosign(of, when) as string;
/** The signature line of a key that signs notes. */
export const signed = (signer: NoteSigner, of = text): string => signer.sign(of).slice(of.length + 1);
export const [logLine, c1, c2, c3] = [signed(log), by(w1), by(w2), by(w3)];

/** The proof with these signature lines. */
export const proof = (
  lines: readonly string[] = [logLine, c1, c2, c3],
  of = text,
  n = index,
  along = path,
): string => formatProof({ index: n, hashes: along, checkpoint: `${of}\n${lines.join('')}` });

export const sound = proof();
export const defined = [
  `log ${log.key.text}\n`,
  ...witnesses.map(({ key }, i) => `witness w${i + 1} ${key.text}\n`),
].join('');
/** 2 of 3, or another number of them. */
export const policyOf = (count: number | string): string => `${defined}group g ${count} w1 w2 w3\nquorum g\n`;
export const policy = policyOf(2);

/** Why a change is harmless, or that it is refused. */
export type Verdict = 'refused' | { readonly accepted: string };
export const refused: Verdict = 'refused';
export const accepted = (why: string): Verdict => ({ accepted: why });
export const ignored = accepted('signatures of unknown keys are ignored, and two witnesses of three suffice');

/** The same signature written in another way. */
export function encoded(line: string, write: (base64: string) => string): string {
  const [mark, name, base64 = ''] = line.trimEnd().split(' ');
  return `${mark as string} ${name as string} ${write(base64)}\n`;
}

/** The line with other bytes behind its key id, or all of them. */
export function rewritten(line: string, change: (bytes: Buffer) => Buffer): string {
  return encoded(line, (base64) => change(Buffer.from(base64, 'base64')).toString('base64'));
}

const order = 2n ** 252n + 27742317777372353535851937790883648493n;
/** An Ed25519 signature with the order of the group added to S: equal in a verifier that does not compare S with it. */
export function malleated(line: string): string {
  return rewritten(line, (bytes) => {
    const bent = Buffer.from(bytes);
    const s = BigInt(`0x${Buffer.from(bytes.subarray(-32)).reverse().toString('hex')}`) + order;
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex')
      .reverse()
      .copy(bent, bent.length - 32);
    return bent;
  });
}

/** A cosignature of a witness at a time that `cosign` does not take. */
export function signedAt(cosigner: Cosigner, seed: number, when: bigint): string {
  const message = `cosignature/v1\ntime ${when}\n${text}`;
  const line = signed(signerFromSeed('any.example', Buffer.alloc(32, seed)), message);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(when);
  return signatureLine(
    cosigner.key,
    Buffer.concat([bytes, Buffer.from(line.split(' ')[2] as string, 'base64').subarray(4)]),
  );
}

export const withId = (line: string, id: string): string =>
  rewritten(line, (bytes) => Buffer.concat([Buffer.from(id, 'hex'), bytes.subarray(4)]));
export const idOf = (cosigner: Cosigner): string => cosigner.key.text.split('+')[1] as string;
export const otherText = formatCheckpoint('other.example', size, root);
export const extended = `${text}extension\n`;
export const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');
export const stray = (base64: string): string =>
  base64.replace(/.(=+)$/, (end) => `${end.startsWith('A') ? 'B' : 'x'}${end.slice(1)}`);
