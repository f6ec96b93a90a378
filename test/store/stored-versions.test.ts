/** Ledgers as every released version left them (`vectors/stored`): this build upgrades each, on both stores (contract §6). */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { removeFolders, runCommandBeside, startServer, temporaryFolder } from '../support/process-server.ts';
import { storedDatabase, storedFolder, storedKeys, storedVersions } from '../support/stored-ledger.ts';

const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');

afterAll(removeFolders);

it('there is a stored ledger of each released version', () => {
  const released = [...changelog.matchAll(/^## \[?(\d+\.\d+\.\d+)\]?/gm)].map(([, version]) => version);
  expect(new Set(storedVersions)).toEqual(new Set(released));
});

/** Serves it once, then says what the commands of this build find. */
async function expectUpgraded(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const before = await runCommandBeside(folder, ['doctor'], env);
  expect(before.stdout).toMatch(/^warn {2}upgrade: /m);
  const server = await startServer({ folder, env, terminalKey: storedKeys.COLOPHON_TERMINAL_KEY });
  try {
    expect((await fetch(`${server.base}/api/articles/harbour`)).status).toBe(200);
    const found = await (await fetch(`${server.base}/api/articles/harbour/mirror`)).json();
    expect(found).toMatchObject({ count: 1 });
  } finally {
    await server.stop();
  }
  expect((await runCommandBeside(folder, ['verify'], env)).stdout).toMatch(/^Sound: .* projected rows/);
  expect((await runCommandBeside(folder, ['rebuild', '--check'], env)).stdout).toMatch(/ 0 differ\.\n$/);
}

describe.each(storedVersions)('a ledger of version %s', { timeout: 60_000 }, (version) => {
  it('is upgraded in its data folder', async () => {
    await expectUpgraded(storedFolder(temporaryFolder(), version), storedKeys);
  });

  describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
    let postgres: TestDatabases;
    beforeAll(async () => {
      postgres = await sharedPostgres();
    });
    afterAll(() => postgres.stop());

    it('is upgraded', async () => {
      const url = await storedDatabase(postgres, version);
      await expectUpgraded(temporaryFolder(), { ...storedKeys, DATABASE_URL: url });
    });
  });
});
