import { expect, it } from 'vitest';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import type { Answer } from '../support/server.ts';

onBothStores('a certificate', (server) => {
  const certify = async (body: object): Promise<Answer> => {
    const response = await server().fetch('/api/proven-work', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  };

  it('records who inspected which head of an article, the method and the outcome', async () => {
    await server().article('# Bread\n\nBread keeps for a week.\n', { slug: 'on-bread' });
    const { objects } = await server().read('/api/proven-work');
    const [bread] = objects as Answer[];
    expect(bread).toMatchObject({
      id: 'on-bread',
      certifications: { verified: 0, broken: 0, inconclusive: 0 },
    });
    const head = String(bread?.['chain_head']);
    const certified = await certify({
      action: 'certify',
      target: 'on-bread',
      outcome: 'verified',
      head,
      method: 'colophon verify',
      note: 'Every chain was recomputed.',
      actor: 'ada',
    });
    expect(certified).toMatchObject({
      http: 200,
      certificate: {
        kind: 'article',
        target: 'on-bread',
        head,
        outcome: 'verified',
        actor: 'anonymous',
        name: 'ada',
      },
      receipt: { id: certified['certificate'].receipt },
    });
    await certify({ target: 'on-bread', outcome: 'broken', note: 'The signature did not match.' });
    const listed = await server().read('/api/proven-work?target=on-bread');
    expect(listed).toMatchObject({
      count: 2,
      certifications: { verified: 1, broken: 1, inconclusive: 0 },
      certificates: [
        { outcome: 'broken', prev: listed['certificates'][1].hash },
        { outcome: 'verified', prev: 'genesis', method: 'colophon verify' },
      ],
    });
    expect((await server().read('/api/proven-work'))['objects'][0]).toMatchObject({
      certifications: { verified: 1, broken: 1 },
    });
    const first = await server().read('/api/proven-work?target=on-bread&limit=1');
    const second = (await (await fetch(String(first['next']))).json()) as Answer;
    expect([second['certificates'][0].outcome, second['next']]).toEqual(['verified', null]);
  });

  it('can target the receipt of any caller', async () => {
    const { receipt } = await server().anybody('/api/articles/on-bread/objections', {
      objection: 'A day at most.',
    });
    expect(await certify({ target: receipt.id, outcome: 'inconclusive' })).toMatchObject({
      certificate: { kind: 'receipt', target: receipt.id },
    });
    expect(await server().read(`/api/proven-work?target=${receipt.id}`)).toMatchObject({ count: 1 });
  });

  it('names the newest head of a receipt whose chain grew after its first entry', async () => {
    const { share } = await server().owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'row', key: 'OBJECTION_LOG', owner_gate: true },
    });
    const { invocation } = await server().anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: { slug: 'on-bread', objection: 'Rye keeps longer.' },
      share,
    });
    await server().owner('/api/dispatch', { key: 'OIP_APPROVE', body: `${invocation.id}|approved|` });
    const { entries } = (
      await server().owner('/api/dispatch', { key: 'OIP_RECEIPT', body: String(invocation.id) })
    )['result'] as Answer;
    const heads = (entries as Answer[]).map(({ hash }) => String(hash));
    expect(heads).toHaveLength(2);
    expect(await certify({ target: invocation.id, outcome: 'verified' })).toMatchObject({
      http: 200,
      certificate: { kind: 'receipt', target: invocation.id, head: heads[1] },
    });
    expect(await certify({ target: invocation.id, outcome: 'verified', head: heads[0] })).toMatchObject({
      http: 409,
      error: 'hash_stale',
      current_hash: heads[1],
    });
  });

  it('is rejected for a stale head, an unknown outcome and a target that cannot be read', async () => {
    await server().article('# Hidden\n\nText.\n', { slug: 'hidden', status: 'draft' });
    expect(await certify({ target: 'on-bread', outcome: 'verified', head: '0'.repeat(64) })).toMatchObject({
      http: 409,
      error: 'hash_stale',
      current_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(await certify({ target: 'on-bread', outcome: 'fine' })).toMatchObject({ http: 422 });
    expect(await certify({ action: 'forge', target: 'on-bread', outcome: 'verified' })).toMatchObject({
      http: 400,
    });
    for (const target of ['hidden', 'absent', 'inv_aaaaaaaaaaaaaaaa']) {
      expect(await certify({ target, outcome: 'verified' })).toMatchObject({ http: 404, error: 'not_found' });
      expect((await server().fetch(`/api/proven-work?target=${target}`)).status).toBe(404);
    }
  });

  it('leaves projections that a ledger replay reproduces', () => expectRebuilds(server()));
});
