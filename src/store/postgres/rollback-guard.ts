/**
 * Detects that the database was set back behind a running node (contract §6): by a restore, or by the promotion of a
 * standby that lacks commits. Every statement that loads state also returns evidence, which is compared with what this
 * node saw: the newest head of the log by its root at that size, the node's last acknowledged batch by its last entry,
 * and the highest stamp, since the sequence of stamps never decreases by itself. No write is acknowledged and nothing
 * is signed on contradicting evidence.
 */
import { LedgerRolledBack, lostCheckpoint, type ObservedRollback } from '../../engine/store.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { unitEntries } from './entry-numbers.ts';

export interface SeenHead {
  readonly size: number;
  /** In hex. */
  readonly root: string;
  readonly note: string | null;
}

/** What a node knows when it sends a statement: the answer is held against this, not against what it learned since. */
export interface Known {
  readonly epoch: number;
  readonly head: SeenHead;
  /** The last entry that this node committed: its number, and what the evidence says of it begins with. */
  readonly own: { readonly seq: number; readonly mark: string };
  readonly stamp: number;
}

export interface CommittedEntry {
  readonly seq: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
}

/** One row of `evidence`; hashes and roots are in hex. */
export type EvidenceRow = readonly [
  database: string,
  started: string,
  standby: boolean,
  units: number,
  size: number,
  root: string | null,
  note: string | null,
  rootAtKnown: string | null,
  own: string | null,
  lost: string | null,
  signedIn: string | null,
];

/**
 * - `sound`: the database continues what this node saw.
 * - `unproven`: the root at the known size is not stored (an older version integrated it); it must be recomputed.
 * - `standby`: the server takes no writes and may be behind; nothing follows from that.
 * - `contradicts`: something that this node saw is missing.
 */
export type Verdict =
  | { readonly kind: 'sound' | 'unproven' | 'standby'; readonly reason?: undefined }
  | { readonly kind: 'contradicts'; readonly reason: string };

/**
 * The evidence as one JSON array. `size` and `seq` are the places of the known head's size and of the last entry that
 * the node committed. `database` names the ledger's tables and the timeline, which a restore or a promotion changes.
 * Where that or the server's start is another than before, what was cached by stamps is dropped, even if nothing was
 * lost: a number that was given out before the server ended may be given out again.
 */
export function evidence(size: string, seq: string): string {
  return `(SELECT json_build_array(
    concat_ws(' ', d.oid, pg_relation_filenode('entry'),
      CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END),
    extract(epoch FROM pg_postmaster_start_time()), pg_is_in_recovery(), (SELECT last_value FROM entry_unit),
    h.size, encode(h.root, 'hex'), CASE WHEN h.size > ${size}::bigint THEN h.note END,
    (SELECT encode(l.root, 'hex') FROM log l WHERE l.idx = ${size}::bigint - 1),
    (SELECT concat(e.chain, '#', e.n, ' ', encode(sha256(convert_to(e.text, 'UTF8')), 'hex'))
      FROM entry e WHERE e.seq = ${seq}::bigint),
    (SELECT nullif(k.value, '') FROM keyring k WHERE k.name = '${lostCheckpoint}'), h.database)
    FROM log_head h, pg_database d WHERE d.datname = current_database())`;
}

export class RollbackGuard {
  readonly #onChange: () => void;
  #instance: string | undefined;
  #database: string | undefined;
  #head: SeenHead = { size: 0, root: '', note: null };
  #own = { seq: -1, mark: '' };
  #stamp = 0;
  #isSettled = true;
  #epoch = 0;
  #rollback: ObservedRollback | undefined;

  /** `onChange` drops what was cached of the database as it was. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Counts how often the database turned out to be another than before. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Which database it was last. */
  get database(): string | undefined {
    return this.#database;
  }

  /** Whether the newest head was signed in this database, and not in one that it was copied or promoted from. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  get rollback(): ObservedRollback | undefined {
    return this.#rollback;
  }

  get known(): Known {
    return { epoch: this.#epoch, head: this.#head, own: this.#own, stamp: this.#stamp };
  }

  /** Throws where a rollback was found: this node writes, signs and vouches for nothing any more. */
  check(): void {
    if (this.#rollback !== undefined) throw new LedgerRolledBack(this.#rollback);
  }

  /**
   * A batch of this node is durable; its last entry shows whether it still is. One that begins a chain is known by its
   * place, since ids are random: where only its text is another, it was altered, which audits tell.
   */
  acknowledged({ seq, chain, n, text }: CommittedEntry): void {
    this.#own = { seq, mark: n === 0 ? `${chain}#0 ` : `${chain}#${n} ${sha256Hex(text)}` };
  }

  /** A committed state with that stamp was read. */
  sawStamp(stamp: number): void {
    if (stamp > this.#stamp) this.#stamp = stamp;
  }

  /** A head that continues the known one, and is committed. */
  sawHead(head: SeenHead): void {
    if (head.size > this.#head.size) this.#head = head;
  }

  /** The head of evidence that was proven to continue the known one. */
  sawRow([, , , , size, root, note]: EvidenceRow): void {
    if (root !== null) this.sawHead({ size, root, note });
  }

  /** Holds what the database answered against what was known when it was asked. */
  judge(known: Known, row: EvidenceRow | null | undefined): Verdict {
    if (row == null) return contradiction('the head of the log is missing');
    const [database, started, standby, units, size, root, , rootAtKnown, own, lost, signedIn] = row;
    if (standby) return { kind: 'standby' };
    const instance = `${database} ${started}`;
    if (instance !== this.#instance) this.#changed(instance);
    this.#database = database;
    this.#isSettled = signedIn === null || signedIn === database;
    if (lost !== null)
      return contradiction(`another node found that the database was set back (${firstLine(lost)})`);
    const { head } = known;
    if (size < head.size)
      return contradiction(`the log has ${size} entries, and this node has seen ${head.size}`);
    if (known.own.seq >= 0 && own?.startsWith(known.own.mark) !== true)
      return contradiction(`entry number ${known.own.seq}, which this node acknowledged, is missing`);
    if (units * unitEntries < known.stamp)
      return contradiction('entry numbers that this node has seen in use are to be given out again');
    if (head.size > 0) {
      const there = size === head.size ? root : rootAtKnown;
      if (there === null) return { kind: 'unproven' };
      if (there !== head.root)
        return contradiction(
          `the first ${head.size} entries of the log are not those that this node has seen`,
        );
    }
    this.sawRow(row);
    return { kind: 'sound' };
  }

  /** From here on this node refuses. What it saw stays as evidence. */
  found(reason: string): ObservedRollback {
    if (this.#rollback === undefined) {
      this.#rollback = { reason, checkpoint: this.#head.note };
      this.#renew();
    }
    return this.#rollback;
  }

  #changed(instance: string): void {
    const before = this.#instance;
    this.#instance = instance;
    if (before !== undefined) this.#renew();
  }

  #renew(): void {
    this.#epoch++;
    this.#onChange();
  }
}

function contradiction(reason: string): Verdict {
  return { kind: 'contradicts', reason };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] as string;
}
