/** The public log (contract §6) as C2SP tlog-tiles: checkpoint, tiles, entry bundles and the verifier key. */
import { fault } from '../../kernel/fault.ts';
import { encodeBundle, parseLogPath, tileWidth } from '../../ledger/tiles.ts';
import { mediaReply } from './replies.ts';
import { route, type RouteServer } from './route.ts';

const described = { tag: 'log', caller: 'nobody', query: undefined, json: false } as const;
const text = { ...described, types: ['text/plain'] } as const;
const octets = { ...described, types: ['application/octet-stream'] } as const;

const textType = 'text/plain; charset=utf-8';
const missing = fault('not_found', 'The log has no such tile.', 'Read /checkpoint for the size of the log.');

export function logRoutes(server: RouteServer): void {
  const { store, secrets } = server.service;

  route(
    server,
    {
      ...text,
      get: '/checkpoint',
      id: 'readCheckpoint',
      summary: 'The signed head of the log (C2SP tlog-checkpoint).',
      cache: 'no-cache',
    },
    async () => {
      const checkpoint = await store.read.checkpoint();
      return checkpoint === null
        ? fault('not_found', 'The log is empty.', 'Come back after the first write.')
        : mediaReply(textType, checkpoint.note);
    },
  );

  route(
    server,
    {
      ...text,
      get: '/.well-known/colophon-key',
      id: 'readVerifierKey',
      summary: 'The key that checkpoints and proofs are verified with.',
      cache: 'public, max-age=3600',
    },
    () => mediaReply(textType, `${secrets.signer.key.text}\n`),
  );

  route(
    server,
    {
      get: '/tile/*',
      operations: [
        {
          ...octets,
          id: 'readTile',
          summary: 'Hashes of the log (C2SP tlog-tiles); n is in groups of three digits.',
          at: '/tile/{level}/{n}',
        },
        {
          ...octets,
          id: 'readEntries',
          summary: 'Entries of the log, as the bytes that are hashed; n is in groups of three digits.',
          at: '/tile/entries/{n}',
        },
      ],
      cache: 'public, max-age=31536000, immutable',
    },
    async ({ request }) => {
      const asked = parseLogPath(request.url.slice(1));
      const checkpoint = await store.read.checkpoint();
      if (asked === undefined || checkpoint === null) return missing;
      const { n, width } = asked;
      const level = 'level' in asked ? asked.level : 0;
      if (n * tileWidth + width > Math.floor(checkpoint.size / tileWidth ** level)) return missing;
      const bytes =
        'level' in asked
          ? await store.read.tile(level, n, width)
          : encodeBundle((await store.read.texts(n * tileWidth, width)).map((entry) => entry.text));
      return bytes === undefined ? missing : mediaReply('application/octet-stream', Buffer.from(bytes));
    },
  );
}
