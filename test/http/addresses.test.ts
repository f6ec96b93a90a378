/**
 * "URLs are absolute and usable as they stand; URLs with placeholders appear only under `templates[]`, written `{name}`"
 * (contract §2). Checks every answer of every route and of every row.
 */
import { describe, expect, it } from 'vitest';
import { readStarters } from '../unit/content/starters.ts';
import { startServer, terminalKey } from '../support/server.ts';
import { send } from './client.ts';
import { callEveryRow, openWalked } from './every-row.ts';
import { openLocal, owner } from './local.ts';
import { requestsFor, walkOf } from './tenants-walk.ts';
import { buildWorld } from './tenants-world.ts';

/** Documents in a foreign format have that format's placeholders (contract §2). */
const foreign = new Set(['/api/openapi.json', '/api/openai/actions.json']);
/**
 * Text in which templates stand on lines of their own (spec §1, rule 4); what was sent or may be sent, and the target of
 * a row of the owner's, which are in nobody's place to open.
 */
const texts = new Set([
  'drop',
  'request',
  'body',
  'contract',
  'invoke_body',
  'router_tag',
  'example',
  'arguments',
  'target',
]);

const placeholder = /https?:\/\/[^\s"'`]*(?:\{|%7B|<|\$\d|\/:[a-z])/i;

/** Addresses with something to fill in, each with the members above it. */
function unready(value: unknown, at: string): string[] {
  if (typeof value === 'string') return placeholder.test(value) ? [`${at}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'templates' || texts.has(name) ? [] : unready(member, `${at}/${name}`),
  );
}

const pattern = /^https?:\/\/[^\s<$]*\{[a-z_]+\}/;

/** Patterns that say their placeholders in another way. */
function misspelled(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'templates'
      ? (member as unknown[]).filter((url) => typeof url === 'string' && !pattern.test(url)).map(String)
      : misspelled(member),
  );
}

/** What MCP tells a program stands beside the same as text. */
function toldIn(path: string, json: unknown): unknown {
  const { result } = json as { readonly result?: { readonly structuredContent?: unknown } };
  return path === '/mcp' ? (result?.structuredContent ?? {}) : json;
}

describe('a URL in an answer', () => {
  it('is usable as it stands on every route, for every caller', async () => {
    const server = await startServer({});
    try {
      const { names, share } = await buildWorld(server, 'main', 'open');
      const walk = await walkOf(server, names);
      const found = new Set<string>();
      let looked = 0;
      const callers: Record<string, string>[] = [
        {},
        { authorization: `Bearer ${share}` },
        { 'x-terminal-key': terminalKey },
      ];
      for (const headers of callers) {
        for (const request of requestsFor(walk, names)) {
          // What is written is told alike to whoever may write; the owner may everything.
          if (headers !== callers[2] && request.body !== undefined) continue;
          const { body, headers: said } = await send(server.base, {
            ...request,
            headers: { ...headers, ...request.headers },
          });
          const path = request.path.replace(/\?.*/, '');
          if (!/(?<!nd)json/.test(String(said['content-type'])) || foreign.has(path)) continue;
          looked++;
          const json = toldIn(path, JSON.parse(body));
          for (const each of [...unready(json, ''), ...misspelled(json)]) found.add(`${path} ${each}`);
        }
      }
      expect([...found]).toEqual([]);
      expect(looked).toBeGreaterThan(500);
    } finally {
      await server.stop();
    }
  }, 120_000);

  it('is usable as it stands in the answer of every row', async () => {
    const server = await openWalked(undefined);
    try {
      const found: string[] = [];
      await callEveryRow(server, async (key, body) => {
        const reply = await server.call(key, body, {}, owner);
        found.push(...unready(reply.json, key), ...misspelled(reply.json));
        return reply;
      });
      expect(found).toEqual([]);
    } finally {
      await server.end();
    }
  });
});

describe('the invoke_url of a share', () => {
  it('can be opened for every scope, and never writes with a made-up body', async () => {
    const server = await openLocal();
    try {
      await server.deployment.did('VOXEL_BATCH', { document: { slug: 'alpha', markdown: 'One.\n' } });
      const open = async (grant: object): Promise<[unknown, unknown, unknown]> => {
        const minted = await server.call('CAP_MINT', grant, {}, owner);
        const url = String(minted.json['invoke_url']);
        const { json } = await server.send({ path: url.slice(server.deployment.service.base.length) });
        return [(json['invocation'] as { key: string }).key, json['ok'], json['error'] ?? json['ran']];
      };
      // What examples speak of is there where a ledger was seeded.
      const starter = readStarters().find(({ slug }) => slug === 'what-the-ledger-is');
      const { slug, markdown } = starter ?? {};
      await server.deployment.did('VOXEL_BATCH', { document: { slug, markdown } });
      for (const key of ['ARTICLE_INSPECT', 'MIRROR_FEED', 'CAP_EXPLAIN'])
        expect(await open({ key })).toEqual([key, true, true]);
      expect(await open({ key: 'OIP_RECEIPT' })).toEqual(['OIP_RECEIPT', false, 'body_mismatch']);
      const fixed = { key: 'OBJECTION_LOG', body_fixed: 'alpha|Is 5 % & more + enough?' };
      expect(await open(fixed)).toEqual(['OBJECTION_LOG', true, true]);
      expect(await open({ scope: 'act' })).toEqual(['OIP_TREE', true, true]);
      expect(await open({ scope: 'read', article: 'alpha' })).toEqual(['ARTICLE_INSPECT', true, true]);
      expect(await open({ scope: 'rows', keys: ['MIRROR_APPEND', 'PAPER_STATE'] })).toEqual([
        'PAPER_STATE',
        true,
        true,
      ]);
      expect(await open({ key: 'MIRROR_FEED', article: 'alpha' })).toEqual(['MIRROR_FEED', true, true]);
      expect(await open({ key: 'PAPER_GROW' })).toEqual(['PAPER_GROW', true, true]);
      for (const bound of [{}, { article: 'alpha' }])
        expect(await open({ key: 'OBJECTION_LOG', ...bound })).toEqual([
          'OBJECTION_LOG',
          false,
          'body_mismatch',
        ]);
      expect(await open({ scope: 'pfx', keys: ['VOXEL_'] })).toEqual([
        'VOXEL_ATTEST',
        false,
        'body_mismatch',
      ]);
    } finally {
      await server.end();
    }
  });

  it('describes the missing body of a write uncharged, beside a template of its arguments', async () => {
    const server = await openLocal();
    try {
      await server.deployment.did('VOXEL_BATCH', { document: { slug: 'alpha', markdown: 'One.\n' } });
      const { json } = await server.call('CAP_MINT', { key: 'OBJECTION_LOG' }, {}, owner);
      const { invoke_url: url, templates, share } = json as Record<string, string> & { templates: string[] };
      const { base } = server.deployment.service;
      const asked = await server.send({ path: String(url).slice(base.length) });
      expect(asked.json).toMatchObject({ charged: false, example: expect.any(String) as string });
      expect(asked.json['inputs']).toBeDefined();
      expect(templates).toEqual([
        `${base}/api/dispatch?invoke=OBJECTION_LOG&arg.slug={slug}&arg.objection={objection}&share=${String(share)}`,
        `${base}/api/dispatch?receipt={inv}&share=${share}`,
        `${base}/api/dispatch?invoke={key}&arg.{name}={text}&repairs={inv}&share=${share}`,
      ]);
      const filled = String(templates?.[0])
        .replace('{slug}', 'alpha')
        .replace('{objection}', 'It%20is%20short%20%7C%20vague.');
      expect((await server.send({ path: filled.slice(base.length) })).json['ran']).toBe(true);
      expect(await server.explain(String(share))).toMatchObject({ uses: 1 });
    } finally {
      await server.end();
    }
  });
});
