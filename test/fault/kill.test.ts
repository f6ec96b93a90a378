import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { leafHash } from '../../src/ledger/entry.ts';
import { MerkleLog } from '../../src/ledger/log.ts';
import { parseVerifierKey, type VerifierKey } from '../../src/ledger/note.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { parseProof, verifyProof } from '../../src/ledger/proof.ts';
import {
  freePort,
  newOwnerKey,
  removeFolders,
  runCommandBeside,
  startServer,
  temporaryFolder,
  type RunningServer,
} from '../support/process-server.ts';
import { problemsOf, query } from './ledger.ts';
import { seededRandom } from './random.ts';
import {
  Client,
  prepare,
  sendOperation,
  settle,
  write,
  type Acknowledged,
  type Operation,
  type World,
} from './writers.ts';

const kills = Number(process.env['COLOPHON_KILLS'] ?? '6');
const seed = Number(process.env['COLOPHON_SEED'] ?? '20261121');
const writers = 24;

let running: RunningServer | undefined;

afterAll(async () => {
  await running?.kill();
  removeFolders();
});

describe('a server that is killed at random moments under load', () => {
  it(
    `keeps all acknowledged writes over ${kills} kills, charges no use twice, and starts sound`,
    { timeout: 60_000 + kills * 12_000 },
    async () => {
      console.log(`kills ${kills}, seed ${seed}`);
      const random = seededRandom(seed);
      const folder = temporaryFolder();
      const port = await freePort();
      const terminalKey = newOwnerKey();
      const start = async (): Promise<RunningServer> =>
        (running = await startServer({ folder, port, terminalKey }));
      let server = await start();
      let client = new Client(server.base);
      const shares = await mintShares(client, terminalKey, kills * 6);
      const world: World = {
        terminalKey,
        shares: shares.tokens,
        random,
        acknowledged: [],
        inFlight: [],
        exhausted: 0,
        divs: new Map(),
        next: 1,
      };
      await prepare(client, world, writers);
      const key = await verifierKey(server.base);
      const seen = { acknowledged: 0, inFlight: 0, landedUnanswered: 0, startsKilled: 0 };

      for (let kill = 1; kill <= kills; kill++) {
        const before = world.acknowledged.length;
        let stopped = false;
        const loops = Array.from({ length: writers }, (_, writer) =>
          write(client, world, writer, () => stopped),
        );
        await pause(80 + random() * 500);
        // Some die while they are shutting down.
        if (random() < 0.15) {
          process.kill(server.pid, 'SIGTERM');
          await pause(random() * 30);
        }
        await server.kill();
        stopped = true;
        await Promise.all(loops);
        client.close();

        const fresh = world.acknowledged.slice(before);
        expectOnDisk(folder, fresh);
        if (random() < 0.25) expect(await problemsOf(folder)).toEqual([]);
        if (random() < 0.25) {
          seen.startsKilled++;
          await killWhileStarting(folder, port, terminalKey, random() * 400);
        }

        server = await start();
        client = new Client(server.base);
        expect((await verifierKey(server.base)).text).toBe(key.text);
        await expectReceipts(client, terminalKey, key, fresh);
        await expectDivs(client, world);
        seen.acknowledged += fresh.length;
        seen.inFlight += world.inFlight.length;
        // What died on its way is sent again under its key: done once, whether or not it had landed.
        for (const operation of world.inFlight.splice(0)) {
          const answer = await sendOperation(client, world, operation);
          if (answer.body['idempotent_replay'] === true) seen.landedUnanswered++;
          settle(world, operation, answer);
        }
      }

      const beside = await runCommandBeside(folder, ['verify', '--json']);
      expect(JSON.parse(beside.stdout)).toMatchObject({ ok: true, problems: [] });
      await server.stop();
      expect(
        await runCommandBeside(folder, ['rebuild', '--check', '--json']).then(
          ({ stdout }) => JSON.parse(stdout) as unknown,
        ),
      ).toMatchObject({ differences: [] });
      expectOnDisk(folder, world.acknowledged);
      expectOnce(
        folder,
        world.acknowledged.map(({ operation }) => operation),
      );
      expectOneHistory(folder, world.acknowledged);
      expectBudgets(folder, shares.budgets);
      expect(seen.acknowledged).toBeGreaterThan(kills * 10);
      console.log(
        `acknowledged ${seen.acknowledged}, in flight ${seen.inFlight} of which ${seen.landedUnanswered} had landed, exhausted ${world.exhausted}, starts killed ${seen.startsKilled}`,
      );
    },
  );
});

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

interface Shares {
  readonly tokens: readonly string[];
  readonly budgets: ReadonlyMap<string, number>;
}

/** An unlimited share, a bounded one, and two cuts one below the other whose budgets count for all above. */
async function mintShares(client: Client, terminalKey: string, uses: number): Promise<Shares> {
  const budgets = new Map<string, number>();
  const mint = async (args: Record<string, unknown>, share?: string): Promise<string> => {
    const { body } = await client.send(
      'POST',
      '/api/dispatch',
      share === undefined ? { 'x-terminal-key': terminalKey } : {},
      {
        key: 'CAP_MINT',
        body: args,
        ...(share === undefined ? {} : { share }),
      },
    );
    const { fingerprint, max_uses: max } = body['result'] as { fingerprint: string; max_uses: number };
    budgets.set(fingerprint, max);
    return body['share'] as string;
  };
  const unlimited = await mint({ scope: 'act', max_uses: 0, ttl: 80_000 });
  const bounded = await mint({ scope: 'row', key: 'MIRROR_APPEND', max_uses: uses, ttl: 80_000 });
  const cut = await mint({ max_uses: Math.floor(uses / 2), ttl: 70_000 }, bounded);
  const deeper = await mint({ max_uses: Math.floor(uses / 3), ttl: 60_000 }, cut);
  return { tokens: [unlimited, bounded, cut, deeper], budgets };
}

async function verifierKey(base: string): Promise<VerifierKey> {
  const text = (await (await fetch(`${base}/.well-known/colophon-key`)).text()).trim();
  const key = parseVerifierKey(text);
  if (isRefusal(key)) throw new Error(key.refused);
  return key;
}

async function killWhileStarting(
  folder: string,
  port: number,
  terminalKey: string,
  afterMs: number,
): Promise<void> {
  const starting = startServer({ folder, port, terminalKey });
  // Ready before the moment came: then it dies as a server that has just begun.
  const soon = starting.then((server) => (running = server));
  await Promise.race([pause(afterMs), soon.catch(() => undefined)]);
  await (await soon).kill();
}

function expectOnDisk(folder: string, acknowledged: readonly Acknowledged[]): void {
  const db = new DatabaseSync(join(folder, 'colophon.db'), { readOnly: true });
  try {
    const entry = db.prepare('SELECT chain, text FROM entry WHERE seq = ?');
    const lost = acknowledged.filter(({ inv, entryHash, logIndex }) => {
      const row = entry.get(logIndex) as { chain: string; text: string } | undefined;
      return (
        row === undefined ||
        row.chain !== inv ||
        Buffer.from(leafHash(row.text)).toString('hex') !== entryHash
      );
    });
    expect(lost.map(({ operation }) => operation.id)).toEqual([]);
  } finally {
    db.close();
  }
}

/** Every receipt is there and confirms; the proof that came with the answer and the one of now both verify offline. */
async function expectReceipts(
  client: Client,
  terminalKey: string,
  key: VerifierKey,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const wrong: string[] = [];
  const check = async ({ inv, entryHash, tlogProof, operation }: Acknowledged): Promise<void> => {
    const [confirmation, receipt] = await Promise.all([
      client.send('GET', `/api/dispatch?confirm=${inv}`),
      client.send('GET', `/api/dispatch?receipt=${inv}`, { 'x-terminal-key': terminalKey }),
    ]);
    const leaf = Buffer.from(entryHash, 'hex');
    const now = (receipt.body['proof'] as { tlog_proof: string } | undefined)?.tlog_proof ?? '';
    const fine =
      confirmation.body['confirmed'] === true &&
      confirmation.body['status'] === 'success' &&
      receipt.body['id'] === inv &&
      !isRefusal(verifyProof(tlogProof, [key], leaf)) &&
      !isRefusal(verifyProof(now, [key], leaf));
    if (!fine) wrong.push(operation.id);
  };
  for (let i = 0; i < acknowledged.length; i += 32)
    await Promise.all(acknowledged.slice(i, i + 32).map(check));
  expect(wrong).toEqual([]);
}

/** Each writer's DIV stands as its last acknowledged edit left it, or as the one that was on its way. */
async function expectDivs(client: Client, world: World): Promise<void> {
  const { body } = await client.send('GET', '/api/articles/kill-one/voxels');
  expect(body['verification']).toMatchObject({ valid: true });
  for (const { div_id: div, vx_hash: hash } of body['divs'] as { div_id: string; vx_hash: string }[]) {
    const onItsWay = world.inFlight.filter(({ edits }) => edits?.div === div).map(({ edits }) => edits?.hash);
    expect([world.divs.get(div), ...onItsWay]).toContain(hash);
  }
}

/** No operation was done twice, and each that was acknowledged was done. */
function expectOnce(folder: string, operations: readonly Operation[]): void {
  const done = new Map<string, number>();
  const count = (text: string): void => {
    const id = /\bop-\d+\b/.exec(text)?.[0] ?? text;
    done.set(id, (done.get(id) ?? 0) + 1);
  };
  for (const { contribution } of query(folder, 'SELECT contribution FROM contribution'))
    count((JSON.parse(contribution as string) as { body: string }).body);
  for (const { title } of query(folder, "SELECT title FROM article WHERE title LIKE 'Document op-%'"))
    count(title as string);
  for (const { claim } of query(folder, 'SELECT claim FROM claim'))
    count((JSON.parse(claim as string) as { text: string }).text);
  expect([...done].filter(([, times]) => times > 1)).toEqual([]);
  const missing = operations.filter(
    ({ id, kind, body }) => kind !== 'edit' && !done.has(kind === 'claim' ? (body['text'] as string) : id),
  );
  expect(missing).toEqual([]);
}

/** Every tree head that ever left the process is a head of the history that stands now. */
function expectOneHistory(folder: string, acknowledged: readonly Acknowledged[]): void {
  const heads = new Map<number, string>();
  for (const { tlogProof } of acknowledged) {
    const proof = parseProof(tlogProof);
    if (isRefusal(proof)) throw new Error(proof.refused);
    const [, size = '', root = ''] = proof.checkpoint.split('\n');
    expect(heads.get(Number(size)) ?? root).toBe(root);
    heads.set(Number(size), root);
  }
  const log = new MerkleLog();
  for (const { text } of query(folder, 'SELECT text FROM entry ORDER BY seq')) {
    log.append(leafHash(text as string));
    const head = heads.get(log.size);
    if (head !== undefined) expect(Buffer.from(log.root()).toString('base64')).toBe(head);
    heads.delete(log.size);
  }
  expect([...heads.keys()]).toEqual([]);
}

function expectBudgets(folder: string, budgets: ReadonlyMap<string, number>): void {
  const charged = new Map<string, number>();
  for (const { text } of query(folder, "SELECT text FROM entry WHERE chain LIKE 'inv_%' AND n = 0")) {
    for (const fingerprint of (JSON.parse(text as string) as { charged?: string[] }).charged ?? [])
      charged.set(fingerprint, (charged.get(fingerprint) ?? 0) + 1);
  }
  for (const [fingerprint, max] of budgets) {
    const uses = query(folder, 'SELECT uses FROM capability WHERE fingerprint = ?', [fingerprint])[0]?.[
      'uses'
    ];
    expect(uses).toBe(charged.get(fingerprint) ?? 0);
    if (max > 0) expect(uses as number).toBeLessThanOrEqual(max);
  }
}
