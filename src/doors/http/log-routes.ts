/**
 * The public log (contract §6) as C2SP tlog-tiles: checkpoint, tiles, entry bundles and the verifier key; and the proofs
 * and certificates of `/api/proven-work` (contract §7).
 */
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { encodeBundle, parseLogPath, tileWidth } from '../../ledger/tiles.ts';
import { mediaReply } from './replies.ts';
import { listUrl, route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';
import { listCertificates } from '../../app/reads/certificates.ts';
import { provenWork } from '../../app/reads/entry.ts';
import { links } from '../../domain/links.ts';
import { callRow } from './call-row.ts';
import { body, bodyOr } from './envelope.ts';
import { choice, flag, paging, stringParam, wholeNumberUpTo, workspaceAndShare } from './parameters.ts';
import { wholeNumber } from './requests.ts';
import { schemaLink } from './schema-routes.ts';

const described = { tag: 'log', caller: 'none', query: undefined, json: false } as const;
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
      mayBeMissing: true,
      summary:
        'The signed head of the log (C2SP tlog-checkpoint): the newest that a quorum of witnesses has cosigned, where the deployment has a policy.',
      query: { newest: flag('the newest signed head, whether or not it is cosigned') },
      cache: 'no-cache',
      etag: true,
    },
    async ({ query }) => {
      const cosigned = query.newest === '1' ? undefined : server.service.cosigning?.newest;
      const checkpoint = cosigned ?? (await store.read.checkpoint());
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
      etag: true,
    },
    () => mediaReply(textType, `${secrets.signer.key.text}\n`),
  );

  route(
    server,
    {
      ...text,
      get: '/.well-known/colophon-policy',
      id: 'readPolicy',
      mayBeMissing: true,
      summary: 'The trust policy (C2SP tlog-policy) by which this log asks its witnesses.',
      cache: 'public, max-age=3600',
      etag: true,
    },
    () =>
      server.service.policyFile === undefined
        ? fault(
            'not_found',
            'This log asks no witnesses.',
            'Verify it with its key, and keep a checkpoint to compare it with later.',
          )
        : mediaReply(textType, Buffer.from(server.service.policyFile)),
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
      const logPath = parseLogPath(request.url.slice(1));
      const checkpoint = await store.read.checkpoint();
      if (logPath === undefined || checkpoint === null) return missing;
      const { n, width } = logPath;
      const level = 'level' in logPath ? logPath.level : 0;
      if (n * tileWidth + width > Math.floor(checkpoint.size / tileWidth ** level)) return missing;
      const bytes =
        'level' in logPath
          ? await store.read.tile(level, n, width)
          : encodeBundle((await store.read.texts(n * tileWidth, width)).map((entry) => entry.text));
      return bytes === undefined ? missing : mediaReply('application/octet-stream', Buffer.from(bytes));
    },
  );
}

/*
 * `/api/proven-work` (spec §4.2, contract §7): what can be inspected, what inspections found, and a POST that
 * records an inspection with the row PROOF_CERTIFY.
 */

const path = '/api/proven-work';

export function proofRoutes(server: RouteServer): void {
  const { service } = server;
  const { base } = service;

  route(
    server,
    {
      get: path,
      id: 'readProvenWork',
      summary: 'What can be inspected before it is believed; with target, who inspected it.',
      tag: 'landscape',
      caller: 'optional',
      limit: 'read',
      tenant: 'target',
      query: {
        target: stringParam('a slug, or the id of an invocation or assignment'),
        ...paging,
        ...workspaceAndShare,
      },
      rules: ({ target, cursor }) => [target === undefined ? cursorFault(cursor) : undefined],
      answers: ['proven-work', 'certificates'],
      etag: true,
    },
    async ({ query, reading, number }) => {
      const { target, cursor } = query;
      const limit = number('limit');
      if (target === undefined) {
        const self = {
          kind: 'proof',
          name: 'proven-work',
          what: 'Objects whose chains, receipts and proofs every reader can inspect.',
          read: listUrl(base + path, query),
          write: base + path,
          schema: schemaLink(base, 'proven-work'),
        };
        return body(self, await provenWork(reading, limit, cursor ?? ''));
      }
      const before = cursor === undefined ? undefined : wholeNumber(query, 'cursor', indexCursor);
      if (isFault(before)) return before;
      const self = {
        kind: 'certificates',
        name: target,
        what: 'Who inspected this proof and what it came to. Their words are untrusted.',
        read: links.certificates(base, target),
        write: base + path,
        schema: schemaLink(base, 'certificates'),
      };
      return bodyOr(self, await listCertificates(reading, target, limit, before));
    },
  );

  route(
    server,
    {
      post: path,
      id: 'certify',
      summary: 'Records who inspected a proof and what it came to.',
      tag: 'landscape',
      row: 'PROOF_CERTIFY',
      body: { action: choice(['certify'], 'certify without it') },
      query: workspaceAndShare,
      bodyRules: ({ action = 'certify' }) => [action === 'certify' ? undefined : otherAction],
    },
    (context) => {
      const { action: _action, ...args } = context.args;
      return callRow(server, context, 'PROOF_CERTIFY', args);
    },
  );
}

const otherAction = invalidParameter(
  'action',
  '"action" names nothing that can be done here.',
  'Send action certify.',
);

/** Certificates are paged by log index. */
const indexCursor = wholeNumberUpTo(Number.MAX_SAFE_INTEGER, 'a place in the log');

function cursorFault(cursor = ''): Fault | undefined {
  if (/^[a-z0-9-]{0,120}$/.test(cursor)) return undefined;
  return invalidParameter(
    'cursor',
    '"cursor" is none that this list has given.',
    'Follow next as it stands.',
  );
}
