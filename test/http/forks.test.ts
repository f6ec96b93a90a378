/**
 * Logs that signed two histories, on both stores (contract §6): what the witness keeps as evidence, and where the alarm
 * is shown, on this node, after a restart, on another node, and after a restore.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { evidenceId, formatEvidence, judgeEvidence, parseEvidence } from '../../src/ledger/fork-evidence.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { formatAddCheckpoint } from '../../src/ledger/witness.ts';
import { signIn } from '../support/desk.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { storeKinds } from '../support/stores.ts';
import { history, WitnessedLog } from '../support/witnessed-log.ts';
import { leafOf, oracleConsistency } from '../unit/ledger/support.ts';

const hostile = '<b>log</b>\u202e&"';
const log = (name: string): WitnessedLog => new WitnessedLog(name, 7);
const logs = ['grown', 'twice', 'honest', hostile, 'late', 'raced', 'keys'].map(log);
const otherKey = new WitnessedLog('keys', 8);
const [grown, twice, honest, marked, late, raced, keys] = logs as [
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
];
const pathOf = (name: string): string => `/witness/evidence/${evidenceId(name)}`;

describe.each(storeKinds().map(({ name }) => name))('a log that forks, witnessed on %s', (store) => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-forks-'));
  const data = join(folder, 'data');
  const troubles: string[] = [];
  let env: Record<string, string>;
  let database: TestDatabases | undefined;
  let server: TestServer;

  const open = (more: Record<string, string> = {}): Promise<TestServer> =>
    startServer({ ...env, ...more }, { onTrouble: (error) => troubles.push((error as Error).message) });
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await open();
  };

  beforeAll(async () => {
    const file = join(folder, 'logs');
    writeFileSync(file, [...logs, otherKey].map(({ signer }) => `${signer.key.text}\n`).join(''));
    if (store === 'postgres') database = await sharedPostgres();
    env = {
      COLOPHON_DATA: data,
      COLOPHON_WITNESS_LOGS: file,
      ...(database === undefined ? {} : { DATABASE_URL: await database.database() }),
    };
    server = await open();
    await server.article('# One\n\nA text.\n');
  });

  afterAll(async () => {
    await server.stop();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (body: string, on = server): Promise<number> =>
    (await on.fetch('/witness/add-checkpoint', { method: 'POST', body })).status;
  const text = async (path: string, on = server): Promise<string> => (await on.fetch(path)).text();
  const metric = async (name: string, on = server): Promise<string | undefined> =>
    new RegExp(`^colophon_${name} (.*)$`, 'm').exec(await text('/metrics', on))?.[1];
  const desk = async (on = server): Promise<string> => {
    const { cookie } = await signIn(on.base, terminalKey);
    return (await on.fetch('/owner/waiting', { headers: { cookie } })).text();
  };
  const doctor = async (): Promise<unknown[]> =>
    (await operations.examine(server.deployment.config, true))
      .filter(({ check }) => check === 'evidence')
      .map(({ state, detail }) => [state, detail]);
  const isConvicting = (given: string): boolean => {
    const read = parseEvidence(given);
    return !isRefusal(read) && !isRefusal(judgeEvidence(read));
  };

  it('shows nothing while logs only grow, whatever proofs are sent', async () => {
    for (const each of logs) expect(await ask(each.request(history(5), 0))).toBe(200);
    expect(await ask(honest.request(history(8), 5))).toBe(200);
    const note = honest.checkpoint(history(12));
    for (const proof of [
      [],
      [leafOf(1)],
      oracleConsistency(8, history(12, 3).map(leafOf)),
      [leafOf(1), ...oracleConsistency(8, history(12).map(leafOf))],
      oracleConsistency(8, history(12).map(leafOf)).reverse(),
    ])
      await ask(formatAddCheckpoint({ oldSize: 8, proof, note }));
    const forked = late.checkpoint(history(9, 3));
    expect(await ask(formatAddCheckpoint({ oldSize: 5, proof: [leafOf(1)], note: forked }))).toBe(422);
    expect(await server.read('/witness/evidence')).toMatchObject({ count: 0, alarms: [] });
    expect([await metric('witness_forks'), await metric('log_alarms')]).toEqual(['0', '0']);
    expect(await text('/log')).not.toContain('signed two histories');
    expect(await desk()).not.toContain('A transparency log is not what it should be.');
    expect(await doctor()).toEqual([]);
    expect((await server.fetch(pathOf('honest'))).status).toBe(404);
  });

  it('is shown with evidence once its own proof convicts it, at once', async () => {
    expect(await ask(grown.request(history(9, 3), 5))).toBe(422);
    const evidence = await text(pathOf('grown'));
    expect(evidence).toBe(formatEvidence(grown.evidence(history(5), history(9, 3))));
    expect(isConvicting(evidence)).toBe(true);
    expect(readFileSync(join(data, 'evidence', `${evidenceId('grown')}.json`), 'utf8')).toBe(evidence);
    expect(await server.read('/witness/evidence')).toMatchObject({
      count: 1,
      alarms: [{ text: 'The log grown signed two histories.', evidence: server.base + pathOf('grown') }],
    });
    for (const page of [await text('/log'), await desk()]) {
      expect(page).toContain('The log grown signed two histories. Evidence: <a href="');
      expect(page).toContain(`${pathOf('grown')}">${pathOf('grown')}</a>`);
    }
    expect([await metric('witness_forks'), await metric('log_alarms')]).toEqual(['1', '1']);
    expect(await doctor()).toEqual([['warn', 'the log grown signed two histories']]);
    expect(troubles.filter((line) => line.startsWith('the log grown signed two histories'))).toHaveLength(1);
  });

  it('is shown where it signed two trees of one size, and the first evidence stays', async () => {
    expect(await ask(twice.request(history(5, 2), 5))).toBe(409);
    const evidence = await text(pathOf('twice'));
    expect(evidence).toBe(formatEvidence(twice.evidence(history(5), history(5, 2))));
    expect(await ask(twice.request(history(5, 1), 5))).toBe(409);
    expect(await ask(twice.request(history(9, 1), 5))).toBe(422);
    expect(await text(pathOf('twice'))).toBe(evidence);
    expect((await server.read('/witness/evidence'))['count']).toBe(2);
  });

  it('convicts once of many requests at once', async () => {
    const forks = Array.from({ length: 8 }, (_, i) => raced.request(history(9 + i, 3), 5));
    expect(await Promise.all(forks.map((body) => ask(body)))).toEqual(Array(8).fill(422));
    expect(isConvicting(await text(pathOf('raced')))).toBe(true);
    expect(troubles.filter((line) => line.startsWith('the log raced signed'))).toHaveLength(1);
  });

  it('is named as text, whatever its name holds', async () => {
    expect(await ask(marked.request(history(5, 2), 5))).toBe(409);
    const shown = 'The log &lt;b>log&lt;/b>&lt;U+202E>&amp;&quot;';
    for (const page of [await text('/log'), await desk()]) {
      expect(page).toContain(shown);
      expect(page).not.toContain('<b>log');
      expect(page).not.toContain('\u202e');
    }
  });

  it('convicts no key where each history is signed by another one', async () => {
    for (let i = 0; i < 2; i++) expect(await ask(otherKey.request(history(5, 2), 5))).toBe(409);
    expect((await server.fetch(pathOf('keys'))).status).toBe(404);
    expect(troubles.filter((line) => line.includes('each under another of its keys'))).toEqual([
      'the log keys signed two histories, each under another of its keys, so that no key is convicted: ask its operator',
    ]);
    expect(await ask(keys.request(history(5, 2), 5))).toBe(409);
    expect(isConvicting(await text(pathOf('keys')))).toBe(true);
  });

  it('is shown beside alarms of other parts', async () => {
    const of = (page: string): boolean => page.includes('A witness cosigned 9 entries, and there are 8.');
    server.deployment.service.logAlarms.watch(async () => [
      { text: 'A witness cosigned 9 entries, and there are 8.' },
    ]);
    expect([of(await text('/log')), of(await desk()), of(await text('/witness/evidence'))]).toEqual([
      true,
      true,
      true,
    ]);
    // Five logs with evidence, one that used two keys, and the one from above.
    expect([await metric('witness_forks'), await metric('log_alarms')]).toEqual(['5', '7']);
  });

  it('is still shown after a restart, and without its files, which are written again', async () => {
    const before = await text(pathOf('grown'));
    rmSync(join(data, 'evidence'), { recursive: true });
    await restart();
    expect(await text(pathOf('grown'))).toBe(before);
    expect(await text('/log')).toContain('The log grown signed two histories.');
    expect(await metric('witness_forks')).toBe('5');
    expect(readdirSync(join(data, 'evidence'))).toHaveLength(5);
  });

  it('is convicted by its file where the ledger was set back, and by no file that convicts nobody', async () => {
    const { keyring } = server.deployment.service.store;
    const name = `evidence/${evidenceId('grown')}`;
    const before = (await keyring.get(name)) as string;
    // What convicts nobody is no evidence, and nobody may say so with it.
    await keyring.set(name, before.replace('"evidence": 1', '"evidence": 2'));
    await restart();
    expect((await server.fetch(pathOf('grown'))).status).toBe(404);
    expect(await metric('witness_forks')).toBe('4');
    expect(await doctor()).toContainEqual([
      'fail',
      `${evidenceId('grown')} was altered: "evidence" is not 1`,
    ]);
    await server.deployment.service.store.keyring.compareAndSet(
      name,
      before.replace('"evidence": 1', '"evidence": 2'),
      before,
    );
    const file = join(data, 'evidence', `${evidenceId('honest')}.json`);
    // The evidence against one log in the place of another.
    writeFileSync(file, before);
    await server.deployment.service.store.keyring.set('evidence/0123456789abcdef', before);
    await restart();
    expect((await server.fetch(pathOf('honest'))).status).toBe(404);
    expect((await server.fetch('/witness/evidence/0123456789abcdef')).status).toBe(404);
    expect(await doctor()).toContainEqual([
      'fail',
      '0123456789abcdef was altered: it is about grown, and kept for another log',
    ]);
    writeFileSync(file, formatEvidence(honest.evidence(history(5), history(5, 2))));
    await restart();
    expect(isConvicting(await text(pathOf('honest')))).toBe(true);
  });

  it.runIf(store === 'postgres')('is shown by every node of the database', async () => {
    const second = await open({ COLOPHON_DATA: join(folder, 'second') });
    expect(await text(pathOf('grown'), second)).toBe(await text(pathOf('grown')));
    expect(await text('/log', second)).toContain('The log grown signed two histories.');
    expect(await ask(late.request(history(9, 3), 5), second)).toBe(422);
    await expect.poll(() => metric('witness_forks'), { timeout: 10_000 }).toBe('7');
    expect(await text('/log')).toContain('The log late signed two histories.');
    await second.stop();
  });

  it.runIf(store === 'sqlite')('is shown after a restore from a backup', async () => {
    const backup = join(folder, 'backup');
    await operations.backup(server.deployment.config, backup, () => undefined);
    const elsewhere = join(folder, 'elsewhere');
    const place = {
      ...server.deployment.config,
      dataFolder: elsewhere,
      checkpointPath: join(elsewhere, 'checkpoint'),
    };
    expect((await operations.restore(place, backup, () => undefined, false)).problems).toEqual([]);
    const restored = await open({ COLOPHON_DATA: elsewhere });
    expect(await text(pathOf('grown'), restored)).toBe(await text(pathOf('grown')));
    await restored.stop();
  });
});
