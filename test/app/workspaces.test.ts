import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findArticle } from '../../src/app/reads/article-access.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

describe('a call and a read in main', () => {
  let deployment: TestDeployment;
  const asked: string[] = [];
  beforeAll(async () => {
    deployment = await openDeployment();
    await deployment.did('WORKSPACE_CREATE', 'survey|The survey');
    for (const slug of ['notes', 'survey--notes'])
      await deployment.did(
        'VOXEL_BATCH',
        { document: { slug, title: 'Notes', markdown: '# Notes\n\nOne -- two.\n' } },
        { tenant: undefined },
      );
    const { read } = deployment.service.store;
    const stamp = read.stamp.bind(read);
    Object.assign(read, {
      stamp: (aggregate: string, id: string) => {
        asked.push(aggregate);
        return stamp(aggregate, id);
      },
    });
  });
  afterAll(() => deployment.end());

  const workspacesAskedFor = async (act: () => Promise<unknown>): Promise<number> => {
    asked.length = 0;
    await act();
    return asked.filter((each) => each === 'workspace').length;
  };
  const object = (slug: string) => (): Promise<unknown> =>
    deployment.call(
      'OBJECTION_LOG',
      { slug, objection: `No -- not ${slug}.` },
      { tenant: undefined, presented: {} },
    );

  it('do not ask the store about workspaces; in another workspace they do', async () => {
    expect(await workspacesAskedFor(object('notes'))).toBe(0);
    expect(await workspacesAskedFor(object('survey--notes'))).toBeGreaterThan(0);
    const anonymous = { kind: 'anonymous' } as const;
    expect(await workspacesAskedFor(() => findArticle(deployment.service, 'notes', anonymous))).toBe(0);
    const elsewhere = await findArticle(deployment.service, 'survey--notes', anonymous);
    expect(isFault(elsewhere) ? elsewhere.fault : elsewhere.slug).toBe('survey--notes');
  });
});
