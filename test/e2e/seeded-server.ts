/** A deployment with seeded content for the suites of pages: articles of every kind, claims, discourse, a share. */
import { readFileSync } from 'node:fs';
import { pageList } from './page-list.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

export interface SeededServer {
  readonly server: TestServer;
  /** The article that has claims, a source, contributions, discourse, a vote, an edit and DIVs that left. */
  readonly slug: string;
  readonly burned: string;
  readonly absorbed: string;
  readonly draft: string;
  readonly receipt: string;
  readonly capability: string;
  /** What the capability is for: never public. */
  readonly purpose: string;
  /** Paths of pages, by name. */
  readonly pages: Readonly<Record<string, string>>;
}

const text = `# On bees

Bees find their way back to the hive. They read the [sun](https://example.org/sun "The sun").

Nobody taught them. What they do has been watched for as long as there have been hives, and it has been
understood for much less long than that. This paragraph is here so that the first section begins further down
than the first note of the margin ends.

## How they find home

They keep the angle between the path and the sun.

They also remember landmarks[^1].

| Cue | Range in metres |
|---|---|
| sun | 10000 |
| landmark | 300 |

\`\`\`js
const angle = (sun, path) => Math.atan2(sun.y - path.y, sun.x - path.x) * (180 / Math.PI) + offsetOfTheHive;
\`\`\`

## What is not known

- [ ] How they correct for the time of day.
- [x] That they do.

> A quotation that spans
> two lines.

## What follows

[^1]: Such as rows of trees.

A last paragraph that will be burned.

Another that will be absorbed.

The one after it.
`;

export async function startSeededServer(): Promise<SeededServer> {
  const server = await startServer();
  const slug = await server.article(text, { slug: 'on-bees', tags: ['nature'], category: 'essay' });
  await server.article(dataFile('oi-wiki-cjk/docs_intro_faq.md'), { slug: 'wiki-faq', title: '常见问题' });
  await server.article(dataFile('owasp-cheatsheets/cheatsheets_XML_Security_Cheat_Sheet.md'), {
    slug: 'xml-security',
  });
  await server.article('Nothing but a paragraph.\n', { slug: 'short', title: 'A short one' });
  const draft = await server.article('# Not yet\n\nA secret draft.\n', { slug: 'not-yet', status: 'draft' });
  await server.owner('/api/protocol/sources', {
    slug,
    sources: [
      {
        type: 'review',
        url: 'https://example.org/bees?a=1&b=2',
        title: 'Bees & the sun',
        quote: 'Bees keep the angle to the sun.',
        summary: 'A review.',
        accessed_at: '2026-01-02',
      },
    ],
  });
  await claim(
    server,
    slug,
    'Honey bees keep the angle between path and sun.',
    'human',
    'How they find home',
    ['s1'],
  );
  await claim(
    server,
    slug,
    'Honey bees remember rows of trees as landmarks.',
    'preclinical',
    'How they find home',
    [],
  );
  await claim(server, slug, 'Honey bees weigh less than a gram.', 'human', null, []);
  await server.anybody(`/api/articles/${slug}/mirror`, {
    claim_id: 'c1',
    kind: 'question',
    actor: 'ada',
    body: 'At what time of day?',
  });
  const divs = (await server.read(`/api/articles/${slug}/voxels`))['divs'] as readonly Answer[];
  const div = (start: string): Answer =>
    divs.find((each) => String(each['text']).startsWith(start)) as Answer;
  const first = div('Bees find');
  await server.anybody('/api/protocol/voxel-challenge', {
    slug,
    expected_thread_head: 'genesis',
    target_div: first['div_id'],
    expected_hash: first['vx_hash'],
    stance: 'challenge',
    body: 'Which bees?',
    actor: 'ada',
  });
  await server.anybody('/api/protocol/voxel-vote', {
    slug,
    target: 'c1',
    proposal: 'should_retier',
    rationale: 'The evidence is stronger.',
    actor: 'ada',
  });
  await server.owner('/api/protocol/voxel-edit', {
    slug,
    div_id: div('They keep')['div_id'],
    expected_hash: div('They keep')['vx_hash'],
    text: 'They keep the angle between their path and the sun.',
  });
  const burned = div('A last paragraph');
  await server.owner('/api/protocol/voxel-burn', {
    slug,
    ids: [burned['div_id']],
    reason: 'It says nothing.',
  });
  const pair = [div('Another that'), div('The one after')] as const;
  await server.owner('/api/protocol/voxel-consolidate', {
    slug,
    div_ids: pair.map((each) => each['div_id']),
    expected_hashes: pair.map((each) => each['vx_hash']),
  });
  const purpose = 'a private errand for somebody';
  const minted = await server.owner('/api/dispatch', {
    key: 'CAP_MINT',
    body: `row|MIRROR_APPEND|600|3|${purpose}|low|0`,
  });
  const receipt = String(minted['invocation']['id']);
  const capability = String(minted['result']['fingerprint']);
  await compare(server);
  const ids = { slug, burned: String(burned['div_id']), receipt, capability };
  return {
    ...ids,
    server,
    absorbed: String(pair[1]['div_id']),
    draft,
    purpose,
    pages: Object.fromEntries(Object.entries(pageList).map(([name, path]) => [name, path(ids)])),
  };
}

/** A cohort of three on two axes; one cell is filled, and one item is leased. */
async function compare(server: TestServer): Promise<void> {
  const names = ['Honey bee', 'Paper wasp', 'نملة'];
  await server.owner('/api/build-landscape', {
    action: 'queue_targets',
    cohort: 'hive-makers',
    query: 'Insects that live in hives',
    sort: 'size of the colony',
    captured_at: '2026-03-01T12:00:00Z',
    source_url: 'https://example.org/hives',
    targets: names.flatMap((name, rank) =>
      ['Material of the hive', 'Size of the colony'].map((axis) => ({
        name,
        rank,
        axis,
        url: 'https://example.org/insect',
      })),
    ),
  });
  const next = (): Promise<Answer> => server.owner('/api/build-landscape', { action: 'next', lane: 'field' });
  const leased = await next();
  await next();
  const { operations, ...frame } = leased['batch'].body as Answer & { operations: Answer[] };
  await server.anybody('/api/protocol/voxel-batch', {
    ...frame,
    actor: 'ada',
    operations: [
      {
        op: 'source',
        sources: [{ type: 'review', url: 'https://example.org/wax', title: 'Wax', quote: 'wax' }],
      },
      {
        ...operations[1],
        text: 'Honey bees build their hives of wax.',
        tier: 'human',
        who_claims: 'A review',
      },
    ],
  });
}

async function claim(
  server: TestServer,
  slug: string,
  said: string,
  tier: string,
  section: string | null,
  sources: readonly string[],
): Promise<void> {
  await server.owner('/api/protocol/claim', {
    slug,
    text: said,
    tier,
    who_claims: 'a reviewer',
    source_ids: sources,
    why_material: 'It is what the article is about.',
    falsifier: 'A bee that does not.',
    ...(section === null ? {} : { section }),
  });
}

function dataFile(path: string): string {
  return readFileSync(new URL(`../data/markdown/${path}`, import.meta.url), 'utf8');
}
