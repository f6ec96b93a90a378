/**
 * `POST /witness/add-checkpoint` (contract §6) by the letter of C2SP tlog-witness: text in and out, whatever content
 * type the request names, and the letter's statuses. The log's signature is the only authority.
 */
import type { FastifyInstance } from 'fastify';
import { fault } from '../../kernel/fault.ts';
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
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { status, text } = await service.witness.addCheckpoint(body);
        if (status === 409) return mediaReply('text/x.tlog.size', `${text}\n`, {}, status);
        return mediaReply(`${textType}; charset=utf-8`, status === 200 ? text : `${text}\n`, {}, status);
      },
    );
  });
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
