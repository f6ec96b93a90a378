/** The proof that an answer or a receipt carries of its entry (contract §3, §6): it stands by itself. */
import { links } from '../../domain/links.ts';
import type { SignedCheckpoint } from '../../engine/act.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { spell } from '../../kernel/spell.ts';
import type { Sealed } from '../../ledger/entry.ts';
import { proofHead } from '../../ledger/proof.ts';
import type { Service } from '../service.ts';

export type Proof = {
  readonly ok: boolean;
  readonly entry: JsonObject;
  readonly entry_hash: string;
  readonly log_index: number | null;
  readonly tlog_proof: string | null;
  readonly receipt: string;
  readonly confirm: string;
  readonly say_to_user: string;
};

/** The proof of one entry: offline verifiable once the log has integrated it. */
export async function proofOf(
  service: Service,
  inv: string,
  { entry, text, hash }: Pick<Sealed, 'entry' | 'text' | 'hash'>,
  index: number | null,
  checkpoint: SignedCheckpoint | null,
  status: string,
): Promise<Proof> {
  const head =
    index === null || checkpoint === null
      ? null
      : proofHead(index, await service.store.read.inclusionLines(index, checkpoint.size));
  const note = checkpoint?.note ?? '';
  const confirm = links.confirm(service.base, inv);
  const proof: Proof = {
    ok: status === 'success',
    entry,
    entry_hash: hash,
    log_index: index,
    tlog_proof: head === null ? null : head + note,
    receipt: links.receiptJson(service.base, inv),
    confirm,
    say_to_user:
      status === 'success'
        ? `Done and on the ledger as ${inv}. Anyone can confirm it: ${confirm}`
        : status === 'running'
          ? `Under way as ${inv}. Anyone can follow it: ${confirm}`
          : `Not done (${status}). The ledger has it as ${inv}: ${confirm}`,
  };
  texts.set(proof, { entry: text, head, checkpoint });
  return proof;
}

/** What is known of a proof's text: that of its entry, and what its proof of inclusion is put together from. */
const texts = new WeakMap<
  Proof,
  { readonly entry: string; readonly head: string | null; readonly checkpoint: SignedCheckpoint | null }
>();

/** A proof as JSON text; in ASCII, as far as its entry is. */
export function proofJson(proof: Proof): string {
  const known = texts.get(proof);
  if (known === undefined) return JSON.stringify(proof);
  const { entry, head, checkpoint } = known;
  const tlogProof =
    head === null || checkpoint === null
      ? undefined
      : `${JSON.stringify(head).slice(0, -1)}${asciiNote(checkpoint)}"`;
  return spell(proof, { entry, tlog_proof: tlogProof });
}

const asciiNotes = new WeakMap<SignedCheckpoint, string>();

/**
 * A note as the inside of a JSON string, with the dash of its signature line escaped: one character beyond
 * Latin-1 makes two bytes of every character of an answer, and twice the time to write and to send it. Made
 * once a batch; the way through bytes is what makes the text one-byte again.
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
