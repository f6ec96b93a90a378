/** What a dispatched call answers with (contract §3): result, receipt, and a proof that stands by itself. */
import type { Performed, PreparedCall } from './call.ts';
import { links } from '../domain/links.ts';
import type { Result } from '../domain/context.ts';
import type { Appended, Committed, SignedCheckpoint } from '../engine/act.ts';
import type { Fault } from '../kernel/fault.ts';
import type { JsonObject } from '../kernel/json.ts';
import { formatProof } from '../ledger/proof.ts';
import type { Service } from './service.ts';

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

export type Answer =
  | { readonly kind: 'shape'; readonly shape: JsonObject }
  | {
      readonly kind: 'called';
      readonly inv: string;
      readonly key: string;
      readonly status: string;
      readonly ran: boolean;
      readonly result: Result | undefined;
      /** Set where the row failed or the call was refused: its status is the answer's. */
      readonly refusal: Fault | undefined;
      readonly charged: boolean;
      readonly proof: Proof;
      readonly repeated: boolean;
      readonly durationMs: number;
    };

export async function answerOf(
  service: Service,
  call: PreparedCall,
  performed: Performed,
  committed: Committed<unknown>,
): Promise<Answer | Fault> {
  if (performed.entry === undefined || performed.inv === undefined) {
    if (performed.refusal === undefined) throw new Error(`${call.row.key} was neither recorded nor refused`);
    return performed.refusal;
  }
  const { inv, status, result, refusal, charged, entry } = performed;
  const durationMs = Math.max(0, service.now() - call.startedMs);
  return answerRecorded(
    service,
    { inv, key: call.row.key, status, result, refusal, charged, durationMs },
    committed,
    entry,
  );
}

/** The answer of a call whose own entry is among those just committed. */
export async function answerRecorded(
  service: Service,
  call: {
    readonly inv: string;
    readonly key: string;
    readonly status: string;
    readonly result?: Result | undefined;
    readonly refusal?: Fault | undefined;
    readonly charged?: boolean;
    readonly durationMs?: number;
  },
  committed: Committed<unknown>,
  entry: Appended,
): Promise<Answer> {
  const { inv, key, status, result, refusal, charged = false, durationMs = 0 } = call;
  const first = committed.entries[0] as Appended;
  const index = committed.logIndex === null ? null : committed.logIndex + (entry.seq - first.seq);
  const { sealed } = entry;
  return {
    kind: 'called',
    inv,
    key,
    status,
    ran: status === 'success',
    result,
    refusal,
    charged,
    proof: await proofOf(service, inv, sealed.entry, sealed.hash, index, committed.checkpoint, status),
    repeated: false,
    durationMs,
  };
}

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
