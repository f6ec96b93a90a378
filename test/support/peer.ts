/** A local HTTP server that stands for a host outside: it remembers what it was asked. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Peer {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly base: string;
  /** Method and path of every request so far, in order. */
  readonly asked: readonly string[];
  readonly requests: readonly IncomingMessage[];
  /** Bodies of the requests, in order. */
  readonly bodies: readonly string[];
  stop(): Promise<void>;
}

export async function startPeer(answer: RequestListener): Promise<Peer> {
  const asked: string[] = [];
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const server = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url}`);
    requests.push(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      answer(request, reply);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    base: `http://127.0.0.1:${port}`,
    asked,
    requests,
    bodies,
    stop: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
