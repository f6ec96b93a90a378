import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/kernel/json.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';
import { seedArticles } from './seed.ts';

const owner = { 'x-terminal-key': terminalKey };

const parts = [
  '',
  '?format=markdown',
  '/voxels',
  '/voxels?include_inactive=1',
  '/claims',
  '/sources',
  '/provenance',
  '/contributions',
  '/mirror',
  '/discourse',
  '/objections',
  '/votes',
  '/masthead',
  '/health',
  '/topology',
  '/question-graph',
  '/graph-topology?question=What+is+known+of+trees',
  '/prompts',
  '/bundle',
  '/bundle?format=slim',
  '/bundle?format=markdown',
  '/ledger?limit=500',
  '/revisions',
  '/compare',
  '/invocations?limit=500',
  '/skill',
  '/citation',
  '/claims/c1/nanopub',
];

/** Where keys of the workspace see what was never public. */
const ownParts = [
  '',
  '/claims/c1/nanopub',
  '/voxels?include_inactive=1',
  '/provenance',
  '/revisions',
  '/bundle',
  '/question-graph',
];

/** Who reads what. */
const readings = [
  { headers: {}, paths: parts },
  { headers: owner, paths: ownParts },
];

/** The paths whose answers differ, each with where they part. */
function changes(
  { paths }: (typeof readings)[number],
  were: readonly string[] = [],
  are: readonly string[],
): string[] {
  return paths.flatMap((path, i) => {
    const [then, now] = [were[i] ?? '', are[i] ?? ''];
    if (then === now) return [];
    const from = Math.max(0, [...then].findIndex((each, at) => each !== now[at]) - 60);
    return [`${path}: ${then.slice(from, from + 200)} | ${now.slice(from, from + 200)}`];
  });
}

/** What each part answered once, and how many entries the log had then. */
interface Snapshot {
  readonly size: number;
  readonly time: string;
  readonly rev: number;
  /** Index of the article's newest entry. */
  readonly last: number;
  readonly shown: readonly string[][];
}

describe.each(storeEnvironments())('a historical read of an article, on $name', (store) => {
  let server: TestServer;
  const life: Snapshot[] = [];

  /** Status and body, without what an answer says of itself and of the log as a whole. */
  const answerOf = async (path: string, headers: HeadersInit): Promise<string> => {
    const answer = await server.fetch(`/api/articles/full${path}`, { headers });
    const text = await answer.text();
    if (answer.headers.get('content-type')?.includes('json') !== true) return `${answer.status} ${text}`;
    const { _self, ...rest } = JSON.parse(text) as Answer;
    const shown = canonicalJson(rest)
      .replaceAll(/"checkpoint":"[^"]*"/g, '"checkpoint":""')
      .replaceAll(/"inclusion":\[[^\]]+\]/g, '"inclusion":[]');
    return answer.status === 404 ? '404' : `${answer.status} ${shown}`;
  };
  const shownBy = (reading: (typeof readings)[number], asked?: string): Promise<string[]> =>
    Promise.all(
      reading.paths.map((path) => {
        const more = asked === undefined ? '' : `${path.includes('?') ? '&' : '?'}${asked}`;
        return answerOf(path + more, reading.headers);
      }),
    );
  const logged = async (invocation: string): Promise<void> => {
    const { read } = server.deployment.service.store;
    const seq = (await read.chain(invocation))[0]?.seq ?? 0;
    while ((await read.indexOf(seq)) === null) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const record = async <T extends Answer>(written: T): Promise<T> => {
    await logged(String((written['invocation'] as Answer)['id']));
    // Later than whatever was written so far, and earlier than what comes.
    const time = new Date(Date.now() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 3));
    const { entries } = (await (
      await server.fetch('/api/articles/full/ledger?limit=500', { headers: owner })
    ).json()) as Answer;
    life.push({
      time,
      rev: (entries as { rev?: number }[] | undefined)?.findLast(({ rev }) => rev !== undefined)?.rev ?? 0,
      size: (await server.deployment.service.store.read.checkpoint())?.size ?? 0,
      last: (entries as { log_index: number }[] | undefined)?.at(-1)?.log_index ?? -1,
      shown: await Promise.all(readings.map((reading) => shownBy(reading))),
    });
    return written;
  };

  beforeAll(async () => {
    await store.start();
    server = await startServer(await store.env());
    const recorded: TestServer = {
      ...server,
      owner: async (path, body) => record(await server.owner(path, body)),
      anybody: async (path, body) => record(await server.anybody(path, body)),
    };
    await seedArticles(recorded);
    const { version } = await server.read('/api/articles/full');
    await recorded.owner('/api/protocol/voxel-batch', {
      slug: 'full',
      atomic: true,
      operations: [
        {
          op: 'claim',
          text: 'A tree of three leaves has two inner nodes.',
          tier: 'system',
          who_claims: 'RFC 6962',
          why_material: 'It is small.',
          rationale: 'A test.',
        },
        {
          op: 'claim',
          text: 'A tree of one leaf has no inner node.',
          tier: 'system',
          who_claims: 'RFC 6962',
          why_material: 'It is smaller.',
          rationale: 'A test.',
        },
      ],
    });
    expect(version).toBeGreaterThan(10);
  }, 120_000);

  afterAll(async () => {
    expect(server.errors).toEqual([]);
    await server.stop();
    await store.stop();
  });

  it('returns at each log index what every part returned at that moment', async () => {
    expect(life.length).toBeGreaterThan(25);
    for (const { size, shown } of life)
      for (const [i, reading] of readings.entries())
        expect(changes(reading, shown[i], await shownBy(reading, `at=${size - 1}`))).toEqual([]);
  }, 60_000);

  it('returns the state between two acts, and ignores an act not yet entirely in the log', async () => {
    const light = { headers: owner, paths: ['?format=markdown', '/claims', '/contributions', '/discourse'] };
    const lightly = (asked: string): Promise<string[]> => shownBy(light, asked);
    let were = await lightly(`at=${(life[0] as Snapshot).size - 1}`);
    for (const [i, { size, last }] of life.slice(1).entries()) {
      const before = life[i]?.size ?? 0;
      const are = await lightly(`at=${size - 1}`);
      // Where nothing of the article was written, `last` is of an act before.
      const whole = Math.max(last, before);
      for (let index = before; index < size - 1; index++)
        expect(changes(light, index < whole ? were : are, await lightly(`at=${index}`))).toEqual([]);
      were = are;
    }
  }, 60_000);

  it('accepts a time, or the revision that was newest at that moment', async () => {
    for (const { time, shown } of life.filter((_, i) => i % 5 === 0))
      for (const [i, reading] of readings.entries())
        expect(changes(reading, shown[i], await shownBy(reading, `at=${time}`))).toEqual([]);
    const mine = { headers: owner, paths: ['', '/claims', '/voxels?include_inactive=1', '/bundle'] };
    for (const [i, { rev, size }] of life.entries())
      if (rev > (life[i - 1]?.rev ?? 0))
        expect(
          changes(mine, await shownBy(mine, `at=${size - 1}`), await shownBy(mine, `rev=${rev}`)),
        ).toEqual([]);
  }, 60_000);

  it('returns 404 before the article could first be read, and names that moment', async () => {
    const published = life.find(({ shown }) => shown[0]?.[0] !== '404') as Snapshot;
    const refused = await server.fetch('/api/articles/full/claims?at=0');
    const { error, fix, since } = (await refused.json()) as Answer;
    expect([refused.status, error]).toEqual([404, 'not_found']);
    const { log_index: index, ts } = since as { log_index: number; ts: string };
    expect(fix).toBe(`It begins at log index ${index}, ${ts}: ask for that moment or a later one.`);
    expect(await answerOf(`/claims?at=${index}`, {})).toBe(published.shown[0]?.[parts.indexOf('/claims')]);
    expect(await answerOf(`/claims?at=${ts}`, {})).toBe(published.shown[0]?.[parts.indexOf('/claims')]);
    expect(await answerOf(`/claims?at=${index - 9}`, {})).toBe('404');
    expect(await answerOf(`/claims?at=${index - 9}`, owner)).toContain('200');
  });

  it.each([
    ['at=soon', 'at is "soon".'],
    ['at=-1', 'at is "-1".'],
    ['at=2026-02-30', 'at is "2026-02-30".'],
    ['at=2026-02-28T12:00:00', 'at is "2026-02-28T12:00:00".'],
    ['at=999999', 'The log has no entry 999999 yet.'],
    ['at=2999-01-01T00:00:00Z', '2999-01-01T00:00:00.000Z is still to come.'],
    ['at=3&rev=1', 'rev and at both name a past.'],
  ])('is refused for %s', async (asked, detail) => {
    for (const path of ['', '/claims', '/ledger']) {
      const answer = await server.fetch(`/api/articles/full${path}?${asked}`);
      expect([answer.status, ((await answer.json()) as Answer)['detail']]).toEqual([400, detail]);
    }
  });

  it('is paged, and every page names its moment', async () => {
    const index = (life.at(-8) as Snapshot).size - 1;
    const whole = (await server.read(`/api/articles/full/ledger?limit=500&at=${index}`))[
      'entries'
    ] as Answer[];
    const found: Answer[] = [];
    for (let path: string | null = `/api/articles/full/ledger?limit=20&at=${index}`; path !== null;) {
      const page = await server.read(path);
      expect((page['_self'] as Answer)['read']).toBe(`${server.base}/api/articles/full/ledger?at=${index}`);
      found.push(...(page['entries'] as Answer[]));
      path = (page['next'] as string | null)?.replace(server.base, '') ?? null;
    }
    expect(found).toEqual(whole);
    expect(found.length).toBeGreaterThan(20);
  });

  it('is shown on pages with a notice that links the newest revision, and links to the same moment', async () => {
    const page = async (path: string): Promise<string> => (await server.fetch(path)).text();
    const plain = (html: string): string => html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    const newest = ((await server.read('/api/articles/full'))['version'] as number) ?? 0;
    const edited = life.find(({ shown }) => shown[0]?.[1]?.includes('One, edited.') === true) as Snapshot;
    const rev = edited.rev - 1;
    for (const asked of [`rev=${rev}`, `at=${(life[life.indexOf(edited) - 1] as Snapshot).size - 1}`]) {
      const html = await page(`/a/full?${asked}`);
      expect(plain(html)).toContain(`in revision ${rev}. Read the newest, revision ${newest}`);
      expect([html.includes('One, edited.'), html.includes('<p>One.</p>')]).toEqual([false, true]);
      for (const link of [
        'href="/a/full"',
        `href="/a/full/history?from=${rev}&amp;to=${newest}"`,
        `href="/api/articles/full?${asked}"`,
        `href="/api/articles/full?format=markdown&amp;${asked}"`,
        `href="/a/full/d2?${asked}"`,
        `href="/a/full/graph?${asked}"`,
        '<meta name="robots" content="noindex"/>',
      ])
        expect([link, html.includes(link)]).toEqual([link, true]);
      const div = await page(`/a/full/d2?${asked}`);
      expect([plain(div).includes(`in revision ${rev}.`), div.includes('One, edited.')]).toEqual([
        true,
        false,
      ]);
    }
    expect(await page('/a/full')).not.toContain('<strong>As of</strong>');
    const statuses = async (...paths: string[]): Promise<number[]> =>
      Promise.all(paths.map(async (path) => (await server.fetch(`/a/full${path}`)).status));
    expect(
      await statuses('?at=0', '?rev=1', '?rev=x', '?rev=9999', '?at=soon', '?at=', '?at=1&rev=1'),
    ).toEqual([404, 404, 404, 404, 400, 400, 400]);
    expect(await statuses(`/c2?rev=${rev}`, `/c3?at=0`, '/c1?at=soon')).toEqual([200, 404, 400]);
  });
});
