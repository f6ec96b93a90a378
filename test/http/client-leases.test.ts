import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { startServer, type Answer } from '../support/server.ts';

onBothStores(
  'free leases',
  (server) => {
    const from = (address: string): RequestInit => ({ headers: { 'x-forwarded-for': address } });

    async function contributor(address: string, base = server().base): Promise<string> {
      const response = await fetch(`${base}/api/workspace/main/enter?role=contributor`, from(address));
      return String(((await response.json()) as Answer)['credential'].token);
    }

    async function lease(address: string, token: string, n: number, base = server().base): Promise<Answer> {
      const url = `${base}/api/build-landscape?next=1&lane=field&n=${n}&share=${token}`;
      const response = await fetch(url, from(address));
      const retry = response.headers.get('retry-after');
      return { ...((await response.json()) as Answer), http: response.status, retry };
    }

    it('are limited per client address across credentials, and completing or returning one frees a slot', async () => {
      await server().owner('/api/build-landscape', {
        action: 'queue_targets',
        cohort: 'servers',
        query: 'Servers',
        sort: 'stars',
        captured_at: '2026-03-01T12:00:00Z',
        open: true,
        targets: Array.from({ length: 30 }, (_, i) => ({ name: `Target ${i}`, rank: i })),
      });
      const here = '2001:db8:1:2:3:4:5:6';
      const sameNetwork = '2001:db8:1:2:aaaa::1';
      const tokens = await Promise.all(Array.from({ length: 15 }, () => contributor(here)));
      const asked = await Promise.all(
        Array.from({ length: 15 }, (_, i) => lease(i % 2 === 0 ? here : sameNetwork, tokens[i] as string, i)),
      );
      const given = asked.filter(({ http }) => http === 200);
      expect(given).toHaveLength(12);
      const refused = asked.filter(({ http }) => http === 429);
      expect(refused).toHaveLength(3);
      expect(refused[0]).toMatchObject({ error: 'rate_limited', limit: 12, charged: false, retryable: true });
      expect(Number(refused[0]?.['retry'])).toBeGreaterThan(3000);
      // The same address again is the lease that it gave; another network has room of its own.
      const first = asked.findIndex(({ http }) => http === 200);
      expect(await lease(here, tokens[first] as string, first)).toMatchObject({
        http: 200,
        idempotent_replay: true,
        assignment_id: asked[first]?.['assignment_id'],
      });
      const there = '2001:db8:1:3::1';
      expect((await lease(there, await contributor(there), 1))['http']).toBe(200);
      const [mine] = given as [Answer];
      const done = await server().anybody('/api/protocol/voxel-batch', {
        assignment_id: mine['assignment_id'],
        key: mine['share'],
        operations: [
          {
            op: 'source',
            sources: [{ type: 'review', url: 'https://example.org/t', title: 'T', quote: 'It is a server.' }],
          },
          {
            op: 'claim',
            text: 'The target is a server for HTTP.',
            tier: 'system',
            who_claims: 'A test',
            source_ids: ['s1'],
          },
        ],
      });
      expect(done['assignment']).toMatchObject({ status: 'completed' });
      const another = await contributor(here);
      expect((await lease(here, another, 20))['http']).toBe(200);
      expect((await lease(here, await contributor(here), 21))['http']).toBe(429);
      await server().owner('/api/dispatch', {
        key: 'LANDSCAPE_RETURN',
        body: String(given[1]?.['assignment_id']),
      });
      expect((await lease(here, await contributor(here), 22))['http']).toBe(200);
      expect((await lease(here, await contributor(here), 23))['http']).toBe(429);
    });

    it('are counted across all nodes of one database', async () => {
      const { databaseUrl } = server().deployment.config;
      if (databaseUrl === undefined) return;
      const other = await startServer({
        DATABASE_URL: databaseUrl,
        COLOPHON_RATE_LIMIT: 'on',
        COLOPHON_TRUST_PROXY: '127.0.0.1',
      });
      try {
        const here = '2001:db8:1:2::7';
        const token = await contributor(here, other.base);
        expect((await lease(here, token, 1, other.base))['http']).toBe(429);
      } finally {
        await other.stop();
      }
    });

    it('do not limit credentials that the owner minted', async () => {
      const minted = await server().owner('/api/dispatch', {
        key: 'CAP_MINT',
        body: { scope: 'row', key: 'LANDSCAPE_NEXT', ttl: 600, max_uses: 0 },
      });
      expect((await lease('2001:db8:1:2::8', String(minted['share']), 1))['http']).toBe(200);
    });
  },
  { COLOPHON_RATE_LIMIT: 'on', COLOPHON_TRUST_PROXY: '127.0.0.1' },
);
