/**
 * Idempotent replay (contract §3): for every row, the response to a repeated request equals the first response in every
 * member, except for the members listed here.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { callEveryRow, openWalked, type WalkedServer } from './every-row.ts';
import { owner, type Reply } from './local.ts';

type Json = Record<string, unknown>;

/** A token, and what holds one, is shown once; `result` has the same without it, and its fingerprint. */
const shownOnce = new Set([
  'share',
  'key',
  'secret',
  'feed_url',
  'drop',
  'invoke_url',
  'explain_url',
  'return_url',
  'templates',
  'assignment',
  'batch',
]);

/** How long the first call took is nothing that a repeat could say. The log grows on below the same entry. */
function comparable({ status, json }: Reply): Json {
  const { idempotent_replay: _said, invocation, proof, ...rest } = json;
  const { duration_ms: _took, ...call } = invocation as Json;
  const { log_index: _index, tlog_proof: _proof, ...proven } = proof as Json;
  const kept = Object.entries(rest).filter(([name]) => !shownOnce.has(name));
  return { status, ...Object.fromEntries(kept), invocation: call, proof: proven };
}

describe.each(hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'])('a replayed response on %s', (store) => {
  let server: WalkedServer;
  let postgres: TestDatabases | undefined;
  const keys = new Set<string>();

  beforeAll(async () => {
    postgres = store === 'postgres' ? await sharedPostgres() : undefined;
    server = await openWalked(await postgres?.database());
  });

  afterAll(async () => {
    await server.end();
    await postgres?.stop();
  });

  function expectSame(key: string, first: Reply, again: Reply): void {
    expect([key, first.status, first.json['idempotent_replay']]).toEqual([key, 200, undefined]);
    expect([key, again.json['idempotent_replay']]).toEqual([key, true]);
    expect([key, comparable(again)]).toEqual([key, comparable(first)]);
    expect(again.body).not.toMatch(/sh\.[A-Za-z0-9_-]{48}/);
  }

  it('equals the first response of every row by POST', async () => {
    let n = 0;
    await callEveryRow(server, async (key, body) => {
      const idem = `walk ${n++}`;
      const first = await server.call(key, body, { idem }, owner);
      if (first.status !== 200) throw new Error(`${key} was refused: ${first.body}`);
      expectSame(key, first, await server.call(key, body, { idem }, owner));
      keys.add(key);
      return first;
    });
    expect([...keys].sort()).toEqual([...server.deployment.service.rows.keys()].sort());
  }, 60_000);

  it.each([
    ['MIRROR_APPEND', 'walked||question|ada|Asked by URL.'],
    ['OBJECTION_LOG', 'walked|By URL.'],
    [
      'CLAIM_POST',
      '{"slug":"walked","text":"A root has no parent.","tier":"system","who_claims":"ada","why_material":"x"}',
    ],
    ['LANDSCAPE_NEXT', 'field'],
    ['PAPER_GROW', ''],
    ['WEB_FETCH', 'GET|{page}||'],
    ['CAP_MINT', '{"scope":"row","key":"MIRROR_FEED"}'],
  ])('equals the first response of %s by URL', async (key, body) => {
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    const url = { invoke: key, body: body.replace('{page}', server.page), share };
    const first = await server.get(url);
    expectSame(key, first, await server.get(url));
  });

  it('repeats the error of a refused call', async () => {
    const { share } = await server.mint({ scope: 'act', max_uses: 0 });
    const url = { invoke: 'MIRROR_APPEND', body: 'no-such-article||question|ada|x', share };
    const [first, again] = [await server.get(url), await server.get(url)];
    expect(first.status).toBe(404);
    expect(comparable(again)).toEqual(comparable(first));
  });

  it('is not stored a second time, and shows no text that was scrubbed since', async () => {
    const text = 'A verifier of the walked ledger needs one key.';
    const body = { slug: 'walked', text, tier: 'system', who_claims: 'ada', why_material: 'x' };
    const first = await server.call('CLAIM_POST', body, { idem: 'claim' }, owner);
    expect(first.json['result_text']).toContain(text);
    const { id } = first.json['invocation'] as { id: string };
    const [stored] = await server.deployment.service.store.read.chain(id);
    const told = stored?.contents.find(({ field }) => field === 'told_sha');
    expect(told?.body).not.toContain('verifier');
    await server.call('SECRET_SCRUB', { secret: 'verifier of the walked' }, {}, owner);
    const again = await server.call('CLAIM_POST', body, { idem: 'claim' }, owner);
    expect(again.json['result_text']).toContain('A [redacted:secret] ledger needs one key.');
  });
});
