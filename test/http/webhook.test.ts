import { expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { expectRebuilds, onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

const claim = {
  kind: 'claim',
  text: 'Every write leaves a receipt.',
  tier: 'system',
  who_claims: 'A sender',
  why_material: 'Readers rely on it.',
};
const source = {
  kind: 'source',
  type: 'review',
  url: 'https://www.rfc-editor.org/rfc/rfc6962',
  title: 'RFC 6962',
  quote: 'Merkle audit proofs',
};

async function secretOf(server: TestServer, slug: string): Promise<{ secret: string; result: Answer }> {
  const answer = await server.owner('/api/dispatch', { key: 'WEBHOOK_SECRET', body: slug });
  return { secret: String(answer['secret']), result: answer['result'] as Answer };
}

interface Sending {
  readonly secret?: string;
  readonly id?: string;
  readonly at?: Date;
  readonly headers?: Record<string, string>;
}

async function post(
  server: TestServer,
  slug: string,
  payload: object | string,
  { secret, id = 'msg_1', at = new Date(), headers = {} }: Sending,
): Promise<{ status: number; json: Answer }> {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload, null, 1);
  const signed: Record<string, string> =
    secret === undefined
      ? {}
      : {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign(id, at, body),
        };
  const response = await server.fetch(`/api/articles/${slug}/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed, ...headers },
    body,
  });
  return { status: response.status, json: (await response.json()) as Answer };
}

onBothStores('the webhook', (server) => {
  it('accepts claims and sources whose raw bytes are signed with the secret of the article', async () => {
    await server().article('# Hooks\n\nText.\n', { slug: 'hooks' });
    const { secret, result } = await secretOf(server(), 'hooks');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const posted = await post(server(), 'hooks', source, { secret, id: 'msg_source' });
    expect(posted).toMatchObject({
      status: 200,
      json: { source_ids: ['s1'], receipt: { id: expect.stringMatching(/^inv_/) as string } },
    });
    const claimed = await post(
      server(),
      'hooks',
      { ...claim, source_ids: ['s1'] },
      { secret, id: 'msg_claim' },
    );
    expect(claimed.json).toMatchObject({
      claim_id: 'c1',
      claim: { source_status: 'sourced', posted_by: { actor: result['fingerprint'], channel: 'webhook' } },
    });
  });

  it('returns validation errors for a signed body, not an authorization error', async () => {
    const { secret } = await secretOf(server(), 'hooks');
    const sent = { ...claim, text: 'Every lease has an end.', colour: 'red' };
    expect(await post(server(), 'hooks', sent, { secret, id: 'msg_odd' })).toMatchObject({
      status: 422,
      json: { error: 'body_mismatch', detail: expect.stringContaining('colour') as string },
    });
    expect(
      await post(server(), 'hooks', { ...claim, slug: 'other' }, { secret, id: 'msg_astray' }),
    ).toMatchObject({ status: 400, json: { error: 'invalid_request', parameter: 'slug' } });
  });

  it('replays the first result for a repeated webhook-id, whatever the body', async () => {
    const { secret } = await secretOf(server(), 'hooks');
    const first = await post(
      server(),
      'hooks',
      { ...claim, text: 'Every receipt has an id.' },
      { secret, id: 'msg_twice' },
    );
    const again = await post(
      server(),
      'hooks',
      { ...claim, text: 'No receipt has an id.' },
      { secret, id: 'msg_twice' },
    );
    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({ claim_id: first.json['claim_id'], receipt: first.json['receipt'] });
    expect((await server().read('/api/articles/hooks/claims'))['count']).toBe(2);
  });

  it('rejects wrong signatures, bodies, timestamps and foreign secrets with the same error', async () => {
    await server().article('# Other\n\nText.\n', { slug: 'other' });
    const { secret } = await secretOf(server(), 'hooks');
    const other = await secretOf(server(), 'other');
    const now = Date.now();
    const body = JSON.stringify(claim);
    const signature = new Webhook(secret).sign('msg_x', new Date(now), body);
    const headers = {
      'webhook-id': 'msg_x',
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': signature,
    };
    const attempts = [
      await post(server(), 'hooks', claim, { secret: other.secret }),
      await post(server(), 'hooks', body.replace('Every', 'No'), { headers }),
      await post(server(), 'hooks', body, { headers: { ...headers, 'webhook-id': 'msg_y' } }),
      await post(server(), 'hooks', body, {
        headers: { ...headers, 'webhook-signature': 'v1,AAAA v2,AAAA x' },
      }),
      await post(server(), 'hooks', claim, { secret, at: new Date(now - 400_000) }),
      await post(server(), 'hooks', claim, { secret, at: new Date(now + 400_000) }),
      await post(server(), 'nowhere', claim, { secret }),
      await post(server(), 'hooks', '{"kind":', { headers }),
    ];
    expect(attempts.map(({ status, json }) => [status, json['error']])).toEqual(
      attempts.map(() => [401, 'signature_invalid']),
    );
    expect((await post(server(), 'hooks', body, { headers })).status).toBe(409);
  });

  it('requires a signature or a credential that covers the row', async () => {
    expect((await post(server(), 'hooks', claim, {})).json['error']).toBe('signature_required');
    const mint = async (body: string) =>
      String((await server().owner('/api/dispatch', { key: 'CAP_MINT', body }))['share']);
    const sources = await mint('row|SOURCE_POST|600|0');
    const denied = await post(server(), 'hooks', { ...claim, key: sources }, {});
    expect(denied).toMatchObject({ status: 403, json: { error: 'scope_denied' } });
    const bearer = { authorization: `Bearer ${await mint('row|CLAIM_POST|600|0')}`, 'webhook-id': 'msg_key' };
    const text = { ...claim, text: 'A key may stand for a signature.' };
    const first = await post(server(), 'hooks', text, { headers: bearer });
    expect(first.status).toBe(200);
    expect((await post(server(), 'hooks', text, { headers: bearer })).json['receipt']).toEqual(
      first.json['receipt'],
    );
    const owner = { 'x-terminal-key': terminalKey };
    expect((await post(server(), 'hooks', { kind: 'div' }, { headers: owner })).json).toMatchObject({
      error: 'invalid_request',
      parameter: 'kind',
    });
  });

  it('rejects a secret once it is replaced or its capability is revoked', async () => {
    const old = await secretOf(server(), 'other');
    const { secret, result } = await secretOf(server(), 'other');
    expect(result['revoked']).toBe(old.result['fingerprint']);
    expect((await post(server(), 'other', claim, { secret: old.secret })).json['error']).toBe(
      'signature_invalid',
    );
    expect((await post(server(), 'other', claim, { secret })).status).toBe(200);
    await server().owner('/api/dispatch', { key: 'CAP_REVOKE', body: String(result['fingerprint']) });
    const late = await post(
      server(),
      'other',
      { ...claim, text: 'Late claims are refused.' },
      { secret, id: 'msg_late' },
    );
    expect(late.json['error']).toBe('token_revoked');
  });

  it('is armed by the owner alone, and no receipt shows its secret', async () => {
    await expect(server().anybody('/api/dispatch', { key: 'WEBHOOK_SECRET', body: 'hooks' })).rejects.toThrow(
      'owner_only',
    );
    const answer = await server().owner('/api/dispatch', { key: 'WEBHOOK_SECRET', body: 'hooks' });
    const secret = String(answer['secret']);
    const response = await server().fetch(`/api/dispatch?receipt=${String(answer['invocation'].id)}`, {
      headers: { 'x-terminal-key': terminalKey },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain(secret.slice(6, 30));
    const { provenance } = await server().read('/api/articles/hooks/provenance');
    expect(JSON.stringify(provenance)).not.toContain(secret.slice(6, 30));
    expect(provenance.at(-1)['action']).toBe('webhook_secret');
  });

  it('leaves projections that rebuild identically from the ledger', () => expectRebuilds(server()));
});
