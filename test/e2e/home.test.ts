/** The first page (contract §8): what a newcomer is told to do, and where to begin. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.article('# Ants\n\nAnts walk.\n', { slug: 'ants' });
  await server.article('# Wasps\n\nWasps fly.\n', { slug: 'wasps' });
});
afterAll(async () => {
  await server.stop();
  expect(server.errors).toEqual([]);
});

const mark = (slug: string, expected_version: number, home: boolean) =>
  server.owner('/api/protocol/article', { slug, expected_version, home });

/** What a reader is told to begin with, as plain text; nothing where the page says nothing of it. */
async function begin(path = '/'): Promise<string | undefined> {
  const markup = await (await server.fetch(path)).text();
  return /<p class="begin">(.*?)<\/p>/s.exec(markup)?.[1]?.replaceAll(/<[^>]+>/g, '');
}

describe('the home page', () => {
  it('shows where to begin only while an article is marked as the start', async () => {
    expect(await begin()).toBeUndefined();
    await mark('wasps', 1, true);
    expect(await begin()).toBe('Begin with Wasps.');
    await mark('ants', 1, true);
    expect(await begin()).toBe('Begin with Ants, Wasps.');
    await mark('wasps', 2, false);
    expect(await begin()).toBe('Begin with Ants.');
    await server.owner('/api/protocol/article', { slug: 'ants', expected_version: 2, status: 'archived' });
    expect(await begin()).toBeUndefined();
  });

  it('shows where to begin only on the first page of the list', async () => {
    await mark('wasps', 3, true);
    expect(await begin('/?after=ants')).toBeUndefined();
  });

  it('finds an article by a word without JavaScript', async () => {
    const markup = await (await server.fetch('/')).text();
    expect(markup).toMatch(/<form [^>]*role="search" action="\/search" method="get">.*<input [^>]*name="q"/s);
    await expect
      .poll(async () => (await (await server.fetch('/search?q=fly')).text()).includes('href="/a/wasps'))
      .toBe(true);
  });
});
