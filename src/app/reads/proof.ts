/** The proof that an answer or a receipt carries of its entry (contract §3, §6): it stands by itself. */
import { links } from '../../domain/links.ts';
import type { SignedCheckpoint } from '../../engine/act.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { formatProof } from '../../ledger/proof.ts';
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
  entry: JsonObject,
  hash: string,
  index: number | null,
  checkpoint: SignedCheckpoint | null,
  status: string,
): Promise<Proof> {
  const tlogProof =
    index === null || checkpoint === null ? null : await tlogProofOf(service, index, checkpoint);
  const confirm = links.confirm(service.base, inv);
  const before = { ok: status === 'success', entry, entry_hash: hash, log_index: index };
  const after = {
    receipt: links.receiptJson(service.base, inv),
    confirm,
    say_to_user:
      status === 'success'
        ? `Done and on the ledger as ${inv}. Anyone can confirm it: ${confirm}`
        : status === 'running'
          ? `Under way as ${inv}. Anyone can follow it: ${confirm}`
          : `Not done (${status}). The ledger has it as ${inv}: ${confirm}`,
  };
  const proof: Proof = { ...before, tlog_proof: tlogProof?.text ?? null, ...after };
  texts.set(proof, { before, tlog: tlogProof?.json ?? 'null', after });
  return proof;
}

const texts = new WeakMap<
  Proof,
  { readonly before: JsonObject; readonly tlog: string; readonly after: JsonObject }
>();

/** A proof as JSON text; in ASCII, as far as its entry is. */
export function proofJson(proof: Proof): string {
  const parts = texts.get(proof);
  if (parts === undefined) return JSON.stringify(proof);
  return `${JSON.stringify(parts.before).slice(0, -1)},"tlog_proof":${parts.tlog},${JSON.stringify(parts.after).slice(1)}`;
}

async function tlogProofOf(
  service: Service,
  index: number,
  checkpoint: SignedCheckpoint,
): Promise<{ readonly text: string; readonly json: string }> {
  const hashes = await service.store.read.inclusion(index, checkpoint.size);
  const head = formatProof({ index, hashes, checkpoint: '' });
  return { text: head + checkpoint.note, json: `"${head.replaceAll('\n', '\\n')}${asciiNote(checkpoint)}"` };
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
