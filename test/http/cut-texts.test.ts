/** Texts that answers shorten stay valid Unicode (contract §0): no half of a character is left. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  expect(server.errors).toEqual([]);
  await server.stop();
});

it('answers valid Unicode where the limit of a shortened text falls into a character', async () => {
  const answer = await server.owner('/api/protocol/voxel-batch', {
    document: { slug: 'faces', title: '😀'.repeat(140), markdown: 'One.\n' },
  });
  expect(answer['_self']['what']).toBe(`Created "${'😀'.repeat(75)}\uFFFD…`);
});
