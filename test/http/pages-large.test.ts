import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolders, startServer, type RunningServer } from '../support/process-server.ts';
import { send } from './client.ts';

let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  await server.kill();
  removeFolders();
});

/** Long enough to be rendered beside the server. */
const length = 66_000;
const texts: Readonly<Record<string, string>> = {
  words: 'Words. '.repeat(length / 7),
  opening: '['.repeat(length),
  closing: ']'.repeat(length),
  stars: '**a'.repeat(length / 3),
  ticks: '`a'.repeat(length / 2),
  images: '![a'.repeat(length / 3),
  links: '[a]('.repeat(length / 4),
  tags: '<a '.repeat(length / 3),
  table: `${'|a'.repeat(length / 4)}\n${'|-'.repeat(length / 4)}`,
  addresses: 'http://a@'.repeat(length / 9),
  lines: 'a\n'.repeat(length / 2),
  quotes: `${'> '.repeat(length / 2)}x`,
  lists: `${'- '.repeat(length / 2)}x`,
};

describe('a page of a large article', () => {
  it('renders whatever its text consists of, requested one at a time and concurrently', async () => {
    for (const [name, text] of Object.entries(texts)) {
      const made = await send(server.base, {
        path: '/api/protocol/voxel-batch',
        headers: { 'x-terminal-key': server.terminalKey },
        body: { document: { slug: `large-${name}`, title: name, markdown: `${text}\n` } },
      });
      expect([name, made.status]).toEqual([name, 200]);
      const page = await send(server.base, { path: `/a/large-${name}` });
      expect([name, page.status]).toEqual([name, 200]);
    }
    const edited = Object.keys(texts).map((name) =>
      send(server.base, {
        path: '/api/protocol/voxel-batch',
        headers: { 'x-terminal-key': server.terminalKey },
        body: { document: { slug: `large-${name}`, markdown: 'One more.\n' } },
      }),
    );
    for (const { status } of await Promise.all(edited)) expect([200, 422]).toContain(status);
    const pages = await Promise.all(
      Object.keys(texts).map((name) => send(server.base, { path: `/a/large-${name}` })),
    );
    expect(pages.map(({ status }) => status)).toEqual(Object.keys(texts).map(() => 200));
    expect(server.output()).not.toMatch(/Warning|"level":50/);
  }, 60_000);
});
