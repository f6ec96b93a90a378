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

export class Readiness {
  readonly #pool: ReadPool;
  readonly #guard: RollbackGuard;
  readonly #writes: WriteProbe;
  #asked: Promise<number> | undefined;

  /** `instance` names this node, so that nodes do not wait for each other's rows. */
  constructor(pool: ReadPool, guard: RollbackGuard, instance: string) {
    this.#pool = pool;
    this.#guard = guard;
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
      await this.#pool.rows({
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
    const row = await this.#evidence(known, withinMs);
    const { kind, reason } = this.#guard.judge(known, row);
    if (kind === 'contradicts') throw new StoreUnreachable(`PostgreSQL answers from the past: ${reason}`);
    if (kind === 'standby') throw new StoreUnreachable('PostgreSQL is a standby, which takes no writes');
    return row?.[4] ?? 0;
  }

  async #evidence(known: Known, withinMs: number): Promise<EvidenceRow | null | undefined> {
    try {
      const [found] = await this.#pool.rowsWithin<{ readonly evidence: EvidenceRow | null }>(
        {
          text: `SELECT ${evidence('$1', '$2')} AS evidence`,
          values: [known.head.size, known.own.seq],
        },
        withinMs,
      );
      return found?.evidence;
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
