/** The shared store: any number of nodes on one PostgreSQL database (ADR 3). */
import { join } from 'node:path';
import { replayLog, type RowReplay } from '../../engine/row-replay.ts';
import type { StartNode, StoreKind } from '../../engine/store-kind.ts';
import { openReplay } from '../sqlite/scratch.ts';
import { removeSearchFile, searchFileName } from '../sqlite/search-file.ts';
import { hostsOf, placeOf } from './hosts.ts';
import { diagnose, readNote, writeNote } from './diagnose.ts';
import { withPostgresSnapshot } from './snapshot.ts';

/** `folder` is the node's data folder. */
export function postgresKind(url: string, folder: string): StoreKind {
  // A URL that names no usable hosts ends the command here.
  hostsOf(url);
  return {
    name: 'postgres',
    place: placeOf(url),
    isShared: true,
    storedBytes: () => 0,
    open: async (options) => (await import('./store.ts')).openPostgres({ ...options, url }),
    async openSearch() {
      // Left from an earlier embedded ledger of this folder: it no longer follows the log, so no scrub would reach it.
      removeSearchFile(join(folder, searchFileName));
      const index = (await import('./search-index.ts')).openPostgresSearch(url);
      // Its first session makes the tables; where that fails, following the log tries again.
      await index.cursor().catch(() => undefined);
      return index;
    },
    openReplay: async (schema) => openReplay(schema),
    withSnapshot: (use) => withPostgresSnapshot(url, use),
    async rebuild(schema, progress, startNode) {
      const { replaceProjections } = await import('./replace-projections.ts');
      const replay = openReplay(schema);
      try {
        const entries = await replayWithNode(startNode, replay, progress);
        const rows = await replaceProjections(url, schema, (table) => replay.rows(table));
        return { entries, tables: schema.tables.length, rows, differences: [] };
      } finally {
        replay.close();
      }
    },
    backup: async (to, progress) => (await import('./backup.ts')).copyDatabase(url, to, progress),
    readNote: (name) => readNote(url, name),
    writeNote: (name, text) => writeNote(url, name, text),
    beginLog: async (_schema, make) => (await import('./new-log.ts')).beginPostgresLog(url, make),
    whileStopped: async (use) => (await import('./stopped.ts')).whileStopped(url, use),
    receive: async (copy, schema, progress) =>
      (await import('./receive.ts')).receiveDatabase(url, copy, schema, progress),
    diagnose: () => diagnose(url),
  };
}

/** The node ends before rows are replaced: what it cached must not outlive the old ones. */
async function replayWithNode(
  startNode: StartNode,
  replay: RowReplay,
  progress: (done: number) => void,
): Promise<number> {
  const node = await startNode();
  try {
    return await replayLog(node.store.read, replay, progress);
  } finally {
    await node.close();
  }
}
