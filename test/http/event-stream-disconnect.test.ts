/** A client that disconnects before its event stream begins, because the first read of a busy store takes a while. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import type { Reader } from '../../src/engine/store.ts';
import { openLocal } from './local.ts';

it('an event stream releases its slot if the client disconnects before it begins', async () => {
  const local = await openLocal();
  try {
    const { read } = local.deployment.service.store as { read: { checkpoint: Reader['checkpoint'] } };
    const checkpoint = read.checkpoint.bind(read);
    const port = Number(new URL(local.base).port);
    const socket = connect(port, '127.0.0.1');
    const gone = new Promise<void>((resolve) => {
      socket.once('close', () => setTimeout(resolve, 100));
    });
    const asked = new Promise<void>((resolve) => {
      read.checkpoint = async () => {
        resolve();
        await gone;
        return checkpoint();
      };
    });
    socket.write('GET /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await asked;
    socket.destroy();
    await gone;
    read.checkpoint = checkpoint;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const metrics = await (await fetch(`${local.base}/metrics`)).text();
    expect(metrics).toMatch(/^colophon_event_streams_open 0$/m);
  } finally {
    await local.end();
  }
});
