/**
 * What the deployment keeps of its own witnesses (contract §6): the newest checkpoint with a quorum and the sizes that
 * each witness has cosigned, in one row of the keyring, and the checkpoint also beside the checkpoint file. The larger
 * of the two counts, so that a restore lowers nothing. Neither is an entry.
 */
import type { Keyring } from '../../engine/store.ts';
import { isObject, type JsonValue } from '../../kernel/json-value.ts';
import type { VerifierKey } from '../../ledger/note.ts';
import { judgeNote, type Policy } from '../../ledger/policy.ts';
import { isRefusal } from '../../ledger/refusal.ts';
import { WitnessTrouble } from '../log-alarms.ts';
import type { Cosigned } from '../read-context.ts';

/** Prefix of the row in the keyring; the log's origin follows. */
export const cosignedRecords = 'cosigned/';

/** A copy of the newest cosigned checkpoint apart from the store. */
export interface CosignedCopy {
  /** The note; undefined where none is kept. */
  get(): Promise<string | undefined>;
  /** Durable when it resolves; never replaces a larger checkpoint of the same log. */
  put(note: string): Promise<void>;
}

interface RecordsOptions {
  readonly keyring: Keyring;
  readonly copy: CosignedCopy;
  readonly logKey: VerifierKey;
  readonly policy: Policy;
  /** Told of a copy that could not be written. */
  onTrouble(error: unknown): void;
}

/** So often a record is merged again after another node was faster. */
const attemptsMax = 8;

export class CosigningRecords {
  readonly #options: RecordsOptions;
  readonly #name: string;
  /** Sizes by the written form of the witness's key without its bytes. */
  readonly #sizes = new Map<string, number>();
  #stored: string | undefined;
  #newest: Cosigned | undefined;
  #saving: Promise<void> = Promise.resolve();
  #hasCopy = false;

  constructor(options: RecordsOptions) {
    this.#options = options;
    this.#name = cosignedRecords + options.logKey.name;
  }

  /** The newest that has the quorum of the policy of now. */
  get newest(): Cosigned | undefined {
    return this.#newest;
  }

  /** 0 where nothing is known. */
  sizeOf(key: VerifierKey): number {
    return this.#sizes.get(nameOf(key)) ?? 0;
  }

  setSize(key: VerifierKey, size: number): void {
    this.#sizes.set(nameOf(key), size);
  }

  async load(): Promise<void> {
    const { keyring, copy } = this.#options;
    const stored = await keyring.get(this.#name);
    if (stored !== this.#stored) this.#merge(stored);
    if (this.#hasCopy) return;
    this.#consider(await copy.get());
    this.#hasCopy = true;
  }

  /** Durable when it resolves. `cosigned`: a checkpoint with a quorum. */
  async save(cosigned: Cosigned | undefined): Promise<void> {
    // One at a time: the comparison is with what the last one stored.
    const saved = this.#saving.then(() => this.#save(cosigned));
    this.#saving = saved.catch(() => undefined);
    await saved;
  }

  async #save(cosigned: Cosigned | undefined): Promise<void> {
    const { keyring, copy, onTrouble } = this.#options;
    const isNewer = cosigned !== undefined && isMore(cosigned, this.#newest);
    const newest = isNewer ? cosigned : this.#newest;
    for (let attempt = 1; ; attempt++) {
      const value = recordText(newest?.note ?? null, this.#sizes);
      if (value === this.#stored || (await keyring.compareAndSet(this.#name, this.#stored, value))) {
        this.#stored = value;
        break;
      }
      if (attempt === attemptsMax) throw new Error('the record of cosignatures changes too often');
      const sizes = new Map(this.#sizes);
      this.#merge(await keyring.get(this.#name));
      for (const [name, size] of sizes) this.#sizes.set(name, size);
      // Another node has stored a newer one.
      if (newest === undefined || !isMore(newest, this.#newest)) return;
    }
    if (!isNewer) return;
    this.#newest = cosigned;
    // The row is durable. A copy that cannot be written is one of less, and the next one is tried again.
    await copy
      .put(cosigned.note)
      .catch((error: Error) =>
        onTrouble(
          new WitnessTrouble(
            `the cosigned checkpoint was not copied beside the checkpoint: ${error.message}`,
            false,
          ),
        ),
      );
  }

  #merge(stored: string | undefined): void {
    this.#stored = stored;
    const record = readRecord(stored);
    for (const [name, size] of record.sizes) this.#sizes.set(name, size);
    this.#consider(record.note ?? undefined);
  }

  /** A note that lacks the quorum of the policy, or that was altered, is no cosigned checkpoint. */
  #consider(note: string | undefined): void {
    if (note === undefined) return;
    const { policy, logKey } = this.#options;
    const judged = judgeNote(note, policy, [logKey]);
    if (isRefusal(judged) || !judged.hasQuorum || judged.checkpoint.origin !== logKey.name) return;
    const { checkpoint, cosigned } = judged;
    const found = { size: checkpoint.size, root: checkpoint.root, note, cosigned };
    if (isMore(found, this.#newest)) this.#newest = found;
  }
}

/** Larger, or of the same size with more cosignatures. */
function isMore(cosigned: Cosigned, than: Cosigned | undefined): boolean {
  if (than === undefined || cosigned.size !== than.size) return cosigned.size > (than?.size ?? -1);
  return cosigned.cosigned.length > than.cosigned.length;
}

function nameOf({ name, id }: VerifierKey): string {
  return `${name}+${id.toString(16).padStart(8, '0')}`;
}

function recordText(note: string | null, sizes: ReadonlyMap<string, number>): string {
  const sorted = [...sizes].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ note, sizes: Object.fromEntries(sorted) });
}

/** What cannot be read counts as nothing: witnesses tell the sizes again, and the next round makes a note. */
function readRecord(text: string | undefined): {
  readonly note: string | null;
  readonly sizes: ReadonlyMap<string, number>;
} {
  const nothing = { note: null, sizes: new Map<string, number>() };
  if (text === undefined) return nothing;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return nothing;
  }
  if (!isObject(value)) return nothing;
  const { note, sizes } = value;
  return {
    note: typeof note === 'string' ? note : null,
    sizes: new Map(
      Object.entries(isObject(sizes) ? sizes : {}).filter(
        (pair): pair is [string, number] => Number.isSafeInteger(pair[1]) && Number(pair[1]) >= 0,
      ),
    ),
  };
}

/** The cosigned checkpoint of a stored row, of which nothing is verified; undefined for none. */
export function storedNote(row: string | undefined): string | undefined {
  return readRecord(row).note ?? undefined;
}
