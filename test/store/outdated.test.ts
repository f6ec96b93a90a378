/** A data folder whose projections another version made: opened as if nothing had been. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { checkProjections } from '../support/check-projections.ts';
import { databaseName } from '../../src/store/sqlite/ddl.ts';
import { outdatedTable } from '../../src/store/sqlite/prepare.ts';
import { startServer } from '../support/server.ts';

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-test-'));
  const server = await startServer({ COLOPHON_DATA: folder });
  await server.article('# Kept\n\nWhatever the tables look like.\n', { slug: 'kept' });
  await server.anybody('/api/articles/kept/mirror', {
    claim_id: '',
    kind: 'question',
    actor: 'ada',
    body: 'Is it?',
  });
  await server.stop();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function alter(sql: string): void {
  const db = new DatabaseSync(join(folder, databaseName));
  // SQLite resolves every view when a column is dropped, and this one is there to fail.
  db.exec(`DROP VIEW keyring; ${sql}`);
  db.close();
}

function outdated(): string | undefined {
  const db = new DatabaseSync(join(folder, databaseName), { readOnly: true });
  try {
    return outdatedTable(db, schema);
  } finally {
    db.close();
  }
}

it.each([
  ['a column that is missing', 'ALTER TABLE article_index DROP COLUMN kind', 'article_index'],
  ['a column that is gone by now', 'ALTER TABLE mirror ADD COLUMN former TEXT', 'mirror'],
  ['a table that is missing', 'DROP TABLE conformance_event', 'conformance_event'],
  [
    'a column of another type',
    'ALTER TABLE conformance DROP COLUMN failures; ALTER TABLE conformance ADD COLUMN failures TEXT',
    'conformance',
  ],
])('%s', async (_name, sql, table) => {
  expect(outdated()).toBeUndefined();
  alter(sql);
  expect(outdated()).toBe(table);
  const server = await startServer({ COLOPHON_DATA: folder });
  try {
    expect(await server.read('/api/articles/kept')).toMatchObject({ title: 'Kept' });
    expect(await server.read('/api/articles/kept/mirror')).toMatchObject({ count: 1 });
    expect(await server.read('/api/articles')).toMatchObject({ count: 1 });
    const { read } = server.deployment.service.store;
    expect((await checkProjections(read, schema)).differences).toEqual([]);
  } finally {
    await server.stop();
  }
});
