/**
 * The probe of a start (contract §0): PostgreSQL is accepted, and a system that differs from it in one behaviour that
 * nodes rely on is refused in one line that names the behaviour, with nothing left in its database.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/engine/store.ts';
import { openPostgres } from '../../src/store/postgres/store.ts';
import { tallySchema } from '../contract/tally.ts';
import { AlteringProxy, type Alteration } from '../support/altering-proxy.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { removeFolders, runCommandBeside, temporaryFolder } from '../support/process-server.ts';
import { storedKeys } from '../support/stored-ledger.ts';
import { sign } from '../support/stores.ts';

/** What a system does otherwise, the statement that makes PostgreSQL do so, and what the refusal names. */
const systems: readonly (readonly [title: string, Alteration, what: string])[] = [
  [
    'gives an advisory lock to everyone',
    { pattern: /pg_try_advisory_lock\(\$1\)/, with: '$1::bigint IS NOT NULL' },
    'advisory locks that exclude other sessions until they are released',
  ],
  [
    'ignores advisory locks of transactions',
    { pattern: /pg_advisory_xact_lock\(\$1\)/, with: '$1::bigint' },
    'advisory locks that exclude other sessions until they are released',
  ],
  [
    'never releases an advisory lock',
    { pattern: /pg_advisory_unlock\(\$1\)/, with: '$1::bigint IS NULL' },
    'advisory locks that exclude other sessions until they are released',
  ],
  [
    'has no advisory locks',
    { pattern: /pg_try_advisory_lock\(\$1\)/, with: 'no_such_lock($1)' },
    'advisory locks that exclude other sessions until they are released (function no_such_lock(unknown) does not exist)',
  ],
  [
    'accepts LISTEN and delivers nothing',
    { pattern: /^LISTEN .*/, with: 'SELECT 1' },
    'notifications that reach other sessions after the commit',
  ],
  [
    'delivers notifications of transactions that were rolled back',
    { pattern: /^ROLLBACK$/, with: 'COMMIT' },
    'notifications that reach other sessions after the commit',
  ],
  [
    'does not list its sessions',
    { pattern: /FROM pg_stat_activity WHERE/, with: 'FROM pg_stat_activity WHERE false AND' },
    'a list of sessions with their application names',
  ],
  [
    'commits a new table at once',
    { pattern: /^(CREATE TABLE "colophon_probe.*)/, with: 'COMMIT; $1' },
    'tables that are created in a transaction and rolled back with it',
  ],
  [
    'reads the snapshot of the transaction in every statement',
    { pattern: /^BEGIN$/, with: 'BEGIN ISOLATION LEVEL REPEATABLE READ' },
    'READ COMMITTED, in which each statement sees what was committed before it',
  ],
  [
    'updates what another transaction has changed',
    { pattern: /SET n = 4 WHERE id = 1 AND n = 2/, with: 'SET n = 4 WHERE id = 1' },
    'updates that wait for another transaction and then see what it left',
  ],
  [
    'gives numbers of a sequence to sessions in blocks',
    { pattern: /CACHE 1; COMMIT$/, with: 'CACHE 100; COMMIT' },
    'sequences that number sessions in the order in which they ask',
  ],
  [
    'does not tell one database from a copy of it',
    { pattern: /pg_relation_filenode\('pg_attribute'\)/, with: 'NULL' },
    'functions that tell a restored database from the one before',
  ],
  [
    'does not have a setting',
    { pattern: /SET plan_cache_mode/, with: 'SET no_such_mode' },
    'settings of sessions (unrecognized configuration parameter "no_such_mode")',
  ],
];

describe.skipIf(!hasPostgres)('a start on a system that speaks like PostgreSQL', () => {
  let postgres: TestDatabases;
  let proxy: AlteringProxy;
  let url: string;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    proxy = await AlteringProxy.to(postgres.port);
    url = proxy.url(await postgres.database());
  });
  afterEach(() => (proxy.alteration = undefined));
  afterAll(async () => {
    await proxy.close();
    await postgres.stop();
    removeFolders();
  });

  const relations = async (): Promise<string[]> =>
    (
      await postgres.query<{ name: string }>(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
        [],
        url,
      )
    ).map(({ name }) => name);
  const open = () => openPostgres({ url, schema: tallySchema, sign });
  const lineOf = (what: string): string =>
    `DATABASE_URL leads to a system that lacks what Colophon needs of PostgreSQL: ${what}; it accepts PostgreSQL 14 or newer itself.`;

  it.each(systems)('refuses one that %s', async (_title, alteration, what) => {
    proxy.alteration = alteration;
    const refused = await open().then(
      (store) => store.close(),
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(OperatorError);
    expect((refused as Error).message).toBe(lineOf(what));
    expect(await relations()).toEqual([]);
  });

  it('says so in one line of `serve`', async () => {
    const [, alteration, what] = systems[0] as (typeof systems)[number];
    proxy.alteration = alteration;
    const { status, stdout, stderr } = await runCommandBeside(
      temporaryFolder(),
      ['serve', '--no-seed', '--port', '0'],
      { DATABASE_URL: url, ...storedKeys },
    );
    expect([status, stdout, stderr]).toEqual([2, '', `colophon: ${lineOf(what)}\n`]);
  });

  it('accepts PostgreSQL behind the same proxy, and leaves nothing of the probe', async () => {
    const store = await open();
    await store.close();
    const found = await relations();
    expect(found).toContain('entry');
    expect(found.filter((name) => name.includes('probe'))).toEqual([]);
  });
});
