/** `/api/articles` (spec §4.3, contract §5): free reads, and the open mirror intake below an article. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listArticles } from '../../app/reads/article-list.ts';
import {
  articleStamp,
  articleStampNow,
  isLogged,
  readArticle,
  readMarkdown,
  findArticle,
} from '../../app/reads/articles.ts';
import type { Taken } from '../../represent/openapi/operation.ts';
import type { Seen } from '../../app/seen.ts';
import { askedOfPart, parametersOf, partReaders } from '../../app/reads/article-parts.ts';
import { askedOf, withAsked, type Asked } from '../../app/reads/moment.ts';
import { pastOf } from '../../app/reads/past.ts';
import { dispatch } from '../../app/calls/dispatch.ts';
import type { Service } from '../../app/service.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { articleList, articleRead, intakes, partReads } from './article-declared.ts';
import { ByteCache, sendBytes } from './cached-bytes.ts';
import { declared, readable, type Declared } from './declare.ts';
import { placeOf, readAt, viewerOf } from './viewer.ts';
import type { WarmReads } from './warm-reads.ts';
import {
  body,
  privateCache,
  publicCache,
  sendProblem,
  sendTagged,
  stableJson,
  type Self,
} from './envelope.ts';
import type { Intake } from './intake.ts';
import { countOpen } from './open-calls.ts';
import {
  idempotencyKeyOf,
  presentedBy,
  readObject,
  readQuery,
  stringMember,
  wholeNumber,
  type Query,
} from './requests.ts';
import { schemaLink } from './schema-routes.ts';
import { sendProtocolAnswer } from './protocol-routes.ts';

const jsonType = 'application/json; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

interface SlugParams {
  readonly slug: string;
  readonly part?: string;
}

export function articleRoutes(
  app: FastifyInstance,
  service: Service,
  intake: Intake,
  cacheBytesMax: number,
  reads: WarmReads,
): void {
  const { base } = service;
  const cache = new ByteCache(cacheBytesMax);
  const warm = { cache, reads };

  app.get('/api/articles', readable(articleList), async (request, reply) => {
    const query = readQuery(request, articleList.parameters);
    if (isFault(query)) return sendProblem(reply, request, base, query);
    const viewer = await viewerOf(service, request, reply, intake);
    if (isFault(viewer)) return sendProblem(reply, request, base, viewer);
    const limit = wholeNumber(query, 'limit', articleList.query.limit);
    if (isFault(limit)) return sendProblem(reply, request, base, limit);
    const tenant = await placeOf(service, viewer, query);
    if (isFault(tenant)) return sendProblem(reply, request, base, tenant);
    const list = await listArticles(service, tenant, viewer, limit, query);
    if (isFault(list)) return sendProblem(reply, request, base, list);
    const self = {
      kind: 'list',
      name: 'articles',
      what: 'Articles, a page at a time.',
      read: readAt(`${base}/api/articles`, query),
      schema: schemaLink(base, 'articles'),
    };
    return sendTagged(request, reply, body(self, list));
  });

  app.get('/api/articles/:slug', readable(articleRead), async (request, reply) => {
    const seen = await see(service, request, reply, intake, articleRead.parameters);
    if (isFault(seen)) return sendProblem(reply, request, base, seen);
    const query = request.query as Readonly<Record<string, string>>;
    const { format } = query;
    if (format !== undefined && format !== 'json' && format !== 'markdown') {
      return sendProblem(
        reply,
        request,
        base,
        fault('invalid_request', `"${format.slice(0, 40)}" is no format.`, 'Use json or markdown.', {
          parameter: 'format',
        }),
      );
    }
    const asked = askedOf(query);
    if (isFault(asked)) return sendProblem(reply, request, base, asked);
    const markdown = format === 'markdown';
    const name = markdown ? 'markdown' : seen.seesDrafts ? 'json drafts' : 'json';
    return sendCached(
      service,
      warm,
      request,
      reply,
      seen,
      {
        name: asked === undefined ? name : `${name} ${JSON.stringify(asked)}`,
        type: markdown ? markdownType : jsonType,
        called: !markdown,
      },
      async () => {
        const then = await standing(service, seen, asked);
        if (isFault(then)) return then;
        if (markdown) return readMarkdown(then.service, seen);
        const self = selfOfArticle(service, seen);
        return stableJson(body(then.self(self), await readArticle(then.service, then.seen)));
      },
    );
  });

  app.get('/api/articles/:slug/:part', readable(...partReads), async (request, reply) => {
    const { part = '' } = request.params as SlugParams;
    const reader = Object.hasOwn(partReaders, part) ? partReaders[part] : undefined;
    // What is no part has no parameters to be wrong about.
    const known = parametersOf(part) ?? Object.keys(request.query as object);
    const seen = await see(service, request, reply, intake, [...known, 'share']);
    if (isFault(seen)) return sendProblem(reply, request, base, seen);
    if (reader === undefined) {
      return sendProblem(
        reply,
        request,
        base,
        fault(
          'not_found',
          `Articles have no part "${part.slice(0, 60)}".`,
          `Use one of ${Object.keys(partReaders).join(', ')}.`,
        ),
      );
    }
    const query = request.query as Readonly<Record<string, string>>;
    const asked = askedOfPart(part, query);
    if (isFault(asked)) return sendProblem(reply, request, base, asked);
    const given = known.flatMap((name) => (query[name] === undefined ? [] : [`${name}=${query[name]}`]));
    const name = [part, seen.seesDrafts ? 'drafts' : '', ...given].join(' ');
    const make = async (): Promise<JsonObject | string | Fault> => {
      const then = await standing(service, seen, asked);
      if (isFault(then)) return then;
      const read = await reader({ service: then.service, seen: then.seen, query });
      if (isFault(read) || typeof read === 'string') return read;
      return body(then.self(selfOfPart(service, seen, part, query)), then.paged(read));
    };
    // A page whose next one bears a share is its holder's alone.
    if (known.includes('cursor') && query['share'] !== undefined) {
      const made = await make();
      return isFault(made) ? sendProblem(reply, request, base, made) : sendTagged(request, reply, made);
    }
    const type = part === 'skill' || query['format'] === 'markdown' ? markdownType : jsonType;
    return sendCached(
      service,
      warm,
      request,
      reply,
      seen,
      { name, type, called: part === 'invocations', needsLog: part === 'ledger' || part === 'bundle' },
      async () => {
        const made = await make();
        return isFault(made) || typeof made === 'string' ? made : stableJson(made);
      },
    );
  });

  for (const [path, taking] of Object.entries(intakes)) {
    app.post(`/api/articles/:slug/${path}`, declared(taking), (request, reply) =>
      openIntake(service, intake, taking, request, reply),
    );
  }
}

/** A write that needs no key: counted by client and article, then dispatched like everything else. */
async function openIntake(
  service: Service,
  intake: Intake,
  taking: Declared<Taken>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { base } = service;
  const { slug } = request.params as SlugParams;
  const row = taking.row as string;
  const object = readObject(request);
  if (isFault(object)) return sendProblem(reply, request, base, object);
  const query = readQuery(request, taking.parameters);
  if (isFault(query)) return sendProblem(reply, request, base, query);
  const token = stringMember(object, 'key');
  if (isFault(token)) return sendProblem(reply, request, base, token);
  const { key: _token, ...args } = object;
  const presented = presentedBy(request, token);
  if (isFault(presented)) return sendProblem(reply, request, base, presented);
  const text = canonicalJson({ ...(row === 'MIRROR_APPEND' ? { claim_id: '' } : {}), ...args, slug });
  const limited = await countOpen(service, intake, request, presented, { key: row, body: text });
  if (limited !== undefined) return sendProblem(reply, request, base, limited);
  const answer = await dispatch(service, {
    key: row,
    body: text,
    presented,
    method: 'POST',
    idempotencyKey: idempotencyKeyOf(request),
    channel: 'http',
    client: intake.address(request),
  });
  return sendProtocolAnswer(reply, request, service, answer, intake);
}

export function selfOfArticle(service: Service, seen: Seen) {
  const { base } = service;
  return {
    kind: 'article',
    name: seen.slug,
    what: 'An article as a graph of claims, sources and hashed text blocks.',
    read: links.articleJson(base, seen.slug),
    write: `${base}/api/protocol/voxel-batch`,
    schema: schemaLink(base, 'article'),
    next: ['masthead', 'voxels', 'claims', 'sources', 'provenance', 'mirror', 'discourse'].map((part) =>
      links.articlePart(base, seen.slug, part),
    ),
  };
}

export function selfOfPart({ base }: Service, { slug }: Seen, part: string, query: Query) {
  return {
    kind: part,
    name: slug,
    what: `The ${part} of ${slug}.`,
    read: links.articlePart(base, slug, part),
    schema: schemaLink(base, schemaOfPart(part, query)),
    next: [links.articleJson(base, slug)],
  };
}

export interface Standing {
  readonly service: Service;
  readonly seen: Seen;
  self(self: Self): Self;
  /** The same, with a next page that is of the same moment. */
  paged(read: JsonObject): JsonObject;
}

/** What a read is made from: the article as it is, or as it stood when it was asked for. */
export async function standing(
  service: Service,
  seen: Seen,
  asked: Asked | undefined,
): Promise<Standing | Fault> {
  if (asked === undefined) return { service, seen, self: (self) => self, paged: (read) => read };
  const past = await pastOf(service, seen, asked);
  if (isFault(past)) return past;
  return {
    service: past.service,
    seen: past.seen,
    self: (self) => ({
      ...self,
      what: `${self.what.replace(/\.$/, '')}, as it stood in revision ${past.seen.version}, ${past.ts}.`,
      read: withAsked(self.read ?? links.articleJson(service.base, seen.slug), asked),
    }),
    paged: (read) =>
      typeof read['next'] === 'string' ? { ...read, next: withAsked(read['next'], asked) } : read,
  };
}

async function see(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  intake: Intake,
  parameters: readonly string[],
): Promise<Seen | Fault> {
  const query = readQuery(request, parameters);
  if (isFault(query)) return query;
  const viewer = await viewerOf(service, request, reply, intake);
  if (isFault(viewer)) return viewer;
  return findArticle(service, (request.params as SlugParams).slug, viewer);
}

/** A part that comes in two shapes has a schema for each. */
function schemaOfPart(part: string, query: Readonly<Record<string, string>>): string {
  if (part === 'bundle' && query['format'] === 'slim') return 'bundle-slim';
  return part === 'revisions' && query['rev'] !== undefined ? 'revision' : part;
}

interface CachedAs {
  readonly name: string;
  readonly type: string;
  /** It shows what invocations came to. */
  readonly called: boolean;
  /** It shows places in the log, and is not kept before every entry has one. */
  readonly needsLog?: boolean;
}

/** How often an answer is made anew because the article changed meanwhile. */
const readsMax = 4;

/** Serves bytes by the stamp of their article; what only some may see is never shared by caches. */
async function sendCached(
  service: Service,
  { cache, reads }: { readonly cache: ByteCache; readonly reads: WarmReads },
  request: FastifyRequest,
  reply: FastifyReply,
  seen: Seen,
  as: CachedAs,
  make: () => Promise<string | Fault>,
): Promise<FastifyReply> {
  const key = `${seen.aid} ${as.name}`;
  let stamp = await articleStamp(service, seen.aid, as.called);
  let entry = cache.get(key, stamp);
  for (let tries = 1; entry === undefined; tries++) {
    const whole = as.needsLog !== true || (await isLogged(service, seen.aid));
    const made = await make();
    if (isFault(made)) return sendProblem(reply, request, service.base, made);
    const after = await articleStamp(service, seen.aid, as.called);
    // What was read while somebody wrote may be of two moments; it is read again, within reason.
    if (after !== stamp && tries < readsMax) {
      stamp = after;
      entry = cache.get(key, stamp);
      continue;
    }
    entry = cache.set(key, stamp, made, as.type);
    if (!whole || after !== stamp) cache.delete(key);
  }
  // A credentialed answer has its header by now, and nothing of it is remembered.
  if (!reply.hasHeader('cache-control')) {
    const cacheControl = seen.status === 'draft' ? privateCache : publicCache;
    void reply.header('cache-control', cacheControl);
    const { aid } = seen;
    // An open workspace may close, which is no change of its articles: only main is known to stay open.
    if (seen.tenant === mainTenant)
      reads.remember(request.url, {
        cache,
        name: key,
        cacheControl,
        stamp: () => articleStampNow(service, aid, as.called),
      });
  }
  return sendBytes(request, reply, cache, entry);
}
