/** A small log outside of any deployment, honest or forked, with what a witness is asked for it. */
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { makeEvidence, type ForkEvidence } from '../../src/ledger/fork-evidence.ts';
import { signerFromSeed, type NoteSigner } from '../../src/ledger/note.ts';
import { formatAddCheckpoint } from '../../src/ledger/witness.ts';
import { leafOf, oracleConsistency, oracleRoot } from '../unit/ledger/support.ts';

export class WitnessedLog {
  readonly signer: NoteSigner;

  constructor(name: string, seed: number) {
    this.signer = signerFromSeed(name, Buffer.alloc(32, seed));
  }

  /** The signed checkpoint of a history: the numbers of its leaves. */
  checkpoint(leaves: readonly number[]): string {
    return signCheckpoint(this.signer, leaves.length, oracleRoot(leaves.map(leafOf)));
  }

  /** What witnesses cosign of that checkpoint: the note's text. */
  text(leaves: readonly number[]): string {
    const note = this.checkpoint(leaves);
    return note.slice(0, note.lastIndexOf('\n\n') + 1);
  }

  /** The request that asks a witness at `oldSize` of this history for a cosignature on all of it. */
  request(leaves: readonly number[], oldSize: number): string {
    const proof =
      oldSize === 0 || oldSize >= leaves.length ? [] : oracleConsistency(oldSize, leaves.map(leafOf));
    return formatAddCheckpoint({ oldSize, proof, note: this.checkpoint(leaves) });
  }

  /** Evidence that this log signed both histories, the smaller one first. */
  evidence(first: readonly number[], second: readonly number[]): ForkEvidence {
    const made = makeEvidence(
      [this.signer.key],
      [this.checkpoint(first), this.checkpoint(second)],
      first.length === second.length ? [] : oracleConsistency(first.length, second.map(leafOf)),
    );
    if (made === undefined) throw new Error('the histories do not contradict each other');
    return made;
  }
}

/** The numbers 0 to `count - 1`; from `fork` on others, which make another tree. */
export function history(count: number, fork = count, branch = 1): number[] {
  return Array.from({ length: count }, (_, i) => (i < fork ? i : 1000 * branch + i));
}
