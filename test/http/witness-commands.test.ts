/** What the command line says of witnesses: `doctor` of the own ones, `colophon witness` of the deployment as a witness. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operations } from '../../src/compose.ts';
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { parsePolicy } from '../../src/ledger/policy.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import type { Config } from '../../src/config.ts';
import { witnessCommand } from '../../src/doors/cli/witness.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { history, WitnessedLog } from '../support/witnessed-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'colophon-witness-commands-'));
let deployment: TestDeployment;

beforeAll(async () => {
  deployment = await openDeployment({ folder: join(folder, 'data') });
});
afterAll(async () => {
  await deployment.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the line of doctor about witnesses', () => {
  const cosigners = ['b', 'c'].map((name, i) => cosignerFromSeed(name, 'ed25519', Buffer.alloc(32, i)));

  const write = async (slug: string): Promise<number> => {
    await deployment.did('VOXEL_BATCH', { document: { slug, markdown: `# ${slug}\n` }, actor: 'a' });
    while ((await deployment.service.store.unlogged()) > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return (await deployment.service.read.checkpoint())?.size as number;
  };

  /** Stores the newest checkpoint as cosigned so many seconds ago; null: at a time that is not stated. */
  const cosign = async (secondsAgo: readonly (number | null)[]): Promise<void> => {
    const note = (await deployment.service.read.checkpoint())?.note as string;
    const text = `${note.split('\n\n')[0]}\n`;
    const nowSeconds = Math.floor(Date.now() / 1000);
    const lines = secondsAgo.map((ago, i) => cosigners[i]?.cosign(text, ago === null ? 0 : nowSeconds - ago));
    await deployment.service.store.keyring.set(
      `cosigned/${deployment.service.logKey.name}`,
      JSON.stringify({ note: note + lines.join(''), sizes: {} }),
    );
  };

  const line = async () => {
    const file = join(folder, 'policy');
    writeFileSync(
      file,
      `log ${deployment.service.logKey.text}\n` +
        cosigners.map(({ key }) => `witness ${key.name} ${key.text} http://127.0.0.1:1\n`).join('') +
        'group one 1 b c\nquorum one\n',
    );
    const config = operations.readConfig({ COLOPHON_DATA: deployment.folder, COLOPHON_POLICY: file });
    return (await operations.examine(config, true)).find(({ check }) => check === 'witnesses');
  };

  it('is ok while all entries are cosigned, however long ago', async () => {
    const size = await write('one');
    await cosign([3 * 3600]);
    expect(await line()).toEqual({
      check: 'witnesses',
      state: 'ok',
      detail: `${size} of ${size} entries, cosigned by b: the quorum one is met`,
      fix: '',
    });
  });

  it('warns of entries that wait where no witness has cosigned for ten minutes, and names /log', async () => {
    const before = await write('two');
    await cosign([3 * 3600, 660]);
    const size = await write('three');
    const detail = `${before} of ${size} entries, cosigned by b, c: the quorum one is met; the newest cosignature is 11 minutes old`;
    expect(await line()).toMatchObject({ state: 'warn', detail, fix: expect.stringContaining('/log') });
  });

  it('is ok while the newest cosignature is recent', async () => {
    await cosign([3 * 3600, 540]);
    await write('four');
    expect(await line()).toMatchObject({ state: 'ok' });
  });

  it('warns of entries that wait where no time is stated', async () => {
    await cosign([null]);
    await write('five');
    expect(await line()).toMatchObject({
      state: 'warn',
      detail: expect.stringMatching(/; the cosignatures state no time$/),
    });
  });
});

/** What the command prints. */
async function witness(config: Config, ...argv: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  try {
    expect(await witnessCommand.run(argv, { ...operations, readConfig: () => config })).toBe(0);
  } finally {
    log.mockRestore();
  }
  return printed.join('\n');
}

describe('colophon witness logs', () => {
  const [kept, ahead, removed, forked, silent] = ['kept', 'ahead', 'removed', 'forked', 'silent'].map(
    (name, i) => new WitnessedLog(`${name}.example`, 20 + i),
  ) as [WitnessedLog, WitnessedLog, WitnessedLog, WitnessedLog, WitnessedLog];
  let config: Config;
  let logKey: string;

  beforeAll(async () => {
    const logsFile = join(folder, 'logs');
    const name = (logs: readonly WitnessedLog[]): void =>
      writeFileSync(logsFile, logs.map(({ signer }) => `${signer.key.text}\n`).join(''));
    const env = {
      COLOPHON_WITNESS_LOGS: logsFile,
      COLOPHON_BASE_URL: 'https://witness.example/ledger',
      COLOPHON_CHECKPOINT: join(folder, 'apart'),
    };
    name([removed, silent, kept, ahead, forked]);
    const opened = await openDeployment({ folder: join(folder, 'witness'), env });
    logKey = opened.service.logKey.text;
    const http = opened.http();
    const ask = async (body: string): Promise<number> =>
      (await http.inject({ method: 'POST', url: '/witness/add-checkpoint', payload: body })).statusCode;
    for (const log of [removed, kept, ahead, forked]) expect(await ask(log.request(history(4), 0))).toBe(200);
    expect(await ask(kept.request(history(9), 4))).toBe(200);
    expect(await ask(forked.request(history(4, 2), 4))).toBe(409);
    // The store is set back; the copy beside the checkpoint is not.
    const { keyring } = opened.service.store;
    const older = (await keyring.get('witness/ahead.example')) as string;
    expect(await ask(ahead.request(history(7), 4))).toBe(200);
    await keyring.set('witness/ahead.example', older);
    await http.close();
    await opened.close();
    // The copy is set back; the store is not.
    const copy = JSON.parse(readFileSync(join(folder, 'apart.witness'), 'utf8')) as Record<string, object>;
    delete copy['kept.example'];
    writeFileSync(join(folder, 'apart.witness'), JSON.stringify(copy));
    name([silent, kept, ahead, forked]);
    config = operations.readConfig({ ...env, COLOPHON_DATA: join(folder, 'witness') });
  });

  it('lists what was cosigned of each log, by the larger of both records', async () => {
    expect((await witness(config, 'logs')).split('\n')).toEqual([
      'silent.example: cosigned 0 entries',
      'kept.example: cosigned 9 entries',
      'ahead.example: cosigned 7 entries',
      expect.stringMatching(
        /^forked\.example: cosigned 4 entries; signed two histories, see https:\/\/witness\.example\/ledger\/witness\/evidence\/[0-9a-f]{16}$/,
      ),
      'removed.example: cosigned 4 entries; COLOPHON_WITNESS_LOGS no longer names it',
    ]);
  });

  it('prints the same as JSON', async () => {
    const { logs } = JSON.parse(await witness(config, 'logs', '--json')) as { logs: unknown[] };
    expect(logs).toHaveLength(5);
    expect(logs[1]).toEqual({ origin: 'kept.example', size: 9, configured: true, evidence: null });
    expect(logs[3]).toMatchObject({
      origin: 'forked.example',
      evidence: expect.stringMatching(/^https:.+\/witness\/evidence\/[0-9a-f]{16}$/),
    });
    expect(logs[4]).toMatchObject({ origin: 'removed.example', size: 4, configured: false });
  });

  it('says where no log is named, and refuses other words', async () => {
    expect(await witness(deployment.config, 'logs')).toBe(
      'This deployment cosigns no log: COLOPHON_WITNESS_LOGS names none.',
    );
    for (const argv of [[], ['log'], ['logs', 'keys'], ['logs', '--policy-lines']])
      await expect(witness(config, ...argv)).rejects.toThrow(/it takes "keys" or "logs"|belongs to "keys"/);
  });

  it('prints lines that make a policy: of its own log, and of a log that it witnesses', async () => {
    const lines = await witness(config, 'keys', '--policy-lines');
    const policy = parsePolicy(`${lines}\ngroup both 2 witness.example witness.example-pq\nquorum both\n`);
    if (isRefusal(policy)) throw new Error(policy.refused);
    const keys = await operations.witnessKeys(config);
    const url = 'https://witness.example/ledger/witness';
    expect(policy.witnesses.map(({ name, key, url: at }) => [name, key.algorithm, key.text, at])).toEqual([
      ['witness.example', 'ed25519', keys[0], url],
      ['witness.example-pq', 'ml-dsa-44', keys[1], url],
    ]);
    expect(policy.logs.map(({ key }) => key.text)).toEqual([logKey]);
    expect(lines.split('\n').map((line) => line.split(' ')[0])).toEqual([
      '#',
      'log',
      '#',
      'witness',
      'witness',
    ]);
    expect(JSON.parse(await witness(config, 'keys', '--policy-lines', '--json'))).toEqual({
      log: `log ${policy.logs[0]?.key.text}`,
      witnesses: lines.split('\n').slice(3),
    });
    expect(await witness(config, 'keys')).toBe(keys.join('\n'));
  });
});
