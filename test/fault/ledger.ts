/**
 * A small ledger with something of everything, made once and copied for each case: articles in two states,
 * claims, sources, contributions, shares with a cut, a revocation and denials, over two full tiles and a tail.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { operations } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { contentSlots, databaseName } from '../../src/store/sqlite/ddl.ts';
import { unpack } from '../../src/store/sqlite/packed-contents.ts';
import { openDeployment } from '../support/deployment.ts';

export interface MadeLedger {
  readonly folder: string;
  /** A copy, of it or of one of its copies, that may be damaged. */
  copy(of?: string): string;
  /** Removes the ledger and all its copies. */
  end(): void;
}

/** `beforeLast` is called, stopped, before the last few writes: the place of an older backup. */
export async function makeLedger(beforeLast?: (folder: string) => void): Promise<MadeLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-ledger-'));
  let deployment = await openDeployment({ folder });
  const body = Array.from({ length: 180 }, (_, i) => `Paragraph ${i} of a text that is divided.`).join(
    '\n\n',
  );
  await deployment.did('VOXEL_BATCH', {
    document: { slug: 'long-text', title: 'Long text', markdown: `# Long text\n\n${body}\n` },
  });
  await deployment.did('VOXEL_BATCH', {
    document: {
      slug: 'short-text',
      title: 'Short text',
      markdown: '# Short text\n\nOne.\n\nTwo.\n\n- three\n- four\n',
      tags: ['a', 'b'],
    },
  });
  await deployment.did('VOXEL_BATCH', {
    document: { slug: 'hidden-text', title: 'Hidden', markdown: 'Not yet.\n', status: 'draft' },
  });
  await deployment.did('SOURCE_POST', {
    slug: 'short-text',
    sources: [
      {
        type: 'review',
        url: 'https://www.rfc-editor.org/rfc/rfc6962',
        title: 'RFC 6962',
        quote: 'Merkle Hash Trees',
        summary: 'Trees.',
      },
      {
        type: 'adjacent',
        url: 'https://www.rfc-editor.org/rfc/rfc8785',
        title: 'RFC 8785',
        quote: 'JSON Canonicalization Scheme',
        summary: 'JSON.',
      },
    ],
  });
  await deployment.did('CLAIM_POST', {
    slug: 'short-text',
    text: 'A Merkle tree of four leaves has three inner nodes.',
    tier: 'system',
    who_claims: 'RFC 6962',
    source_ids: ['s1'],
  });
  await deployment.did('CLAIM_POST', {
    slug: 'short-text',
    text: 'Canonical JSON sorts its members by code unit.',
    tier: 'system',
    who_claims: 'RFC 8785',
    source_ids: ['s2'],
  });
  await editFirst(deployment, 'Two, edited.');
  const { share: parent } = await deployment.did('CAP_MINT', {
    scope: 'rows',
    keys: ['MIRROR_APPEND', 'MIRROR_FEED'],
    max_uses: 40,
    purpose: 'to be used',
  });
  const { share, fingerprint } = await deployment.did(
    'CAP_MINT',
    { scope: 'row', key: 'MIRROR_APPEND', max_uses: 20 },
    { presented: { share: parent as string } },
  );
  for (let i = 0; i < 12; i++)
    await deployment.did('MIRROR_APPEND', `short-text|c1|question|ada|Question ${i}?`, {
      presented: { share: share as string },
      idempotencyKey: `k${i}`,
    });
  for (let i = 0; i < 3; i++)
    await deployment.call(
      'CLAIM_POST',
      { slug: 'short-text', text: 'x', tier: 'system', who_claims: 'x' },
      { presented: { share: share as string } },
    );
  await deployment.did('CAP_REVOKE', { fingerprint });
  for (let i = 0; i < 160; i++)
    await deployment.did('MIRROR_APPEND', `long-text||question|ada|Is paragraph ${i} needed?`, {
      presented: {},
    });
  if (beforeLast !== undefined) {
    await deployment.close();
    beforeLast(folder);
    deployment = await openDeployment({ folder });
  }
  for (let i = 0; i < 6; i++) await deployment.did('MIRROR_FEED', 'short-text|5');
  await deployment.close();
  const copies: string[] = [];
  return {
    folder,
    copy(of = folder) {
      const copy = mkdtempSync(join(tmpdir(), 'colophon-damaged-'));
      copies.push(copy);
      cpSync(of, copy, { recursive: true });
      return copy;
    },
    end() {
      for (const each of [folder, ...copies]) rmSync(each, { recursive: true, force: true });
    },
  };
}

async function editFirst(
  deployment: Awaited<ReturnType<typeof openDeployment>>,
  text: string,
): Promise<void> {
  const stale = await deployment.call('VOXEL_EDIT', {
    slug: 'short-text',
    div_id: 'd3',
    expected_hash: 'x',
    text,
  });
  const hash = 'refusal' in stale ? stale.refusal?.details?.['current_hash'] : undefined;
  await deployment.did('VOXEL_EDIT', { slug: 'short-text', div_id: 'd3', expected_hash: hash, text });
}

/** What `colophon verify` says of a folder: empty where it is sound. */
export async function problemsOf(folder: string): Promise<readonly string[]> {
  const config = readConfig({ COLOPHON_DATA: folder });
  const report = await operations.audit(config, { ledgerOnly: false, progress: () => undefined });
  return report.problems;
}

/** Changes a stopped ledger behind its back; `changes` is the number of rows that must be hit. */
export function alter(
  folder: string,
  sql: string,
  values: readonly (string | number | Uint8Array | null)[] = [],
  changes = 1,
): void {
  const db = new DatabaseSync(join(folder, databaseName));
  try {
    const done = db.prepare(sql).run(...values);
    if (Number(done.changes) !== changes)
      throw new Error(`${sql} changed ${String(done.changes)} rows, not ${changes}`);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

export function query(
  folder: string,
  sql: string,
  values: readonly (string | number)[] = [],
): Record<string, unknown>[] {
  const db = new DatabaseSync(join(folder, databaseName), { readOnly: true });
  try {
    return db.prepare(sql).all(...values);
  } finally {
    db.close();
  }
}

export function keptCheckpoint(folder: string): string {
  return readFileSync(join(folder, 'checkpoint'), 'utf8');
}

/** Takes all contents out of their entries' rows and makes them rows of their own. */
export function contentsToRows(folder: string): void {
  const db = new DatabaseSync(join(folder, databaseName));
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO content (id, field, salt, body) VALUES (?, ?, ?, ?)');
  for (const row of db.prepare('SELECT seq, fields, packed FROM entry WHERE packed IS NOT NULL').all()) {
    const { seq, fields, packed } = row as { seq: number; fields: string; packed: string | Uint8Array };
    unpack(fields, packed)?.forEach(({ field, salt, body }, slot) => {
      insert.run(seq * contentSlots + slot, field, salt, body);
    });
  }
  db.exec('UPDATE entry SET fields = NULL, packed = NULL; COMMIT');
  db.close();
}
