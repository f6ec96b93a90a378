/**
 * A deployment that asks witnesses, on both stores (contract §0, §6): what `/checkpoint`, receipts, confirmations,
 * bundles and pages show once a quorum has cosigned, and that no write waits for it. The witnesses are deployments too.
 */
import type { FastifyInstance } from 'fastify';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operations } from '../../src/compose.ts';
import { parsePolicy, judgeNote } from '../../src/ledger/policy.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { verifyBundle, type Report } from '../../verify/index.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';

const witnessNames = ['north', 'south'] as const;

interface RunningWitness {
  readonly deployment: TestDeployment;
  readonly app: FastifyInstance;
  readonly url: string;
  readonly keys: readonly string[];
}

async function startWitness(logsFile: string): Promise<RunningWitness> {
  const deployment = await openDeployment({ env: { COLOPHON_WITNESS_LOGS: logsFile } });
  const app = deployment.http();
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  return { deployment, app, url: `${base}/witness`, keys: await operations.witnessKeys(deployment.config) };
}

describe.each(storeKinds().map(({ name }) => name))('a deployment with a policy on %s', (store) => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-cosigning-'));
  const policyFile = join(folder, 'policy');
  const troubles: string[] = [];
  const witnesses: RunningWitness[] = [];
  let silent: Server;
  let silentRequests = 0;
  let database: TestDatabases | undefined;
  let env: Record<string, string>;
  let deployment: TestDeployment;
  let app: FastifyInstance;

  const open = (at: string): Promise<TestDeployment> =>
    openDeployment({
      folder: join(folder, at),
      env,
      onTrouble: (error) => troubles.push((error as Error).message),
    });
  const get = async (url: string, from = app): Promise<string> => (await from.inject({ url })).body;
  const post = async (body: string): Promise<string> =>
    String(
      (
        await deployment.did('MIRROR_APPEND', {
          slug: 'kept',
          claim_id: '',
          kind: 'question',
          actor: 'ada',
          body,
        })
      )['inv'],
    );
  const trust = (): { readonly policy: string } => ({ policy: readFileSync(policyFile, 'utf8') });
  const quorumOf = ({ checks }: Report) => checks.filter(({ id }) => id === 'quorum').map(({ ok }) => ok);
  const sizeOf = (note: string): number => Number(note.split('\n')[1]);
  const signatures = (note: string): number => (note.split('\n\n')[1] ?? '').trim().split('\n').length;
  /** The size of the log with everything that was written. */
  const newest = async (): Promise<number> => {
    await vi.waitFor(async () => expect(await deployment.service.store.unlogged()).toBe(0), 10_000);
    return sizeOf(await get('/checkpoint?newest=1'));
  };
  /** Waits until a quorum has cosigned that much. */
  const seen = async (size: number, from = app): Promise<void> =>
    vi.waitFor(async () => {
      const note = await get('/checkpoint', from);
      expect([sizeOf(note) >= size, signatures(note) > 1]).toEqual([true, true]);
    }, 10_000);

  beforeAll(async () => {
    if (store === 'postgres') database = await sharedPostgres();
    env = {
      COLOPHON_BASE_URL: 'https://log.example',
      COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef',
      ...(database === undefined ? {} : { DATABASE_URL: await database.database() }),
    };
    const before = await open('data');
    const logKey = before.service.logKey.text;
    await before.did('VOXEL_BATCH', { document: { slug: 'kept', markdown: '# Kept\n\nOne.\n' }, actor: 'a' });
    await before.close();
    const logsFile = join(folder, 'logs');
    writeFileSync(logsFile, `${logKey}\n`);
    for (let i = 0; i < witnessNames.length; i++) witnesses.push(await startWitness(logsFile));
    silent = createServer(() => void silentRequests++).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const lines = witnesses.flatMap(({ keys, url }, i) =>
      keys.map((key, k) => `witness ${witnessNames[i]}${k === 0 ? '' : '-pq'} ${key} ${url}\n`),
    );
    // A third one that takes requests and never answers.
    const third = await startWitness(logsFile);
    await third.app.close();
    await third.deployment.end();
    lines.push(
      `witness silent ${third.keys[0]} http://127.0.0.1:${(silent.address() as AddressInfo).port}/witness\n`,
    );
    writeFileSync(
      policyFile,
      `log ${logKey}\n${lines.join('')}group most 2 north south silent\nquorum most\n`,
    );
    env['COLOPHON_POLICY'] = policyFile;
    deployment = await open('data');
    app = deployment.http();
  }, 120_000);

  afterAll(async () => {
    silent?.closeAllConnections();
    silent?.close();
    await app?.close();
    await deployment?.close();
    for (const each of witnesses) {
      await each.app.close();
      await each.deployment.end();
    }
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves the newest checkpoint with a quorum, and on request the newest signed one', async () => {
    await post('What is cosigned?');
    const size = await newest();
    await seen(size);
    const policy = parsePolicy(trust().policy);
    if (isRefusal(policy)) throw new Error(policy.refused);
    const judged = judgeNote(await get('/checkpoint'), policy);
    expect(judged).toMatchObject({ hasQuorum: true });
    expect(isRefusal(judged) ? [] : judged.cosigned.map(({ witness }) => witness)).toEqual([
      'north',
      'north-pq',
      'south',
      'south-pq',
    ]);
    expect(signatures(await get('/checkpoint?newest=1'))).toBe(1);
    expect(await get('/.well-known/colophon-policy')).toBe(trust().policy);
  });

  it('answers a write at once, and puts the quorum into its receipt and confirmation once it covers them', async () => {
    const inv = await post('Is it seen?');
    const atOnce = await verifyBundle(JSON.parse(await get(`/api/dispatch?confirm=${inv}`)), trust());
    // On PostgreSQL the log takes the entry in a moment later.
    if (store === 'sqlite') {
      const verdicts = new Map(atOnce.checks.map(({ id, ok }) => [id, ok]));
      expect([verdicts.get('inclusion'), verdicts.get('signature'), verdicts.get('quorum')]).toEqual([
        true,
        true,
        false,
      ]);
    }
    await seen(await newest());
    const confirmed = await verifyBundle(JSON.parse(await get(`/api/dispatch?confirm=${inv}`)), trust());
    expect([confirmed.ok, quorumOf(confirmed)]).toEqual([true, [true]]);
    const receipt = await app.inject({
      url: `/receipt/${inv}`,
      headers: { 'x-terminal-key': 'tk_only-for-tests-0123456789' },
    });
    const report = await verifyBundle(JSON.parse(receipt.body), trust());
    expect([report.ok, quorumOf(report)]).toEqual([true, [true]]);
  });

  it('puts the quorum into a bundle and an article page that were cached without it', async () => {
    await post('And the bundle?');
    const size = await newest();
    // Cached before the quorum covers the entry, if the witnesses are slower than this.
    await get('/api/articles/kept/bundle');
    await get('/a/kept');
    await seen(size);
    const report = await verifyBundle(JSON.parse(await get('/api/articles/kept/bundle')), trust());
    expect([report.ok, quorumOf(report)]).toEqual([true, [true]]);
    expect(await get('/a/kept')).toContain('/witness ');
  });

  it('says which witness is silent, and never asks it twice at once', async () => {
    for (let i = 0; i < 3; i++) {
      await post(`Round ${i}?`);
      await seen(await newest());
    }
    expect(silentRequests).toBe(1);
    const status = deployment.service.cosigning?.status() ?? [];
    expect(status.map(({ name, state }) => [name, state])).toEqual([
      ['north', 'cosigned'],
      ['north-pq', 'cosigned'],
      ['south', 'cosigned'],
      ['south-pq', 'cosigned'],
      ['silent', 'behind'],
    ]);
  });

  it('writes nothing about cosignatures to the ledger', async () => {
    await seen(await newest());
    const before = await newest();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await newest()).toBe(before);
  });

  it('serves what was cosigned after a restart, from a row that was set back, and from a second node', async () => {
    const { keyring } = deployment.service.store;
    await seen(await newest());
    const older = (await keyring.get('cosigned/log.example')) as string;
    await post('What comes after?');
    await seen(await newest());
    const note = await get('/checkpoint');
    if (store === 'postgres') {
      const second = await open('second');
      const other = second.http();
      await seen(sizeOf(note), other);
      expect(second.service.store.leads).toBe(false);
      await other.close();
      await second.close();
    }
    await keyring.set('cosigned/log.example', older);
    await app.close();
    await deployment.close();
    deployment = await open('data');
    app = deployment.http();
    await seen(sizeOf(note));
  });

  it('keeps writing without its witnesses, and catches up when they are back', async () => {
    await seen(await newest());
    const before = await newest();
    const [, south] = witnesses as [RunningWitness, RunningWitness];
    await south.app.close();
    await post('Alone?');
    await vi.waitFor(
      () =>
        expect(deployment.service.cosigning?.status().find(({ name }) => name === 'south')).toMatchObject({
          state: 'failing',
        }),
      10_000,
    );
    expect(sizeOf(await get('/checkpoint'))).toBe(before);
    const back = south.deployment.http();
    await back.listen({ host: '127.0.0.1', port: Number(new URL(south.url).port) });
    witnesses[1] = { ...south, app: back };
    await seen(await newest());
    expect(troubles.filter((each) => each.startsWith('witness south'))).toHaveLength(1);
  });

  it('is verified against the policy from its own ledger', async () => {
    await seen(await newest());
    const report = await operations.audit(deployment.config, {
      ledgerOnly: true,
      policy: readFileSync(policyFile),
      progress: () => undefined,
    });
    expect(report.problems).toEqual([]);
  });

  it('tells in doctor and metrics how far the quorum is', async () => {
    await seen(await newest());
    const size = await newest();
    const lines = await operations.examine(deployment.config, true);
    expect(lines.find(({ check }) => check === 'witnesses')).toMatchObject({
      state: 'ok',
      detail: `${size} of ${size} entries, cosigned by north, north-pq, south, south-pq: the quorum most is met`,
    });
    const metrics = await get('/metrics');
    expect(metrics).toContain(`\ncolophon_cosigned_entries ${size}\n`);
    expect(metrics).toContain('\ncolophon_cosigning_wait_seconds 0\n');
    expect(metrics).toContain('\ncolophon_cosigning_alarms 0\n');
    expect(metrics).toMatch(/\ncolophon_cosigning_failures_total\{witness="south"\} [1-9]/);
  });
});

describe('a ledger that was set back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-set-back-'));
  const policyFile = join(folder, 'policy');
  const env = { COLOPHON_BASE_URL: 'https://log.example', COLOPHON_POLICY: policyFile };
  const data = join(folder, 'data');
  const backup = join(folder, 'backup');
  const troubles: string[] = [];
  let witness: RunningWitness;
  let config: TestDeployment['config'];

  const open = (options: Parameters<typeof openDeployment>[0] = {}): Promise<TestDeployment> =>
    openDeployment({
      folder: data,
      env,
      onTrouble: (error) => troubles.push((error as Error).message),
      ...options,
    });
  const cosigned = async ({ service }: TestDeployment): Promise<number> => {
    const size = (await service.read.checkpoint())?.size ?? 0;
    await vi.waitFor(() => expect(service.cosigning?.newest?.size).toBe(size), 10_000);
    return size;
  };
  const write = (to: TestDeployment, slug: string): Promise<unknown> =>
    to.did('VOXEL_BATCH', { document: { slug, markdown: `# ${slug}\n` }, actor: 'a' });
  const setBack = async (): Promise<void> => {
    rmSync(data, { recursive: true });
    expect((await operations.restore(config, backup, () => undefined, false)).problems).toEqual([]);
  };

  beforeAll(async () => {
    const first = await openDeployment({ folder: data, env: { COLOPHON_BASE_URL: 'https://log.example' } });
    writeFileSync(join(folder, 'logs'), `${first.service.logKey.text}\n`);
    await first.close();
    witness = await startWitness(join(folder, 'logs'));
    writeFileSync(policyFile, `witness north ${witness.keys[0]} ${witness.url}\nquorum north\n`);
    const before = await open();
    ({ config } = before);
    await write(before, 'kept');
    await cosigned(before);
    await operations.backup(config, backup, () => undefined);
    await write(before, 'lost');
    await cosigned(before);
    await before.close();
  }, 60_000);

  afterAll(async () => {
    await witness.app.close();
    await witness.deployment.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused at the start where a witness has cosigned more, before anything is signed', async () => {
    await setBack();
    await expect(open()).rejects.toThrow(
      /^Witness north: it says that it has cosigned \d+ entries of this log, which has \d+\. The next write would make a second history of this log\. If a witness errs, take it out of the policy/,
    );
    expect(await witness.deployment.service.logAlarms.forks()).toEqual([]);
  }, 60_000);

  it('begins a new log with --accept-rollback', async () => {
    await setBack();
    const accepted = await open({ acceptRollback: true });
    expect(accepted.service.logKey.name).toMatch(/^log\.example\/\w+/);
    await write(accepted, 'after');
    await accepted.close();
    expect(await witness.deployment.service.logAlarms.forks()).toEqual([]);
  }, 60_000);

  it('says so where no witness can be asked, and is confirmed once one can', async () => {
    const port = Number(new URL(witness.url).port);
    await witness.app.close();
    await setBack();
    const unasked = await open();
    expect(troubles.at(-1)).toContain('no quorum of witnesses has confirmed that it is the newest');
    await unasked.close();
    const back = witness.deployment.http();
    await back.listen({ host: '127.0.0.1', port });
    witness = { ...witness, app: back };
    await expect(open()).rejects.toThrow('it has cosigned');
  }, 60_000);
});

it('a first start that a policy refuses does not cost the owner key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-refused-'));
  writeFileSync(join(folder, 'none'), '');
  const witness = await startWitness(join(folder, 'none'));
  const policyFile = join(folder, 'policy');
  const rest = `witness b ${witness.keys[0]} ${witness.url}\nquorum b\n`;
  writeFileSync(policyFile, `log ${witness.deployment.service.logKey.text}\n${rest}`);
  const config = operations.readConfig({
    COLOPHON_DATA: join(folder, 'data'),
    COLOPHON_BASE_URL: 'https://log.example',
    COLOPHON_POLICY: policyFile,
  });
  await expect(operations.compose(config)).rejects.toThrow('is not among them');
  writeFileSync(policyFile, rest);
  const started = await operations.compose(config);
  expect(started.newTerminalKey).toMatch(/^tk_/);
  await started.close();
  await witness.app.close();
  await witness.deployment.end();
  rmSync(folder, { recursive: true, force: true });
});

describe('COLOPHON_POLICY', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-policy-'));
  const file = join(folder, 'policy');
  const vkey = 'b.example/witness+77a0e3d4+BGk';
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['quorum none\n', 'demands no witness (quorum none)'],
    [`witness b ${vkey}\nquorum b\n`, 'is refused: line 1 of the policy'],
    ['quorum b\n', 'is refused: line 1 of the policy: "b" is not defined on a line above'],
  ])('stops the start where the file is %j', (text, reason) => {
    writeFileSync(file, text);
    expect(() => operations.readConfig({ COLOPHON_POLICY: file }).readPolicy()).toThrow(
      `COLOPHON_POLICY names ${file}, which ${reason}`,
    );
  });

  it('stops the start where witnesses without a URL would be needed, or a URL is none', async () => {
    writeFileSync(join(folder, 'none'), '');
    const plain = await startWitness(join(folder, 'none'));
    const [key] = plain.keys;
    writeFileSync(file, `witness b ${key}\nquorum b\n`);
    expect(() => operations.readConfig({ COLOPHON_POLICY: file }).readPolicy()).toThrow(
      'demands the quorum b, which its witnesses with a URL cannot meet',
    );
    writeFileSync(file, `witness b ${key} ftp://b.example\nquorum b\n`);
    expect(() => operations.readConfig({ COLOPHON_POLICY: file }).readPolicy()).toThrow(
      'gives the witness b the URL "ftp://b.example", which is not http or https',
    );
    writeFileSync(
      file,
      `log ${plain.deployment.service.logKey.text}\nwitness b ${key} ${plain.url}\nquorum b\n`,
    );
    await expect(
      openDeployment({ env: { COLOPHON_POLICY: file, COLOPHON_BASE_URL: 'https://other.example' } }),
    ).rejects.toThrow(
      'COLOPHON_POLICY names logs, and the key of this one is not among them; add the line "log other.example+',
    );
    await plain.app.close();
    await plain.deployment.end();
  });

  it('stops the start where the file is absent or the name empty', () => {
    expect(() => operations.readConfig({ COLOPHON_POLICY: '' }).readPolicy()).toThrow(
      'COLOPHON_POLICY is empty; it accepts',
    );
    expect(() => operations.readConfig({ COLOPHON_POLICY: join(folder, 'absent') }).readPolicy()).toThrow(
      'which is not a file',
    );
  });
});
