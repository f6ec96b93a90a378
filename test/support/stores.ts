/** Every kind of store, each ready to be opened as often as a test likes. A new kind gets its line in `storeKinds`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Schema } from '../../src/engine/act.ts';
import type { Store, StoreLimits } from '../../src/engine/store.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import type { StoreKind } from '../../src/engine/store-kind.ts';
import { postgresKind } from '../../src/store/postgres/kind.ts';
import { sqliteKind } from '../../src/store/sqlite/kind.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from './postgres.ts';

export const signer = signerFromSeed('log.test', new Uint8Array(32).fill(7));

export const sign = (size: number, root: Uint8Array): string => signCheckpoint(signer, size, root);

/** One place that keeps a ledger. Opening it again shows what a restart would find. */
export interface Place {
  readonly kind: StoreKind;
  open(schema: Schema, limits?: Partial<StoreLimits>): Promise<Store>;
  /** Closes what is still open and removes what was kept. */
  remove(): Promise<void>;
}

export interface TestedKind {
  readonly name: string;
  /** Whether an act is answered with its index and checkpoint. */
  readonly integratesAtOnce: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  place(): Promise<Place>;
}

export function storeKinds(): TestedKind[] {
  return hasPostgres ? [sqlite(), postgres()] : [sqlite()];
}

function sqlite(): TestedKind {
  return {
    name: 'sqlite',
    integratesAtOnce: true,
    start: async () => undefined,
    stop: async () => undefined,
    async place() {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-store-'));
      return placeOf(sqliteKind(folder), folder);
    },
  };
}

function postgres(): TestedKind {
  let server: TestDatabases | undefined;
  return {
    name: 'postgres',
    integratesAtOnce: false,
    async start() {
      server = await sharedPostgres();
    },
    async stop() {
      await server?.stop();
    },
    async place() {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-store-'));
      return placeOf(postgresKind(await (server as TestDatabases).database(), folder), folder);
    },
  };
}

function placeOf(kind: StoreKind, folder: string): Place {
  const opened = new Set<Store>();
  return {
    kind,
    async open(schema, limits) {
      const store = await kind.open({ schema, sign, ...(limits === undefined ? {} : { limits }) });
      opened.add(store);
      const close = store.close.bind(store);
      store.close = async () => {
        if (opened.delete(store)) await close();
      };
      return store;
    },
    async remove() {
      for (const store of opened) await store.close();
      rmSync(folder, { recursive: true });
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
