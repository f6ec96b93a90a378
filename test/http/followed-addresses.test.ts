/**
 * "URLs are absolute and usable as they stand" (contract §2): opens every address in the answers of every row and of every
 * read, as the caller who got it, and expects 200. Addresses with places to fill in stand under `templates` alone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, terminalKey, type TestServer } from '../support/server.ts';
import { send } from './client.ts';
import { callEveryRow, openWalked, type WalkedServer } from './every-row.ts';
import { openLocal, owner, type LocalServer } from './local.ts';
import { requestsFor, walkOf } from './tenants-walk.ts';
import { buildWorld } from './tenants-world.ts';

/** Members that quote what was sent, show what may be sent, name where to send it by POST, or give a lease back. */
const unopened = new Set([
  'templates',
  'drop',
  'request',
  'body',
  'contract',
  'invoke_body',
  'router_tag',
  'example',
  'examples',
  'inputs',
  'arguments',
  'write',
  'post',
  'send_to',
  'post_to',
  'return_url',
  'type',
  'instance',
  'trust',
]);

/**
 * What nobody can open as a page: an intake, an article that is not begun, a workspace that was closed since, and a draft,
 * since pages are rendered for anonymous readers.
 */
const unread =
  /^\/a\/draft(?:\/|$)|\/webhook$|^\/a\/trees-merkle-tree$|^(?:\/api)?\/workspace\/survey(?:\/enter)?$/;

/** Every address of this deployment in an answer, with the members above it. */
function addressesIn(value: unknown, base: string, at: string, found: Map<string, string>): void {
  if (typeof value === 'string') {
    const path = value.startsWith(`${base}/`) ? value.slice(base.length) : '';
    if (path !== '' && !/\s/.test(path) && !unread.test(path)) found.set(path, at);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if ((value as { readonly method?: unknown }).method === 'POST') return;
  for (const [name, member] of Object.entries(value))
    if (!unopened.has(name)) addressesIn(member, base, `${at}/${Array.isArray(value) ? '' : name}`, found);
}

type Open = (path: string, headers: Record<string, string>) => Promise<number>;

async function unopenable(
  found: ReadonlyMap<string, string>,
  open: Open,
  headers: Record<string, string>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [path, at] of found) {
    const status = await open(path, headers);
    if (status !== 200) wrong.push(`${status} ${at} ${path}`);
  }
  return wrong;
}

describe('the addresses in the answer of every row', () => {
  let server: WalkedServer;
  beforeAll(async () => {
    server = await openWalked(undefined);
  });
  afterAll(() => server.end());

  it('open as they stand, with the credential in a header and without one', async () => {
    const { base } = server.deployment.service;
    const found = new Map<string, string>();
    await callEveryRow(server, async (key, body) => {
      const reply = await server.call(key, body, {}, owner);
      addressesIn(reply.json, base, key, found);
      return reply;
    });
    const open: Open = async (path, headers) => (await server.send({ path, headers })).status;
    expect(found.size).toBeGreaterThan(150);
    expect(await unopenable(found, open, owner)).toEqual([]);
    // What belongs to nobody but the caller is the same page for everybody.
    const receipts = new Map([...found].filter(([path]) => path.startsWith('/receipt/')));
    expect(receipts.size).toBeGreaterThan(40);
    expect(await unopenable(receipts, open, {})).toEqual([]);
  }, 120_000);
});

describe('the addresses in the answer of every read', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({});
  });
  afterAll(() => server.stop());

  it('open as they stand for strangers and for the owner', async () => {
    const { names } = await buildWorld(server, 'main', 'open');
    const walk = await walkOf(server, names);
    for (const headers of [{}, { 'x-terminal-key': terminalKey }] as Record<string, string>[]) {
      const found = new Map<string, string>();
      for (const request of requestsFor(walk, names)) {
        if (request.method !== 'GET') continue;
        const { body, headers: said } = await send(server.base, { ...request, headers });
        if (!/application\/(?:problem\+)?json/.test(String(said['content-type']))) continue;
        if (/openapi\.json|actions\.json|\/api\/schemas/.test(request.path)) continue;
        addressesIn(JSON.parse(body), server.base, request.path, found);
      }
      const open: Open = async (path, more) => (await send(server.base, { path, headers: more })).status;
      expect(found.size).toBeGreaterThan(60);
      expect(await unopenable(found, open, headers)).toEqual([]);
    }
  }, 120_000);
});

describe('the addresses of a reader with a share in the address', () => {
  let server: LocalServer;
  beforeAll(async () => {
    server = await openLocal();
    await server.deployment.did('VOXEL_BATCH', { document: { slug: 'alpha', markdown: '# A\n\nOne.\n' } });
  });
  afterAll(() => server.end());

  it('open without anything beside them, from the first to the confirmation of a write', async () => {
    const { base } = server.deployment.service;
    const wrong: string[] = [];
    const get = async (path: string): Promise<Record<string, unknown>> => {
      const { json } = await server.send({ path });
      const found = new Map<string, string>();
      addressesIn(json, base, path, found);
      const open: Open = async (each) => (await server.send({ path: each })).status;
      wrong.push(...(await unopenable(found, open, {})));
      return json;
    };
    const { token } = (await get('/start'))['credential'] as { token: string };
    const dispatch = (call: string): string => `/api/dispatch?${call}&share=${token}`;
    await get(dispatch('explain=1'));
    await get(dispatch('invoke=ARTICLE_INSPECT&body=alpha'));
    const done = await get(dispatch('invoke=OBJECTION_LOG&arg.slug=alpha&arg.objection=No+source.'));
    expect(done['ok']).toBe(true);
    const failed = await get(dispatch('invoke=OBJECTION_LOG&arg.slug=alpha'));
    expect(failed['error']).toBe('body_mismatch');
    expect((await get(dispatch('invoke=CLAIM_POST&body=alpha')))['error']).toBe('scope_denied');
    const cut = await get('/api/dispatch?self_scope=1&keys=OBJECTION_LOG');
    await get(`/api/dispatch?self_scope=1&narrow=1&keys=OBJECTION_LOG&share=${String(cut['share'])}`);
    for (const key of ['OBJECTION_LOG', 'MIRROR_FEED', 'OIP_RECEIPT', 'CAP_EXPLAIN', 'PAPER_STATE']) {
      const minted = await server.call('CAP_MINT', { key, max_uses: 0 }, {}, owner);
      const url = String(minted.json['invoke_url']).slice(base.length);
      await get(url);
      expect([key, (await server.send({ path: url })).status]).toEqual([key, 200]);
    }
    expect(wrong).toEqual([]);
  });
});
