/**
 * Nothing that a caller names leads into the network of the server (SSRF): every way out refuses addresses that are
 * not public however they are written, and redirects to them. The guard itself is judged in `app/fetch`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLinks } from '../../src/app/background/link-checks.ts';
import { Notifier } from '../../src/app/background/notifications.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

/** Hosts of this machine, a private network and a cloud's metadata, as attackers write them. */
const insideHosts = [
  '127.0.0.2',
  '2130706434',
  '0x7f.0.0.2',
  '0177.0.0.2',
  '0.0.0.0',
  '[::1]',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[64:ff9b::7f00:2]',
  '[fe80::1]',
  '[fd00::1]',
  '10.0.0.1',
  '169.254.169.254',
];

describe('a way out of the server', () => {
  let server: TestServer;
  /** Open to the server, as a public host would be; it redirects everybody inside. */
  let outside: Peer;
  /** What must not be asked. */
  let inside: Peer;

  beforeAll(async () => {
    inside = await startPeer((_request, reply) => reply.end('inside'));
    outside = await startPeer((request, reply) => {
      const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to') ?? '127.0.0.2';
      reply.writeHead(302, { location: `http://${to}:${inside.port}/secret.png` }).end();
    });
    server = await startServer({
      COLOPHON_EGRESS_ALLOW: '127.0.0.1',
      OPENAI_API_KEY: 'sk-test-0123456789abcdef',
      OPENAI_BASE_URL: `${outside.base}/v1`,
    });
    await server.article('# Ways\n\nOne.\n', { slug: 'ways' });
  });
  afterAll(async () => {
    expect(inside.asked).toEqual([]);
    await server.stop();
    await outside.stop();
    await inside.stop();
  });

  const call = async (key: string, body: object): Promise<Answer> => {
    const response = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': 'tk_terminal-key-of-the-tests' },
      body: JSON.stringify({ key, body: JSON.stringify(body) }),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  };
  /** Directly, and behind a redirect of a host that may be asked. */
  const ways = insideHosts.flatMap((host) => [
    [`http://${host}`, (path: string) => `http://${host}:${inside.port}${path}`],
    [`a redirect to http://${host}`, () => `${outside.base}/?to=${host}`],
  ]) as readonly (readonly [string, (path: string) => string])[];

  it.each(ways)('WEB_FETCH does not follow to %s', async (_what, url) => {
    const refused = await call('WEB_FETCH', { method: 'GET', url: url('/') });
    expect(refused).toMatchObject({ reason: 'egress_refused' });
  });

  it.each(ways)('IMAGE_STORE does not fetch from %s', async (_what, url) => {
    const refused = await call('IMAGE_STORE', { url: url('/a.png') });
    expect([refused['ok'], refused['error']]).toEqual([
      false,
      expect.stringMatching(/^(?:body_mismatch|runner_failed)$/),
    ]);
  });

  it('a provider of pictures that redirects is not followed', async () => {
    const before = outside.asked.length;
    const answer = await call('CREATIVE_GENERATE', {
      engine: 'openai',
      prompt: 'A lighthouse.',
      size: '1024x1024',
    });
    expect([answer['ok'], answer['error']]).toEqual([false, 'runner_failed']);
    expect(outside.asked.slice(before)).toEqual(['POST /v1/images/generations']);
  });

  it('the check of sources reaches none of them', async () => {
    await server.owner('/api/protocol/sources', {
      slug: 'ways',
      sources: ways.map(([what, url], i) => ({
        type: 'adjacent',
        title: `Source ${i}`,
        summary: 'A source.',
        url: url(`/${i}`),
        quote: `Quote ${i}: ${what}.`,
      })),
    });
    const { service } = server.deployment;
    await checkLinks(service, { fetchText: service.outside.fetchText, holder: 'node_a', pauseMs: 0 });
    const { sources } = await server.read('/api/articles/ways/sources');
    const states = (sources as Answer[]).map(({ link }) => (link as Answer)['link_status']);
    expect(states).toEqual(ways.map(() => 'unreachable'));
  });

  it('a webhook is posted to none of them, and follows no redirect', async () => {
    for (const [, url] of ways) await call('NOTIFY_PUT', { url: url('/hook') });
    await server.anybody('/api/articles/ways/mirror', { kind: 'question', actor: 'ada', body: 'Which?' });
    const before = outside.asked.length;
    const { service } = server.deployment;
    const notifier = new Notifier(service, {
      holder: 'node_test',
      describe: () => 'An event.',
      pageOf: (base) => base,
      onTrouble: (error) => expect.unreachable(String(error)),
    });
    await notifier.round();
    await expect.poll(() => outside.asked.length, { timeout: 10_000 }).toBeGreaterThan(before);
    expect(outside.asked.slice(before).every((line) => line.startsWith('POST /?to='))).toBe(true);
  });
});
