import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callOwner, socketPath } from '../../../src/doors/cli/owner-socket.ts';

it('connects for each call, so that none meets a connection that the server has closed as idle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-socket-'));
  let connections = 0;
  const server = createServer((_request, response) => response.end('{}'));
  server.on('connection', () => connections++);
  await new Promise<void>((done) => server.listen(socketPath(folder), done));
  try {
    expect(await callOwner(folder, 'GET', '/one')).toEqual({ status: 200, body: {} });
    expect(await callOwner(folder, 'POST', '/two', '{}')).toEqual({ status: 200, body: {} });
    expect(connections).toBe(2);
  } finally {
    await new Promise<void>((done) => server.close(() => done()));
    rmSync(folder, { recursive: true });
  }
});
