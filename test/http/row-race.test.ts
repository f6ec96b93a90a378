/** Rows that the owner changes while calls of these rows are running (contract §3 "Directory"). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFault } from '../../src/kernel/fault.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';

describe.each(storeKinds().map(({ name }) => name))(
  'a call concurrent with a change of its row on %s',
  (store) => {
    let deployment: TestDeployment;
    let database: TestDatabases | undefined;

    beforeAll(async () => {
      if (store === 'postgres') database = await sharedPostgres();
      const databaseUrl = await database?.database();
      deployment = await openDeployment(databaseUrl === undefined ? {} : { databaseUrl });
      await deployment.did('VOXEL_BATCH', { document: { slug: 'alpha', markdown: 'One.\n' } });
    }, 60_000);
    afterAll(async () => {
      await deployment.end();
      await database?.stop();
    });

    const indexOf = (answer: unknown): number =>
      (answer as { readonly proof: { readonly log_index: number } }).proof.log_index;

    it.each([
      ['that was never changed before', 'MIRROR_FEED', []],
      ['that was changed before', 'OIP_TREE', [false, true]],
    ] as const)('of a row %s succeeds before the change or is refused', async (_which, key, earlier) => {
      for (const enabled of earlier) await deployment.did('DIRECTORY_PATCH', { key, enabled });
      const body = key === 'MIRROR_FEED' ? 'alpha' : '';
      const [patched, ...calls] = await Promise.all([
        deployment.call('DIRECTORY_PATCH', { key, enabled: false }),
        ...Array.from({ length: 8 }, () => deployment.call(key, body)),
      ]);
      const switchedOff = indexOf(patched);
      const late = calls.filter((answer) => !isFault(answer) && indexOf(answer) > switchedOff);
      expect(late).toEqual([]);
      for (const answer of calls)
        if (isFault(answer)) expect(['conflict', 'row_disabled']).toContain(answer.fault);
      expect(await deployment.call(key, body)).toMatchObject({ fault: 'row_disabled' });
    });
  },
);
