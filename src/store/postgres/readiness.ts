/**
 * Whether PostgreSQL answers now and takes writes (`/readyz`, contract §7). Reads wait for a server that is away; a
 * probe must fail soon and name the reason, also where a connection stands and answers nothing. Only one probe runs at
 * a time, so that probes of a hanging server occupy one connection of the pool.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnreachable } from '../../engine/store.ts';
import { WriteProbe } from '../../engine/write-probe.ts';
import { sqlState, Unreachable } from './connection.ts';
import type { ReadPool } from './read-pool.ts';
import { evidence, type EvidenceRow, type Known, type RollbackGuard } from './rollback-guard.ts';

interface Answer {
  readonly evidence: EvidenceRow | null;
  readonly unconfirmed: boolean;
}

/** Commits wait for a standby, and none is connected. Their number is all that any role may see. */
const unconfirmable = `(current_setting('synchronous_standby_names') <> ''
  AND current_setting('synchronous_commit') NOT IN ('off', 'local') AND NOT EXISTS (SELECT FROM pg_stat_replication))`;

export class Readiness {
  readonly #pool: ReadPool;
  readonly #guard: RollbackGuard;
  readonly #writes: WriteProbe;
  readonly #isUnconfirmed: () => boolean;
  #asked: Promise<number> | undefined;

  /**
   * `instance` names this node, so that nodes do not wait for each other's rows. `isUnconfirmed`: whether a commit of
   * this node waits for a synchronous standby.
   */
  constructor(pool: ReadPool, guard: RollbackGuard, instance: string, isUnconfirmed: () => boolean) {
    this.#pool = pool;
    this.#guard = guard;
    this.#isUnconfirmed = isUnconfirmed;
    this.#writes = new WriteProbe(
      () => this.#write(`probe ${instance}`),
      'PostgreSQL does not answer writes',
    );
  }

  /** Entries in the log. Throws `StoreUnreachable`, whose message says what is wrong and names no address. */
  async probe(withinMs: number): Promise<number> {
    const late = new AbortController();
    const begun = performance.now();
    this.#asked ??= this.#ask(withinMs).finally(() => (this.#asked = undefined));
    try {
      const entries = await Promise.race([this.#asked, tooLate(withinMs, late.signal)]);
      await this.#writes.check(withinMs - (performance.now() - begun));
      return entries;
    } finally {
      late.abort();
    }
  }

  async #write(name: string): Promise<void> {
    try {
      await this.#pool.change({
        text: `INSERT INTO held (name, value, expires) VALUES ($1, '', 0) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        values: [name],
      });
    } catch (error) {
      const state = sqlState(error);
      throw state === undefined
        ? new StoreUnreachable(wordsOf(error), { cause: error })
        : new StoreUnreachable(`PostgreSQL refuses writes with ${state}`, { cause: error, fix: refusedFix });
    }
  }

  async #ask(withinMs: number): Promise<number> {
    this.#guard.check();
    const { known } = this.#guard;
    const { evidence: row, unconfirmed } = await this.#answer(known, withinMs);
    const { kind, reason } = this.#guard.judge(known, row);
    if (kind === 'contradicts') throw new StoreUnreachable(`PostgreSQL answers from the past: ${reason}`);
    if (kind === 'standby') throw new StoreUnreachable('PostgreSQL is a standby, which takes no writes');
    if (unconfirmed || this.#isUnconfirmed())
      throw new StoreUnreachable('PostgreSQL confirms no write: no synchronous standby answers', {
        fix: 'Bring the standby back, or take it out of synchronous_standby_names on the primary and reload it; this server goes on by itself.',
      });
    return row?.[4] ?? 0;
  }

  async #answer(known: Known, withinMs: number): Promise<Answer> {
    try {
      const [found] = await this.#pool.rowsWithin<Answer>(
        {
          text: `SELECT ${evidence('$1', '$2')} AS evidence, ${unconfirmable} AS unconfirmed`,
          values: [known.head.size, known.own.seq],
        },
        withinMs,
      );
      return found as Answer;
    } catch (error) {
      throw new StoreUnreachable(wordsOf(error), { cause: error });
    }
  }
}

async function tooLate(ms: number, signal: AbortSignal): Promise<never> {
  await sleep(ms, undefined, { signal });
  throw new StoreUnreachable(silent);
}

const refusedFix =
  'See that the database may be written (default_transaction_read_only, rights of the role) and that its disk has room; this server goes on by itself then.';
const silent = 'PostgreSQL does not answer';

function wordsOf(error: unknown): string {
  const cause = error instanceof Unreachable ? error.cause : error;
  const refusal = sqlState(cause);
  if (refusal !== undefined) return `PostgreSQL refuses with ${refusal}`;
  const code = (cause as NodeJS.ErrnoException).code;
  return code === undefined ? silent : `PostgreSQL cannot be connected to (${code})`;
}
