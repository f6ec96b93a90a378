/**
 * What browsers send beside queries (contract §4, §8): forms, which are read strictly and accepted only from pages of
 * this host, and the cookie of a login to the owner's console, which scripts and other sites cannot reach.
 */
import type { FastifyBodyParser, FastifyInstance, FastifyRequest } from 'fastify';
import { cookieSeconds } from '../../app/credentials/sessions.ts';
import { isLoopback } from '../../guard/client-address.ts';
import { fault } from '../../kernel/fault.ts';
import { textProblem } from '../../kernel/json.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A form, which the cookie of a session may come with. */
    readonly isForm?: boolean;
  }
}

export type Form = ReadonlyMap<string, string>;

const bytesMax = 256 * 1024;
/** Reading a form takes time quadratic in the number of its fields, before its sender is authenticated. */
const fieldsMax = 20_000;

/** Whether a form has more fields than any page of ours; found without reading them. */
function hasTooManyFields(text: string): boolean {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0 && fields <= fieldsMax; at = text.indexOf('&', at + 1)) fields++;
  return fields > fieldsMax;
}

const tooManyFields = fault(
  'payload_ceiling',
  `The form has more than ${fieldsMax} fields.`,
  'Send the form as the page has it.',
);

/** Lets the routes of `scope`, and no others, read forms of up to `bodyLimit` bytes. */
export function readForms(scope: FastifyInstance, bodyLimit = bytesMax): void {
  const parse: FastifyBodyParser<string> = (_request, text, done) => {
    if (hasTooManyFields(text)) {
      done(Object.assign(new Error(tooManyFields.message), { problem: tooManyFields }), undefined);
      return;
    }
    const form = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(text)) {
      const bad = textProblem(name + value);
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
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit }, parse);
}

/**
 * The form of a request, if a page of this origin sent it; `formToken` must be in it where it is given. Browsers state
 * the origin, and no other site can make them state another. The scheme counts, because a third party may have changed a page
 * that was read over plain http: it is that of the base address. Behind a proxy the host may differ from the base
 * address's.
 */
export function ownFormOf(request: FastifyRequest, base: string, formToken?: string): Form | undefined {
  if (!(request.body instanceof Map) || !isSameOrigin(request, base)) return undefined;
  const form = request.body as Form;
  return formToken === undefined || form.get('form_token') === formToken ? form : undefined;
}

function isSameOrigin(request: FastifyRequest, base: string): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return request.headers['sec-fetch-site'] === 'same-origin';
  const { origin: own, protocol } = new URL(base);
  return origin === own || (host !== undefined && origin === URL.parse(`${protocol}//${host}`)?.origin);
}

const cookieName = 'colophon_owner';

/** The token of the session that a request names in its cookie. */
export function sessionTokenOf(request: FastifyRequest): string | undefined {
  for (const pair of request.headers.cookie?.split(';') ?? []) {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    if (key === cookieName) return value;
  }
  return undefined;
}

/** The header that opens a session in the browser; without a token, the one that ends it. */
export function sessionCookie(base: string, token?: string): { readonly 'set-cookie': string } {
  const { hostname, pathname } = new URL(base);
  const secure = isLoopback(hostname) && !isSecure(base) ? '' : '; Secure';
  const path = `${pathname.replace(/\/+$/, '')}/owner`;
  const value = `${token ?? ''}; Max-Age=${token === undefined ? 0 : cookieSeconds}`;
  return { 'set-cookie': `${cookieName}=${value}; Path=${path}; HttpOnly; SameSite=Strict${secure}` };
}

/** Whether a browser would send the cookie back: over plain http it does so on this machine only. */
export function keepsCookie(base: string): boolean {
  return isSecure(base) || isLoopback(new URL(base).hostname);
}

function isSecure(base: string): boolean {
  return base.startsWith('https:');
}
