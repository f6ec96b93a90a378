/** Event streams over real sockets, with timeouts short enough for a test. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EventStream } from '../../src/doors/http/event-stream.ts';
import { ConcurrencyLimiter } from '../../src/guard/concurrency-limiter.ts';

let server: Server;
let socket: Socket;
let raw: ServerResponse;

beforeEach(async () => {
  const asked = new Promise<ServerResponse>((resolve) => {
    server = createServer((_request, response) => resolve(response));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  raw = await asked;
  raw.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
});

afterEach(() => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
});

const event = (index: number, bytes = 10) => ({ index, name: 'div.edit', data: 'x'.repeat(bytes) });

/** All that the server sent, as text without the framing of chunks. */
async function received(): Promise<string> {
  let text = '';
  for await (const part of socket) text += String(part);
  return text.replaceAll(/\r\n[0-9a-f]+\r\n/g, '');
}

it('an event stream disconnects a client that does not read, with less than two blocks buffered', async () => {
  socket.pause();
  const stream = new EventStream(raw, -1, { heartbeatMs: 20, patienceMs: 200, farewellMs: 200 });
  const blockBytes = 1_000_000;
  let sent = 0;
  // What the kernel takes on both sides is not this process's memory.
  while (await stream.send([event(sent, blockBytes)], sent)) {
    expect(++sent).toBeLessThan(100);
    expect(raw.writableLength).toBeLessThan(2 * blockBytes);
  }
  expect(raw.writableLength).toBeLessThan(2 * blockBytes);
  stream.end('slow_reader', 'Read faster.');
  await new Promise((resolve) => raw.once('close', resolve));
  expect(stream.closed.aborted).toBe(true);
  expect(await stream.send([event(sent + 1)], sent + 1)).toBe(false);
});

it('an event stream sends everything to a client that resumes reading in time, and ends with the index to resume from', async () => {
  socket.pause();
  const stream = new EventStream(raw, 4, { heartbeatMs: 10_000, patienceMs: 5000, farewellMs: 5000 });
  setTimeout(() => socket.resume(), 300);
  const text = received();
  for (let index = 5; index < 25; index++)
    expect(await stream.send([event(index, 1_000_000)], index)).toBe(true);
  expect(await stream.send([], 30)).toBe(true);
  stream.end('stopping', 'Connect again.');
  const all = await text;
  expect(all.match(/^id: \d+$/gm)).toEqual([
    'id: 4',
    ...Array.from({ length: 20 }, (_, i) => `id: ${i + 5}`),
    'id: 30',
  ]);
  expect(all).toContain(
    'id: 30\nevent: end\ndata: {"reason":"stopping","resume_after":30,"fix":"Connect again."}\n\n',
  );
});

it('a quiet event stream sends heartbeat comments and the index that it has reached', async () => {
  const stream = new EventStream(raw, 7, { heartbeatMs: 20, patienceMs: 1000, farewellMs: 1000 });
  const text = received();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await stream.send([], 9);
  await new Promise((resolve) => setTimeout(resolve, 100));
  stream.end('stopping', 'Connect again.');
  const all = await text;
  expect(all).toContain('retry: 3000\nid: 7\n\n:\n\n');
  expect(all.match(/^:\nid: 9$/gm)).toEqual([':\nid: 9']);
  expect((all.match(/^:$/gm) ?? []).length).toBeGreaterThan(2);
});

it('the concurrency limiter limits streams by key and in total, and releases each only once', () => {
  const limiter = new ConcurrencyLimiter({ perKeyMax: 2, totalMax: 4 });
  const first = limiter.acquire('a') as () => void;
  limiter.acquire('a');
  expect(limiter.acquire('a')).toBe('key');
  limiter.acquire('b');
  limiter.acquire(undefined);
  expect([limiter.acquire('c'), limiter.acquire(undefined)]).toEqual(['total', 'total']);
  first();
  first();
  expect(typeof limiter.acquire('a')).toBe('function');
  expect([limiter.acquire('a'), limiter.acquire('c')]).toEqual(['key', 'total']);
});
