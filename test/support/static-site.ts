/** A deployment whose published articles make a static site with something of everything, and the site as files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { png } from './images.ts';
import { terminalKey, type Answer, type TestServer } from './server.ts';

/** Words that no file of the site may contain, by what they are part of. */
export const hidden = {
  draft: 'quagga-draft',
  archived: 'quagga-archived',
  workspace: 'quagga-workspace',
  scrubbed: 'quagga-scrubbed',
  'wording before publication': 'quagga-unpublished',
  'purpose of a share': 'quagga-purpose',
} as const;

const text = `# On bees

Bees find their way back to the hive. They read the [sun](https://example.org/sun "The sun"), as
[another article](/a/on-wasps), [a draft](/a/not-yet) and [a claim](/a/on-bees/c1) say. The word is ${hidden.scrubbed}.

## How they find home

They keep the angle $\\{a_k\\}$ between path and sun[^1], where
$$\\sum_{k=1}^{n} a_k = \\frac{n}{2}$$

![A dance](IMAGE "The waggle dance")

| Cue | Range |
|---|--:|
| sun | 10000 |

\`\`\`js
const angle = (sun, path) => sun - path; // <not> a tag
\`\`\`

<details><summary>More</summary>

Folded words, over several blocks.

</details>

- [x] Done
- [ ] Not done

[^1]: Such as rows of trees.

Inline <kbd>HTML</kbd> &amp; entities, ~~gone~~, and 太阳.
`;

export async function seedStaticSite(server: TestServer): Promise<{ readonly image: string }> {
  const stored = await server.owner('/api/protocol/image', {
    data: png(3, 2).toString('base64'),
    alt: 'A dance',
  });
  const image = String(stored['sha256']);
  await server.article(text.replace('IMAGE', `/blobs/${image}`), {
    slug: 'on-bees',
    tags: ['nature', 'Bees & co'],
    category: 'essay',
  });
  await server.article(`# On wasps\n\nAn early ${hidden['wording before publication']}.\n`, {
    slug: 'on-wasps',
    tags: ['nature'],
    status: 'draft',
  });
  const [, div] = (await owned(server, '/api/articles/on-wasps/voxels'))['divs'] as readonly Answer[];
  await server.owner('/api/protocol/voxel-edit', {
    slug: 'on-wasps',
    div_id: div?.['div_id'],
    expected_hash: div?.['vx_hash'],
    text: 'Wasps build with paper.',
  });
  await server.owner('/api/protocol/article', { slug: 'on-wasps', expected_version: 2, status: 'published' });
  await server.owner('/api/protocol/article', {
    slug: 'on-wasps',
    expected_version: 3,
    traversal: {
      hub: { slug: 'on-bees' },
      prev: 'on-bees',
      series: 'Insects',
      next: 'old',
      position: 2,
      of: 2,
    },
  });
  await server.article(`# Not yet\n\nA ${hidden.draft}.\n`, {
    slug: 'not-yet',
    status: 'draft',
    tags: [hidden.draft],
  });
  await server.article(`# Old ${hidden.archived}\n\nText.\n`, { slug: 'old', tags: [hidden.archived] });
  await server.owner('/api/protocol/article', { slug: 'old', expected_version: 1, status: 'archived' });
  await server.owner('/api/workspace', { name: 'field', title: 'Field', purpose: 'A test.', status: 'open' });
  await server.owner('/api/protocol/voxel-batch?workspace=field', {
    document: { slug: 'field--notes', markdown: `# Field\n\nA ${hidden.workspace}.\n` },
  });
  await server.owner('/api/protocol/sources', {
    slug: 'on-bees',
    sources: [
      {
        type: 'review',
        url: 'https://example.org/bees?a=1&b=2',
        title: 'Bees & the sun',
        quote: 'Bees keep the angle\nto the sun.',
        summary: 'A review.',
        accessed_at: '2026-01-02',
      },
    ],
  });
  await server.owner('/api/protocol/claim', {
    slug: 'on-bees',
    text: 'Honey bees keep the angle between path and sun.',
    tier: 'human',
    who_claims: 'A review',
    rationale: 'A test.',
    section: 'How they find home',
    source_ids: ['s1'],
  });
  await server.anybody('/api/articles/on-bees/mirror', {
    claim_id: 'c1',
    kind: 'question',
    actor: 'ada',
    body: 'At what time of day?',
  });
  const divs = (await server.read('/api/articles/on-bees/voxels'))['divs'] as readonly Answer[];
  const first = divs.find((each) => String(each['text']).startsWith('Bees find')) as Answer;
  await server.anybody('/api/protocol/voxel-challenge', {
    slug: 'on-bees',
    expected_thread_head: 'genesis',
    target_div: first['div_id'],
    expected_hash: first['vx_hash'],
    stance: 'challenge',
    body: 'Which bees?',
    actor: 'ada',
  });
  await server.anybody('/api/protocol/voxel-vote', {
    slug: 'on-bees',
    target: 'c1',
    proposal: 'should_retier',
    rationale: 'The evidence is stronger.',
    actor: 'ada',
  });
  await server.owner('/api/dispatch', {
    key: 'CAP_MINT',
    body: `row|MIRROR_APPEND|600|3|${hidden['purpose of a share']}|low|0`,
  });
  await server.owner('/api/dispatch', { key: 'SECRET_SCRUB', body: { secret: hidden.scrubbed } });
  return { image };
}

async function owned(server: TestServer, path: string): Promise<Answer> {
  const response = await server.fetch(path, { headers: { 'x-terminal-key': terminalKey } });
  return (await response.json()) as Answer;
}

/** The files of the site by their paths, and the last line of the answer. */
export async function readSite(
  server: TestServer,
  query = '',
): Promise<{ readonly files: ReadonlyMap<string, Buffer>; readonly last: Answer }> {
  const response = await server.fetch(`/api/static-site${query}`, {
    headers: { 'x-terminal-key': terminalKey },
  });
  const lines = (await response.text()).trimEnd().split('\n');
  const files = new Map<string, Buffer>();
  let last: Answer = {};
  for (const line of lines) {
    last = JSON.parse(line) as Answer;
    const { file, text: plain, base64 } = last as { file?: string; text?: string; base64?: string };
    if (file !== undefined)
      files.set(file, plain === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(plain));
  }
  return { files, last };
}

export function writeSite(folder: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [file, bytes] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), bytes);
  }
}
