/**
 * The egress guard (contract §3): requests to hosts that callers name. Each host is resolved once, all its addresses
 * are judged, and the connection goes to a judged address, which defeats DNS rebinding. Redirects are judged again.
 * Size, time, type and redirects are limited; no cookies, credentials or proxies are used.
 */
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Fetch, FetchRequest, Fetched, JudgeUrl } from '../../domain/outside/outside.ts';
import {
  closedAddress,
  egressUrl,
  isLocalName,
  literalAddress,
  mayConnect,
  type EgressAllow,
} from '../../guard/egress.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { failed, fetchDefaults, readBody } from './fetch-body.ts';

export interface FetchOptions {
  readonly allow: EgressAllow;
  /** The User-Agent header. */
  readonly userAgent: string;
  /** All numeric addresses of a host name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const redirects = new Set([301, 302, 303, 307, 308]);
const headerBytesMax = 16_384;

export function fetcher(options: FetchOptions): Fetch {
  return async (request) => {
    const timeoutMs = request.timeoutMs ?? fetchDefaults.timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      return await follow(options, request, signal);
    } catch (error) {
      return signal.aborted
        ? fault(
            'runner_timeout',
            `The host did not answer within ${timeoutMs} ms.`,
            'Try again later, or another host.',
          )
        : failed(`the connection failed (${codeOf(error)})`);
    }
  };
}

/** The refusal of a URL before any lookup. */
export function urlJudge(allow: EgressAllow): JudgeUrl {
  return (text) => {
    const url = egressUrl(text);
    if (isFault(url)) return url;
    // An operator who allowed a network may have names in it.
    if (allow.length === 0 && isLocalName(url.hostname)) return closedAddress(url.hostname);
    const literal = literalAddress(url.hostname);
    return literal === undefined || mayConnect(literal, allow) ? undefined : closedAddress(url.hostname);
  };
}

async function follow(
  options: FetchOptions,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<Fetched | Fault> {
  const method = request.method ?? 'GET';
  const follows = method === 'GET' || method === 'HEAD';
  let left = follows ? (request.redirectsMax ?? fetchDefaults.redirectsMax) : 0;
  let next = egressUrl(request.url);
  let headers = request.headers ?? {};
  for (;;) {
    if (isFault(next)) return next;
    const url = next;
    const address = await addressOf(options, url, signal);
    if (isFault(address)) return address;
    const answer = await send(options, url, address, { ...request, headers }, signal);
    const { location } = answer.headers;
    if (!follows || location === undefined || !redirects.has(answer.statusCode ?? 0)) {
      return readBody(url.href, method, answer, request, signal);
    }
    answer.destroy();
    if (left-- === 0) return failed('it redirects too often');
    const target = URL.parse(location, url.href);
    if (target === null) return failed('it redirects to something that is no URL');
    if (url.protocol === 'https:' && target.protocol === 'http:')
      return failed('it redirects from https to http');
    next = egressUrl(target.href);
    if (target.origin !== url.origin) headers = {};
  }
}

/** A judged address of the URL's host. A host with any closed address is closed. */
async function addressOf(options: FetchOptions, url: URL, signal: AbortSignal): Promise<string | Fault> {
  const literal = literalAddress(url.hostname);
  const resolve = options.resolve ?? systemResolve;
  const addresses =
    literal === undefined ? await Promise.race([resolve(url.hostname), aborted(signal)]) : [literal];
  const [first] = addresses;
  if (first === undefined) return failed(`${url.hostname.slice(0, 200)} has no address`);
  return addresses.every((address) => mayConnect(address, options.allow))
    ? first
    : closedAddress(url.hostname);
}

async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Connects to `address`; the host name is used for Host, SNI and certificate only. */
function send(
  options: FetchOptions,
  url: URL,
  address: string,
  { method = 'GET', headers = {}, body }: FetchRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  const target: RequestOptions & { servername?: string } = {
    host: address,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method,
    headers: {
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': options.userAgent,
      ...headers,
      host: url.host,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
    // No connection pool, no proxy.
    agent: false,
    maxHeaderSize: headerBytesMax,
    signal,
    ...(secure && literalAddress(url.hostname) === undefined ? { servername: url.hostname } : {}),
  };
  return new Promise((resolve, reject) => {
    const request = (secure ? requestHttps : requestHttp)(target, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** The error code of the system; its message may contain addresses. */
function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code === 'string' ? code : 'no further reason';
}
