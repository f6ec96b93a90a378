/** The public log (contract §6): checkpoint, tiles, entry bundles and the key that signs, as C2SP tlog-tiles has them. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { fault } from '../../kernel/fault.ts';
import { encodeBundle, parseLogPath, tileWidth } from '../../ledger/tiles.ts';
import { sendProblem } from './envelope.ts';
import { readable } from './declare.ts';

const described = { tag: 'log', caller: 'nobody', query: undefined, json: false } as const;
const head = {
  ...described,
  id: 'readCheckpoint',
  summary: 'The signed head of the log (C2SP tlog-checkpoint).',
  types: ['text/plain'],
};
const verifierKey = {
  ...described,
  id: 'readVerifierKey',
  summary: 'The key that checkpoints and proofs are verified with.',
  types: ['text/plain'],
};
const octets = ['application/octet-stream'];
const tiles = [
  {
    ...described,
    id: 'readTile',
    summary: 'Hashes of the log (C2SP tlog-tiles); n is in groups of three digits.',
    at: '/tile/{level}/{n}',
    types: octets,
  },
  {
    ...described,
    id: 'readEntries',
    summary: 'Entries of the log, as the bytes that are hashed; n is in groups of three digits.',
    at: '/tile/entries/{n}',
    types: octets,
  },
];

const forEver = 'public, max-age=31536000, immutable';

export function logRoutes(app: FastifyInstance, service: Service): void {
  const { store, secrets, base } = service;

  app.get('/checkpoint', readable(head), async (request, reply) => {
    const checkpoint = await store.read.checkpoint();
    if (checkpoint === null)
      return sendProblem(
        reply,
        request,
        base,
        fault('not_found', 'The log is empty.', 'Come back after the first write.'),
      );
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(checkpoint.note);
  });

  app.get('/.well-known/colophon-key', readable(verifierKey), async (_request, reply) =>
    reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(`${secrets.signer.key.text}\n`),
  );

  app.get('/tile/*', readable(...tiles), async (request, reply) => {
    const asked = parseLogPath(request.url.slice(1));
    const checkpoint = await store.read.checkpoint();
    const missing = fault(
      'not_found',
      'The log has no such tile.',
      'Read /checkpoint for the size of the log.',
    );
    if (asked === undefined || checkpoint === null) return sendProblem(reply, request, base, missing);
    const { n, width } = asked;
    if ('level' in asked) {
      if (n * tileWidth + width > Math.floor(checkpoint.size / tileWidth ** asked.level))
        return sendProblem(reply, request, base, missing);
      const bytes = await store.read.tile(asked.level, n, width);
      if (bytes === undefined) return sendProblem(reply, request, base, missing);
      return reply
        .header('content-type', 'application/octet-stream')
        .header('cache-control', forEver)
        .send(Buffer.from(bytes));
    }
    if (n * tileWidth + width > checkpoint.size) return sendProblem(reply, request, base, missing);
    const entries = await store.read.texts(n * tileWidth, width);
    return reply
      .header('content-type', 'application/octet-stream')
      .header('cache-control', forEver)
      .send(Buffer.from(encodeBundle(entries.map((entry) => entry.text))));
  });
}
