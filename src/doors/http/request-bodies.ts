/**
 * Request bodies (contract §4): a credential in a header and the limits of its caller are judged before a body is read,
 * and a body is parsed strictly, within a bound on its values. Without a credential in a header only a batch may be
 * large: it is read at a bounded rate, parsed beside the main thread, and judged by its `key` before anything is made
 * of it.
 */
import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyBytesMaxOf } from '../../app/pipeline/validate.ts';
import { authenticate, authenticateReader, type Presented } from '../../app/credentials/authenticate.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { ConcurrencyLimiter } from '../../guard/concurrency-limiter.ts';
import { uploadConcurrency } from '../../guard/limits.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson, parseJson, valuesMax, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { isOwnSocket, type RequestLimits } from './request-limits.ts';
import { JsonPool, tokenIn } from './json-pool.ts';
import { countFailedCredential, isCredentialed, ownerKeyMisplaced, presentedInHeaders } from './requests.ts';
import { transportFault, type BodyLimits } from './transport-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A body may be larger than a request usually is, and bear its credential as `key`. */
    readonly isBatch?: boolean;
    /** Its values are not counted for whoever may send it. */
    readonly isImport?: boolean;
  }
  interface FastifyRequest {
    /** What its credential in a header may send; null where there is none that grants anything. */
    sender: Credential | null;
  }
}

/** A body up to this many bytes costs no more than the answer to it. */
const smallBytes = 65_536;
const mebibyte = 1_048_576;

interface Options extends BodyLimits {
  readonly service: Service;
  readonly requestLimits: RequestLimits;
}

/** Judges who sends a body before it is read, and reads JSON alone. Call before any route is added. */
export function readBodies(app: FastifyInstance, options: Options): void {
  const { service, requestLimits, requestBytesMax } = options;
  const uploads = new ConcurrencyLimiter(uploadConcurrency);
  const pool = new JsonPool();
  app.addHook('onClose', () => pool.close());
  app.decorateRequest('sender', null);
  const largest = (request: FastifyRequest): number => {
    const { bodyLimit, config } = request.routeOptions;
    const own = bodyLimit ?? requestBytesMax;
    return request.sender !== null || config.isBatch === true ? own : Math.min(own, requestBytesMax);
  };
  /** What a large body costs its sender's address; given back when the request has ended. */
  const charge = (request: FastifyRequest, reply: FastifyReply, bytes: number): Fault | undefined => {
    if (isOwnSocket(request.raw.socket)) return undefined;
    const limited = requestLimits.upload(request, Math.ceil(bytes / mebibyte));
    if (limited !== undefined) return limited;
    const release = uploads.acquire(requestLimits.key(request));
    if (typeof release === 'string') return busy(release, uploads.perKeyMax);
    reply.raw.once('close', release);
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
      return request.sender === null && length > smallBytes ? charge(request, reply, length) : undefined;
    };
    if (!isCredentialed(presented)) return done(errorOf(checkSize()));
    return authenticateSender(presented, length > smallBytes || isChunked, request, checkSize);
  });

  // Nobody knows how long a body in chunks is before it has come.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.headers['transfer-encoding'] === undefined || request.sender !== null)
      return done(null, payload);
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

  /** A large body of nobody yet is judged by the credential in it; a very large one must have one. */
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
  // By its exact name too: what matches only a pattern is looked up in a cache at every request.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json\b/i, { parseAs: 'buffer' }, parse);
}

const tooLarge = { code: 'FST_ERR_CTP_BODY_TOO_LARGE' } as const;

/**
 * The arguments of a call as the text that is judged and committed to. A large body is not put into canonical order for
 * nobody, nor where it is beyond what its row takes: the gates refuse it by its length alone.
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

/** Error handlers answer with the refusal that an error bears. */
function errorOf(refusal: Fault): Error;
function errorOf(refusal: Fault | undefined): Error | undefined;
function errorOf(refusal: Fault | undefined): Error | undefined {
  return refusal === undefined ? undefined : Object.assign(new Error(refusal.message), { problem: refusal });
}

/** Whether a credential is in force is for the gates, which record a refusal, as long as reading the body costs nothing. */
async function authenticateFor(
  service: Service,
  presented: Presented,
  isLarge: boolean,
): Promise<Credential | Fault> {
  if (isLarge) return authenticateReader(service, presented);
  const credential = await authenticate(service, presented);
  return isFault(credential) ? { gate: 'credential', ...credential } : credential;
}

/** The credential in a body; the gates record a refusal of one that is authentic and no longer in force. */
async function authenticateMember(service: Service, token: string | undefined): Promise<Credential | Fault> {
  if (token?.startsWith('tk_') === true) return ownerKeyMisplaced;
  return authenticateFor(service, token === undefined ? {} : { share: token }, false);
}

/** A share that nobody had to ask for buys no more than none. */
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
