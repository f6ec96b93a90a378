/** The offline-verifiable proof of an entry in answers and receipts (contract §3, §6). */
import { links } from '../../domain/links.ts';
import type { SignedCheckpoint } from '../../engine/act.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Sealed } from '../../ledger/entry.ts';
import type { Proof } from '../../model/invocation.ts';
import { proofHead } from '../../ledger/proof.ts';
import type { ReadContext } from '../read-context.ts';

/** The checkpoint that proves an entry: the newest with a quorum of witnesses that covers it, else the newest. */
export async function checkpointFor(
  { cosigning, read }: Pick<ReadContext, 'cosigning' | 'read'>,
  index: number | null,
): Promise<SignedCheckpoint | null> {
  const cosigned = cosigning?.newest;
  return cosigned !== undefined && index !== null && index < cosigned.size ? cosigned : read.checkpoint();
}

/** Tells when something made from `checkpointFor` this entry can be made again with a quorum; undefined if it has one. */
export function outdatedBy(
  context: Pick<ReadContext, 'cosigning'>,
  index: number,
): (() => boolean) | undefined {
  const isAwaiting = (): boolean =>
    context.cosigning !== undefined && index >= (context.cosigning.newest?.size ?? 0);
  return isAwaiting() ? () => !isAwaiting() : undefined;
}

/** The members that differ between proofs of one row. */
interface Proven {
  readonly entry: JsonObject;
  readonly hash: string;
  readonly index: number | null;
  readonly tlogProof: string | null;
}

/** The proof of one entry; verifiable once the log has integrated it. */
export async function proofOf(
  context: ReadContext,
  inv: string,
  { entry, text, hash }: Pick<Sealed, 'entry' | 'text' | 'hash'>,
  index: number | null,
  checkpoint: SignedCheckpoint | null,
  status: string,
): Promise<Proof> {
  const head =
    index === null || checkpoint === null
      ? null
      : proofHead(index, await context.read.inclusionLines(index, checkpoint.size));
  const tlogProof = head === null ? null : head + (checkpoint?.note ?? '');
  const proof = proofMembers(context.base, inv, status, { entry, hash, index, tlogProof });
  texts.set(proof, { entry: text, head, checkpoint });
  return proof;
}

export function proofMembers(
  base: string,
  inv: string,
  status: string,
  { entry, hash, index, tlogProof }: Proven,
): Proof {
  const confirm = links.confirm(base, inv);
  return {
    ok: status === 'success',
    entry,
    entry_hash: hash,
    log_index: index,
    tlog_proof: tlogProof,
    receipt: links.receipt(base, inv),
    confirm,
    say_to_user:
      status === 'success'
        ? `Done and on the ledger as ${inv}. Anyone can confirm it: ${confirm}`
        : status === 'running'
          ? `Under way as ${inv}. Anyone can follow it: ${confirm}`
          : `Not done (${status}). The ledger has it as ${inv}: ${confirm}`,
  };
}

/** The parts of a proof's text: its entry and its proof of inclusion. */
const texts = new WeakMap<
  Proof,
  { readonly entry: string; readonly head: string | null; readonly checkpoint: SignedCheckpoint | null }
>();

/** JSON texts of the two large members of a proof; ASCII if the entry is. */
export function proofTexts(proof: Proof): { readonly entry: string; readonly tlogProof: string } {
  const known = texts.get(proof);
  if (known === undefined)
    return { entry: JSON.stringify(proof.entry), tlogProof: JSON.stringify(proof.tlog_proof) };
  const { entry, head, checkpoint } = known;
  if (head === null || checkpoint === null) return { entry, tlogProof: 'null' };
  return { entry, tlogProof: `${JSON.stringify(head).slice(0, -1)}${asciiNote(checkpoint)}"` };
}

const asciiNotes = new WeakMap<SignedCheckpoint, string>();

/**
 * A note as JSON string content with its dash escaped: one character beyond Latin-1 doubles the bytes of the whole
 * answer. Made once per batch; the conversion through bytes makes a one-byte string.
 */
function asciiNote(checkpoint: SignedCheckpoint): string {
  let text = asciiNotes.get(checkpoint);
  if (text === undefined) {
    const escaped = JSON.stringify(checkpoint.note).replaceAll(
      /[^ -~]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    text = Buffer.from(escaped.slice(1, -1), 'latin1').toString('latin1');
    asciiNotes.set(checkpoint, text);
  }
  return text;
}
