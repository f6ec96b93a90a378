import { afterAll, beforeAll, expect, it } from 'vitest';
import { callParameters, repairParameters } from '../../src/domain/capabilities/call-template.ts';
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

it('the named arguments of a row that strangers write with leave 60 characters for the texts', () => {
  const share = 'sh.AQdpVbkAAAECAwQFBgcICWzkvuybkyoIU6zhoiWJmKsdPO_J';
  const strangers = new Set(['OBJECTION_LOG', 'OIP_ARTICLE_REVIEW', 'MODEL_CHAT_INTAKE', 'MIRROR_APPEND']);
  for (const row of builtInRows.filter(({ key }) => strangers.has(key)))
    for (const call of [callParameters(row), repairParameters(row, 'inv_abcdefghijklmnop')]) {
      const fixed = `${publicBase}/api/dispatch?${call.replaceAll(/\{[a-z_]+\}/g, '')}&share=${share}`;
      expect([row.key, fixed.length <= urlCharsMax - 60]).toEqual([row.key, true]);
      expect(call).toContain('arg.slug={slug}');
    }
});
