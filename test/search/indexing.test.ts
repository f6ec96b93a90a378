import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/compose.ts';
import { search } from '../../src/app/reads/search.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-search-'));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function found(deployment: TestDeployment, q: string): Promise<string[]> {
  // A search by itself would not wait so long.
  await deployment.service.search.catchUp(10_000);
  const answer = await search(
    { ...deployment.service, tenant: 'main', viewer: { kind: 'anonymous' } },
    { q, limit: 50 },
  );
  if (isFault(answer)) throw new Error(answer.message);
  expect(answer.behind).toBe(0);
  return answer.results.map(({ article, kind, id }) => `${article} ${kind} ${id}`);
}

const make = (deployment: TestDeployment, slug: string, markdown: string): Promise<object> =>
  deployment.did('VOXEL_BATCH', { document: { slug, markdown } });

describe('the search index', () => {
  it('resumes where it stopped when the deployment is reopened', async () => {
    const folder = newFolder();
    const first = await openDeployment({ folder });
    await make(first, 'one', 'A quokka.\n');
    expect(await found(first, 'quokka')).toEqual(['one div d1']);
    await first.close();
    const second = await openDeployment({ folder });
    await make(second, 'two', 'Another quokka here.\n');
    expect(await found(second, 'quokka')).toEqual(['one div d1', 'two div d1']);
    await second.close();
  });

  it('is rebuilt when its file is missing, damaged or removed by a rebuild', async () => {
    const folder = newFolder();
    const path = join(folder, 'search.db');
    const first = await openDeployment({ folder });
    await make(first, 'one', 'A numbat.\n');
    expect(await found(first, 'numbat')).toEqual(['one div d1']);
    await first.close();
    const spoil = [
      async () => rmSync(path),
      async () => writeFileSync(path, 'this is no database, and has never been one'),
      async () => void (await operations.rebuild(first.config, () => undefined)),
    ];
    for (const spoiled of spoil) {
      await spoiled();
      const again = await openDeployment({ folder });
      expect(await found(again, 'numbat')).toEqual(['one div d1']);
      await again.close();
    }
  });

  it('is reset when it belongs to another ledger', async () => {
    const [old, fresh] = [newFolder(), newFolder()];
    const first = await openDeployment({ folder: old });
    await make(first, 'one', 'A bilby.\n');
    expect(await found(first, 'bilby')).toEqual(['one div d1']);
    await first.close();
    writeFileSync(join(fresh, 'search.db'), readFileSync(join(old, 'search.db')));
    const second = await openDeployment({ folder: fresh });
    await make(second, 'one', 'A possum.\n');
    await make(second, 'two', 'A possum too.\n');
    expect(await found(second, 'bilby')).toEqual([]);
    expect(await found(second, 'possum')).toEqual(['one div d1', 'two div d1']);
    await second.close();
  });

  it('finds a new wording and no longer the old one, and stores no text', async () => {
    const folder = newFolder();
    const deployment = await openDeployment({ folder });
    await make(deployment, 'one', 'Xylographic Zymurgy happens.\n');
    expect(await found(deployment, 'zymurgy')).toEqual(['one div d1']);
    const hash = sha256Hex('Xylographic Zymurgy happens.');
    await deployment.did('VOXEL_EDIT', { slug: 'one', div_id: 'd1', expected_hash: hash, text: 'Quilting.' });
    expect(await found(deployment, 'zymurgy')).toEqual([]);
    expect(await found(deployment, 'quilting')).toEqual(['one div d1']);
    await deployment.close();
    const bytes = readFileSync(join(folder, 'search.db')).toString('latin1');
    expect([bytes.includes('quilt'), bytes.includes('Quilting')]).toEqual([true, false]);
  });

  it('is verified by a check, which names the documents that it answers wrongly', async () => {
    const folder = newFolder();
    const deployment = await openDeployment({ folder });
    await make(deployment, 'one', 'A numbat digs.\n\nA bilby digs.\n\nA possum climbs.\n');
    expect(await found(deployment, 'bilby')).toEqual(['one div d2']);
    const check = async (): Promise<string[]> =>
      (await operations.check(deployment.config, () => undefined)).differences.map(
        ({ table, key, live }) =>
          `${table} ${key.replace(/^art_[^/]+/, 'art')} ${live === null ? 'missing' : 'wrong'}`,
      );
    expect(await check()).toEqual([]);
    await deployment.close();
    expect(await check()).toEqual([]);
    const index = new DatabaseSync(join(folder, 'search.db'));
    index.exec("DELETE FROM doc WHERE key LIKE '%/div/d1'");
    index.exec("UPDATE doc SET terms = 'bilby bilby' WHERE key LIKE '%/div/d2'");
    index.close();
    expect((await check()).toSorted()).toEqual([
      'search index art/div/d1 missing',
      'search index art/div/d2 wrong',
    ]);
    await operations.rebuild(deployment.config, () => undefined);
    const again = await openDeployment({ folder });
    expect(await found(again, 'numbat')).toEqual(['one div d1']);
    await again.close();
    expect(await check()).toEqual([]);
  });

  it('indexes a burst in slices, reports how far it is behind, and catches up', async () => {
    const deployment = await openDeployment({ folder: newFolder() });
    const markdown = Array.from({ length: 1000 }, (_, i) => `Paragraph ${i} of a wombat.`).join('\n\n');
    await make(deployment, 'long', `${markdown}\n`);
    const size = (await deployment.service.store.read.checkpoint())?.size ?? 0;
    // One behind the other, so that what follows by itself every second comes before both or after.
    const left = await Promise.all([
      deployment.service.search.catchUp(0),
      deployment.service.search.catchUp(0),
    ]);
    expect([left[0] % 128, left[1]]).toEqual([size % 128, left[0] - 128]);
    const [first, second] = await Promise.all([
      deployment.service.search.catchUp(10_000),
      deployment.service.search.catchUp(10_000),
    ]);
    expect([first, second]).toEqual([0, 0]);
    expect(await found(deployment, 'wombat')).toHaveLength(50);
    await deployment.close();
  });
});
