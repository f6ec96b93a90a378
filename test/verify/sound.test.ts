/**
 * What a sound deployment serves is accepted by the standalone verifier, whatever was written: the starter articles
 * after many random writes, as they are and as they were, to the owner and to anybody, drafts, scrubbed and imported
 * articles, and every receipt, on both stores.
 */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyBundle, verifyReceipt, type Report } from '../../verify/index.ts';
import { readStarters } from '../unit/content/starters.ts';
import { seededRandom } from '../fault/random.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';
import { hasPostgres, sharedPostgres } from '../support/postgres.ts';
import { failuresOf } from '../unit/verify/support.ts';

const seed = Number(process.env['COLOPHON_SEED'] ?? 4711);
const writesEach = Number(process.env['COLOPHON_SOUND_WRITES'] ?? 15);

interface Div {
  readonly div_id: string;
  readonly vx_hash: string;
  readonly text: string;
}

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('sound documents of %s', (kind) => {
  let postgres: Awaited<ReturnType<typeof sharedPostgres>> | undefined;
  let deployment: TestDeployment;
  let app: FastifyInstance;
  let key: string;
  const random = seededRandom(seed);
  const slugs: string[] = [];
  const receipts: string[] = [];

  beforeAll(async () => {
    postgres = kind === 'PostgreSQL' ? await sharedPostgres() : undefined;
    const databaseUrl = await postgres?.database();
    deployment = await openDeployment(databaseUrl === undefined ? {} : { databaseUrl });
    app = deployment.http();
    key = (await text('/.well-known/colophon-key')).trim();
    for (const { slug, title, markdown, sources, claims } of readStarters()) {
      // Every other one begins as a draft, so that what was before its publication is not everybody's.
      const status = slugs.length % 2 === 0 ? 'published' : 'draft';
      await call('VOXEL_BATCH', { document: { slug, title, markdown, status } });
      await call('SOURCE_POST', { slug, sources });
      for (const claim of claims) await call('CLAIM_POST', { ...claim, slug });
      slugs.push(slug);
    }
  }, 300_000);

  afterAll(async () => {
    await deployment?.end();
    await postgres?.stop();
  });

  async function call(row: string, body: object | string, credential: 'owner' | 'nobody' = 'owner') {
    const answer = (await deployment.call(
      row,
      body,
      credential === 'owner' ? {} : { presented: {} },
    )) as unknown as { inv?: string; result?: { result: Record<string, unknown> } };
    if (answer.inv !== undefined) receipts.push(answer.inv);
    return answer.result?.result;
  }

  async function text(url: string, owner = true): Promise<string> {
    const headers = owner ? { 'x-terminal-key': 'tk_only-for-tests-0123456789' } : {};
    const response = await app.inject({ url, headers });
    return response.statusCode === 200 ? response.body : '';
  }

  async function expectSound(url: string, owner = true, verify = verifyBundle): Promise<Report | undefined> {
    const document = await text(url, owner);
    if (document === '') return undefined;
    const report = await verify(document, key);
    expect([url, owner, failuresOf(report)]).toEqual([url, owner, []]);
    return report;
  }

  function pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(random() * from.length)];
  }

  /** One random write; most succeed, and a refusal leaves a receipt. */
  async function write(slug: string): Promise<void> {
    const { divs } = JSON.parse(await text(`/api/articles/${slug}/voxels`)) as { divs: readonly Div[] };
    const article = JSON.parse(await text(`/api/articles/${slug}`)) as {
      version: number;
      claims: readonly { id: string; hash: string; text: string; status: string }[];
      contributions: readonly { id: string; status: string }[];
    };
    const paragraphs = divs.filter(({ text: words }) => /^[A-Z][^\n]*$/.test(words));
    const div = pick(paragraphs) ?? divs[0];
    const claim = pick(article.claims);
    if (div === undefined) return;
    const at = divs.indexOf(div);
    const next = divs[at + 1];
    const word = `W${Math.floor(random() * 1e9)}`;
    const open = pick(article.contributions.filter(({ status }) => status === 'proposed'));
    const { entries } = JSON.parse(await text(`/api/articles/${slug}/discourse`)) as {
      entries: readonly { id: string; status: string }[];
    };
    const entry = pick(entries.filter(({ status }) => status === 'open'));
    const writes: (() => Promise<unknown>)[] = [
      () =>
        call('VOXEL_EDIT', {
          slug,
          div_id: div.div_id,
          expected_hash: div.vx_hash,
          text: `${word} — é, changed.`,
        }),
      () =>
        call('VOXEL_MOVE', {
          slug,
          div_id: div.div_id,
          expected_order: at + 1,
          direction: random() < 0.5 ? 'up' : 'down',
        }),
      () =>
        call('VOXEL_SPLIT', {
          slug,
          div_id: div.div_id,
          expected_hash: div.vx_hash,
          at: div.text.split(' ').at(-1) ?? '',
        }),
      () =>
        call('VOXEL_CONSOLIDATE', {
          slug,
          div_ids: [div.div_id, next?.div_id ?? 'd1'],
          expected_hashes: [div.vx_hash, next?.vx_hash ?? ''],
        }),
      () =>
        call('ARTICLE_REWRITE', {
          slug,
          expected_version: article.version,
          blocks: [
            ...divs.slice(at).map(({ div_id, text: words }) => ({ div_id, text: words })),
            { text: `${word} is new.` },
            ...divs.slice(1, at).map(({ text: words }) => ({ text: words })),
          ],
          note: 'A test.',
        }),
      () =>
        call(
          'ARTICLE_REVERT',
          `${slug}|${1 + Math.floor(random() * article.version)}|${article.version}|A test.`,
        ),
      () => call('VOXEL_BURN', { slug, ids: [div.div_id], reason: 'A test.' }),
      () => call('VOXEL_BATCH', { document: { slug, markdown: `${word} is appended.\n\n- one\n- two\n` } }),
      () =>
        call('CLAIM_POST', {
          slug,
          text: `The number ${word} stands for one written sentence.`,
          tier: 'human',
          who_claims: 'Ada',
          source_ids: ['s1'],
        }),
      () => call('CLAIM_RETRACT', { slug, claim_id: claim?.id ?? 'c1', reason: 'A test.' }),
      () =>
        call('CLAIM_REPAIR', {
          slug,
          claim_id: claim?.id ?? 'c1',
          text: `The number ${word} stands for one repaired sentence.`,
          rationale: 'Exact.',
          expected_hash: claim?.hash ?? '',
        }),
      () =>
        call('SOURCE_POST', {
          slug,
          sources: [
            { type: 'review', url: `https://example.com/${word}`, title: word, quote: `${word} is quoted.` },
          ],
        }),
      () =>
        call('ARTICLE_META', {
          slug,
          expected_version: article.version,
          title: `Title ${word}`,
          tags: [word.toLowerCase()],
        }),
      () =>
        call('ARTICLE_META', {
          slug,
          expected_version: article.version,
          status: pick(['published', 'archived']),
        }),
      () =>
        call(
          'MIRROR_APPEND',
          {
            slug,
            claim_id: claim?.id ?? '',
            kind: pick(['question', 'objection', 'repair']),
            actor: 'ada',
            body: `The number ${word} stands for one mirrored sentence.`,
            ...(random() < 0.3 ? { rationale: 'It is so.' } : {}),
          },
          'nobody',
        ),
      () =>
        call('MIRROR_RESOLVE', `${slug}|${open?.id ?? ''}|${random() < 0.7 ? 'accepted' : 'rejected'}|Seen.`),
      () =>
        call(
          'OBJECTION_LOG',
          { slug, objection: `Nothing shows that ${word} is so.`, actor: 'ada' },
          'nobody',
        ),
      () =>
        call('OBJECTION_LOG', {
          slug: `${slug}/${claim?.id ?? div.div_id}`,
          objection: `${word} is not what the claim says.`,
        }),
      () => call('THREAD_SETTLE', `${slug}|${entry?.id ?? ''}|${word} is answered.`),
      () => call('OIP_ARTICLE_REVIEW', `${slug}|needs_work|${word} is missing.|bob`, 'nobody'),
      () => call('ARTICLE_ASK', { slug, question: `What does ${word} stand for?` }),
      () => call('VOXEL_VOTE', `${slug}|${div.div_id}|should_burn|${word} repeats.|ada`, 'nobody'),
    ];
    await pick(writes)?.();
  }

  async function expectAllSound(slug: string): Promise<void> {
    for (const owner of [true, false]) {
      for (const part of ['', '/bundle', '/bundle?format=slim', '/voxels', '/voxels?include_inactive=1'])
        await expectSound(`/api/articles/${slug}${part}`, owner);
      for (const part of ['sources', 'provenance', 'contributions', 'mirror', 'discourse', 'question-graph'])
        await expectSound(`/api/articles/${slug}/${part}`, owner);
      // As the page of an article verifies it.
      const article = await text(`/api/articles/${slug}`, owner);
      if (article === '') continue;
      const whole = {
        ...JSON.parse(article),
        discourse: JSON.parse(await text(`/api/articles/${slug}/discourse`, owner)),
      };
      expect([slug, failuresOf(await verifyBundle(whole))]).toEqual([slug, []]);
    }
    const { version } = JSON.parse(await text(`/api/articles/${slug}`)) as { version: number };
    for (const rev of new Set([1, 2, Math.ceil(version / 2), version - 1].filter((each) => each > 0)))
      for (const part of ['', '/bundle']) {
        await expectSound(`/api/articles/${slug}${part}?rev=${rev}`);
        await expectSound(`/api/articles/${slug}${part}?rev=${rev}`, false);
      }
  }

  test('are accepted after random writes', { timeout: 600_000 }, async () => {
    for (const slug of slugs) {
      for (let i = 0; i < writesEach; i++) await write(slug);
      await expectAllSound(slug);
    }
  });

  test('are accepted after a scrub of their text', { timeout: 300_000 }, async () => {
    const slug = slugs[0] as string;
    const markdown = 'The code tangerine-4711 is secret.\n';
    await call('VOXEL_BATCH', { document: { slug, markdown } });
    await call('CLAIM_POST', {
      slug,
      text: 'The code tangerine-4711 opens one door.',
      tier: 'human',
      who_claims: 'Ada',
      source_ids: ['s1'],
    });
    await call('MIRROR_APPEND', `${slug}|c1|question|ada|Is tangerine-4711 the code?`, 'nobody');
    await call(
      'OBJECTION_LOG',
      { slug, objection: 'The code tangerine-4711 is old.', actor: 'ada' },
      'nobody',
    );
    await call('ARTICLE_ASK', { slug, question: 'What does tangerine-4711 open?' });
    const scrubbed = await call('SECRET_SCRUB', { secret: 'tangerine-4711' });
    expect(scrubbed).toBeDefined();
    expect(await text(`/api/articles/${slug}/bundle`)).not.toContain('tangerine-4711');
    await expectAllSound(slug);
    const { divs } = JSON.parse(await text(`/api/articles/${slug}/voxels`)) as {
      divs: readonly (Div & { readonly scrubbed_by?: string })[];
    };
    const div = divs.find(({ scrubbed_by: by }) => by !== undefined);
    expect(div?.text).toBe('The code [redacted:secret] is secret.');
    // A move names the hash of the replacement; the text stays one.
    await call('VOXEL_MOVE', {
      slug,
      div_id: div?.div_id,
      expected_order: divs.length,
      direction: 'up',
    });
    await expectAllSound(slug);
  });

  test('are accepted after an import', { timeout: 300_000 }, async () => {
    await call('VOXEL_BATCH', { document: { slug: slugs[2], markdown: 'W1234567 is to be scrubbed.\n' } });
    const bundle = JSON.parse(await text(`/api/articles/${slugs[2] as string}/bundle`)) as object;
    expect(await call('ARTICLE_IMPORT', { slug: 'taken-in', bundle })).toMatchObject({ slug: 'taken-in' });
    await expectAllSound('taken-in');
    const scrubbed = JSON.parse(await text(`/api/articles/${slugs[0] as string}/bundle`)) as object;
    await call('ARTICLE_IMPORT', { slug: 'taken-with-scrubs', bundle: scrubbed, accept_violations: true });
    await expectAllSound('taken-with-scrubs');
    // What replaces a word stands within the evidence of the import, and in the article.
    const { divs } = JSON.parse(await text('/api/articles/taken-in/voxels')) as { divs: readonly Div[] };
    const [secret = ''] = /\bW\d{5,}/.exec(divs.map((div) => div.text).join(' ')) ?? [];
    expect(await call('SECRET_SCRUB', { secret })).toBeDefined();
    expect(await text('/api/articles/taken-in/bundle')).not.toContain(secret);
    await expectAllSound('taken-in');
  });

  test('are accepted as receipts and confirmations', { timeout: 600_000 }, async () => {
    expect(receipts.length).toBeGreaterThan(writesEach);
    for (const inv of receipts.filter((_, i) => i % 7 === 0)) {
      await expectSound(`/api/dispatch?receipt=${inv}`, true, verifyReceipt);
      await expectSound(`/api/dispatch?confirm=${inv}`, false, verifyReceipt);
    }
  });
});
