/**
 * Request bodies (contract §4): the credential in a header and the limits of its caller are checked before a body
 * is read; bodies are parsed strictly, with a limit on their values. Without a credential in a header only a batch
 * may be large: it is rate-limited, parsed in a worker, and authenticated by its `key` before it is used.
 * A form is large only with the cookie of a session, or of an ended one: what was typed survives the next sign-in.
 */
import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyBytesMaxOf } from '../../app/pipeline/validate.ts';
import { authenticate, authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { ConcurrencyLimiter } from '../../guard/concurrency-limiter.ts';
import { uploadBytesInFlightMax, uploadConcurrency } from '../../guard/limits.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, parseJson, valuesMax, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { sessionOf, wasIssued } from '../../app/credentials/sessions.ts';
import { sessionTokenOf } from './browser-forms.ts';
import { isOwnSocket, type RequestLimits } from './request-limits.ts';
import { JsonPool, tokenIn } from './json-pool.ts';
import { countFailedCredential, isCredentialed, ownerKeyMisplaced, presentedInHeaders } from './requests.ts';
import { transportFault, type BodyLimits } from './transport-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may be large, and may contain its credential as `key`. */
    readonly isBatch?: boolean;
    /** The number of values is not limited for authorized senders. */
    readonly isImport?: boolean;
  }
  interface FastifyRequest {
    /** The authenticated credential of a header; null without one that grants anything. */
    sender: Credential | null;
    /** The session whose cookie came with a form: in force, or issued once and ended. */
    sessionState: 'none' | 'ended' | 'open';
  }
}

/** Bodies up to this size cost no more than their answer. */
const smallBytes = 65_536;
const mebibyte = 1_048_576;

interface Options extends BodyLimits {
  readonly service: Service;
  readonly requestLimits: RequestLimits;
}

/** Checks senders before their bodies are read, and parses JSON. Call before adding routes. */
export function readBodies(app: FastifyInstance, options: Options): void {
  const { service, requestLimits, requestBytesMax } = options;
  const uploads = new ConcurrencyLimiter(uploadConcurrency);
  const pool = new JsonPool();
  app.addHook('onClose', () => pool.close());
  app.decorateRequest('sender', null);
  app.decorateRequest('sessionState', 'none');
  const largest = (request: FastifyRequest): number => {
    const { bodyLimit, config } = request.routeOptions;
    const own = bodyLimit ?? requestBytesMax;
    const isTrusted =
      request.sender !== null ||
      config.isBatch === true ||
      request.sessionState === 'open' ||
      // Files are not kept for the next sign-in.
      (request.sessionState === 'ended' && config.isUpload !== true);
    return isTrusted ? own : Math.min(own, requestBytesMax);
  };
  let bytesInFlight = 0;
  /** Charges a large body to its client; released when the request ends. */
  const charge = (request: FastifyRequest, reply: FastifyReply, bytes: number): Fault | undefined => {
    if (isOwnSocket(request.raw.socket)) return undefined;
    const limited = requestLimits.upload(request, Math.ceil(bytes / mebibyte));
    if (limited !== undefined) return limited;
    const release = uploads.acquire(requestLimits.key(request));
    if (typeof release === 'string') return busy(release, uploads.perKeyMax);
    if (bytesInFlight + bytes > uploadBytesInFlightMax) {
      release();
      return busy('total', uploads.perKeyMax);
    }
    bytesInFlight += bytes;
    reply.raw.once('close', () => {
      bytesInFlight -= bytes;
      release();
    });
    return undefined;
  };

  const authenticateSender = async (
    presented: Presented,
    isLarge: boolean,
    request: FastifyRequest,
    checkSize: () => Fault | undefined,
  ): Promise<void> => {
    const credential = await authenticateFor(service, presented, isLarge);
    if (isFault(credential)) throw errorOf(countFailedCredential(credential, request, requestLimits));
    request.sender = isUnprivileged(credential) ? null : credential;
    const refusal = checkSize();
    if (refusal !== undefined) throw errorOf(refusal);
  };

  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request;
    const length = Number(headers['content-length'] ?? 0);
    const isChunked = headers['transfer-encoding'] !== undefined;
    if ((length === 0 && !isChunked) || request.is404) return done();
    const presented = presentedInHeaders(request);
    if (isFault(presented)) return done(errorOf(countFailedCredential(presented, request, requestLimits)));
    const checkSize = (): Fault | undefined => {
      if (length > largest(request)) return transportFault(tooLarge, options);
      const isCharged = request.sender === null && request.sessionState !== 'open' && length > smallBytes;
      return isCharged ? charge(request, reply, length) : undefined;
    };
    const token = request.routeOptions.config.isForm === true ? sessionTokenOf(request) : undefined;
    if (!isCredentialed(presented) && token !== undefined && wasIssued(service, token))
      return sessionOf(service, token).then((session) => {
        request.sessionState = session === undefined ? 'ended' : 'open';
        const refusal = checkSize();
        if (refusal !== undefined) throw errorOf(refusal);
        return undefined;
      });
    if (!isCredentialed(presented)) return done(errorOf(checkSize()));
    return authenticateSender(presented, length > smallBytes || isChunked, request, checkSize);
  });

  // The length of a chunked body is unknown in advance.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const isTrusted = request.sender !== null || request.sessionState === 'open';
    if (request.headers['transfer-encoding'] === undefined || isTrusted) return done(null, payload);
    let received = 0;
    const most = largest(request);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        const before = received;
        received += chunk.length;
        const refusal =
          received > most
            ? transportFault(tooLarge, options)
            : before <= smallBytes && received > smallBytes
              ? charge(request, reply, most)
              : undefined;
        if (refusal === undefined) next(null, chunk);
        else next(errorOf(refusal));
      },
    });
    payload.once('error', (error) => counted.destroy(error));
    done(null, payload.pipe(counted));
  });

  /** A large body without a credential in a header is authenticated by the one in it; very large bodies need one. */
  const parseLarge = async (request: FastifyRequest, bytes: Buffer, most: number): Promise<JsonValue> => {
    const isVeryLarge = bytes.length > mebibyte;
    const checkSender = async (token: string | undefined): Promise<Fault | undefined> => {
      if (request.sender !== null || (token === undefined && !isVeryLarge)) return undefined;
      const credential = await authenticateMember(service, token);
      const refusal = isFault(credential)
        ? credential
        : isVeryLarge && isUnprivileged(credential)
          ? keyRequired
          : undefined;
      return refusal && countFailedCredential(refusal, request, requestLimits);
    };
    const parsed = isVeryLarge ? await pool.parse(bytes, most, checkSender) : parseJson(bytes, most);
    if (isFault(parsed)) throw errorOf(parsed);
    const refusal = isVeryLarge ? undefined : await checkSender(tokenIn(parsed.value));
    if (refusal !== undefined) throw errorOf(refusal);
    return parsed.value;
  };

  const parse = (
    request: FastifyRequest,
    bytes: Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ): Promise<JsonValue> | undefined => {
    const { isImport } = request.routeOptions.config;
    const most = isImport === true && request.sender !== null ? Number.POSITIVE_INFINITY : valuesMax;
    const isTrusted = request.sender !== null;
    if (bytes.length > smallBytes && (!isTrusted || bytes.length > mebibyte))
      return parseLarge(request, bytes, most);
    const parsed = parseJson(bytes, most);
    if (isFault(parsed)) done(errorOf(parsed), undefined);
    else done(null, parsed.value);
    return undefined;
  };
  app.removeAllContentTypeParsers();
  // Also by exact name: Fastify looks up patterns in a cache at every request.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json\b/i, { parseAs: 'buffer' }, parse);
}

const tooLarge = { code: 'FST_ERR_CTP_BODY_TOO_LARGE' } as const;

/**
 * The arguments of a call as canonical text. Large bodies that will be refused, for lack of a credential or by
 * their length, are not canonicalized.
 */
export function bodyText(
  { rows, limits }: Service,
  request: FastifyRequest,
  presented: Presented,
  key: string,
  given: JsonObject | string,
): string {
  if (typeof given === 'string') return given;
  if (Number(request.headers['content-length']) <= smallBytes) return canonicalJson(given);
  const row = rows.get(key);
  if (row !== undefined && row.auth !== 'none' && !isCredentialed(presented)) return '{}';
  const text = JSON.stringify(given);
  return text.length > bodyBytesMaxOf(key, limits) ? text : canonicalJson(given);
}

/** An error that carries a refusal, for the error handler. */
function errorOf(refusal: Fault): Error;
function errorOf(refusal: Fault | undefined): Error | undefined;
function errorOf(refusal: Fault | undefined): Error | undefined {
  return refusal === undefined ? undefined : Object.assign(new Error(refusal.message), { problem: refusal });
}

/** Small bodies: the gates judge and record whether a credential is in force. */
async function authenticateFor(
  service: Service,
  presented: Presented,
  isLarge: boolean,
): Promise<Credential | Fault> {
  if (isLarge) return authenticateReader(service, presented);
  const credential = await authenticate(service, presented);
  return isFault(credential) ? { gate: 'credential', ...credential } : credential;
}

/** The credential in a body; the gates record the refusal of an expired or revoked one. */
async function authenticateMember(service: Service, token: string | undefined): Promise<Credential | Fault> {
  if (token?.startsWith('tk_') === true) return ownerKeyMisplaced;
  return authenticateFor(service, token === undefined ? {} : { share: token }, false);
}

/** Anonymous callers and self-cut shares. */
function isUnprivileged(credential: Credential): boolean {
  if (credential.kind === 'anonymous') return true;
  return credential.kind === 'share' && credential.chain.some(({ record }) => record.origin === 'self');
}

const keyRequired: Fault = {
  ...fault(
    'credential_required',
    `A body of more than ${mebibyte} bytes takes a credential that the owner gave.`,
    'Send it in a header, Authorization: Bearer <TOKEN>, or a smaller body.',
  ),
  gate: 'credential',
};

function busy(reached: 'key' | 'total', perKeyMax: number): Fault {
  const fix =
    'Send them one after another, or with a credential in a header (Authorization: Bearer <TOKEN>).';
  const details = { retry_after: 1, limit: perKeyMax, remaining: 0, reset: 1 };
  return reached === 'key'
    ? fault('rate_limited', `More than ${perKeyMax} large bodies from here are being read.`, fix, details)
    : fault('overloaded', 'Too many large bodies are being read at this moment.', fix, details);
}
