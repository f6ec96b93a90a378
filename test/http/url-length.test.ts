import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInRows } from '../../src/rows/index.ts';
import { openLocal, type LocalServer } from './local.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

/** A public address as a deployment may have it. */
const publicBase = 'https://colophon.knowledge.example';
const urlCharsMax = 250;

it('the URL of a call or repair with a share and a body of 60 characters fits in 250', async () => {
  const { share } = await server.mint({ scope: 'act', max_uses: 0 });
  expect(share).toHaveLength(51);
  const body = 'a-sixty-character-body|with-three-arguments|and-plain-words-in';
  const bodies = [body.slice(0, 60), encodeURIComponent('alpha|c1|question|ada|Which entries?').slice(0, 60)];
  const long: [string, number][] = [];
  const keys = builtInRows.filter((row) => row.auth !== 'owner').map((row) => row.key);
  for (const key of keys) {
    for (const each of bodies) {
      const url = `${publicBase}/api/dispatch?invoke=${key}&body=${each}&share=${share}`;
      const repair = `${url}&repairs=inv_abcdefghijklmnop`;
      for (const address of [url, repair]) if (address.length > urlCharsMax) long.push([key, address.length]);
    }
  }
  expect(long).toEqual([]);
  expect(keys.length).toBeGreaterThan(30);
});
