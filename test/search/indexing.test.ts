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

async function found(house: TestDeployment, q: string): Promise<string[]> {
  // A search by itself would not wait so long.
  await house.service.search.catchUp(10_000);
  const answer = await search(house.service, 'main', { kind: 'anonymous' }, { q, limit: 50 });
  if (isFault(answer)) throw new Error(answer.message);
  expect(answer.behind).toBe(0);
  return answer.results.map(({ article, kind, id }) => `${article} ${kind} ${id}`);
}

const make = (house: TestDeployment, slug: string, markdown: string): Promise<object> =>
  house.did('VOXEL_BATCH', { document: { slug, markdown } });

describe('the search index', () => {
  it('goes on where it stopped when the deployment is opened again', async () => {
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

  it('is made again where its file is gone, damaged, or was removed by a rebuild', async () => {
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

  it('forgets another ledger when it finds itself beside a new one', async () => {
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

  it('finds a new wording and no longer the old one, and holds no text', async () => {
    const folder = newFolder();
    const house = await openDeployment({ folder });
    await make(house, 'one', 'Xylographic Zymurgy happens.\n');
    expect(await found(house, 'zymurgy')).toEqual(['one div d1']);
    const hash = sha256Hex('Xylographic Zymurgy happens.');
    await house.did('VOXEL_EDIT', { slug: 'one', div_id: 'd1', expected_hash: hash, text: 'Quilting.' });
    expect(await found(house, 'zymurgy')).toEqual([]);
    expect(await found(house, 'quilting')).toEqual(['one div d1']);
    await house.close();
    const bytes = readFileSync(join(folder, 'search.db')).toString('latin1');
    expect([bytes.includes('quilt'), bytes.includes('Quilting')]).toEqual([true, false]);
  });

  it('is asked by a check, which names the documents that it answers wrongly', async () => {
    const folder = newFolder();
    const house = await openDeployment({ folder });
    await make(house, 'one', 'A numbat digs.\n\nA bilby digs.\n\nA possum climbs.\n');
    expect(await found(house, 'bilby')).toEqual(['one div d2']);
    const check = async (): Promise<string[]> =>
      (await operations.check(house.config, () => undefined)).differences.map(
        ({ table, key, live }) =>
          `${table} ${key.replace(/^art_[^/]+/, 'art')} ${live === null ? 'missing' : 'wrong'}`,
      );
    expect(await check()).toEqual([]);
    await house.close();
    expect(await check()).toEqual([]);
    const index = new DatabaseSync(join(folder, 'search.db'));
    index.exec("DELETE FROM doc WHERE key LIKE '%/div/d1'");
    index.exec("UPDATE doc SET terms = 'bilby bilby' WHERE key LIKE '%/div/d2'");
    index.close();
    expect((await check()).toSorted()).toEqual([
      'search index art/div/d1 missing',
      'search index art/div/d2 wrong',
    ]);
    await operations.rebuild(house.config, () => undefined);
    const again = await openDeployment({ folder });
    expect(await found(again, 'numbat')).toEqual(['one div d1']);
    await again.close();
    expect(await check()).toEqual([]);
  });

  it('takes a slice of a burst at a time, says how far behind it is, and comes to its end', async () => {
    const house = await openDeployment({ folder: newFolder() });
    const markdown = Array.from({ length: 1000 }, (_, i) => `Paragraph ${i} of a wombat.`).join('\n\n');
    await make(house, 'long', `${markdown}\n`);
    const size = (await house.service.store.read.checkpoint())?.size ?? 0;
    // One behind the other, so that what follows by itself every second comes before both or after.
    const left = await Promise.all([house.service.search.catchUp(0), house.service.search.catchUp(0)]);
    expect([left[0] % 128, left[1]]).toEqual([size % 128, left[0] - 128]);
    const [first, second] = await Promise.all([
      house.service.search.catchUp(10_000),
      house.service.search.catchUp(10_000),
    ]);
    expect([first, second]).toEqual([0, 0]);
    expect(await found(house, 'wombat')).toHaveLength(50);
    await house.close();
  });
});
