/** What the command line says of witnesses: `doctor` of the own ones, `colophon witness` of the deployment as a witness. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { parsePolicy } from '../../src/ledger/policy.ts';
import { isRefusal } from '../../src/ledger/refusal.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

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
    const policy = parsePolicy(
      `log ${deployment.service.logKey.text}\n` +
        cosigners.map(({ key }) => `witness ${key.name} ${key.text} http://127.0.0.1:1\n`).join('') +
        'group one 1 b c\nquorum one\n',
    );
    if (isRefusal(policy)) throw new Error(policy.refused);
    const config = { ...deployment.config, policy: { file: Buffer.alloc(0), policy } };
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
