/**
 * What a browser's form sends (contract §8): read strictly, and taken only from a page of this very host. A form is
 * read in the scopes that have one and nowhere else.
 */
import type { FastifyBodyParser, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fault } from '../../kernel/fault.ts';
import { badText } from '../../kernel/json.ts';
import { privateCache } from '../http/envelope.ts';

export type Form = ReadonlyMap<string, string>;

const bytesMax = 256 * 1024;

/** Forms are read below `app` only. */
export function readForms(app: FastifyInstance): void {
  const parse: FastifyBodyParser<string> = (_request, text, done) => {
    const form = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(text)) {
      const bad = badText(name + value);
      const problem = form.has(name)
        ? fault('invalid_request', 'A field is sent twice.', 'Send the form as the page has it.')
        : bad === undefined
          ? undefined
          : fault('invalid_request', `A field cannot be read: ${bad}.`, 'Send well-formed text without NUL.');
      if (problem !== undefined) {
        done(Object.assign(new Error(problem.message), { problem }), undefined);
        return;
      }
      form.set(name, value.replaceAll('\r\n', '\n'));
    }
    done(null, form);
  };
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bytesMax },
    parse,
  );
}

export function formOf(request: FastifyRequest): Form | undefined {
  return request.body instanceof Map ? (request.body as Form) : undefined;
}

/**
 * Whether a form was sent from a page of this very origin: a browser says so, and no other site can make it lie. The
 * scheme counts: a page that was read over plain http may be anybody's. It is that of the base address, also where the
 * deployment is asked by another name; behind a proxy the name here may differ from the base address's.
 */
export function isSameOrigin(request: FastifyRequest, base: string): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return request.headers['sec-fetch-site'] === 'same-origin';
  const { origin: own, protocol } = new URL(base);
  return origin === own || (host !== undefined && origin === URL.parse(`${protocol}//${host}`)?.origin);
}

/** The answer to a form is a page of its own, so that loading it again sends nothing twice. */
export function seeOther(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(303).header('cache-control', privateCache).header('location', address).send();
}
