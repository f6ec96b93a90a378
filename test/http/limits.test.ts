/** Configured limits (contract §4): their effect on callers, and how COLOPHON_LIMITS is parsed. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { TestServer } from '../support/server.ts';

interface Refused {
  readonly status: number;
  readonly error: string;
  readonly message: string;
}

async function post(server: TestServer, path: string, body: unknown, asOwner = false): Promise<Refused> {
  const answer = await server.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(asOwner ? { 'x-terminal-key': 'tk_terminal-key-of-the-tests' } : {}),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const told = (await answer.json()) as Record<string, unknown>;
  const [first] = (told['violations'] ?? []) as readonly { readonly message: string }[];
  return {
    status: answer.status,
    error: String(told['error']),
    message: first?.message ?? String(told['detail']),
  };
}

const append = (body: string, more: object = {}): object => ({
  key: 'MIRROR_APPEND',
  body: JSON.stringify({ slug: 'notes', claim_id: '', kind: 'question', actor: 'ada', body, ...more }),
});

onBothStores(
  'configured limits',
  (server) => {
    it('apply to intake texts, edited DIVs, articles and requests', async () => {
      await server().article('# Notes\n\nOne line.\n', { slug: 'notes' });
      expect(await post(server(), '/api/dispatch', append('x'.repeat(20)))).toMatchObject({ status: 200 });
      expect(await post(server(), '/api/dispatch', append('x'.repeat(21)))).toEqual({
        status: 413,
        error: 'payload_ceiling',
        message: 'The body is longer than 20 characters.',
      });
      // One that does not fit either is told both by the same figure.
      const both = await server().fetch('/api/dispatch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(append('x'.repeat(21), { kind: 7 })),
      });
      expect(JSON.stringify(await both.json())).toContain('The body is longer than 20 characters.');
      const voxels = await server().read('/api/articles/notes/voxels');
      const { div_id: div, vx_hash: hash } = voxels['divs'][1];
      const edit = { slug: 'notes', div_id: div, expected_hash: hash, actor: 'o' };
      const edited = (text: string): Promise<Refused> =>
        post(server(), '/api/protocol/voxel-edit', { ...edit, text }, true);
      expect(await edited('y'.repeat(31))).toEqual({
        status: 413,
        error: 'payload_ceiling',
        message: 'The text has 31 bytes; a DIV has at most 30.',
      });
      expect(await edited('y'.repeat(30))).toMatchObject({ status: 200 });
      const document = { document: { slug: 'long', title: 'Long', markdown: 'z'.repeat(301) } };
      expect(await post(server(), '/api/protocol/voxel-batch', document, true)).toMatchObject({
        status: 413,
        error: 'payload_ceiling',
      });
      expect(
        await post(server(), '/api/dispatch', append('x', { rationale: 'r'.repeat(500) })),
      ).toMatchObject({ status: 413, error: 'payload_ceiling' });
      expect(await post(server(), '/api/dispatch', `{"key":"${'k'.repeat(2000)}"}`)).toEqual({
        status: 413,
        error: 'payload_ceiling',
        message: 'The request is too large.',
      });
    });

    it('apply to calls per minute', async () => {
      const statuses: number[] = [];
      for (let i = 0; i < 20; i++)
        statuses.push((await post(server(), '/api/dispatch', append(`Call ${i}?`))).status);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    });
  },
  {
    COLOPHON_RATE_LIMIT: 'on',
    COLOPHON_LIMITS:
      'intake_characters=20, div_bytes=30, article_bytes=300, dispatch_bytes=400, request_bytes=2000, batch_bytes=4000, intake_per_client=10',
  },
);

onBothStores(
  'raised limits',
  (server) => {
    it('apply to the body of a repair in every form of the call', async () => {
      const { invocation } = await wrong(server());
      const body = `walked|${'x'.repeat(300_000)}`;
      // The row that is repaired finds the body wrong; nothing found it too long.
      const byRow = { key: 'OIP_REPAIR', body: `${invocation}|MIRROR_FEED|${body}` };
      expect(await post(server(), '/api/dispatch', byRow, true)).toMatchObject({
        status: 422,
        error: 'body_mismatch',
        message: expect.not.stringContaining('262144') as string,
      });
      const { body: schema } = (await server().read('/api/dispatch?key=OIP_REPAIR'))['input_schema']
        .properties;
      expect(schema).not.toHaveProperty('maxLength');
      const beyond = { key: 'OIP_REPAIR', body: `${invocation}|MIRROR_FEED|${'x'.repeat(500_001)}` };
      expect(await post(server(), '/api/dispatch', beyond, true)).toMatchObject({
        status: 413,
        error: 'payload_ceiling',
      });
    });
  },
  { COLOPHON_LIMITS: 'dispatch_bytes=500000' },
);

onBothStores(
  'an article limit below the size of a leased article',
  (server) => {
    it('rejects the lease, names the limit and creates nothing', async () => {
      const target = { name: 'Gnomon', url: 'https://example.org/gnomon' };
      await server().owner('/api/build-landscape', {
        action: 'queue_targets',
        cohort: 'makers',
        query: 'Makers of sundials',
        captured_at: '2026-03-01',
        targets: [target],
      });
      const leased = { action: 'next', lane: 'field' };
      expect(await post(server(), '/api/build-landscape', leased, true)).toEqual({
        status: 413,
        error: 'payload_ceiling',
        message:
          'The article of gnomon cannot be opened. The document has 168 bytes; an article has at most 100.',
      });
      expect((await server().read('/api/articles'))['count']).toBe(0);
    });
  },
  { COLOPHON_LIMITS: 'article_bytes=100' },
);

async function wrong(server: TestServer): Promise<{ readonly invocation: string }> {
  const answer = await server.fetch('/api/dispatch', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-terminal-key': 'tk_terminal-key-of-the-tests' },
    body: JSON.stringify({ key: 'MIRROR_FEED', body: 'no-such-article' }),
  });
  const told = (await answer.json()) as { readonly invocation: { readonly id: string } };
  return { invocation: told.invocation.id };
}

describe('COLOPHON_LIMITS', () => {
  const read = (given: string) => () => readConfig({ COLOPHON_LIMITS: given });

  it('keeps the default of every limit that it does not name', () => {
    const { sizes, rates } = read('reads_per_client=7')().limits;
    expect(rates.read.callsMax).toBe(7);
    expect([rates.start.callsMax, sizes.requestBytesMax]).toEqual([20, 1_048_576]);
    expect(read('')().limits.rates.read.callsMax).toBe(1200);
  });

  it.each([
    ['dispatch_bytes=x', '67108864'],
    ['div_bytes', '131072'],
    ['starts_per_client=0', '1000000'],
  ])('rejects "%s" and names the largest value of that limit', (given, largest) => {
    expect(read(given)).toThrow(`with figures from 1 to ${largest};`);
  });

  it.each([
    'reads_per_client',
    'reads_per_client=0',
    'reads_per_client=-1',
    'reads_per_client=1e3',
    'reads_per_client=1000001',
    'reads_per_client=5,reads_per_client=6',
    'intake_characters=32001',
    'div_bytes=131073',
    'constructor=5',
    'read=5',
  ])('prevents the start with "%s" and names the accepted form', (given) => {
    expect(read(given)).toThrow(
      /^COLOPHON_LIMITS cannot be read at "[^"]+"\. It accepts name=figure, each name once, separated by commas, with figures from 1 to \d+; the names are dispatch_bytes, request_bytes, batch_bytes, import_bytes, article_bytes, article_divs, div_bytes, intake_characters, provider_bytes, intake_per_client, intake_per_article, starts_per_client, failed_credentials, uploads_per_client, reads_per_client\.$/,
    );
  });
});
