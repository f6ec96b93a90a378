/** `colophon transfer` (contract §0, §6, ADR 67): a deployment that moves between the stores goes on as if it had not. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, operations } from '../../src/compose.ts';
import type { Config } from '../../src/config.ts';
import { beginNewLog } from '../../src/deployment/new-log.ts';
import { evidenceId, formatEvidence } from '../../src/ledger/fork-evidence.ts';
import { sqliteKind } from '../../src/store/sqlite/kind.ts';
import { signIn } from '../support/desk.ts';
import { png } from '../support/images.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { runCommandBeside } from '../support/process-server.ts';
import { history, WitnessedLog } from '../support/witnessed-log.ts';
import {
  base,
  inDatabase,
  inFolder,
  newFolder,
  removeFolders,
  serving,
  terminalKey,
  type Served,
} from '../support/transfer.ts';

const owner = { 'x-terminal-key': terminalKey };
const quiet = (): void => undefined;

describe.runIf(hasPostgres)('a deployment that moves to PostgreSQL and back', () => {
  let postgres: TestDatabases;
  const first = newFolder();
  const back = join(newFolder(), 'back');
  let url: string;
  let shared: Config;
  /** What clients keep from before the move. */
  const kept = { share: '', selfCut: '', cookie: '', picture: '', paths: [] as string[] };
  let before: readonly string[];
  let witnessed: readonly string[];

  beforeAll(async () => {
    postgres = await sharedPostgres();
    url = await postgres.database();
    await serving(inFolder(first), async ({ call }) => {
      await call('VOXEL_BATCH', { document: { slug: 'old', markdown: '# Old\n\nOf the log before.\n' } });
    });
    await beginNewLog(inFolder(first), sqliteKind(first), 'The disk was replaced.');
    const record = JSON.stringify({ size: 7, root: Buffer.alloc(32).toString('base64'), note: 'cosigned\n' });
    await sqliteKind(first).whileStopped((keyring) => keyring.set('witness/other.test', record));
    mkdirSync(join(first, 'evidence'));
    writeFileSync(join(first, 'evidence', '0123456789abcdef.json'), '{}\n');
    writeFileSync(
      join(first, 'evidence', `${evidenceId('log.example')}.json`),
      formatEvidence(new WitnessedLog('log.example', 1).evidence(history(5), history(8, 3))),
    );
    before = await serving(inFolder(first), async (served) => {
      await fill(served);
      return look(served);
    });
    witnessed = await operations.witnessKeys(inFolder(first));
  });

  afterAll(async () => {
    await postgres.stop();
    removeFolders();
  });

  async function fill({ call, read }: Served): Promise<void> {
    const blocks = Array.from({ length: 260 }, (_, i) => `Block ${i} of the long article.`);
    const markdown = `# Long\n\nThe word is Zwiebelkuchen.\n\n${blocks.join('\n\n')}\n`;
    await call('VOXEL_BATCH', { document: { slug: 'long', title: 'Long', markdown } });
    const source = await call('SOURCE_POST', {
      slug: 'long',
      sources: [{ type: 'book', url: 'https://example.org/', title: 'A book', quote: 'Append-only.' }],
    });
    const stored = await call('IMAGE_STORE', { data: png(3, 2).toString('base64'), alt: 'A dance' });
    const asked = await call(
      'MIRROR_APPEND',
      'old||question|ada|Which entries does the checkpoint cover?',
      {},
      {},
    );
    const minted = await call('CAP_MINT', { scope: 'row', key: 'MIRROR_APPEND', max_uses: 3, ttl: 3600 });
    kept.share = String(minted['share']);
    await call('MIRROR_APPEND', 'old||question|ada|Asked with a share?', { share: kept.share }, {});
    kept.selfCut = (JSON.parse(await read('/api/dispatch?self_scope=1')) as { share: string }).share;
    const scrubbed = await call('SECRET_SCRUB', { secret: 'Zwiebelkuchen' });
    kept.cookie = (await signIn(base, terminalKey)).cookie;
    kept.picture = (stored['result'] as { sha256: string }).sha256;
    const receipts = [source, stored, asked, minted, scrubbed].map(
      (answer) => (answer['receipt'] as { id: string }).id,
    );
    kept.paths = receipts.flatMap((id) => [`/api/dispatch?receipt=${id}`, `/api/dispatch?confirm=${id}`]);
  }

  /** Everything that must stay byte for byte. */
  async function look({ read }: Served): Promise<readonly string[]> {
    const [, size = ''] = (await read('/checkpoint')).split('\n');
    const rest = Number(size) % 256;
    const paths = [
      '/checkpoint',
      '/.well-known/colophon-key',
      '/tile/0/000',
      `/tile/0/001.p/${rest}`,
      '/tile/1/000.p/1',
      '/tile/entries/000',
      `/tile/entries/001.p/${rest}`,
      '/api/articles/long',
      '/api/articles/long/bundle',
      '/api/articles/long/provenance',
      '/api/articles/long/sources',
      '/api/articles/old/mirror',
      '/api/articles/old?at=3',
      `/blobs/${kept.picture}`,
      `/witness/evidence/${evidenceId('log.example')}`,
      ...kept.paths,
    ];
    const texts: string[] = [];
    for (const path of paths) texts.push(`${path}\n${await read(path, owner)}`);
    return texts;
  }

  async function expectSound(config: Config): Promise<void> {
    expect(await operations.audit(config, { ledgerOnly: false, progress: quiet })).toMatchObject({
      problems: [],
    });
    expect((await operations.check(config, quiet)).differences).toEqual([]);
  }

  /** What was handed out before is good, and what is written now comes behind. */
  async function expectGoesOn({ call, status, read }: Served): Promise<void> {
    const asked = await call(
      'MIRROR_APPEND',
      `old||question|ada|Is it ${Math.random()}?`,
      { share: kept.share },
      {},
    );
    expect(asked).toMatchObject({ ok: true });
    expect(await status(`/api/dispatch?explain=1&share=${kept.selfCut}`)).toBe(200);
    expect(await status('/owner', { cookie: kept.cookie })).toBe(200);
    expect(await read('/log')).toContain(`${new URL(base).host}\n4\n`);
  }

  it('answers byte for byte as before, with the same signed checkpoint, after the move to PostgreSQL', async () => {
    shared = inDatabase(url, first, first);
    const report = await operations.transfer(inFolder(first), { databaseUrl: url }, quiet);
    expect(report).toMatchObject({
      from: first,
      to: expect.stringMatching(/^postgres:\/\/127\.0\.0\.1:\d+\/t_/),
      store: 'postgres',
      verified: { scrubbed: 2, blobs: 1, held: 2 },
    });
    expect(`/checkpoint\n${report.checkpoint}`).toBe(before[0]);
    await expectSound(shared);
    expect(await serving(shared, look)).toEqual(before);
  });

  it('says where it went when it is served, written to or moved in the old place', async () => {
    const place = url.replace(/postgres:.*@/, 'postgres://');
    const refusal = `The ledger was transferred to ${place}; serve it there. This copy takes no writes.`;
    await expect(compose(inFolder(first))).rejects.toThrow(refusal);
    await expect(operations.rebuild(inFolder(first), quiet)).rejects.toThrow(refusal);
    await expect(beginNewLog(inFolder(first), sqliteKind(first), 'The disk was replaced.')).rejects.toThrow(
      refusal,
    );
    await expect(
      operations.transfer(inFolder(first), { databaseUrl: await postgres.database() }, quiet),
    ).rejects.toThrow(refusal);
    expect(existsSync(join(first, 'colophon.db'))).toBe(true);
    await expectSound(inFolder(first));
    const findings = await operations.examine(inFolder(first), false);
    expect(findings.find(({ check }) => check === 'transfer')).toMatchObject({ state: 'warn' });
    const served = await runCommandBeside(first, ['serve']);
    expect([served.status, served.stderr]).toEqual([2, `colophon: ${refusal}\n`]);
  });

  it('moves back with what was written meanwhile, into a folder that only its owner can read', async () => {
    const after = await serving(shared, async (served) => {
      await expectGoesOn(served);
      return look(served);
    });
    expect(after[0]).not.toBe(before[0]);
    const moved = await operations.transfer(shared, { dataFolder: back }, quiet);
    expect(moved).toMatchObject({ to: back, store: 'sqlite', verified: { blobs: 1 } });
    expect(statSync(back).mode & 0o777).toBe(0o700);
    expect(readdirSync(back).map((name) => name.replace(/\d{10,}/, 'TIME'))).toEqual([
      'blobs',
      'checkpoint',
      'checkpoint.rejected-TIME',
      'checkpoint.witness',
      'colophon.db',
      'evidence',
      'lock.db',
      'secret.key',
    ]);
    for (const name of ['checkpoint', 'colophon.db', 'secret.key'])
      expect(statSync(join(back, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(back, 'secret.key'), 'utf8')).toBe(
      readFileSync(join(first, 'secret.key'), 'utf8'),
    );
    await expectSound(inFolder(back));
    const text = await serving(inFolder(back), async (served) => {
      const seen = await look(served);
      await expectGoesOn(served);
      return seen;
    });
    expect(text).toEqual(after);
    // A witness whose copy is missing would begin with new keys.
    expect(await operations.witnessKeys(inFolder(back))).toEqual(witnessed);
    expect(readFileSync(join(back, 'checkpoint.witness'), 'utf8')).toContain('"size": 7');
    expect(readFileSync(join(back, 'evidence', '0123456789abcdef.json'), 'utf8')).toBe('{}\n');
    await expect(compose(shared)).rejects.toThrow(`The ledger was transferred to ${back}; serve it there.`);
    expect(await operations.transfer(shared, { dataFolder: back }, quiet)).toMatchObject({ verified: null });
  });
});
