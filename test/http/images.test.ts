/** IMAGE_STORE (contract §3, §8): images are stored without metadata, served from here, and recorded by their hash. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { jpeg, png, pngChunk } from '../support/images.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

const picture = png(3, 2);
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const located = png(3, 2, [pngChunk('eXIf', Buffer.from('GPS 46.9480 N'))]);

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer((request, reply) => {
    const path = request.url ?? '';
    if (path === '/moved.png') return reply.writeHead(302, { location: '/located.png' }).end();
    if (path === '/inside.png') return reply.writeHead(302, { location: 'http://10.0.0.1/a.png' }).end();
    if (path === '/located.png') return reply.writeHead(200, { 'content-type': 'image/png' }).end(located);
    if (path === '/drawing.png')
      return reply
        .writeHead(200, { 'content-type': 'image/png' })
        .end('<svg xmlns="http://www.w3.org/2000/svg"/>');
    if (path === '/large.png')
      return reply
        .writeHead(200, { 'content-type': 'image/png' })
        .end(Buffer.concat([picture, Buffer.alloc(6 * 1024 * 1024)]));
    return reply.writeHead(404).end('gone');
  });
});
afterAll(() => peer.stop());

const allowed = { COLOPHON_EGRESS_ALLOW: '127.0.0.1' };

onBothStores(
  'IMAGE_STORE',
  (server: () => TestServer) => {
    const send = async (
      args: object,
      headers: Record<string, string> = { 'x-terminal-key': terminalKey },
    ): Promise<{ status: number; json: Answer }> => {
      const response = await server().fetch('/api/protocol/image', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(args),
      });
      return { status: response.status, json: (await response.json()) as Answer };
    };
    const receipt = (id: string): Promise<Answer> =>
      server()
        .fetch(`/api/dispatch?receipt=${id}`, { headers: { 'x-terminal-key': terminalKey } })
        .then((response) => response.json() as Promise<Answer>);

    it('stores an upload without its metadata, and serves it under its hash for everybody', async () => {
      const { status, json } = await send({ data: located.toString('base64'), alt: 'A [dance]' });
      expect(status).toBe(200);
      expect(json).toMatchObject({
        sha256: hash(picture),
        path: `/blobs/${hash(picture)}`,
        url: `${server().base}/blobs/${hash(picture)}`,
        markdown: `![A \\[dance\\]](/blobs/${hash(picture)})`,
        media_type: 'image/png',
        bytes: picture.length,
        width: 3,
        height: 2,
        removed: ['EXIF'],
        source_url: null,
      });
      const served = await server().fetch(`/blobs/${hash(picture)}`);
      expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await served.arrayBuffer())).toEqual(picture);
      expect((await server().fetch(`/blobs/${hash(located)}`)).status).toBe(404);
    });

    it('records an upload by its hash and never its bytes', async () => {
      const data = located.toString('base64');
      const { json } = await send({ data, alt: 'One' });
      const { request } = await receipt(String(json['receipt'].id));
      expect(JSON.stringify(request)).toContain(`sha256:${hash(Buffer.from(data))}`);
      expect(JSON.stringify(request)).not.toContain(data.slice(0, 40));
    });

    it('finds a secret in the description of an upload', async () => {
      const { json } = await send({
        data: picture.toString('base64'),
        alt: 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8',
      });
      expect(json['markdown']).not.toContain('ghp_');
      expect(json['scrubbed']).toHaveLength(1);
    });

    it('fetches an image behind a redirect as a recorded effect', async () => {
      const { json } = await send({ url: `${peer.base}/moved.png`, alt: 'Moved' });
      expect(json).toMatchObject({ sha256: hash(picture), source_url: `${peer.base}/located.png` });
      const { entries } = await receipt(String(json['receipt'].id));
      expect(entries.map((entry: Answer) => entry['action'])).toEqual(['running', 'success']);
    });

    it.each([
      ['/inside.png', 'has an address that is not public'],
      ['/drawing.png', 'SVG is a document that can hold scripts'],
      ['/large.png', 'more than 5242880 bytes'],
      ['/gone.png', 'was answered with 404'],
    ])('refuses what %s answers with, and stores nothing', async (path, expected) => {
      const { status, json } = await send({ url: peer.base + path });
      expect([status >= 400, String(json['detail'])]).toEqual([true, expect.stringContaining(expected)]);
    });

    it('refuses URLs of this machine and its network before any request', async () => {
      const before = peer.bodies.length;
      for (const url of ['http://10.0.0.1/a.png', 'file:///etc/passwd', 'http://169.254.169.254/a.png']) {
        const { status, json } = await send({ url });
        expect([status, json['error']]).toEqual([422, 'body_mismatch']);
      }
      expect(peer.bodies).toHaveLength(before);
    });

    it.each([
      [{}, '/url'],
      [{ url: 'https://example.org/a.png', data: 'AAAA' }, '/data'],
    ])('refuses %j, naming what to send', async (args, at) => {
      const { status, json } = await send(args);
      expect([status, json['violations'][0].code, json['violations'][0].at]).toEqual([422, 'one_of_two', at]);
    });

    it.each([
      ['AAA', 'data is no base64'],
      ['<svg/>', 'data is no base64'],
      [Buffer.from('<svg xmlns="x"/>').toString('base64'), 'SVG is a document'],
      [Buffer.alloc(5 * 1024 * 1024 + 1).toString('base64'), 'has 5242881 bytes; at most 5242880'],
      [jpeg().subarray(0, 60).toString('base64'), 'The image is broken'],
    ])('refuses the upload %#, which is no image', async (data, expected) => {
      const { status, json } = await send({ data });
      expect([status >= 400, String(json['detail'])]).toEqual([true, expect.stringContaining(expected)]);
    });

    it('takes a credential with that row, and refuses an anonymous caller and a share of scope act', async () => {
      const data = picture.toString('base64');
      expect(await send({ data }, {})).toMatchObject({ status: 401, json: { error: 'credential_required' } });
      const mint = async (body: string): Promise<string> => {
        const answer = await server().owner('/api/dispatch', { key: 'CAP_MINT', body });
        return String(answer['share'] ?? answer['result'].share ?? answer['reveal']?.share);
      };
      const act = await mint('act||600|2|x|low|0');
      expect(await send({ data, key: act }, {})).toMatchObject({ status: 403 });
      const own = await mint('row|IMAGE_STORE|600|2|x|low|0');
      expect(await send({ data, key: own }, {})).toMatchObject({ status: 200 });
    });

    it('shows a stored image in an article, from the address of the deployment', async () => {
      const { json } = await send({ data: picture.toString('base64'), alt: 'A dance' });
      const slug = await server().article(`# A dance\n\n${String(json['markdown'])}\n`);
      const page = await (await server().fetch(`/a/${slug}`, { headers: { accept: 'text/html' } })).text();
      const [image] = /<img [^>]*>/.exec(page) ?? [];
      expect(image).toContain(`alt="A dance" src="${server().base}/blobs/${hash(picture)}"`);
    });
  },
  allowed,
);
