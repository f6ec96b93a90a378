import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { databaseName } from '../../src/store/sqlite/ddl.ts';
import { openDeployment } from '../support/deployment.ts';
import { expectProblem, expectRefused, flip, withOtherEnd } from './damage.ts';
import { alter, makeLedger, problemsOf, query, type MadeLedger } from './ledger.ts';

let ledger: MadeLedger;
/** The ledger as it was six writes earlier. */
let backup: string;

beforeAll(async () => {
  backup = mkdtempSync(join(tmpdir(), 'colophon-backup-'));
  ledger = await makeLedger((folder) => cpSync(folder, backup, { recursive: true }));
});

afterAll(() => {
  ledger.end();
  rmSync(backup, { recursive: true, force: true });
});

interface EntryRow {
  readonly seq: number;
  readonly chain: string;
  readonly n: number;
  readonly text: string;
}

function entries(where: string, ...values: (string | number)[]): EntryRow[] {
  return query(
    ledger.folder,
    `SELECT seq, chain, n, text FROM entry WHERE ${where}`,
    values,
  ) as unknown as EntryRow[];
}

function size(): number {
  return query(ledger.folder, 'SELECT count(*) AS n FROM entry')[0]?.['n'] as number;
}

describe('a rolled back ledger', () => {
  it('from an older backup is found by verify and refused at the start by the separate checkpoint', async () => {
    const folder = ledger.copy();
    copyFileSync(join(backup, databaseName), join(folder, databaseName));
    const before = query(backup, 'SELECT count(*) AS n FROM entry')[0]?.['n'] as number;
    expect(before).toBeLessThan(size());
    await expectProblem(
      folder,
      new RegExp(
        `the checkpoint kept apart covers ${size()} entries; the ledger has ${before}: entries are missing at its end`,
      ),
    );
    await expectRefused(
      folder,
      new RegExp(
        `The ledger has ${before} entries; the checkpoint kept apart from it has seen ${size()}.+--accept-rollback`,
      ),
    );
  });

  it('is accepted with --accept-rollback, which the ledger records, and is then sound', async () => {
    const folder = ledger.copy();
    copyFileSync(join(backup, databaseName), join(folder, databaseName));
    const rejected = readFileSync(join(folder, 'checkpoint'), 'utf8');
    const deployment = await compose(readConfig({ COLOPHON_DATA: folder }), { acceptRollback: true });
    await deployment.close();
    const [entry] = query(folder, "SELECT seq, text FROM entry WHERE chain LIKE 'rollback_%'") as {
      seq: number;
      text: string;
    }[];
    expect(JSON.parse(entry?.text ?? '{}')).toMatchObject({
      action: 'accept_rollback',
      actor: 'system',
      n: 0,
    });
    const [content] = query(folder, 'SELECT packed FROM entry WHERE seq = ?', [entry?.seq as number]) as {
      packed: Uint8Array;
    }[];
    expect(JSON.parse(Buffer.from(content?.packed ?? []).toString('utf8', 32))).toMatchObject({
      checkpoint: rejected,
    });
    expect(await problemsOf(folder)).toEqual([]);
    const again = await compose(readConfig({ COLOPHON_DATA: folder }));
    await again.close();
    expect(query(folder, "SELECT count(*) AS n FROM entry WHERE chain LIKE 'rollback_%'")[0]?.['n']).toBe(1);
  });

  it('is refused when it has the length but not the entries of the checkpoint', async () => {
    const folder = ledger.copy();
    const [entry] = entries("chain LIKE 'inv_%' AND seq >= 512 ORDER BY seq DESC LIMIT 1");
    alter(folder, 'UPDATE entry SET text = ? WHERE seq = ?', [
      withOtherEnd(entry?.text as string, 'contract'),
      entry?.seq as number,
    ]);
    await expectRefused(
      folder,
      /The first \d+ entries of the ledger are not those of the checkpoint kept apart from it/,
    );
  });

  it('is accepted under another secret key only with --accept-rollback', async () => {
    const folder = ledger.copy();
    const env = {
      COLOPHON_DATA: folder,
      COLOPHON_SECRET_KEY: 'another secret of at least thirty-two characters',
    };
    await expect(compose(readConfig(env))).rejects.toThrow(
      /cannot be read: no known key has signed the note \(was the secret key changed\?\)/,
    );
    const deployment = await compose(readConfig(env), { acceptRollback: true });
    await deployment.close();
    const again = await compose(readConfig(env));
    await again.close();
  });
});

describe('the write-ahead log after a crash', () => {
  let crashed: string;

  beforeAll(async () => {
    const folder = ledger.copy();
    crashed = mkdtempSync(join(tmpdir(), 'colophon-crashed-'));
    const deployment = await openDeployment({ folder });
    for (let i = 0; i < 40; i++)
      await deployment.did('MIRROR_APPEND', `short-text||audit|ada|Before the crash ${i}.`);
    const committed = (await deployment.service.store.read.checkpoint())?.note;
    while (readFileSync(join(folder, 'checkpoint'), 'utf8') !== committed)
      await new Promise((done) => setTimeout(done, 20));
    cpSync(folder, crashed, { recursive: true });
    await deployment.close();
  });

  afterAll(() => rmSync(crashed, { recursive: true, force: true }));

  it('contains every acknowledged write', async () => {
    expect(statSync(join(crashed, `${databaseName}-wal`)).size).toBeGreaterThan(100_000);
    expect(await problemsOf(crashed)).toEqual([]);
  });

  it('is missing entries that the separate checkpoint covers when truncated or altered by one byte', async () => {
    const bytes = statSync(join(crashed, `${databaseName}-wal`)).size;
    const damage: [string, (path: string) => void][] = [
      ['emptied', (path) => truncateSync(path, 0)],
      ['without its header', (path) => truncateSync(path, 20)],
      ['cut in the middle', (path) => truncateSync(path, Math.floor(bytes / 2))],
      ['without its last byte', (path) => truncateSync(path, bytes - 1)],
      ['without its last frame', (path) => truncateSync(path, bytes - 4120)],
      ['flipped in the middle', (path) => void flip(path, Math.floor(bytes / 3), 4)],
      ['flipped at the end', (path) => void flip(path, bytes - 100, 1)],
    ];
    for (const [what, harm] of damage) {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-crashed-'));
      cpSync(crashed, folder, { recursive: true });
      harm(join(folder, `${databaseName}-wal`));
      const problems = (await problemsOf(folder)).join('\n');
      expect(`${what}: ${problems}`).toMatch(
        /the checkpoint kept apart covers \d+ entries; the ledger has \d+: entries are missing at its end/,
      );
      await expectRefused(
        folder,
        /The ledger has \d+ entries; the checkpoint kept apart from it has seen \d+/,
      );
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
