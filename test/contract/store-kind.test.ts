/** What every kind of store promises beside its store: snapshots, backups, a new log (src/engine/store-kind.ts). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkProjections } from '../../src/engine/check-projections.ts';
import { commitContent } from '../../src/engine/appended.ts';
import { NoLedger } from '../../src/engine/store-kind.ts';
import { openCheckpoint } from '../../src/ledger/checkpoint.ts';
import { leafHash, seal } from '../../src/ledger/entry.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { oracleRoot } from '../unit/ledger/support.ts';
import { sqliteKind } from '../../src/store/sqlite/kind.ts';
import { logged, sign, signer, storeKinds, type Place } from '../support/stores.ts';
import { committed, increment, say, tallySchema, tallyTable, tickTable } from './tally.ts';

describe.each(storeKinds())('the $name store kind', (tested) => {
  let place: Place;

  beforeAll(() => tested.start());
  afterAll(() => tested.stop());
  beforeEach(async () => {
    place = await tested.place();
  });
  afterEach(() => place.remove());

  /** Three entries, all in the log; nothing is left open. */
  const makeLedger = async (): Promise<void> => {
    const store = await place.open(tallySchema);
    await store.keyring.set('log_origin', 'log.test');
    await committed(store, say('t1', { value: 7, note: 'x', tick: { n: 1, label: 'l', weight: 0.5 } }));
    await committed(store, say('t2', { value: 1 }));
    await committed(store, increment('t1'));
    await logged(store, 3);
    await store.close();
  };

  test('throws NoLedger when nothing was ever stored', async () => {
    await expect(place.kind.withSnapshot(async () => 'read')).rejects.toThrow(NoLedger);
    expect(place.kind.storedBytes()).toBe(0);
  });

  test('reads a consistent snapshot of head, root, keyring, entries and rows', async () => {
    await makeLedger();
    await place.kind.withSnapshot(async (ledger) => {
      const { size, checkpoint } = await ledger.head();
      const signed = openCheckpoint(checkpoint as string, [signer.key]);
      if (isRefusal(signed)) throw new Error(signed.refused);
      const entries = await ledger.entries(0, 10);
      const leaves = entries.map(({ text }) => leafHash(text));
      expect([size, signed.size, entries.map(({ index }) => index)]).toEqual([3, 3, [0, 1, 2]]);
      expect(Buffer.from(await ledger.rootAt(3))).toEqual(Buffer.from(signed.root));
      expect(Buffer.from(await ledger.rootAt(2))).toEqual(Buffer.from(oracleRoot(leaves.slice(0, 2))));
      expect(await ledger.version()).toMatchObject({ schema: 1 });
      expect([await ledger.keyring('log_origin'), await ledger.keyring('other')]).toEqual([
        'log.test',
        undefined,
      ]);
      expect(await ledger.row(tallyTable, 't1')).toMatchObject({ value: 8, note: 'x' });
      expect(await ledger.row(tickTable, 't1', 1)).toEqual({ id: 't1', n: 1, label: 'l', weight: 0.5 });
      expect(await ledger.row(tickTable, 't1', 2)).toBeUndefined();
    });
  });

  test('audits the stored entries and compares the rows with their replay', async () => {
    await makeLedger();
    await place.kind.withSnapshot(async (ledger) => {
      const audit = await ledger.audit({ sizes: new Set([2]), ledgerOnly: false, progress: () => undefined });
      expect(audit).toMatchObject({ entries: 3, pending: 0, contents: 3, scrubbed: 0, problems: [] });
      expect(Buffer.from(audit.root)).toEqual(Buffer.from(await ledger.rootAt(3)));
      expect(Buffer.from(await audit.rootAt(2))).toEqual(Buffer.from(await ledger.rootAt(2)));
      expect(audit.checkpoint).toBe((await ledger.head()).checkpoint);
      const replay = await place.kind.openReplay(tallySchema);
      const report = await checkProjections(ledger, tallySchema, replay, () => undefined);
      expect(report).toEqual({ entries: 3, tables: 4, rows: 3, differences: [] });
    });
  });

  test('rebuilds every projection, and the ledger can be written to afterwards', async () => {
    await makeLedger();
    const report = await place.kind.rebuild(
      tallySchema,
      () => undefined,
      async () => {
        const store = await place.open(tallySchema);
        return { store, close: () => store.close() };
      },
    );
    expect(report).toEqual({ entries: 3, tables: 4, rows: 3, differences: [] });
    const store = await place.open(tallySchema);
    expect((await committed(store, increment('t1'))).answer).toBe(8);
  });

  test('copies the ledger into the form of an embedded one, which its checkpoint covers', async () => {
    await makeLedger();
    const folder = mkdtempSync(join(tmpdir(), 'colophon-backup-'));
    const { paths, origin, checkpoint } = await place.kind.backup(folder, () => undefined);
    expect([paths, origin]).toEqual([['colophon.db'], 'log.test']);
    await sqliteKind(folder).withSnapshot(async (copy) => {
      expect(await copy.head()).toEqual({ size: 3, checkpoint });
      const audit = await copy.audit({ sizes: new Set(), ledgerOnly: false, progress: () => undefined });
      expect(audit).toMatchObject({ entries: 3, pending: 0, contents: 3, scrubbed: 0, problems: [] });
      const here = await place.kind.withSnapshot((ledger) => ledger.rootAt(3));
      expect(Buffer.from(audit.root)).toEqual(Buffer.from(here));
      expect(await copy.keyring('log_origin')).toBe('log.test');
    });
    rmSync(folder, { recursive: true });
  });

  test('keeps a note for other commands and for nodes', async () => {
    await makeLedger();
    expect(await place.kind.readNote('tried')).toBeUndefined();
    await place.kind.writeNote('tried', '1');
    await place.kind.writeNote('tried', '2');
    expect(await place.kind.readNote('tried')).toBe('2');
  });

  test('moves its entries into a new log behind the entry that begins it', async () => {
    await makeLedger();
    const { stored, sha } = commitContent({ field: 'content_sha', value: { value: 3 } });
    const first = { chain: 'new', ts: '2026-01-01T00:00:00.000Z', actor: 'system', action: 'say' };
    await place.kind.beginLog(tallySchema, (found) => {
      expect(found).toMatchObject({ entries: 3, keyring: { log_origin: 'log.test' } });
      expect(found.checkpoint).toContain('log.test');
      return {
        first: { sealed: seal({ ...first, content_sha: sha }, null), contents: [stored] },
        keyring: { log_origin: 'log.test/new' },
        sign,
      };
    });
    await place.kind.withSnapshot(async (ledger) => {
      const chains = (await ledger.entries(0, 10)).map(
        ({ text }) => (JSON.parse(text) as { chain: string }).chain,
      );
      expect(chains).toEqual(['new', 't1', 't2', 't1']);
      expect(await ledger.keyring('log_origin')).toBe('log.test/new');
      const audit = await ledger.audit({ sizes: new Set(), ledgerOnly: false, progress: () => undefined });
      expect([audit.entries, audit.problems]).toEqual([4, []]);
    });
  });

  test('is diagnosed as sound', async () => {
    await makeLedger();
    expect((await place.kind.diagnose(false)).filter(({ state }) => state !== 'ok')).toEqual([]);
  });
});
