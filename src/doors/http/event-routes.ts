/**
 * `GET /api/events` (contract §7, ADR 34): the log as Server-Sent Events. A stream begins after `Last-Event-ID`,
 * else after `after`, else at the end of the log. It ends when the client leaves, reads too slowly or loses its
 * credential, or when the server stops.
 */
import { authenticateReader } from '../../app/credentials/authenticate.ts';
import { findArticle } from '../../app/reads/article-access.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { eventsAfter, type Follower, type EventFilter } from '../../app/reads/events.ts';
import { LiveLog } from '../../app/reads/live-log.ts';
import { entryKinds, type EntryKind } from '../../app/reads/log-subject.ts';
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { StoreUnreachable } from '../../engine/store.ts';
import { clientKey } from '../../guard/client-address.ts';
import type { ConcurrencyLimiter } from '../../guard/concurrency-limiter.ts';
import { fault, type Fault, invalidParameter, isFault } from '../../kernel/fault.ts';
import { privateCache } from './envelope.ts';
import { EventStream } from './event-stream.ts';
import { choice, shareOnly, stringParam } from './parameters.ts';
import type { Query } from './requests.ts';
import { type OnError, Reply } from './replies.ts';
import { requestIdHeader } from './request-ids.ts';
import { route } from './route.ts';
import type { RouteContext, RouteServer } from './route-declaration.ts';
import { securityHeadersOf } from './send-raw.ts';

interface StreamRequest {
  readonly follower: Follower;
  readonly wanted: EventFilter;
  readonly after: number;
  /** Whether events have names; without names, a browser's `onmessage` receives all of them. */
  readonly named: boolean;
}

export function eventRoutes(server: RouteServer, limiter: ConcurrencyLimiter, onError: OnError): void {
  const { app, service, requestLimits } = server;
  const live = new LiveLog(service, service.store);
  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });

  route(
    server,
    {
      get: '/api/events',
      id: 'followLog',
      summary: 'Entries of the log as they land, as Server-Sent Events, to each what they may open.',
      tag: 'log',
      caller: 'optional',
      query: {
        after: stringParam(
          'the log index behind which to begin, -1 for the whole log; the present end without it',
        ),
        slug: stringParam('only what is about this article'),
        kind: stringParam(`only these kinds of entries, separated by commas: ${entryKinds.join(', ')}`),
        named: choice(['0', '1'], 'with 0, events bear no names'),
        ...shareOnly,
      },
      rules: (query) => [kindsIn(query), indexFault('after', query['after'])],
      headers: { 'Last-Event-ID': stringParam('the id of the last event that came; counts before after') },
      types: ['text/event-stream'],
      json: false,
      fresh: true,
      limit: 'read',
    },
    async (context) => {
      const streamRequest = await readStreamRequest(service, context);
      return isFault(streamRequest)
        ? streamRequest
        : new Reply((request, reply) => follow(streamRequest, request, reply));
    },
  );

  function follow(
    streamRequest: StreamRequest,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply | Fault {
    if (request.method === 'HEAD') return reply.headers(streamHeaders).send();
    // A closed connection emits no further `close`, and would never be released.
    if (reply.raw.destroyed) return reply.hijack();
    if (stopping.signal.aborted) return shuttingDown;
    const release = limiter.acquire(
      requestLimits.isLimited(request) ? clientKey(requestLimits.address(request)) : undefined,
    );
    if (typeof release === 'string')
      return release === 'key' ? tooManyStreams(limiter.perKeyMax) : allStreamsOpen;
    reply.hijack();
    const unsubscribe = live.enter();
    reply.raw.once('close', () => {
      release();
      unsubscribe();
    });
    const headers: Readonly<Record<string, string | number | string[] | undefined>> = {
      ...securityHeadersOf(streamHeaders['content-type']),
      ...reply.getHeaders(),
      ...streamHeaders,
      [requestIdHeader]: request.id,
    };
    reply.raw.writeHead(200, headers);
    const stream = new EventStream(reply.raw, streamRequest.after);
    void streamEntries(service, live, streamRequest, stream, stopping.signal).catch((error: unknown) => {
      // The operator gets the error; the client does not.
      onError(error, '/api/events', request.id);
      stream.end('internal', 'Connect again in a few seconds; if it stays, tell the operator.');
    });
    return reply;
  }
}

/** Proxies must neither cache nor transform the stream. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': `${privateCache}, no-transform`,
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** An unreachable store ends the stream; the client gets the place to resume from. */
async function streamEntries(
  service: Service,
  live: LiveLog,
  { follower, wanted, after, named }: StreamRequest,
  stream: EventStream,
  stopping: AbortSignal,
): Promise<void> {
  const expiry = new AbortController();
  const timer = expiryTimer(follower.credential, service.now(), () => expiry.abort());
  const signal = AbortSignal.any([stream.closed, stopping, expiry.signal]);
  try {
    for await (const stretch of eventsAfter(service, live, follower, wanted, after, signal)) {
      if (isFault(stretch)) return stream.end(stretch.fault, stretch.fix);
      const events = stretch.events.map(({ index, kind, verb, data }) => ({
        index,
        name: named ? `${kind}.${verb}` : undefined,
        data: JSON.stringify(data),
      }));
      if (!(await stream.send(events, stretch.last)))
        return stream.end('slow_reader', 'Read faster, and go on with the Last-Event-ID that you have.');
    }
    if (expiry.signal.aborted) stream.end('token_expired', 'Ask for another credential and go on with it.');
    else stream.end('stopping', 'The server stops; connect again in a few seconds.');
  } catch (error) {
    if (!(error instanceof StoreUnreachable)) throw error;
    stream.end('overloaded', 'The ledger cannot be reached right now; connect again in a few seconds.');
  } finally {
    clearTimeout(timer);
  }
}

const longestTimerMs = 2 ** 31 - 1;

/** Calls back when the credential or an ancestor expires. */
function expiryTimer(credential: Credential, now: number, onExpiry: () => void): NodeJS.Timeout | undefined {
  if (credential.kind !== 'share') return undefined;
  const ends = credential.chain.map(({ record }) => Date.parse(record.expires_at));
  const leftMs = Math.max(0, Math.min(...ends) - now);
  // Later expiries exceed the range of timers and are noticed with the next entry (`eventsAfter`).
  return leftMs > longestTimerMs ? undefined : setTimeout(onExpiry, leftMs);
}

async function readStreamRequest(
  service: Service,
  { request, query, viewer: credential, presented }: RouteContext<{ readonly get: string }>,
): Promise<StreamRequest | Fault> {
  const kinds = kindsIn(query);
  if (isFault(kinds)) return kinds;
  const { slug, named = '1' } = query;
  const article = slug === undefined ? undefined : await findArticle(service, slug, credential);
  if (isFault(article)) return article;
  const size = (await service.store.read.checkpoint())?.size ?? 0;
  const after = startIndex(request, query, size);
  if (isFault(after)) return after;
  return {
    follower: { credential, reauthenticate: () => authenticateReader(service, presented) },
    wanted: { kinds, aid: article?.aid },
    after,
    named: named === '1',
  };
}

/** The index after which to begin: `Last-Event-ID` takes precedence over the URL. */
function startIndex(request: FastifyRequest, query: Query, size: number): number | Fault {
  const header = request.headers['last-event-id'];
  const fromHeader = typeof header === 'string' && header !== '';
  const given = fromHeader ? header : query['after'];
  if (given === undefined) return size - 1;
  const name = fromHeader ? 'Last-Event-ID' : 'after';
  const details = { parameter: name, log_size: size };
  const wrong = indexFault(name, given);
  if (wrong !== undefined) return wrong;
  if (Number(given) < size) return Number(given);
  return fault(
    'invalid_request',
    `"${name}" lies beyond the log, which has ${size} entries.`,
    `Send at most ${size - 1}, or leave it out to follow from now on; a log that was longer before was set back.`,
    details,
  );
}

function indexFault(name: string, given: string | undefined): Fault | undefined {
  if (given === undefined || /^(?:-1|0|[1-9]\d{0,14})$/.test(given)) return undefined;
  return invalidParameter(
    name,
    `"${name}" is no index of the log.`,
    'Send the id of the last event that you have, or -1 for the whole log.',
  );
}

function kindsIn({ kind }: Query): ReadonlySet<EntryKind> | undefined | Fault {
  if (kind === undefined) return undefined;
  const kinds = kind.split(',').map((each) => each.trim());
  const unknown = kinds.find((each) => !(entryKinds as readonly string[]).includes(each));
  return unknown === undefined
    ? new Set(kinds as EntryKind[])
    : fault(
        'invalid_request',
        `"${unknown.slice(0, 40)}" is no kind of entry.`,
        `Use ${entryKinds.join(', ')}.`,
        {
          parameter: 'kind',
          kinds: [...entryKinds],
        },
      );
}

function tooManyStreams(limit: number): Fault {
  return fault(
    'rate_limited',
    `${limit} streams are open from here, and no more may be.`,
    'Close one of them; one stream can tell of every article.',
    { retry_after: 30, limit, remaining: 0, reset: 30 },
  );
}

const allStreamsOpen = fault(
  'overloaded',
  'As many streams are open as this server holds.',
  'Try again in a minute, or read new entries under /tile/entries.',
);
const shuttingDown = fault('shutting_down', 'The server is stopping.', 'Connect again in a few seconds.');
