/** `colophon transfer` where it must not go on, goes wrong, or is killed (contract §6, ADR 67). */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, operations } from '../../src/compose.ts';
import type { Config } from '../../src/config.ts';
import { schema } from '../../src/domain/schema.ts';
import { transferDeployment } from '../../src/deployment/transfer.ts';
import type { StoreKind } from '../../src/engine/store-kind.ts';
import { keyringSum } from '../../src/store/sqlite/ddl.ts';
import { postgresKind } from '../../src/store/postgres/kind.ts';
import { sqliteKind } from '../../src/store/sqlite/kind.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { runCommandBeside } from '../support/process-server.ts';
import { storedFolder, storedKeys } from '../support/stored-ledger.ts';
import { base, inDatabase, inFolder, newFolder, removeFolders, serving } from '../support/transfer.ts';

const quiet = (): void => undefined;
/** SHA-256 of nothing. */
const emptyBlob = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe.runIf(hasPostgres)('colophon transfer', () => {
  let postgres: TestDatabases;
  /** A deployment that was stopped; tests work on copies. */
  const made = newFolder();
  let checkpoint: string;
  /** The same on a database, which tests put back as it was. */
  let shared: Config;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    await serving(inFolder(made), async ({ call, read }) => {
      await call('VOXEL_BATCH', {
        document: { slug: 'one', markdown: '# One\n\nA text with Zwiebelkuchen.\n' },
      });
      await call('SECRET_SCRUB', { secret: 'Zwiebelkuchen' });
      await read('/api/dispatch?self_scope=1');
      checkpoint = await read('/checkpoint');
    });
    mkdirSync(join(made, 'blobs', 'e3'), { recursive: true });
    writeFileSync(join(made, 'blobs', 'e3', emptyBlob), '');
    shared = await moved();
  });

  afterAll(async () => {
    await postgres.stop();
    removeFolders();
  });

  function copied(): string {
    const folder = newFolder();
    cpSync(made, folder, { recursive: true });
    return folder;
  }

  /** A deployment on a database, moved there from a copy. */
  async function moved(): Promise<Config> {
    const folder = copied();
    const url = await postgres.database();
    await operations.transfer(inFolder(folder), { databaseUrl: url }, quiet);
    return inDatabase(url, folder);
  }

  /** Alters the database, and answers with what undoes it. */
  async function altered(statement: string, undo: string): Promise<() => Promise<unknown>> {
    await postgres.query(statement, [], shared.databaseUrl);
    return () => postgres.query(undo, [], shared.databaseUrl);
  }

  /** As `ledger_version` of the folder, with other members. */
  const setVersion = (folder: string, more: object): void => {
    const db = new DatabaseSync(join(folder, 'colophon.db'));
    const stored = db.prepare("SELECT value FROM ledger_keyring WHERE name = 'ledger_version'").get();
    const value = JSON.stringify({ ...(JSON.parse(String(stored?.['value'])) as object), ...more });
    db.prepare("UPDATE ledger_keyring SET value = ?, sum = ? WHERE name = 'ledger_version'").run(
      value,
      keyringSum('ledger_version', value),
    );
    db.close();
  };

  describe('is refused, and changes nothing,', () => {
    const refusals: readonly {
      readonly when: string;
      readonly says: string;
      /** What the source is, and where it is to go. */
      readonly at: () => Promise<{
        readonly source: Config;
        readonly to: object;
        readonly end?: () => unknown;
      }>;
    }[] = [
      {
        when: 'into a database with a ledger',
        says: 'The database is not empty, it has a ledger',
        at: async () => ({
          source: inFolder(copied()),
          to: { databaseUrl: shared.databaseUrl },
        }),
      },
      {
        when: 'into a database with a table of somebody else',
        says: 'The database is not empty, it has table guests',
        at: async () => {
          const url = await postgres.database();
          await postgres.query('CREATE TABLE guests (n int)', [], url);
          return { source: inFolder(copied()), to: { databaseUrl: url } };
        },
      },
      {
        when: 'into a folder with a file',
        says: 'is not empty; name a folder that is empty or does not exist',
        at: async () => {
          const folder = newFolder();
          writeFileSync(join(folder, 'notes.txt'), 'mine');
          return { source: shared, to: { dataFolder: folder } };
        },
      },
      {
        when: 'into a folder with a file beside an unfinished transfer',
        says: 'is not empty; name a folder that is empty or does not exist',
        at: async () => {
          const folder = newFolder();
          for (const name of ['colophon.db.transfer', 'notes.txt']) writeFileSync(join(folder, name), 'mine');
          return { source: shared, to: { dataFolder: folder } };
        },
      },
      {
        when: 'into a folder with a ledger',
        says: 'is not empty; name a folder that is empty or does not exist',
        at: async () => ({ source: shared, to: { dataFolder: copied() } }),
      },
      {
        when: 'from a folder to a folder',
        says: 'move it with colophon backup and restore',
        at: async () => ({ source: inFolder(copied()), to: { dataFolder: newFolder() } }),
      },
      {
        when: 'from a database to a database',
        says: 'move it with pg_dump and pg_restore',
        at: async () => ({ source: shared, to: { databaseUrl: await postgres.database() } }),
      },
      {
        when: 'while a server runs in the folder',
        says: 'another Colophon process owns',
        at: async () => {
          const source = inFolder(copied());
          const running = await compose(source);
          return { source, to: { databaseUrl: await postgres.database() }, end: () => running.close() };
        },
      },
      {
        when: 'while a server of which the lock was deleted answers',
        says: 'another Colophon process owns',
        at: async () => {
          const source = inFolder(copied());
          const socket = createServer().listen(join(source.dataFolder, 'owner.sock'));
          return { source, to: { databaseUrl: await postgres.database() }, end: () => socket.close() };
        },
      },
      {
        when: 'while a node runs on the database',
        says: 'nodes use the database: stop them all',
        at: async () => {
          const running = await compose(shared);
          return { source: shared, to: { dataFolder: newFolder() }, end: () => running.close() };
        },
      },
      {
        when: 'while entries wait for their place in the log',
        says: '2 entries have no place in the log yet',
        at: async () => {
          const end = await altered('INSERT INTO pending VALUES (400000, 2)', 'DELETE FROM pending');
          return { source: shared, to: { dataFolder: newFolder() }, end };
        },
      },
      {
        when: 'from a ledger of a newer schema that this build may write to',
        says: 'The ledger has schema 9, and this build has 1: use Colophon 0.9.0',
        at: async () => {
          const folder = copied();
          setVersion(folder, { schema: 9, build: '0.9.0' });
          return { source: inFolder(folder), to: { databaseUrl: await postgres.database() } };
        },
      },
      {
        when: 'from a ledger that this build may not write to',
        says: 'to write it takes a build of schema 9',
        at: async () => {
          const folder = copied();
          setVersion(folder, { schema: 9, writableFrom: 9 });
          return { source: inFolder(folder), to: { databaseUrl: await postgres.database() } };
        },
      },
      {
        when: 'from a ledger of 0.1.0',
        says: 'make a backup, then run colophon serve, which upgrades it',
        at: async () => ({
          source: { ...inFolder(storedFolder(newFolder())), secretKey: storedKeys.COLOPHON_SECRET_KEY },
          to: { databaseUrl: await postgres.database() },
        }),
      },
      {
        when: 'from a database of which migrations are missing',
        says: 'migrations are applied to the database, and this version has',
        at: async () => {
          const end = await altered(
            'UPDATE migration SET n = -9 WHERE n = 9',
            'UPDATE migration SET n = 9 WHERE n = -9',
          );
          return { source: shared, to: { dataFolder: newFolder() }, end };
        },
      },
      {
        when: 'with another secret key than the one that signed',
        says: 'Was the secret key changed?',
        at: async () => {
          const folder = copied();
          const source = { ...inFolder(folder), secretKey: 'another-secret-key-0123456789abcdefghij' };
          return { source, to: { databaseUrl: await postgres.database() } };
        },
      },
      {
        when: 'from a ledger that was set back behind its kept checkpoint',
        says: 'the checkpoint kept apart from it has seen',
        at: async () => {
          const folder = copied();
          const newer = newFolder();
          cpSync(folder, newer, { recursive: true });
          await serving(inFolder(newer), ({ call }) =>
            call('MIRROR_APPEND', 'one||question|ada|Is it so?', {}, {}),
          );
          cpSync(join(newer, 'checkpoint'), join(folder, 'checkpoint'));
          return { source: inFolder(folder), to: { databaseUrl: await postgres.database() } };
        },
      },
      {
        when: 'from a ledger with an altered blob',
        says: `blob ${emptyBlob} of the source was altered; restore it from a backup, or remove it`,
        at: async () => {
          const folder = copied();
          writeFileSync(join(folder, 'blobs', 'e3', emptyBlob), 'other');
          return { source: inFolder(folder), to: { databaseUrl: await postgres.database() } };
        },
      },
      {
        when: 'from a folder that lost the copy of what its witness has cosigned',
        says: 'checkpoint.witness is missing, so the ledger may be older than what its witness has cosigned',
        at: async () => {
          const folder = copied();
          const record = JSON.stringify({ size: 7, root: Buffer.alloc(32).toString('base64'), note: '' });
          await sqliteKind(folder).whileStopped((keyring) => keyring.set('witness/other.test', record));
          return { source: inFolder(folder), to: { databaseUrl: await postgres.database() } };
        },
      },
      {
        when: 'where nothing was ever stored',
        says: 'There is no ledger in',
        at: async () => ({ source: inFolder(newFolder()), to: { databaseUrl: await postgres.database() } }),
      },
    ];
    it.each(refusals)('$when', async ({ says, at }) => {
      const { source, to, end } = await at();
      const run = operations.transfer(source, to as { databaseUrl: string }, quiet);
      await expect(run.finally(end)).rejects.toThrow(says);
      if (existsSync(join(source.dataFolder, 'colophon.db')))
        expect(await keyringOf(sqliteKind(source.dataFolder), 'transferred_to')).toBeUndefined();
    });

    it('without a place, with two, or with another kind of database', async () => {
      const folder = copied();
      for (const args of [[], ['--to'], ['--to', 'mysql://host/db'], ['--to', 'a', 'b']]) {
        const { status, stderr } = await runCommandBeside(folder, ['transfer', ...args]);
        expect([status, stderr.includes('colophon transfer --help')]).toEqual([2, true]);
      }
      const help = await runCommandBeside(folder, ['transfer', '--help']);
      expect([help.status, help.stdout.includes('--to PLACE')]).toEqual([0, true]);
    });
  });

  describe('leaves the source in force when the copy is not the ledger:', () => {
    const alterations: readonly [what: string, says: string, statement: string][] = [
      [
        'an entry was altered',
        'its root is another',
        `UPDATE entry SET text = replace(text, '"actor"', '"Actor"') WHERE seq = 1`,
      ],
      [
        'a content was altered',
        'not',
        "UPDATE content SET body = body || ' ' WHERE seq = 1 AND body IS NOT NULL",
      ],
      ['a content is missing', 'is missing', 'DELETE FROM content WHERE seq = 0'],
      [
        'an act begins elsewhere',
        'its entries or contents are others',
        'UPDATE entry SET act = seq WHERE seq = 1',
      ],
      ['the last entry is missing', '', 'DELETE FROM log WHERE idx = (SELECT max(idx) FROM log)'],
      ['the checkpoint is another', 'checkpoint', "UPDATE log_head SET note = note || ' '"],
      [
        'a key is another',
        'its keys are others',
        "UPDATE keyring SET value = 'x' WHERE name = 'terminal_key_sha256'",
      ],
      ['a key is missing', 'its keys are others', "DELETE FROM keyring WHERE name = 'terminal_key_sha256'"],
      ['an operational record is missing', 'its operational records are others', 'DELETE FROM held'],
      [
        'a record expires earlier',
        'its operational records are others',
        'UPDATE held SET expires = expires - 1',
      ],
      ['a blob is missing', `blob ${emptyBlob} is missing`, 'DELETE FROM blob'],
    ];
    /** Begun again each time. */
    const folder = newFolder();
    let url: string;
    beforeAll(async () => {
      cpSync(made, folder, { recursive: true });
      url = await postgres.database();
    });

    it.each(alterations)('%s', async (_, says, statement) => {
      const kindOf = async (config: Config): Promise<StoreKind> => {
        if (config.databaseUrl === undefined) return sqliteKind(folder);
        const kind = postgresKind(url, folder);
        return {
          ...kind,
          async receive(...given) {
            await kind.receive(...given);
            await postgres.query(statement, [], url);
          },
        };
      };
      const run = transferDeployment(
        inFolder(folder),
        kindOf,
        { ...inFolder(folder), databaseUrl: url },
        quiet,
      );
      await expect(run).rejects.toThrow(/^The copy is not the ledger: /);
      await expect(run).rejects.toThrow(says);
      expect(await keyringOf(sqliteKind(folder), 'transferred_to')).toBeUndefined();
      await expect(compose(inDatabase(url, folder))).rejects.toThrow('was not finished here');
    });
  });

  describe('that is killed', () => {
    /** Ends with the signal; what it says else is the failure. */
    async function killedAt(step: string, source: Config, to: string): Promise<void> {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'transfer-process.ts'), to, step], {
        env: {
          PATH: process.env['PATH'],
          COLOPHON_BASE_URL: base,
          COLOPHON_DATA: source.dataFolder,
          ...(source.databaseUrl === undefined
            ? {}
            : { DATABASE_URL: source.databaseUrl, COLOPHON_SECRET_KEY: source.secretKey }),
        },
        stdio: ['ignore', 'inherit', 'pipe'],
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
      const signal = await new Promise((done) => child.once('close', (_, by) => done(by)));
      expect([step, signal, said.replaceAll(/.*Warning.*\n/g, '')]).toEqual([step, 'SIGKILL', '']);
    }

    const opens = async (config: Config): Promise<string> => {
      try {
        await (await compose(config)).close();
        return 'opens';
      } catch (error) {
        return /was not finished|was transferred to/.exec((error as Error).message)?.[0] ?? String(error);
      }
    };

    it.each([
      ['copying', 'opens'],
      ['opening the target', 'was transferred to'],
    ])('when it begins %s leaves a source that %s, and a rerun finishes', async (step, then) => {
      const embedded = inFolder(copied());
      const url = await postgres.database();
      const source = await moved();
      const folder = join(newFolder(), 'target');
      await Promise.all([killedAt(step, embedded, url), killedAt(step, source, folder)]);
      const database = { ...source, databaseUrl: url };
      // Nothing is in the database before the commit: a node would begin another ledger there.
      if (step !== 'copying') expect(await opens(database)).toBe('was not finished');
      expect(await opens(inFolder(folder))).toBe('was not finished');
      expect([await opens(embedded), await opens(source)]).toEqual([then, then]);
      const findings = await operations.examine(inFolder(folder), false);
      expect(findings.find(({ check }) => check === 'transfer')).toMatchObject({ state: 'fail' });

      await operations.transfer(embedded, { databaseUrl: url }, quiet);
      await operations.transfer(source, { dataFolder: folder }, quiet);
      expect([await opens(embedded), await opens(source)]).toEqual([
        'was transferred to',
        'was transferred to',
      ]);
      for (const target of [database, inFolder(folder)]) {
        const report = await operations.audit(target, { ledgerOnly: false, progress: quiet });
        expect(report).toMatchObject({ problems: [], scrubbed: 2 });
        expect(await serving(target, ({ read }) => read('/checkpoint'))).toBe(checkpoint);
      }
      expect(existsSync(join(folder, 'colophon.db.transfer'))).toBe(false);
    });

    it('before it marks the source leaves that in force; a rerun copies what was written since', async () => {
      const embedded = inFolder(copied());
      const url = await postgres.database();
      const source = await moved();
      const folder = join(newFolder(), 'target');
      const step = 'marking the source';
      await Promise.all([killedAt(step, embedded, url), killedAt(step, source, folder)]);
      for (const [from, to, target] of [
        [embedded, { databaseUrl: url }, inDatabase(url, embedded.dataFolder, embedded.dataFolder)],
        [source, { dataFolder: folder }, inFolder(folder)],
      ] as const) {
        expect(await opens(target)).toBe('was not finished');
        const findings = await operations.examine(target, false);
        expect(findings.find(({ check }) => check === 'transfer')).toMatchObject({ state: 'fail' });
        await serving(from, ({ call }) => call('MIRROR_APPEND', 'one||question|ada|Is it so?', {}, {}));
        await operations.transfer(from, to, quiet);
        const now = await serving(target, ({ read }) => read('/checkpoint'));
        expect(now.split('\n')[1]).toBe('10');
        expect((await operations.check(target, quiet)).differences).toEqual([]);
      }
    });

    it('leaves a copy that stays closed once the source went elsewhere', async () => {
      const embedded = inFolder(copied());
      const url = await postgres.database();
      await killedAt('marking the source', embedded, url);
      const folder = embedded.dataFolder;
      const other = await postgres.database();
      await operations.transfer(embedded, { databaseUrl: other }, quiet);
      await expect(operations.transfer(embedded, { databaseUrl: url }, quiet)).rejects.toThrow(
        /^The ledger was transferred to postgres:.*; serve it there\. This copy takes no writes\.$/,
      );
      expect(await opens(inDatabase(url, folder))).toBe('was not finished');
      expect(await opens(inDatabase(other, folder))).toBe('opens');
    });

    it('leaves a copy that gives way to no transfer of another log', async () => {
      const url = await postgres.database();
      await killedAt('marking the source', inFolder(copied()), url);
      const other = inFolder(newFolder());
      await serving({ ...other, baseUrl: 'http://other.test' }, async () => undefined);
      const run = operations.transfer(other, { databaseUrl: url }, quiet);
      await expect(run).rejects.toThrow('The database is not empty, it has a ledger');
    });
  });

  it('moves a ledger of 0.1.0 once it is upgraded', async () => {
    const folder = storedFolder(newFolder());
    const source = { ...inFolder(folder), secretKey: storedKeys.COLOPHON_SECRET_KEY };
    const upgraded = await compose(source, { serves: true });
    const signed = await upgraded.service.read.checkpoint();
    await upgraded.close();
    const url = await postgres.database();
    const report = await operations.transfer(source, { databaseUrl: url }, quiet);
    expect(report).toMatchObject({ entries: signed?.size, checkpoint: signed?.note });
    const target = { ...source, databaseUrl: url };
    expect((await operations.audit(target, { ledgerOnly: false, progress: quiet })).problems).toEqual([]);
  });

  it('knows every table: what it does not copy is made again from the entries', async () => {
    const projected = new Set(schema.tables.map(({ name }) => name));
    const db = new DatabaseSync(join(made, 'colophon.db'), { readOnly: true });
    const files = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    db.close();
    const tables = await postgres.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      [],
      shared.databaseUrl,
    );
    const beside = (rows: readonly object[]): string =>
      rows
        .map((row) => (row as { name: string }).name)
        .filter((name) => !projected.has(name))
        .toSorted()
        .join(' ');
    // `meta` holds the checkpoint.
    expect(beside(files)).toBe('content entry held ledger_keyring meta tile');
    expect(beside(tables)).toBe(
      'aggregate_stamp blob content entry held keyring log log_head migration pending projection_due projection_set search_document_5 search_state_5 search_term_5 search_workspace_5 tile',
    );
  });

  it('prints a report as JSON, then in words that hold no password and no key', async () => {
    const folder = copied();
    const url = await postgres.database();
    const done = await runCommandBeside(folder, ['transfer', '--to', url, '--json']);
    expect([done.status, done.stderr]).toEqual([0, '']);
    expect(JSON.parse(done.stdout)).toMatchObject({
      ok: true,
      from: folder,
      entries: 8,
      verified: { contents: 10 },
    });
    const again = await runCommandBeside(folder, ['transfer', '--to', url]);
    expect([again.status, again.stdout.split('\n').length]).toEqual([0, 4]);
    expect(again.stdout).toContain('8 entries were transferred to postgres://127.0.0.1');
    expect(again.stdout).toContain(`${folder} takes no writes any more.`);
    expect(again.stdout).toContain(
      `COLOPHON_SECRET_KEY, which is in ${join(folder, 'secret.key')}: keep it elsewhere, since no backup of a database holds it.`,
    );
    const key = readFileSync(join(folder, 'secret.key'), 'utf8').trim();
    const given = await runCommandBeside(folder, ['transfer', '--to', url], { COLOPHON_SECRET_KEY: key });
    expect(given.stdout).toContain('DATABASE_URL and the same COLOPHON_SECRET_KEY.');
    for (const text of [done.stdout, again.stdout]) {
      expect(text).not.toContain(readFileSync(join(folder, 'secret.key'), 'utf8').trim());
      expect(text).not.toContain('of-a-test');
    }
  });
});

async function keyringOf(kind: StoreKind, name: string): Promise<string | undefined> {
  return kind.withSnapshot((ledger) => ledger.keyring(name)).catch(() => undefined);
}
