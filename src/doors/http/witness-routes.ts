/**
 * Routes of the deployment as a witness of logs (contract §6). `POST /witness/add-checkpoint` follows C2SP tlog-witness:
 * request and answer are text, whatever content type the request names, and the statuses are those of the
 * specification. The log's signature is the only authority. Evidence of two histories and other alarms about logs are
 * public.
 */
import type { FastifyInstance } from 'fastify';
import { fault } from '../../kernel/fault.ts';
import { body } from './envelope.ts';
import { mediaReply } from './replies.ts';
import { route } from './route.ts';
import type { RouteServer } from './route-declaration.ts';

/** 63 hashes, and a note with 50 post-quantum signatures. */
const requestBytesMax = 256 * 1024;

const textType = 'text/plain';

export function witnessRoutes(server: RouteServer): void {
  const { service } = server;
  void server.app.register(async (scope) => {
    anyContentType(scope);
    route(
      { ...server, app: scope },
      {
        post: '/witness/add-checkpoint',
        id: 'addCheckpoint',
        summary: 'Cosigns the checkpoint of a witnessed log (C2SP tlog-witness); the body is text.',
        tag: 'log',
        caller: 'none',
        query: undefined,
        types: ['text/plain'],
        json: false,
        textBody: 'An old size, the lines of a consistency proof, an empty line, and a signed checkpoint.',
        textRefusals: {
          400: textType,
          403: textType,
          404: textType,
          409: 'text/x.tlog.size',
          422: textType,
        },
        limit: 'read',
        bodyLimit: requestBytesMax,
        cache: 'no-store',
        // The body is no JSON.
        unvalidated: true,
      },
      async ({ request }) => {
        const { rollback } = service.store;
        if (rollback !== undefined)
          return fault(
            'overloaded',
            'This node found its database set back, and cosigns nothing.',
            'Send it to another node, or again once the operator has mended it.',
          );
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { status, text } = await service.witness.addCheckpoint(bytes);
        if (status === 409) return mediaReply('text/x.tlog.size', `${text}\n`, {}, status);
        return mediaReply(`${textType}; charset=utf-8`, status === 200 ? text : `${text}\n`, {}, status);
      },
    );
  });
}

const evidencePath = '/witness/evidence';

/** Alarms about logs, and the files that prove them. */
export function evidenceRoutes(server: RouteServer): void {
  const { base, logAlarms } = server.service;
  const described = { tag: 'log', caller: 'none', query: undefined, limit: 'read', etag: true } as const;

  route(
    server,
    {
      ...described,
      get: evidencePath,
      id: 'listLogAlarms',
      summary: 'What is wrong with logs that this deployment knows: two histories of one log, with evidence.',
      answers: ['LogAlarms'],
      cache: 'no-cache',
    },
    async () => {
      const alarms = (await logAlarms.all()).map(({ text, evidenceId }) => ({
        text,
        evidence: evidenceId === undefined ? null : `${base}${evidencePath}/${evidenceId}`,
      }));
      const self = {
        kind: 'list',
        name: 'log-alarms',
        what: 'Alarms about logs. colophon verify judges each piece of evidence by itself.',
        read: base + evidencePath,
      };
      return body(self, { count: alarms.length, alarms, templates: [`${base}${evidencePath}/{id}`] });
    },
  );

  route(
    server,
    {
      ...described,
      get: `${evidencePath}/:id`,
      id: 'readForkEvidence',
      summary: 'Evidence that one key signed two histories, to be judged by itself with colophon verify.',
      answers: ['ForkEvidence'],
      cache: 'public, max-age=300',
    },
    async ({ params: { id = '' } }) => {
      const text = await logAlarms.evidence(id);
      return text === undefined
        ? fault('not_found', 'There is no such evidence.', `List what there is under ${base}${evidencePath}.`)
        : mediaReply('application/json; charset=utf-8', text);
    },
  );
}

function anyContentType(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
  // A malformed name of a type is none either.
  scope.addHook('onRequest', (request, _reply, done) => {
    delete request.headers['content-type'];
    done();
  });
}
