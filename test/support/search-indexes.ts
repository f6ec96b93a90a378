/**
 * The adapters of the search index's port, each empty, and how a test writes and asks. PostgreSQL's is there twice:
 * as it is, and walking through documents that it would otherwise collect.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Candidates, IndexedDocument, SearchIndex } from '../../src/engine/search-index.ts';
import { openPostgresSearch } from '../../src/store/postgres/search-index.ts';
import { openSearchIndex } from '../../src/store/sqlite/search-index.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from './postgres.ts';

export interface SearchIndexKind {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A new, empty index. */
  open(): Promise<SearchIndex>;
}

export function searchIndexKinds(): SearchIndexKind[] {
  return hasPostgres ? [embedded(), shared('postgres'), shared('postgres, walking', 0)] : [embedded()];
}

function embedded(): SearchIndexKind {
  const folders: string[] = [];
  return {
    name: 'sqlite',
    start: async () => undefined,
    async stop() {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-index-'));
      folders.push(folder);
      return openSearchIndex(join(folder, 'search.db'));
    },
  };
}

let cluster: Promise<TestDatabases> | undefined;

function shared(name: string, collected?: number): SearchIndexKind {
  return {
    name,
    async start() {
      await (cluster ??= sharedPostgres());
    },
    async stop() {
      const server = cluster;
      cluster = undefined;
      await (await server)?.stop();
    },
    open: async () =>
      openPostgresSearch(await searchDatabase(await (cluster ??= sharedPostgres())), collected),
  };
}

/** A database with nothing; the index makes its tables. */
export async function searchDatabase(server: TestDatabases): Promise<string> {
  return server.database();
}

/** A document of `main`; `terms` a text with a space between two, '' for one that leaves. */
export function document(
  key: string,
  at: number,
  terms: string,
  more: Partial<IndexedDocument> = {},
): IndexedDocument {
  return {
    key,
    at,
    tenant: 'main',
    kind: 'div',
    terms: terms.split(' ').filter((term) => term !== ''),
    ...more,
  };
}

/** One step along a log of `size` entries. */
export async function write(
  index: SearchIndex,
  size: number,
  ...documents: readonly IndexedDocument[]
): Promise<void> {
  const came = await index.follow(async () => ({
    documents,
    cursor: { size, head: `head of ${size}`, scrubsApplied: 0 },
  }));
  if (came?.size !== size) throw new Error(`the step came to ${came?.size}`);
}

export function ask(
  index: SearchIndex,
  terms: string,
  tenant = 'main',
  kinds?: readonly string[],
): Promise<Candidates> {
  return index.find({ tenant, kinds, terms: terms.split(' ') });
}
