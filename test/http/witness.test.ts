/** `POST /witness/add-checkpoint` on both stores (contract §6, C2SP tlog-witness): statuses, races, restarts, restores. */
import type { FastifyInstance } from 'fastify';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { parseCosignerKey, verifyCosignatures, type CosignerKey } from '../../src/ledger/cosignature.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';
import { history, WitnessedLog } from '../support/witnessed-log.ts';

const logs = Array.from({ length: 8 }, (_, i) => new WitnessedLog(`log${i}.example`, 10 + i));
const [growing, racing, twofold, typed, kept, moved, restored] = logs as [
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
  WitnessedLog,
];
const unknown = new WitnessedLog('unknown.example', 99);

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

describe.each(storeKinds().map(({ name }) => name))('a witness on %s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-witness-'));
  const data = join(folder, 'data');
  const apart = join(folder, 'apart');
  const troubles: string[] = [];
  let env: Record<string, string>;
  let database: TestDatabases | undefined;
  let deployment: TestDeployment;
  let app: FastifyInstance;

  const open = async (more: Record<string, string> = {}): Promise<void> => {
    deployment = await openDeployment({
      folder: data,
      env: { ...env, ...more },
      onTrouble: (error) => troubles.push((error as Error).message),
    });
    app = deployment.http();
  };
  const close = async (): Promise<void> => {
    await app.close();
    await deployment.close();
  };
  const keys = async (): Promise<CosignerKey[]> =>
    (await operations.witnessKeys(deployment.config)).map((text) => {
      const key = parseCosignerKey(text);
      if (isRefusal(key)) throw new Error(key.refused);
      return key;
    });

  beforeAll(async () => {
    const file = join(folder, 'logs');
    writeFileSync(file, `# witnessed\n\n${logs.map(({ signer }) => `${signer.key.text}\n`).join('')}`);
    if (name === 'postgres') database = await sharedPostgres();
    env = {
      COLOPHON_WITNESS_LOGS: file,
      COLOPHON_BASE_URL: 'https://witness.example/colophon',
      COLOPHON_CHECKPOINT: apart,
      COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef',
      ...(database === undefined ? {} : { DATABASE_URL: await database.database() }),
    };
    await open();
  });

  afterAll(async () => {
    await close();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (
    body: string | Buffer,
    headers: Record<string, string> = {},
    on: FastifyInstance = app,
  ): Promise<Answered> => {
    const answer = await on.inject({
      method: 'POST',
      url: '/witness/add-checkpoint',
      payload: body,
      headers,
    });
    return { status: answer.statusCode, type: String(answer.headers['content-type']), text: answer.body };
  };
  const grow = (log: WitnessedLog, entries: number[], oldSize: number): Promise<Answered> =>
    ask(log.request(entries, oldSize));
  const conflict = (size: number): Answered => ({ status: 409, type: 'text/x.tlog.size', text: `${size}\n` });

  it('cosigns a checkpoint with both of its keys, and one that it grew to', async () => {
    const cosigners = await keys();
    expect(cosigners.map(({ name: of, algorithm }) => [of, algorithm])).toEqual([
      ['witness.example/colophon/witness', 'ed25519'],
      ['witness.example/colophon/witness', 'ml-dsa-44'],
    ]);
    for (const [size, old] of [
      [3, 0],
      [3, 3],
      [300, 3],
    ] as const) {
      const before = Math.floor(Date.now() / 1000);
      const { status, type, text } = await grow(growing, history(size), old);
      expect([status, type]).toEqual([200, 'text/plain; charset=utf-8']);
      const note = growing.checkpoint(history(size));
      const found = verifyCosignatures(`${note.split('\n\n')[0]}\n`, text, cosigners);
      if (isRefusal(found)) throw new Error(found.refused);
      expect(found.map(({ key }) => key)).toEqual(cosigners);
      for (const { timeSeconds } of found) expect(timeSeconds).toBeGreaterThanOrEqual(before);
    }
    expect(await grow(growing, history(301), 3)).toEqual(conflict(300));
  });

  it('answers by the letter what it does not cosign', async () => {
    const impostor = new WitnessedLog('log0.example', 98);
    const statuses = await Promise.all(
      [
        'old 0\n\nlog0.example\n',
        '',
        growing.request(history(301), 300).replace('old 300', 'old 302'),
        unknown.request(history(1), 0),
        impostor.request(history(301), 300),
        growing.request(history(301), 300).replace(/\n[^\n]+\n/, '\n'),
        growing.request(history(301, 200), 300),
        growing.request(history(299), 0),
        growing.request(history(300, 7), 300),
      ].map(async (body) => (await ask(body)).status),
    );
    expect(statuses).toEqual([400, 400, 400, 404, 403, 422, 422, 409, 409]);
    expect(await grow(growing, history(301), 0)).toEqual(conflict(300));
  });

  it.each([
    'text/plain',
    'text/plain; charset=utf-16',
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'x',
    ';;',
  ])('takes a request of the content type %j', async (type) => {
    expect(await ask('old 0\n\nx', { 'content-type': type })).toMatchObject({
      status: 400,
      text: 'the note is malformed\n',
    });
    expect((await ask(typed.request(history(1), 0), { 'content-type': type })).status).not.toBe(415);
  });

  it('cosigns one of several trees that are sent at once from the same old size', async () => {
    expect((await grow(racing, history(4), 0)).status).toBe(200);
    const requests = Array.from({ length: 12 }, (_, i) => racing.request(history(9 + (i % 3), 4, 1 + i), 4));
    const answers = await Promise.all(requests.map((body) => ask(body)));
    const cosigned = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    expect(cosigned).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
    const [won] = cosigned as [number];
    const size = 9 + (won % 3);
    expect(await grow(racing, history(size, 4, 1 + won), 0)).toEqual(conflict(size));
    expect((await grow(racing, history(size, 4, 1 + won), size)).status).toBe(200);
  });

  it('keeps both checkpoints of a log that signed two trees of one size, once', async () => {
    expect((await grow(twofold, history(5), 0)).status).toBe(200);
    const evidence = (): string[] =>
      existsSync(join(data, 'evidence')) ? readdirSync(join(data, 'evidence')) : [];
    const before = evidence();
    for (const old of [5, 0, 5]) expect(await grow(twofold, history(5, 2), old)).toEqual(conflict(5));
    const [file, ...more] = evidence().filter((each) => !before.includes(each));
    expect(more).toEqual([]);
    expect(JSON.parse(readFileSync(join(data, 'evidence', file as string), 'utf8'))).toEqual({
      evidence: 1,
      key: twofold.signer.key.text,
      checkpoints: [twofold.checkpoint(history(5)), twofold.checkpoint(history(5, 2))],
    });
    expect(troubles.filter((each) => each.includes('log2.example signed two histories'))).toHaveLength(1);
  });

  it('refuses a body that is too large', async () => {
    expect((await ask('x'.repeat(300_000))).status).toBe(413);
  });

  it('writes nothing to the ledger', async () => {
    const before = await deployment.service.read.checkpoint();
    expect((await grow(kept, history(6), 0)).status).toBe(200);
    expect(await deployment.service.store.unlogged()).toBe(0);
    expect(await deployment.service.read.checkpoint()).toEqual(before);
  });

  it('goes on from what it cosigned after a restart, with the same keys', async () => {
    const before = (await keys()).map(({ text }) => text);
    await close();
    await open();
    expect(await grow(kept, history(7), 0)).toEqual(conflict(6));
    expect((await grow(kept, history(7), 6)).status).toBe(200);
    expect((await keys()).map(({ text }) => text)).toEqual(before);
  });

  it('is not lowered by a store that was set back: the copy beside the checkpoint is larger', async () => {
    const { keyring } = deployment.service.store;
    expect((await grow(moved, history(4), 0)).status).toBe(200);
    const older = (await keyring.get('witness/log5.example')) as string;
    expect((await grow(moved, history(8), 4)).status).toBe(200);
    await keyring.set('witness/log5.example', older);
    for (const restarts of [false, true]) {
      if (restarts) {
        await close();
        await open();
      }
      expect(await grow(moved, history(6, 5), 4)).toEqual(conflict(8));
    }
    expect((await grow(moved, history(9), 8)).status).toBe(200);
    expect(
      JSON.parse((await deployment.service.store.keyring.get('witness/log5.example')) as string),
    ).toMatchObject({ size: 9 });
  });

  it('has new keys where its ledger was restored without the copy, except beside other nodes', async () => {
    const before = (await keys()).map(({ text }) => text);
    expect((await grow(restored, history(4), 0)).status).toBe(200);
    await close();
    rmSync(`${apart}.witness`);
    await open();
    const after = new Set((await keys()).map(({ text }) => text));
    const said = troubles.filter((each) => each.includes('the witness begins with new keys'));
    expect([before.every((each) => !after.has(each)), said.length]).toEqual(
      name === 'postgres' ? [false, 0] : [true, 1],
    );
    expect(await grow(restored, history(6), 0)).toEqual(conflict(4));
    const { text } = await grow(restored, history(6), 4);
    expect(
      isRefusal(
        verifyCosignatures(`${restored.checkpoint(history(6)).split('\n\n')[0]}\n`, text, await keys()),
      ),
    ).toBe(false);
  });
});

it('a witness that is restored from before its first cosignature has new keys, unless the copy is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-witness-'));
  const logsFile = join(folder, 'logs');
  writeFileSync(logsFile, `${growing.signer.key.text}\n`);
  const env = { COLOPHON_WITNESS_LOGS: logsFile, COLOPHON_CHECKPOINT: join(folder, 'apart') };
  const first = await openDeployment({ folder: join(folder, 'data'), env });
  const { config } = first;
  const backup = join(folder, 'backup');
  await operations.backup(config, backup, () => undefined);
  const http = first.http();
  const asked = await http.inject({
    method: 'POST',
    url: '/witness/add-checkpoint',
    payload: growing.request(history(4), 0),
  });
  expect(asked.statusCode).toBe(200);
  await http.close();
  await first.close();
  const before = await operations.witnessKeys(config);

  const restore = async (to: string, checkpointPath: string): Promise<readonly [boolean[], unknown]> => {
    const dataFolder = join(folder, to);
    const place = { ...config, dataFolder, checkpointPath };
    const report = await operations.restore(place, backup, () => undefined, false);
    expect(report.problems).toEqual([]);
    const after = await operations.witnessKeys(place);
    return [before.map((key) => after.includes(key)), report.note];
  };
  expect(await restore('elsewhere', join(folder, 'elsewhere', 'checkpoint'))).toEqual([
    [false, false],
    'The witness begins with new keys; give those that colophon witness keys prints to the logs that name it.',
  ]);
  expect(await restore('beside', config.checkpointPath)).toEqual([[true, true], undefined]);
  rmSync(folder, { recursive: true, force: true });
});

it('a witness whose records were moved to another disk has new keys where its folder is copied back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-witness-'));
  const logsFile = join(folder, 'logs');
  writeFileSync(logsFile, `${growing.signer.key.text}\n`);
  const data = join(folder, 'data');
  const apart = join(folder, 'apart');
  const troubles: string[] = [];
  const cosign = async (env: Record<string, string>, entries: number, oldSize: number): Promise<string[]> => {
    const deployment = await openDeployment({
      folder: data,
      env: { COLOPHON_WITNESS_LOGS: logsFile, ...env },
      onTrouble: (error) => troubles.push((error as Error).message),
    });
    const http = deployment.http();
    const payload = growing.request(history(entries), oldSize);
    const asked = await http.inject({ method: 'POST', url: '/witness/add-checkpoint', payload });
    expect(asked.statusCode).toBe(200);
    await http.close();
    await deployment.close();
    return [...(await operations.witnessKeys(deployment.config))];
  };
  const before = await cosign({}, 4, 0);
  expect(await cosign({ COLOPHON_CHECKPOINT: apart }, 5, 4)).toEqual(before);
  expect(existsSync(join(data, 'checkpoint.witness'))).toBe(false);
  cpSync(data, join(folder, 'copy'), { recursive: true });
  await cosign({ COLOPHON_CHECKPOINT: apart }, 9, 5);

  rmSync(data, { recursive: true });
  cpSync(join(folder, 'copy'), data, { recursive: true });
  rmSync(`${apart}.witness`);
  rmSync(apart, { force: true });
  const after = await cosign({ COLOPHON_CHECKPOINT: apart }, 6, 5);
  expect(after.some((key) => before.includes(key))).toBe(false);
  expect(troubles.filter((each) => each.includes('the witness begins with new keys'))).toHaveLength(1);
  rmSync(folder, { recursive: true, force: true });
});

it('requests count with the reads of a client', async () => {
  const limited = await openDeployment({
    env: { COLOPHON_RATE_LIMIT: 'on', COLOPHON_LIMITS: 'reads_per_client=3' },
  });
  const http = limited.http();
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++)
    statuses.push(
      (await http.inject({ method: 'POST', url: '/witness/add-checkpoint', payload: 'x' })).statusCode,
    );
  expect(statuses).toEqual([400, 400, 400, 429, 429]);
  await http.close();
  await limited.end();
});

it.each([
  ['', 'COLOPHON_WITNESS_LOGS is empty; it accepts'],
  ['absent', 'COLOPHON_WITNESS_LOGS is "absent"; it accepts'],
])('a setting of %j stops the start with a line that names it', (given, line) => {
  expect(() => operations.readConfig({ COLOPHON_WITNESS_LOGS: given })).toThrow(line);
});

it('a malformed key stops the start with its line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-witness-'));
  const file = join(folder, 'logs');
  writeFileSync(file, `# one\n${growing.signer.key.text}\nlog.example+00000000+AAAA\n`);
  expect(() => operations.readConfig({ COLOPHON_WITNESS_LOGS: file })).toThrow(
    /whose line 3 is refused: the verifier key is not an Ed25519 key; it accepts a file with a log's verifier key/,
  );
  rmSync(folder, { recursive: true });
});
