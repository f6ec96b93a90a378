/**
 * Pages load nothing from other hosts (contract §8): the author of an article must not learn who reads it. An image
 * is a link with its description and its host; images under this deployment's own `/blobs` stay images.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const tracker = 'https://tracker.example/pixel.png';
const blob = '0'.repeat(64);
/** Every way to have something loaded that Markdown and its HTML know. */
const ways = [
  `![Inline](${tracker}?1)`,
  '![By name][pixel]\n\n[pixel]: https://tracker.example/pixel.png?2',
  `[![Linked](${tracker}?3)](https://example.org/)`,
  `<img src="${tracker}?4" srcset="${tracker}?5 2x" alt="Raw">`,
  `<IMG\nSRC='${tracker}?6' alt='Shouted > "quoted"'>`,
  `<img src=//tracker.example/7 alt=Relative>`,
  `<img src="h&#116;tps://tracker.example/8" alt="Encoded">`,
  `<picture><source srcset="${tracker}?9"><img alt="Picture" src="${tracker}?10"></picture>`,
  `<video poster="${tracker}?11" src="${tracker}?12"></video><audio src="${tracker}?13"></audio>`,
  `<table background="${tracker}?14"><tr><td style="background:url(${tracker}?15)">x</td></tr></table>`,
  `<p style="background-image:url('${tracker}?16')">x</p><style>p{background:url(${tracker}?17)}</style>`,
  `<svg><image href="${tracker}?18"/></svg><object data="${tracker}?19"></object><embed src="${tracker}?20">`,
  `<iframe src="${tracker}?21"></iframe><link rel="stylesheet" href="${tracker}?22">`,
  `<input type="image" src="${tracker}?23"><body background="${tracker}?24">`,
];

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  const own = `![Ours](${server.base}/blobs/${blob})\n\n![Not a blob](${server.base}/start)`;
  await server.article(`# Pictures\n\n${ways.join('\n\n')}\n\n${own}\n`, { slug: 'pictures' });
  await server.owner('/api/protocol/article', {
    slug: 'pictures',
    expected_version: 1,
    hero: `${tracker}?hero`,
    images: [`${tracker}?images`],
    embeds: [`${tracker}?embeds`],
    widgets: ['widget'],
    style: { background: `url(${tracker}?style)` },
  });
  const claim = { text: `The picture ![x](${tracker}?claim) is small.`, tier: 'system', who_claims: 'ada' };
  await server.owner('/api/protocol/claim', { slug: 'pictures', ...claim, why_material: 'It is.' });
});

afterAll(async () => {
  expect(server.errors).toEqual([]);
  await server.stop();
});

async function page(path: string): Promise<{ readonly html: string; readonly policy: string }> {
  const response = await server.fetch(path, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(200);
  return { html: await response.text(), policy: response.headers.get('content-security-policy') ?? '' };
}

/** Addresses that a browser loads by itself: every attribute and style of an element, but for links to follow. */
function loadedBy(html: string): readonly string[] {
  return [...html.matchAll(/<([a-z][\w-]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/gi)].flatMap(
    ([tag, name, attributes = '']) =>
      (name === 'a' ? attributes.replace(/\s(?:href|title)="[^"]*"/g, '') : attributes).includes(
        'tracker.example',
      )
        ? [tag]
        : [],
  );
}

const divs = Array.from({ length: ways.length + 3 }, (_, i) => `/a/pictures/d${i + 1}`);

it.each(['/a/pictures', '/a/pictures/c1', '/a/pictures/graph', '/a/pictures/history', '/', ...divs])(
  '%s loads nothing from another host',
  async (path) => {
    const { html, policy } = await page(path);
    expect(loadedBy(html)).toEqual([]);
    expect(policy).toContain("img-src 'self';");
    expect(policy).toContain("default-src 'none';");
    expect(policy).not.toMatch(/https?:|data:|\*/);
  },
);

it('a page links images of other hosts with description and host, and embeds blobs of its own', async () => {
  const { html } = await page('/a/pictures');
  expect(html).toContain(`<a href="${tracker}?1" rel="nofollow ugc noopener">Inline (tracker.example)</a>`);
  expect(html).toContain(`<a href="${tracker}?2" rel="nofollow ugc noopener">By name (tracker.example)</a>`);
  expect(html).toContain('Linked (tracker.example)</a>');
  expect(html).toContain('Shouted &gt; &quot;quoted&quot; (tracker.example)</a>');
  expect(html).toContain(`<a href="${tracker}?hero" rel="nofollow ugc noopener">Image (tracker.example)</a>`);
  const loaded = [...html.matchAll(/<img [^>]*src="([^"]*)"/g)].map(([, src]) => src);
  expect(loaded).toEqual([`${server.base}/blobs/${blob}`]);
});
