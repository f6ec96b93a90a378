import type { TObject } from 'typebox';
import { type ArticleAccess, authorizeArticle } from '../../src/app/reads/article-access.ts';
import Value from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partReaders } from '../../src/app/reads/article-parts.ts';
import { loadArticle } from '../../src/app/reads/articles.ts';
import { readArticle } from '../../src/app/reads/whole-article.ts';
import { readAsOf } from '../../src/app/reads/historical-read.ts';
import { bodyOf } from '../../src/domain/articles/state.ts';
import { isFault } from '../../src/kernel/fault.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { readSchemas } from '../../src/model/index.ts';
import { toldBy } from '../../src/model/parts.ts';
import { verifyBundle } from '../../verify/index.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

const source = {
  type: 'review',
  url: 'https://www.rfc-editor.org/rfc/rfc6962',
  title: 'RFC 6962',
  quote: 'Merkle audit path',
};
const claim = {
  text: 'A Merkle audit path proves that a leaf is in a log.',
  tier: 'mechanistic',
  who_claims: 'RFC 6962',
  source_ids: ['s1'],
};
/** A separator travels with its DIV; the one that was missing was added. */
const moved = '# Logs\n\nTwo.\n\nOne, reworded.\n\n';
let deployment: TestDeployment;

beforeAll(async () => {
  deployment = await openDeployment();
  await deployment.did('VOXEL_BATCH', {
    document: { slug: 'logs', markdown: '# Logs\n\nOne.\n\nTwo.\n', status: 'draft' },
  });
  await deployment.did('SOURCE_POST', { slug: 'logs', sources: [source] });
  await deployment.did('ARTICLE_META', { slug: 'logs', expected_version: 2, status: 'published' });
  await deployment.did('CLAIM_POST', { slug: 'logs', ...claim });
  const { divs } = (await part('voxels')) as unknown as {
    readonly divs: readonly { readonly div_id: string; readonly vx_hash: string }[];
  };
  await deployment.did('VOXEL_EDIT', {
    slug: 'logs',
    div_id: 'd2',
    expected_hash: divs[1]?.vx_hash ?? '',
    text: 'One, reworded.',
  });
  await deployment.did('VOXEL_MOVE', { slug: 'logs', div_id: 'd3', expected_order: 3, direction: 'up' });
});
afterAll(() => deployment.end());

async function see(owner = false): Promise<ArticleAccess> {
  const access = await authorizeArticle(
    { ...deployment.service, tenant: 'main', viewer: { kind: owner ? 'owner' : 'anonymous' } },
    'logs',
  );
  if (isFault(access)) throw new Error('the article is gone');
  return access;
}

async function part(name: string, query: Record<string, string> = {}, owner = true): Promise<JsonObject> {
  const read = await (partReaders[name] as NonNullable<(typeof partReaders)[string]>)({
    context: deployment.service,
    access: await see(owner),
    query,
  });
  if (isFault(read)) return { refused: read.fault };
  return read as JsonObject;
}

describe('an earlier revision', () => {
  it('has the body, claims and sources of its time', async () => {
    const bodies = await Promise.all(
      [1, 4, 5, 6].map(async (rev) => (await part('revisions', { rev: String(rev) }))['body']),
    );
    expect(bodies).toEqual([
      '# Logs\n\nOne.\n\nTwo.\n',
      '# Logs\n\nOne.\n\nTwo.\n',
      '# Logs\n\nOne, reworded.\n\nTwo.\n',
      moved,
    ]);
    expect(await part('revisions', { rev: '3' })).toMatchObject({
      claims: [],
      sources: [{ id: 's1', prev: 'genesis' }],
      status: 'published',
    });
    expect(await part('revisions', { rev: '4' })).toMatchObject({ claims: [{ id: 'c1', text: claim.text }] });
  });

  it('shows its changes word by word', async () => {
    const changes = (await part('revisions', { rev: '5' }))['diff'] as readonly {
      readonly op: string;
      readonly text: string;
    }[];
    expect(
      changes
        .filter(({ op }) => op === 'added')
        .map(({ text }) => text)
        .join(''),
    ).toContain('reworded');
    expect(
      changes
        .filter(({ op }) => op !== 'added')
        .map(({ text }) => text)
        .join(''),
    ).toBe('# Logs\n\nOne.\n\nTwo.\n');
    expect(
      changes
        .filter(({ op }) => op !== 'removed')
        .map(({ text }) => text)
        .join(''),
    ).toBe('# Logs\n\nOne, reworded.\n\nTwo.\n');
  });

  it('from before publication is for keys of the workspace only', async () => {
    expect(await part('revisions', { rev: '1' }, false)).toEqual({ refused: 'not_found' });
    expect(await part('revisions', { rev: '3' }, false)).toMatchObject({ rev: 3 });
    const publicly = (await part('revisions', {}, false)) as unknown as {
      readonly head: number;
      readonly revisions: readonly { readonly rev: number }[];
    };
    expect([publicly.head, publicly.revisions.map(({ rev }) => rev)]).toEqual([6, [6, 5, 4, 3]]);
  });

  it('that is current equals the article', async () => {
    const past = await readAsOf(deployment.service, await see(true), { rev: '6' });
    if (isFault(past)) throw new Error(past.message);
    expect(await readArticle(past.context, past.access)).toEqual(
      await readArticle(deployment.service, await see(true)),
    );
  });

  it.each(['0', '7', '-1', 'x'])('%s does not exist', async (rev) => {
    expect(await part('revisions', { rev })).toEqual({ refused: 'not_found' });
  });
});

describe('a moment of the log', () => {
  it('gives the article as it was, rounded down to the last complete act', async () => {
    const entries = (await part('ledger', { limit: '500' }))['entries'] as readonly {
      readonly log_index: number;
      readonly op?: string;
      readonly action?: string;
    }[];
    const edit = entries.find((entry) => entry.op === 'edit')?.log_index ?? 0;
    const at = async (index: number) => {
      const past = await readAsOf(deployment.service, await see(true), { at: String(index) });
      return isFault(past) ? past.fault : bodyOf(await loadArticle(past.context, past.access.aid));
    };
    expect(await at(edit)).toBe('# Logs\n\nOne, reworded.\n\nTwo.\n');
    // The provenance entry of the edit comes just before the DIV's: half an act is none.
    expect(await at(edit - 1)).toBe('# Logs\n\nOne.\n\nTwo.\n');
    expect(await at(0)).toBe('not_found');
  });
});

describe('a bundle', () => {
  it('brings discourse of its origin, separate from local discourse', async () => {
    const said = { slug: 'logs', actor: 'ada' };
    await deployment.did('OBJECTION_LOG', { ...said, objection: 'Which hash?', surface: 'S3' });
    await deployment.did('MIRROR_APPEND', { ...said, claim_id: 'c1', kind: 'question', body: 'Since when?' });
    const bundle = await part('bundle');
    const other = await openDeployment();
    try {
      await other.did('ARTICLE_IMPORT', { bundle });
      const access = await authorizeArticle(
        { ...other.service, tenant: 'main', viewer: { kind: 'anonymous' } },
        'logs',
      );
      if (isFault(access)) throw new Error('it did not arrive');
      const there = async (name: string): Promise<JsonObject> =>
        (await partReaders[name]?.({ context: other.service, access, query: {} })) as JsonObject;
      const thread = await there('discourse');
      expect(thread).toMatchObject({
        thread_head: 'genesis',
        entries: [],
        imported: {
          from: { slug: 'logs' },
          count: 1,
          entries: [
            {
              said: { stance: 'objection', body: 'Which hash?', surface: 'S3', actor: 'ada' },
              entry: { action: 'objection', n: 0, prev: 'genesis' },
            },
          ],
        },
      });
      expect(await there('contributions')).toMatchObject({
        count: 0,
        contributions: [],
        imported: { count: 1, entries: [{ said: { kind: 'question', body: 'Since when?' } }] },
      });
      expect(Value.Check(toldBy(readSchemas['discourse']?.schema as TObject), thread)).toBe(true);
    } finally {
      await other.end();
    }
    expect(await part('discourse')).not.toHaveProperty('imported');
  });

  it('verifies by itself, and is imported with ids, claims and provenance', async () => {
    const bundle = await part('bundle');
    const report = await verifyBundle(JSON.parse(JSON.stringify(bundle)) as never);
    expect(report.checks.filter((check) => !check.ok)).toEqual([]);
    expect(report.ok).toBe(true);
    const other = await openDeployment();
    try {
      const taken = await other.did('ARTICLE_IMPORT', { bundle });
      expect(taken).toMatchObject({ slug: 'logs', claims: 1, sources: 1 });
      const access = await authorizeArticle(
        { ...other.service, tenant: 'main', viewer: { kind: 'anonymous' } },
        'logs',
      );
      if (isFault(access)) throw new Error('it did not arrive');
      const there = await readArticle(other.service, access);
      expect(there['body']).toBe(moved);
      expect(there['claims']).toMatchObject([
        { id: 'c1', text: claim.text, posted_by: { actor: 'owner', channel: 'test' } },
      ]);
      expect(there['provenance']).toMatchObject([
        { action: 'import', change: { imported: { slug: 'logs', content_hash: bundle['content_hash'] } } },
      ]);
      const again = await other.call('ARTICLE_IMPORT', { bundle });
      expect(isFault(again) || again.kind !== 'called' ? undefined : again.refusal?.fault).toBe('conflict');
    } finally {
      await other.end();
    }
  });

  it.each([
    ["a DIV's text", (text: string) => text.replace('"text":"Two."', '"text":"Tw0."')],
    ['a claim', (text: string) => text.replaceAll('proves that a leaf', 'disproves that a leaf')],
    ['an entry', (text: string) => text.replaceAll('"op":"edit"', '"op":"edlt"')],
    ['the body', (text: string) => text.replace('"body":"# Logs', '"body":"# Fogs')],
    ['a tier', (text: string) => text.replaceAll('"tier":"mechanistic"', '"tier":"human"')],
    ['a quote', (text: string) => text.replace('"quote":"Merkle audit path"', '"quote":"Merkle odd path"')],
  ])('with %s altered is rejected and writes nothing', async (_, alter) => {
    const before = JSON.stringify(await part('bundle'));
    const altered = alter(before);
    expect(altered).not.toBe(before);
    const other = await openDeployment();
    try {
      expect((await verifyBundle(altered)).ok).toBe(false);
      const answer = await other.call('ARTICLE_IMPORT', { bundle: JSON.parse(altered) as object });
      expect(isFault(answer) || answer.kind !== 'called' ? undefined : answer.refusal?.fault).toBe(
        'content_rule',
      );
      expect(
        isFault(
          await authorizeArticle({ ...other.service, tenant: 'main', viewer: { kind: 'owner' } }, 'logs'),
        ),
      ).toBe(true);
    } finally {
      await other.end();
    }
  });
});
