import { strFromU8, unzipSync } from 'fflate';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type Answer, type TestServer } from '../support/server.ts';
import { findings, type Files } from './rules.ts';

let server: TestServer;

const text = `---
title: From elsewhere
---

# On [[brackets]]

One paragraph,
in two lines.

- a list
- of two

| a | b |
|---|---|
| 1 | 2 |

\`\`\`
code ^not-an-id
\`\`\`

> a quote
`;

beforeAll(async () => {
  server = await startServer();
  await server.article(text.replace('[[brackets]]', 'brackets'), {
    slug: 'first',
    title: 'On brackets | and [more]',
    tags: ['two words', '2026', 'Überblick'],
  });
  await server.article('# Second\n\nText.\n', { slug: 'first-c1' });
  await server.owner('/api/protocol/sources', {
    slug: 'first',
    sources: [
      {
        type: 'review',
        url: 'https://example.org/a?b=1',
        title: 'A "title": with | signs',
        quote: 'Line one\n---\n# no heading of ours',
        summary: 'Short.',
      },
    ],
  });
  for (const [said, sources] of [
    ['Brackets hold a text.', ['s1']],
    ['Braces hold a block.', []],
  ] as const)
    await server.owner('/api/protocol/claim', {
      slug: 'first',
      text: said,
      tier: 'system',
      who_claims: 'A test',
      source_ids: sources,
      why_material: 'Readers ask.',
    });
});

afterAll(async () => {
  await server.stop();
  expect(server.errors).toEqual([]);
});

async function manifest(query = ''): Promise<Files> {
  const { files } = await server.read(`/api/articles/obsidian-vault${query}`);
  return new Map((files as Answer[]).map((file) => [String(file['path']), String(file['content'])]));
}

describe('the vault', () => {
  it('follows the rules for notes, links, block ids, canvas and checksums', async () => {
    const files = await manifest('?slugs=first,first-c1');
    expect([...files.keys()]).toEqual([
      'Articles/first-c1.md',
      'Articles/first.md',
      'Claims/first-c1.md',
      'Claims/first-c2.md',
      'Graph.canvas',
      'Home.md',
      'Sources/first-s1.md',
      'checksums.sha256',
    ]);
    expect(findings(files)).toEqual([]);
  });

  it('contains the text of each DIV with its block id, for every kind of block', async () => {
    const note = (await manifest('?slugs=first')).get('Articles/first.md') ?? '';
    expect(note).toContain(
      '\n# On brackets\n\nOne paragraph,\nin two lines. ^d3\n\n- a list\n- of two\n\n^d4\n',
    );
    expect(note).toContain('\n```yaml\n---\ntitle: From elsewhere\n---\n```\n\n^d1\n');
    expect(note).toContain('tags: ["article","two-words","Überblick"]\n');
    expect(note).toContain('- [[Claims/first-c1|c1 Brackets hold a text.]]\n');
  });

  it('links a claim to its article and sources, and keeps quotes from becoming blocks', async () => {
    const files = await manifest('?slugs=first');
    expect(files.get('Claims/first-c1.md')).toContain(
      '\n> Brackets hold a text.\n\n^c1\n\nA claim of [[Articles/first|On brackets',
    );
    expect(files.get('Claims/first-c1.md')).toContain('sources: ["[[Sources/first-s1]]"]\n');
    expect(files.get('Sources/first-s1.md')).toContain(
      '\n> Line one\n> ---\n> # no heading of ours\n\n^s1\n',
    );
    expect(files.get('Sources/first-s1.md')).toContain('\n- [[Claims/first-c1|c1 Brackets hold a text.]]\n');
  });

  it('is also served as a ZIP with the same files, byte for byte reproducible', async () => {
    const fetched = await Promise.all(
      [1, 2].map(async () => {
        const response = await server.fetch('/api/articles/obsidian-vault?slugs=first&format=zip');
        expect(response.headers.get('content-type')).toBe('application/zip');
        return new Uint8Array(await response.arrayBuffer());
      }),
    );
    const [one, two] = fetched as [Uint8Array, Uint8Array];
    expect(Buffer.from(one).equals(two)).toBe(true);
    const unzipped = new Map(Object.entries(unzipSync(one)).map(([path, bytes]) => [path, strFromU8(bytes)]));
    expect(unzipped).toEqual(await manifest('?slugs=first'));
  });

  it('follows the rules for articles of others, and for all articles together', async () => {
    for (const [slug, path] of [
      ['faq', 'oi-wiki-cjk/docs_intro_faq.md'],
      ['xml', 'owasp-cheatsheets/cheatsheets_XML_Security_Cheat_Sheet.md'],
      ['rfc', 'rfcs/3695-cfg-boolean-literals.md'],
    ] as const)
      await server.article(readFileSync(new URL(`../data/markdown/${path}`, import.meta.url), 'utf8'), {
        slug,
      });
    const files = await manifest();
    expect(files.size).toBe(11);
    expect(findings(files)).toEqual([]);
  });

  it.each([
    ['?slugs=first,nowhere', 'not_found'],
    ['?slugs=,', 'invalid_request'],
    ['?slugs=first&format=tar', 'invalid_request'],
    ['?slug=first', 'invalid_request'],
    ['?slugs=..%2F..%2Fetc', 'not_found'],
  ])('%s is refused as %s', async (query, error) => {
    const response = await server.fetch(`/api/articles/obsidian-vault${query}`);
    expect(((await response.json()) as Answer)['error']).toBe(error);
  });
});

describe('the vault rules', () => {
  it('detect violations', () => {
    const files = new Map([
      ['a.md', '---\ntags: ["12"]\n---\n\nSee [[b]]. ^x y\nText ^a_b\nlist\n^own\n'],
      [
        'G.canvas',
        '{"nodes":[{"id":"1","type":"file","file":"c.md","x":0.5,"y":0,"width":1,"height":1}],"edges":[]}',
      ],
    ]);
    expect(findings(files)).toEqual([
      'a.md: tag 12',
      'a.md: a link to b',
      'a.md: block id a_b',
      'a.md: ^own stands in no line of its own',
      'G.canvas: node 1',
      'G.canvas: x of 1',
      'a.md: its checksum',
      'G.canvas: its checksum',
    ]);
  });
});
