/**
 * What `colophon transfer` moves between two kinds of store (contract §0, §6, ADR 67), and the marks that it leaves in
 * the keyring: on the target until it is verified and the source is marked, on the source for ever. Both stores check
 * them before anything is written.
 */
import { createHash } from 'node:crypto';
import { leafHash, type Entry } from '../ledger/entry.ts';
import type { CompletedTile, MerkleLog } from '../ledger/log.ts';
import type { NewEntry } from './batch-io.ts';
import { type Blobs, type LogEntry, OperatorError } from './store.ts';

/** Names of keyring rows. The value is the other place, in words; '' where the mark was removed. */
export const transferredTo = 'transferred_to';
export const transferUnfinished = 'transfer_unfinished';

/** Throws where this copy of the ledger may not be written: it was transferred, or is not whole yet. */
export function checkTransferMarks(markOf: (name: string) => string | undefined): void {
  const to = markOf(transferredTo) ?? '';
  if (to !== '')
    throw new OperatorError(
      `The ledger was transferred to ${to}; serve it there. This copy takes no writes.`,
    );
  const from = markOf(transferUnfinished) ?? '';
  if (from !== '') throw new UnfinishedTransfer(from);
}

export class UnfinishedTransfer extends OperatorError {
  constructor(from: string) {
    super(
      `The transfer from ${from} was not finished here; run the same colophon transfer again, with the settings of ${from}.`,
    );
  }
}

/** The target of a transfer holds something. */
export class NotEmpty extends OperatorError {}

/** Whether what a place holds is an unfinished transfer of the same log, which may be begun again. */
export function isUnfinished(
  found: (name: string) => string | undefined,
  { keyring }: Pick<LedgerCopy, 'keyring'>,
): boolean {
  const same = (name: string): boolean => found(name) === keyring.find((row) => row.name === name)?.value;
  return (found(transferUnfinished) ?? '') !== '' && same('log_origin') && same('log_label');
}

export interface KeyringRow {
  readonly name: string;
  readonly value: string;
}

/** An operational record that is durable until it expires. */
export interface HeldRow extends KeyringRow {
  readonly expires: number;
}

/** Everything of a ledger that cannot be made again, from one moment. */
export interface LedgerCopy {
  readonly size: number;
  /** The signed checkpoint over all entries; null for an empty log. */
  readonly checkpoint: { readonly note: string; readonly root: Uint8Array } | null;
  /** Pages of entries in log order; `act` is the log index of the act's first entry. */
  pages(): AsyncIterable<readonly LogEntry[]>;
  /** Without the version, which the receiving store writes. */
  readonly keyring: readonly KeyringRow[];
  readonly held: readonly HeldRow[];
  readonly blobs: Pick<Blobs, 'names' | 'get'>;
  /** What a data folder holds beside the ledger, by its path in it: the secret key, and what is kept apart. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

export type TransferProgress = (what: string, done: number, of: number) => void;

/** Entries as a store writes them, numbered by their place in the log, and the tiles that they complete. */
export function sealedRows(
  page: readonly LogEntry[],
  log: MerkleLog,
): { readonly entries: readonly NewEntry[]; readonly tiles: readonly CompletedTile[] } {
  const entries = page.map(({ index, act, text, contents }) => {
    const { chain, n } = JSON.parse(text) as Entry;
    const leaf = leafHash(text);
    log.append(leaf);
    return { seq: index, act, chain, n, text, leaf, contents };
  });
  return { entries, tiles: log.takeCompleted() };
}

/** Numbers acts by the log index of their first entry, as every store may number them differently. */
export function byLogIndex(): (entry: LogEntry) => LogEntry {
  let last = { stored: Number.NaN, index: 0 };
  return (entry) => {
    if (entry.act !== last.stored) last = { stored: entry.act, index: entry.index };
    return { ...entry, act: last.index };
  };
}

/** Two copies of a ledger have the same digest if every entry has the same place, act, text and contents in both. */
export class LedgerDigest {
  readonly #hash = createHash('sha256');
  readonly #numbered = byLogIndex();
  #entries = 0;

  get entries(): number {
    return this.#entries;
  }

  add(entry: LogEntry): void {
    const { index, act, text, contents } = this.#numbered(entry);
    const parts = contents.map(({ field, salt, body, replacement = null, scrubbedBy = null }) => [
      field,
      salt === null ? null : Buffer.from(salt).toString('base64'),
      body,
      replacement,
      scrubbedBy,
    ]);
    this.#hash.update(JSON.stringify([index, act, text, parts]));
    this.#entries++;
  }

  /** Ends the digest. */
  hex(): string {
    return this.#hash.digest('hex');
  }
}
