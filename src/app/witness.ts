/**
 * The deployment as a witness of other logs (contract §6): decides on `add-checkpoint` requests, keeps the newest
 * checkpoint of each log, and cosigns. The record is compared and set in one statement of the store, then copied
 * beside the checkpoint file, and only then cosigned; the larger of the two is what counts, so that a store that was
 * set back lowers nothing. Neither is an entry, and no rebuild makes them again. A log that contradicts what was cosigned
 * for it leaves evidence before its request is answered.
 */
import type { Keyring } from '../engine/store.ts';
import type { Cosigner } from '../ledger/cosignature.ts';
import { makeEvidence, type ForkEvidence } from '../ledger/fork-evidence.ts';
import type { VerifierKey } from '../ledger/note.ts';
import { isRefusal } from '../ledger/refusal.ts';
import {
  decideAddCheckpoint,
  openWitnessed,
  parseAddCheckpoint,
  type AddCheckpoint,
  type WitnessedCheckpoint,
  type WitnessRecord,
} from '../ledger/witness.ts';
import { isObject, type JsonValue } from '../kernel/json-value.ts';

/** Records of the witness in the keyring: the prefix and the log's origin. */
export const witnessRecords = 'witness/';

/** A copy of the records apart from the store. */
export interface WitnessCopy {
  /** The record that is larger than the store's, if there is one. */
  get(origin: string): WitnessRecord | undefined;
  /** Durable when it resolves; never replaces a larger record. */
  put(origin: string, record: WitnessRecord): Promise<void>;
}

export interface WitnessOptions {
  /** The keys of the logs that are witnessed; their names are the origins. */
  readonly logs: readonly VerifierKey[];
  readonly cosigners: readonly Cosigner[];
  readonly keyring: Keyring;
  readonly copy: WitnessCopy;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Keeps evidence of two histories; durable when it resolves. */
  readonly keepEvidence: (evidence: ForkEvidence) => Promise<unknown>;
  /** Told of a log that showed two histories under two of its keys, which convicts neither. */
  readonly onTwoKeys: (origin: string) => void;
}

export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  /** 200: the signature lines; 409: the size of the newest cosigned checkpoint; else one sentence. */
  readonly text: string;
}

/** So often a request is decided again after another one was faster. */
const attemptsMax = 8;

export class Witness {
  readonly #options: WitnessOptions;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  async addCheckpoint(body: Uint8Array): Promise<WitnessAnswer> {
    const request = parseAddCheckpoint(body);
    if (isRefusal(request)) return { status: 400, text: request.refused };
    const witnessed = openWitnessed(request.note, this.#options.logs);
    if ('status' in witnessed) return { status: witnessed.status, text: witnessed.reason };
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const answer = await this.#attempt(request, witnessed);
      if (answer !== undefined) return answer;
    }
    throw new Error(`the record of ${witnessed.checkpoint.origin} changes too often`);
  }

  /** Undefined where another request changed the record meanwhile. */
  async #attempt(
    request: AddCheckpoint,
    { checkpoint, text, note }: WitnessedCheckpoint,
  ): Promise<WitnessAnswer | undefined> {
    const { keyring, copy, cosigners, now } = this.#options;
    const { origin, size, root } = checkpoint;
    const name = witnessRecords + origin;
    // Before the record is read: at this moment no larger checkpoint had been cosigned.
    const timeSeconds = Math.floor(now() / 1000);
    const stored = await keyring.get(name);
    const record = larger(recordIn(stored), copy.get(origin));
    const decision = decideAddCheckpoint(request, checkpoint, record);
    if (decision.status !== 200) {
      if (decision.isFork && record !== undefined)
        await this.#keep(origin, [record.note, note], request.proof);
      return {
        status: decision.status,
        text: decision.status === 409 ? String(record?.size ?? 0) : decision.reason,
      };
    }
    const next = { size, root, note };
    const value = recordText(record?.size === size ? record : next);
    if (stored !== value && !(await keyring.compareAndSet(name, stored, value))) return undefined;
    await copy.put(origin, next);
    const lines = cosigners.map((cosigner) => cosigner.cosign(text, timeSeconds));
    return { status: 200, text: lines.filter((line) => typeof line === 'string').join('') };
  }

  /** Before the request is answered. */
  async #keep(origin: string, notes: readonly [string, string], proof: readonly Uint8Array[]): Promise<void> {
    const { logs, keepEvidence, onTwoKeys } = this.#options;
    const evidence = makeEvidence(
      logs.filter(({ name }) => name === origin),
      notes,
      proof,
    );
    if (evidence === undefined) onTwoKeys(origin);
    else await keepEvidence(evidence);
  }
}

function larger(a: WitnessRecord | undefined, b: WitnessRecord | undefined): WitnessRecord | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.size > a.size ? b : a;
}

/** A record as it is stored: JSON with `size`, `root` in base64, and `note`. */
export function recordText({ size, root, note }: WitnessRecord): string {
  return JSON.stringify({ size, root: Buffer.from(root).toString('base64'), note });
}

/** Reads a stored record. Throws where it was altered: a witness that does not know what it cosigned must not cosign. */
export function recordIn(text: string | undefined): WitnessRecord | undefined {
  if (text === undefined) return undefined;
  const value = JSON.parse(text) as JsonValue;
  if (isObject(value)) {
    const { size, root, note } = value;
    if (typeof size === 'number' && typeof root === 'string' && typeof note === 'string')
      return { size, root: Buffer.from(root, 'base64'), note };
  }
  throw new Error('a record of the witness is damaged');
}
