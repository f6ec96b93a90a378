/**
 * Asks one witness to cosign one checkpoint (C2SP tlog-witness `add-checkpoint`), and again where it corrects the size that
 * this node remembers. What it answers is hostile: only a cosignature that verifies counts, and a size without signature
 * is an alarm at most.
 */
import type { SignedCheckpoint } from '../../engine/act.ts';
import type { Reader } from '../../engine/store.ts';
import { verifyCosignatures, type Cosignature, type CosignerKey } from '../../ledger/cosignature.ts';
import { consistencyProof, tilesForConsistency } from '../../ledger/log.ts';
import { fromDecimal, isRefusal } from '../../ledger/refusal.ts';
import { formatAddCheckpoint } from '../../ledger/witness.ts';

export interface WitnessAnswer {
  readonly status: number;
  readonly text: string;
}

export interface WitnessRequest {
  readonly checkpoint: SignedCheckpoint;
  /** What is cosigned: the note's text. */
  readonly text: string;
  /** Of the witness. */
  readonly keys: readonly CosignerKey[];
  /** Size of the newest checkpoint that it has cosigned, as far as it is known. */
  readonly oldSize: number;
  readonly read: Pick<Reader, 'checkpoint' | 'tile'>;
  /** Sends a request. Throws where there is no answer. */
  post(body: string): Promise<WitnessAnswer>;
}

export type WitnessOutcome =
  | { readonly kind: 'cosigned'; readonly cosignatures: readonly Cosignature[] }
  /** It has cosigned a later checkpoint, which the log covers by now. */
  | { readonly kind: 'later'; readonly size: number }
  | { readonly kind: 'alarm'; readonly state: 'ahead' | 'contradicts'; readonly problem: string };

/** How often a witness may correct the size. */
const correctionsMax = 3;

/** What a status says of the set-up, and what to do. */
const refusals: Readonly<Record<number, string>> = {
  403: 'it knows another key of this log: send its operator the key of /.well-known/colophon-key',
  404: 'it does not know this log: send its operator the key of /.well-known/colophon-key',
};

/** Throws with a clause that says what is wrong where there is no cosignature and no alarm. */
export async function requestCosignature(request: WitnessRequest): Promise<WitnessOutcome> {
  const { checkpoint, text, keys, read } = request;
  let oldSize = request.oldSize > checkpoint.size ? 0 : request.oldSize;
  for (let corrections = 0; corrections <= correctionsMax; corrections++) {
    const proof = await consistency(read, oldSize, checkpoint.size);
    const answer = await request.post(formatAddCheckpoint({ oldSize, proof, note: checkpoint.note }));
    if (answer.status === 200)
      return { kind: 'cosigned', cosignatures: cosignaturesOf(text, answer.text, keys) };
    if (answer.status === 422 && oldSize > 0)
      return contradiction(
        `it says that the ${oldSize} entries that it has cosigned are not the first ${oldSize} of this log`,
      );
    const size = answer.status === 409 ? fromDecimal(answer.text.replace(/\n$/, '')) : undefined;
    if (size === undefined) throw new Error(refusals[answer.status] ?? `it answered ${answer.status}`);
    if (size === oldSize)
      return contradiction(`it says that it has cosigned another tree of ${size} entries of this log`);
    if (size > checkpoint.size) {
      const newest = await read.checkpoint();
      // Cosigned in answer to another node, or before a restart.
      if (newest !== null && size <= newest.size) return { kind: 'later', size };
      const problem = `it says that it has cosigned ${size} entries of this log, which has ${newest?.size ?? 0}`;
      return { kind: 'alarm', state: 'ahead', problem };
    }
    oldSize = size;
  }
  throw new Error(`it named another size ${correctionsMax + 1} times`);
}

function contradiction(problem: string): WitnessOutcome {
  return { kind: 'alarm', state: 'contradicts', problem };
}

function cosignaturesOf(text: string, lines: string, keys: readonly CosignerKey[]): readonly Cosignature[] {
  const found = verifyCosignatures(text, lines, keys);
  if (!isRefusal(found)) return found;
  throw new Error(
    `its cosignature is refused: ${found.refused}; compare the policy with what colophon witness keys prints there`,
  );
}

async function consistency(
  read: Pick<Reader, 'tile'>,
  from: number,
  to: number,
): Promise<readonly Uint8Array[]> {
  if (from === 0 || from === to) return [];
  const tiles = new Map<string, Uint8Array>();
  for (const { level, n, width } of tilesForConsistency(from, to)) {
    const bytes = await read.tile(level, n, width);
    if (bytes === undefined) throw new Error(`the log has no tile ${level}/${n} of ${width} hashes`);
    tiles.set(`${level}/${n}`, bytes);
  }
  return consistencyProof(from, to, (level, n) => tiles.get(`${level}/${n}`) as Uint8Array);
}
