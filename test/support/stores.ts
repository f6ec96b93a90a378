/** The two adapters of the store port, each ready to be opened as often as a test likes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Schema } from '../../src/engine/act.ts';
import type { Store, StoreLimits } from '../../src/engine/store.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import { openPostgres } from '../../src/store/postgres/store.ts';
import { openSqlite } from '../../src/store/sqlite/store.ts';
import { hasPostgres, startPostgres, type TestPostgres } from './postgres.ts';

export const signer = signerFromSeed('log.test', new Uint8Array(32).fill(7));

export const sign = (size: number, root: Uint8Array): string => signCheckpoint(signer, size, root);

/** One place that keeps a ledger. Opening it again shows what a restart would find. */
export interface Place {
  open(schema: Schema, limits?: Partial<StoreLimits>): Promise<Store>;
  /** Closes what is still open and removes what was kept. */
  remove(): Promise<void>;
}

export interface StoreKind {
  readonly name: 'sqlite' | 'postgres';
  /** Whether an act is answered with its index and checkpoint. */
  readonly integratesAtOnce: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  place(): Promise<Place>;
}

export function storeKinds(): StoreKind[] {
  return hasPostgres ? [sqlite(), postgres()] : [sqlite()];
}

function sqlite(): StoreKind {
  return {
    name: 'sqlite',
    integratesAtOnce: true,
    start: async () => undefined,
    stop: async () => undefined,
    async place() {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-store-'));
      return placeOf(
        async (schema, limits) =>
          openSqlite({ folder, schema, sign, ...(limits === undefined ? {} : { limits }) }),
        () => rmSync(folder, { recursive: true }),
      );
    },
  };
}

function postgres(): StoreKind {
  let server: TestPostgres | undefined;
  return {
    name: 'postgres',
    integratesAtOnce: false,
    async start() {
      server = await startPostgres();
    },
    async stop() {
      await server?.stop();
    },
    async place() {
      const url = await (server as TestPostgres).database();
      return placeOf(
        (schema, limits) => openPostgres({ url, schema, sign, ...(limits === undefined ? {} : { limits }) }),
        () => undefined,
      );
    },
  };
}

function placeOf(
  open: (schema: Schema, limits: Partial<StoreLimits> | undefined) => Promise<Store>,
  cleared: () => void,
): Place {
  const opened = new Set<Store>();
  return {
    async open(schema, limits) {
      const store = await open(schema, limits);
      opened.add(store);
      const close = store.close.bind(store);
      store.close = async () => {
        if (opened.delete(store)) await close();
      };
      return store;
    },
    async remove() {
      for (const store of opened) await store.close();
      cleared();
    },
  };
}

/** Waits until the log has integrated `size` entries: at once on SQLite, soon on PostgreSQL. */
export async function logged(store: Store, size: number): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  let found = 0;
  if (size === 0) return;
  for await (const entry of store.follow(size - 1, signal)) {
    found = entry.index + 1;
    break;
  }
  if (found < size) throw new Error(`the log never came to ${size} entries`);
}

/** Waits until the log has taken in everything that is committed. */
export async function allLogged(store: Store): Promise<void> {
  const end = Date.now() + 20_000;
  while ((await store.unlogged()) > 0) {
    if (Date.now() > end) throw new Error('the log never took in what is committed');
    await new Promise((later) => setTimeout(later, 10));
  }
}
